"""Valid certificates, which tests then corrupt: of all scenarios, of scripts of the corpus, and of
random scripts.

Each comes with the certificate made anew, with which `simnet verify --check` compares a file.
"""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from simnet import (
    Field,
    Judge,
    Party,
    Sealed,
    Seat,
    Tag,
    Verdict,
    certificate_of,
    certificate_text,
    run,
)
from simnet.adversary.check import BadCertificate
from simnet.adversary.judge import By
from simnet.errors import SimnetError
from simnet.scenario.certified import Claimed, certificate_of_scenario, first_difference
from simnet.scenario.find import find, names
from simnet.scenario.verify import verify
from tests.harness.corpus.judged import EXAMPLES, verdicts
from tests.harness.mutants import CopiesLastShare, LeavesOneOut, PublishesCounts
from tests.harness.small_scripts.checking import coalitions, inputs_of, played
from tests.harness.small_scripts.drawing import drawn
from tests.harness.small_scripts.source import forget_sources, protocol_of

Content = dict[str, Any]

# Sizes at which a scenario is judged in milliseconds; others have four users and two items.
SIZES: Mapping[str, Mapping[str, str]] = {
    "calibrated_frequency": {"users": "50"},
    "ldp_sgd": {"users": "12"},
    "sampled_personal": {"users": "12"},
    "tss_prime": {"bound": "2"},
    "weighted": {"users": "12"},
    "weighted_mean": {"users": "12"},
}
MUTANTS = (CopiesLastShare, LeavesOneOut, PublishesCounts)


F3, NOTE, MASK = Field(3), Tag("note"), Tag("mask")


