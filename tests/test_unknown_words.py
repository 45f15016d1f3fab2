"""Methods and functions with an axis, a mode or a name refuse a word that they do not know."""

from typing import Any, cast

import pytest

from protocols.advice.choosing import fewest_users, largest_participation
from protocols.advice.comparing import Compared, Row
from protocols.dpdg.privacy import noisy_run
from protocols.dpds.script import DPDS
from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.split import Split
from protocols.mechanisms.tuples import optimal_k
from protocols.postprocess.calibrate import Calibrate
from protocols.privacy.bounds import bound
from protocols.privacy.count_statements import assumption
from protocols.privacy.gaussian import sigma
from protocols.privacy.sampled_counts import neighbours, profile
from protocols.secagg.build import secagg
from protocols.secagg.degree import Demands
from protocols.two_rounds.estimators import covariance, covariance_with_none, variance
from protocols.two_rounds.mechanism import TwoRounds
from protocols.weighted.weights import weights
from simnet import Latency, every_coalition, run, verdict
from simnet.errors import SimnetError
from simnet.studies.table import Table
from simnet.testing import coalitions

DONE = run(DPDS(3, 2, 0.5), [1, 2, 1], seed=1)
LEDGER, ROUNDS = DONE.ledger, TwoRounds(0.5, [0.25, 0.25])
ROW = Row(10, "dpds", None, 1.0, 1.0, "")
COMPARED = Compared((0.5, 0.5), 1.0, 0.1, (ROW,), ())
TABLE = Table([{"n": 1}], ["n"], [])

# Each entry takes a word; the words in the second list are known to a neighbouring method only.
TAKES_A_WORD: dict[str, tuple[Any, list[str]]] = {
    "Ledger.total, direction": (lambda word: LEDGER.total(word), ["wire"]),
    "Ledger.total, counting": (lambda word: LEDGER.total("sent", word), ["sent"]),
    "Ledger.by, axis": (lambda word: LEDGER.by(word, "sent"), ["sent"]),
    "Ledger.by, direction": (lambda word: LEDGER.by("tag", word), ["tag"]),
    "Ledger.by, counting": (lambda word: LEDGER.by("tag", "sent", word), ["tag"]),
    "Ledger.operations": (LEDGER.operations, ["phase", "round", "tag", "link"]),
    "Ledger.unread": (LEDGER.unread, ["sent"]),
    "Ledger.by_lot": (lambda word: LEDGER.by_lot(word), ["wire"]),
    "Ledger.rounds_of": (LEDGER.rounds_of, ["u1"]),
    "Roster.role": (DONE.roster.role, ["u1"]),
    "Roster.find": (DONE.roster.find, ["user"]),
    "Roster.group": (DONE.roster.group, ["user"]),
    "Run.coins": (DONE.coins, ["user"]),
    "Run.within": (DONE.within, ["g1."]),
    "Run.view": (lambda word: DONE.view([word]), ["user"]),
    "verdict": (lambda word: verdict(DONE, word), ["user"]),
    "Verdict.attack": (lambda word: verdict(DONE, "server").attack(word, 1), ["u1"]),
    "EveryCoalition.of": (lambda word: every_coalition(DONE).of(word), ["user"]),
    "EveryCoalition.finding": (lambda word: every_coalition(DONE).finding([word]), ["user"]),
    "testing.coalitions": (lambda word: coalitions(DPDS(3, 2, 0.5), word), ["u1"]),
    "Latency": (lambda word: Latency(0.1, law=word), ["normal"]),
    "Table.where": (lambda word: TABLE.where(**{word: 1}), ["N"]),
    "Table.values": (TABLE.values, ["N"]),
    "Compared.series, label": (lambda word: COMPARED.series(word, "error"), ["tss"]),
    "Compared.series, quantity": (lambda word: COMPARED.series("dpds", word), ["byte"]),
    "covariance": (lambda word: covariance(ROUNDS, [3, 4], 0, word), ["round-one"]),
    "covariance_with_none": (lambda word: covariance_with_none(ROUNDS, [3, 4], 0, word), ["round"]),
    "variance": (lambda word: variance(ROUNDS, [3, 4], 0, word), ["round-one"]),
    "weights": (lambda word: weights(word, [3, 4], [1.0, 2.0]), ["VWA"]),
    "optimal_k": (lambda word: optimal_k(1.0, 5, word), ["duchi"]),
    "noisy_run": (lambda word: noisy_run(9, 1.0, 1e-5, word, "", 1, 0), ["exact"]),
    "sigma": (lambda word: sigma(word, 1.0, 1.0, 1e-5), ["exact"]),
    "profile": (lambda word: profile([3, 4], 0.5, word), ["add"]),
    "neighbours": (lambda word: neighbours([3, 4], 0.5, word), ["add"]),
    "bound": (lambda word: bound([3, 4], 0.5, word), ["add"]),
    "assumption": (lambda word: assumption([3, 4], word), ["add"]),
    "fewest_users": (lambda word: fewest_users(0.2, 3, word), ["add"]),
    "largest_participation": (lambda word: largest_participation([3, 4], word, 1, 0.1), ["add"]),
    "DuchiMulti": (lambda word: DuchiMulti(1.0, 2, word), ["printed"]),
    "Split": (lambda word: Split(1.0, cast(Any, 2), word), ["as-printed"]),
    "Calibrate": (lambda word: Calibrate(support=word), ["finite"]),
    "Demands": (lambda word: Demands(10, 1, 0.1, drop_law=word), ["curious"]),
    "secagg": (lambda word: secagg(users=5, items=2, answer=word), ["tss"]),
}


@pytest.mark.parametrize("name", TAKES_A_WORD)
def test_an_unknown_word_is_refused(name: str) -> None:
    method, known_elsewhere = TAKES_A_WORD[name]
    for word in ("nonsense", *known_elsewhere):
        with pytest.raises((SimnetError, ValueError)):
            method(word)
