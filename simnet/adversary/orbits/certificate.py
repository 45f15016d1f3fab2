"""Certificates of verdicts on parties who are alike: the tables of the run, and the proof.

`docs/reference/certificates.md`, section 10, says what is in the file. `simnet.adversary.check` and
`check.mjs` beside it read the file.

>>> from simnet import Field, Summed, seats
>>> from simnet.adversary.certificate import certificate_text
>>> from simnet.adversary.check import certificate
>>> from simnet.adversary.orbits.verdict import AlikeJudge
>>> F, SHARE = Field(10_007), Summed("share")
>>> class Sharing:
...     def parties(self):
...         return seats("u", self.user, 60)
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         masks = me.coins.field(F, (59, 1))
...         rows = masks.append(mine - masks.sum())
...         await me.scatter(SHARE, to=me.all("user"), rows=rows)
...         await me.gather_sum(SHARE, senders=me.all("user"))
>>> content = alike_certificate_of(AlikeJudge(Sharing(), list(range(60)), seed=1).verdict("u1"))
>>> content["statement"], content["systems"][0]["classes"]
('nothing', [['u1', 1], ['honest users, kind 2', 59]])
>>> certificate(certificate_text(content)).checked().statement
'nothing'
"""

from collections.abc import Mapping
from typing import Any

from simnet.adversary.certificate import protocol_header
from simnet.adversary.check import ORBIT_FORMAT, ORBIT_VERSION
from simnet.adversary.coalition import NETWORK
from simnet.adversary.orbits.solving import OrbitProof, SymmetricSystem
from simnet.adversary.orbits.tables import Entry, Word
from simnet.adversary.orbits.verdict import AlikeVerdict
from simnet.errors import SimnetError

Json = dict[str, Any]


def alike_certificate_of(
    verdict: AlikeVerdict,
    *,
    scenario: str | None = None,
    parameters: Mapping[str, object] | None = None,
    with_seed: bool = False,
) -> Json:
    """Return the certificate of a verdict as an object for JSON. `certificate_text` turns it into
    the text of a file.

    `scenario` and `parameters` say how the protocol was made. `with_seed` adds the seed of the run.
    Raises `SimnetError` for an undecided verdict.
    """
    if verdict.finding == "undecided":
        raise SimnetError("an undecided verdict has no certificate: it is a bound, not a proof")
    return {
        "format": ORBIT_FORMAT,
        "version": ORBIT_VERSION,
        "protocol": protocol_header(verdict.run.protocol, scenario, parameters),
        "run": {
            "parties": len(verdict.run.roster),
            "seed": verdict.seed if with_seed else None,
        },
        "set": [*verdict.corrupt.parties, *[NETWORK] * verdict.corrupt.network],
        "statement": verdict.finding,
        "checked": list(verdict.checked),
        "systems": [
            _system(component.system, proof, verdict.lanes)
            for component, proof in verdict.lifted.found
        ],
    }


def _system(system: SymmetricSystem, proof: OrbitProof, lanes: int) -> Json:
    places = {name: place for place, name in enumerate(system.sizes)}

    def word(of: Word) -> list[int]:
        return [places[name] for name in of]

    types = {
        "rows": system.rows,
        "variables": system.variables,
        "secrets": system.secrets,
        "ideal": system.ideal,
    }
    tables = {
        "seen": system.seen,
        "told": system.told,
        "handed": system.handed,
        "weights": proof.weights,
        "learned": proof.learned,
        "shift": proof.shift,
        "rest": proof.rest,
        "factor": proof.factor,
        "witness": proof.witness,
    }
    return {
        "modulus": system.modulus,
        "lanes": lanes,
        "statement": proof.finding,
        "classes": [[name, size] for name, size in system.sizes.items()],
        **{kind: [[each.label, word(each.word)] for each in of] for kind, of in types.items()},
        "functions": [word(of) for of in proof.functions],
        "columns": [word(of) for of in proof.witness_words],
        **{name: _entries(table) for name, table in tables.items()},
    }


def _entries(table: Mapping[Entry, int]) -> list[Json]:
    entries: list[Any] = [
        [row, column, [list(pair) for pair in matching], value]
        for (row, column, matching), value in sorted(table.items())
    ]
    return entries