class Bounded:
    """A user has two numbers. The messages tell the first number, and at most the second one too.

    The mask of the second number is sent, and whether the masked number is 0 is disclosed.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.server)}

    def numbers(self, holder: Any, item: Any) -> list[Any]:
        """Return the two secret numbers that the holder's item stands for."""
        return [
            holder.secret(lambda item: item % 3, item, field=F3, shape=()),
            holder.secret(lambda item: item // 3, item, field=F3, shape=()),
        ]

    async def user(self, me: Party, item: Sealed) -> None:
        first, second = self.numbers(me, item)
        mask = me.coins.field(F3, ())
        await me.send(NOTE, "S", first)
        await me.send(MASK, "S", mask)
        me.disclose(lambda masked: int(masked == 0), second + mask)

    async def server(self, me: Party) -> None:
        await me.receive(NOTE, "u", shape=())
        await me.receive(MASK, "u", shape=())

    def functionality(self, inputs: Any, users: Any) -> Mapping[str, Any]:
        return {"S": self.numbers(users[0], inputs[0])}


WORDS, KEY, SEED, REST = Field(2**32 - 5), Tag("key"), Tag("seed"), Tag("rest")


class GivesItsSeed:
    """A user masks its number with random rows of a seed, and sends the seed in a box.

    The server agreed on the key of the box, so it learns the number. The reader learns the half of
    another seed, which is not enough to tell anything. It does not see the public key of the user,
    so it cannot agree on the seed that masks its last message.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.server), "R": Seat(self.reader)}

    async def user(self, me: Party, item: Sealed) -> None:
        number = me.secret(lambda item: [item % 3], item, field=F3, shape=(1,))
        secret, seed, other = (me.coins.field(WORDS, (8,)) for _ in range(3))
        await me.send(KEY, "S", me.public_key(secret))
        key = me.agree(secret, await me.receive(KEY, "S"), WORDS, (4,))
        await me.send(SEED, "S", me.encrypt(key, seed))
        await me.send(NOTE, "S", number + me.expand(seed, F3, (1,), "mask"))
        await me.send(SEED, "R", other[:4])
        await me.send(REST, "R", other[4:] + me.expand(seed, WORDS, (4,), "more"))
        await me.send(NOTE, "R", number + me.expand(other, F3, (1,), "mask"))
        hidden = me.agree(secret, await me.receive(KEY, "R"), WORDS, (4,))
        await me.send(MASK, "R", number + me.expand(hidden, F3, (1,), "mask"))

    async def server(self, me: Party) -> None:
        secret = me.coins.field(WORDS, (8,))
        await me.send(KEY, "u", me.public_key(secret))
        key = me.agree(secret, await me.receive(KEY, "u"), WORDS, (4,))
        seed = me.decrypt(key, await me.receive(SEED, "u"))
        mask = me.expand(seed, F3, (1,), "mask")
        (await me.receive(NOTE, "u") - mask).open()

    async def reader(self, me: Party) -> None:
        await me.send(KEY, "u", me.public_key(me.coins.field(WORDS, (8,))))
        await me.receive(SEED, "u")
        await me.receive(REST, "u", shape=(4,))
        await me.receive(NOTE, "u")
        await me.receive(MASK, "u")


@attrs.frozen
class Valid:
    """A valid certificate.

    `origin` says where it comes from. `anew` is the content that it was written from: `simnet
    verify --check` makes this content again and compares it with the file.
    """

    origin: str
    text: str
    anew: Content
    is_scenario: bool = False

    def difference(self, data: bytes) -> str | None:
        """Say where `simnet verify --check` would find that a file differs from its run; return
        None if it does not differ.
        """
        try:
            claimed = Claimed(data.decode())
            claimed.certificate.checked()
            if self.is_scenario and _names_another_run(claimed, Claimed(self.text)):
                return _read_again(claimed)
        except (BadCertificate, UnicodeDecodeError, SimnetError) as error:
            return f"{type(error).__name__}: {error}"
        return first_difference(_content(claimed), self.anew)

    def names_another_run(self, data: bytes) -> bool:
        """Return whether a certificate names another run, or another coalition, than this one."""
        return self.is_scenario and _names_another_run(Claimed(data.decode()), Claimed(self.text))


def _content(claimed: Claimed) -> Content:
    return claimed._content  # the content that `Claimed.difference` compares


def _names_another_run(claimed: Claimed, original: Claimed) -> bool:
    return _named_run(claimed) != _named_run(original)


def _named_run(claimed: Claimed) -> tuple[Any, ...]:
    seeds = [run["seed"] for run in _content(claimed)["runs"]]
    named = (claimed.scenario, claimed.parameters, claimed.corrupt, claimed.collections, seeds)
    return (*named, claimed.names_seed)


def _read_again(claimed: Claimed) -> str | None:
    """Compare a file with the run that the file itself names; return the difference, or None."""
    name = str(claimed.scenario)
    scenario = find(name)[1].with_settings(claimed.parameters)
    if scenario.settings().keys() != claimed.parameters.keys():
        return "it would differ in its parameters"  # found here without a run of the scenario
    seed = claimed.seed(None)
    verified = verify(scenario, claimed.corrupt, seed, None, claimed.collections, by=claimed.by)
    return claimed.difference(verified, name)


def valid_certificates(seed: int) -> Iterator[Valid]:
    """Yield different certificates without end: those of the corpus once, all others from new seeds
    each time.
    """
    sources = [_of_scenarios(seed), _of_corpus(), _of_random_scripts(seed), _of_mutants(seed)]
    seen: set[str] = set()
    while sources:
        for source in [*sources]:
            found = next(source, None)
            if found is None:
                sources.remove(source)
            elif found.text not in seen:
                seen.add(found.text)
                yield found


def of_verdict(origin: str, found: Verdict, with_seed: bool) -> Valid | None:
    """Return the certificate of a verdict; None if the verdict is undecided."""
    if found.finding == "undecided":
        return None
    made = certificate_of(found, with_seed=with_seed)
    return Valid(origin, certificate_text(made), made)


def of_scenario(
    name: str,
    settings: Mapping[str, str],
    corrupt: str,
    seed: int,
    runs: int,
    by: By = "elimination",
) -> Valid:
    """Return the certificate, with seeds, of a verdict on runs of a scenario."""
    scenario = find(name)[1].with_settings(settings)
    verified = verify(scenario, corrupt, seed, None, runs, by=by)
    made = certificate_of_scenario(verified, name, with_seed=True)
    return Valid(f"{name} {corrupt} {seed}", certificate_text(made), made, is_scenario=True)


def _of_scenarios(seed: int) -> Iterator[Valid]:
    for at in itertools.count(seed):
        for name in names():
            draw = random.Random(f"{name} {at}")
            scenario = find(name)[1]
            settings = {"users": "4", "items": draw.choice("23"), **SIZES.get(name, {})}
            settings = {k: v for k, v in settings.items() if k in scenario.settings()}
            scenario = scenario.with_settings(settings)
            parties = list(scenario.build(scenario.users, scenario.items).parties())
            for corrupt in _sets(parties, draw):
                runs = 2 if draw.random() < 0.1 else 1
                by: By = "symmetry" if draw.random() < 0.2 else "elimination"
                try:
                    yield of_scenario(name, settings, corrupt, at, runs, by)
                except SimnetError:
                    continue  # undecided, not alike, or the population lacks a party of the set


def _sets(parties: Sequence[str], draw: random.Random) -> Iterator[str]:
    """Yield coalitions: the last party, which often gets the output, and a few that are drawn."""
    yield parties[-1]
    for size in (1, 2, len(parties) - 1, draw.randint(1, len(parties))):
        chosen = draw.sample(parties, min(size, len(parties)))
        if draw.random() < 0.2:
            chosen.append("network")
        yield ",".join(chosen)


def _of_corpus() -> Iterator[Valid]:
    order = sorted(EXAMPLES)
    random.Random(0).shuffle(order)
    for name in order:
        yield from of_example(name)


def of_example(name: str) -> Iterator[Valid]:
    """Yield the certificates of the verdicts on one script of the corpus."""
    if EXAMPLES[name].refused:
        return
    for at, (_, of_run) in enumerate(verdicts(name)):
        for coalition, found in {} if isinstance(of_run, str) else of_run.items():
            made = of_verdict(f"{name}: {coalition}", found, with_seed=at % 2 == 0)
            if made is not None:
                yield made


def _of_random_scripts(seed: int) -> Iterator[Valid]:
    """Yield certificates of random scripts that have doors; certificates of scripts without doors
    are mostly alike.
    """
    for at in itertools.count(1000 * seed):
        yield from (made for made in of_script(at) if made.anew["doors"])


def of_script(seed: int) -> list[Valid]:
    """Return the certificates of the verdicts on one random script."""
    draw, script = random.Random(f"certificate {seed}"), drawn(seed)
    protocol = protocol_of(script)
    inputs = draw.choice(list(itertools.islice(inputs_of(script), 4)))
    done, made = played(script, protocol, inputs, seed), []
    if done is not None:
        judge = Judge([done], list(script.parties))
        for one in coalitions(script):
            try:
                found = judge.verdict(one)
            except SimnetError:
                continue  # no party outside the coalition has a secret
            made.append(of_verdict(f"script {seed}: {one}", found, with_seed=draw.random() < 0.5))
    forget_sources()
    return [valid for valid in made if valid is not None]


def _of_mutants(seed: int) -> Iterator[Valid]:
    """Yield certificates of protocols that leak, with their attacks, and of `Bounded`."""
    for at in itertools.count(seed):
        draw = random.Random(f"mutant {at}")
        for mutant in MUTANTS:
            protocol = mutant(users=3, items=2, participation=1.0)
            yield from _of_run(protocol, [draw.randint(1, 2) for _ in range(3)], at)
        yield bounded(at)
        yield from with_seeds(at)


def _of_run(protocol: Any, inputs: Sequence[int], seed: int) -> Iterator[Valid]:
    observed = list(protocol.parties())
    judge = Judge([run(protocol, inputs, seed)], observed)
    for chosen in itertools.combinations(observed, 2):
        origin = f"{type(protocol).__name__} {chosen}"
        made = of_verdict(origin, judge.verdict(list(chosen)), with_seed=seed % 2 == 0)
        if made is not None:
            yield made


def with_seeds(seed: int) -> list[Valid]:
    """Return the certificates of `GivesItsSeed`, with statements of several kinds."""
    judge = Judge([run(GivesItsSeed(), [seed % 3], seed)], ["u", "S", "R"])
    made = [
        of_verdict(f"GivesItsSeed {names}", judge.verdict(names), with_seed=True)
        for names in (["S"], ["R"], ["S", "R"])
    ]
    assert [valid and valid.anew["statement"] for valid in made] == ["leaks", "nothing", "leaks"]
    return [valid for valid in made if valid is not None]


def alike_leak() -> Valid:
    """Return the certificate of a leak that was found by symmetry."""
    done = run(PublishesCounts(users=5, items=2, participation=1.0), [1, 2, 1, 2, 1], 1)
    found = Judge([done], by="symmetry").verdict("u1")
    made = of_verdict("PublishesCounts u1, by symmetry", found, with_seed=True)
    assert made is not None
    assert made.anew["statement"] == "leaks"
    return made


def bounded(seed: int) -> Valid:
    """Return the certificate of `Bounded`, whose messages provably tell one number, and may tell
    more.
    """
    done = run(Bounded(), [seed % 9], seed)
    made = of_verdict("Bounded S", Judge([done], ["S"]).verdict(["S"]), with_seed=True)
    assert made is not None
    assert all(field["changes"] for field in made.anew["fields"])
    return made
