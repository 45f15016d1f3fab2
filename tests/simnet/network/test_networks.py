"""Networks, their files, their chances, and logs in files."""

import contextlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import DPDS, SecAgg
from simnet import BadInput, Fate, Field, Party, Seat, Shuffled, Tag, bits, constant, run, seats
from simnet.kernel.limits import limited
from simnet.kernel.tags import Voluntary
from simnet.network import toml_file
from simnet.network.chances import extra_seconds, message_words, uniform
from simnet.network.network import Access, Latency, Network, Transport
from simnet.network.presets import PRESETS
from simnet.network.recorded import load, recorded
from simnet.network.timeline import shown_parties, timeline_figure
from simnet.network.timing import in_units, timed
from simnet.network.toml_file import as_toml, network_from_toml, network_named, read_network
from simnet.page.keeping import Keeping
from simnet.page.times import times_of
from simnet.values.frames import HEADER_BYTES
from tests.harness.networks import ended
from tests.harness.shell import RING, refusal, simnet

NOTHING = np.zeros(1, dtype=np.int64)
ONE_LATENCY = "[[latencies]]\nbetween = ['client', 'client']\nms = 3\n"
ONE_CLASS = f"[classes.client]\n{ONE_LATENCY}"


def small(users: int = 6, seed: int = 3) -> Any:
    return run(DPDS(users=users, items=3, participation=0.5), [1] * users, seed)


@pytest.mark.parametrize("name", PRESETS)
def test_a_network_as_a_file_is_the_same_network(name: str, tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text(as_toml(PRESETS[name]))
    again = read_network(file)
    assert again.name == name
    assert again.classes == PRESETS[name].classes
    assert again.prices == pytest.approx(PRESETS[name].prices)
    assert timed(recorded(small()), again).completion == pytest.approx(
        timed(recorded(small()), PRESETS[name]).completion
    )


def test_a_file_keeps_control_characters_of_a_name() -> None:
    name = "".join(map(chr, range(32))) + '\x7f"\\'
    again = network_from_toml(as_toml(attrs.evolve(PRESETS["mobile"], name=name)))
    assert again.name == name


@pytest.mark.parametrize("rate", [1e-4, 0.1, 12345.678, 3e9, 1e15])
def test_a_file_keeps_slow_and_fast_rates(rate: float) -> None:
    latency = Latency(rate, jitter=rate / 7)
    network = Network(
        name="one",
        source="",
        classes={"client": Access(up=rate)},
        latencies={("client", "client"): latency},
        roles={},
        transport=Transport(payload=100, header=7),
        prices={"FA": rate},
    )
    again = network_from_toml(as_toml(network))
    assert again.classes["client"].up == pytest.approx(rate, rel=1e-12)
    found = again.latencies["client", "client"]
    assert found.seconds == pytest.approx(rate, rel=1e-12)
    assert found.jitter == pytest.approx(rate / 7, rel=1e-12)
    assert again.prices["FA"] == pytest.approx(rate, rel=1e-12)
    assert as_toml(again) == as_toml(network)


def test_all_settings_of_a_file_are_read(tmp_path: Path) -> None:
    network = Network(
        name='an "odd" name\n',
        source="\\ measured",
        classes={"client": Access(up=1e6, slowness=2.5), "server": Access(), "relay": Access()},
        latencies={
            (one, other): Latency(0.001, jitter=0.002, loss=0.25, law="uniform")
            for one in ("client", "server", "relay")
            for other in ("client", "server", "relay")
        },
        roles={"S1": "relay"},
        transport=Transport(payload=100, header=7),
        prices={"FA": 2e-9},
        relay="server",
    )
    file = tmp_path / "network.toml"
    file.write_text(as_toml(network))
    assert network_named(str(file)) == network


def test_the_example_file_describes_a_network() -> None:
    lines = (toml_file.__doc__ or "").splitlines()
    example = "\n".join(line[4:] for line in lines if line.startswith("    "))
    network = network_from_toml(example)
    assert network.name == "office"
    assert network.latency("server", "client").jitter == 2e-3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 1", "has no 'x'"),
        ("latencies = 3\n[classes.client]", "the latencies must be tables"),
        ("[classes.client]\nupp_mbit = 1", "did you mean up_mbit"),
        ("[classes.client]\nup_mbit = -1", "bits per second above 0"),
        ("[classes.client]\n", "no latency between its classes 'client' and 'client'"),
        ("", "needs classes"),
        ("[classes.client]\n[[latencies]]\nbetween = ['client', 'x']", "no class 'x'"),
        ("[classes.client]\n[[latencies]]\nbetween = 'client'", "two classes"),
        ("[classes.client]\nup_mbit = 'fast'", "up_mbit must be a number"),
        ("[[", "network.toml: this cannot be read as TOML"),
        ("x = " + "[" * 5000 + "]" * 5000, "network.toml: .* nested too deeply"),
        (f"[classes.client]\nup_mbit = {'9' * 5000}", "network.toml: .* out of range"),
        ("[classes.client]\nslowness = inf", "finite factor above 0"),
        (f"[classes.client]\nup_mbit = 1{'0' * 400}", "up_mbit must be a number below"),
        (f"{ONE_CLASS}{ONE_LATENCY}", "two latencies between"),
        (f"relay = 5\n{ONE_CLASS}", "relay must be the name of a party"),
        (f"{ONE_CLASS}[prices_ns]\nFA = -1", "price of FA is a finite number"),
        (f"{ONE_CLASS}[prices_ns]\nFA = nan", "price of FA is a finite number"),
        (f"{ONE_CLASS}[transport]\npayload = 1.5", "payload must be a whole number of bytes"),
        (f"{ONE_CLASS}[transport]\npayload = inf", "payload must be a whole number of bytes"),
        (f"{ONE_CLASS}[transport]\nheader = 1{'0' * 30}", "header must be a whole number of bytes"),
    ],
)
def test_a_file_that_describes_no_network_is_refused(
    text: str, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "network.toml"
    file.write_text(text)
    with pytest.raises(BadInput, match=complaint):
        network_named(str(file))


def test_a_role_without_a_class_and_an_unknown_relay_are_refused() -> None:
    lonely = Network(
        name="lonely", classes={"server": Access()}, latencies={("server", "server"): Latency(1)}
    )
    with pytest.raises(BadInput, match="no class for the role 'user'"):
        timed(recorded(small()), lonely)
    with pytest.raises(BadInput, match="no party 'u9'"):
        timed(recorded(small()), attrs.evolve(PRESETS["mobile"], relay="u9"))


def test_the_coins_of_messages_are_uniform_and_their_own() -> None:
    """Chi-squared over 100 cells, and the same for pairs of neighbours. The largest value that 200
    draws of chi-squared with 99 degrees of freedom exceed with chance 1e-9 each is about 210.
    """
    posts = np.arange(100_000)
    words = message_words(7, posts)
    drawn = uniform(words, 1, 3, NOTHING)
    for numbers in (
        drawn,
        uniform(message_words(8, posts), 1, 3, NOTHING),
        (drawn[1:] + drawn[:-1]) % 1,
    ):
        counts, _ = np.histogram(numbers, bins=100, range=(0, 1))
        expected = len(numbers) / 100
        assert ((counts - expected) ** 2 / expected).sum() < 210
    others = [uniform(words, 2, 3, NOTHING), uniform(words, 1, 4, NOTHING)]
    others.append(uniform(words, 1, 3, NOTHING + 1))
    for other in others:  # 6 standard deviations of a correlation
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 6 / np.sqrt(len(posts))


def test_a_coin_of_a_message_is_neither_zero_nor_one() -> None:
    """An exponential delay would be infinite. Zero and one come from the words whose hash has only
    zeros or only ones, which we find by the steps of the hash backwards.
    """

    def word_with_hash(hash_of_word: int) -> int:
        def backwards(number: int, shift: int) -> int:
            found = number
            for _ in range(64 // shift):
                found = number ^ (found >> shift)
            return found

        word = backwards(hash_of_word, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
        word = backwards(word, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
        return (backwards(word, 30) - 0x9E3779B97F4A7C15) % 2**64

    of_recipient = 1 << 62 | 3 << 32
    words = np.array([word_with_hash(h) ^ of_recipient for h in (0, 2**64 - 1)], dtype=np.uint64)
    least, largest = uniform(words, 1, 3, NOTHING)
    assert 0 < least < 1e-15
    assert 1 - 1e-15 < largest < 1


@pytest.mark.parametrize("law", ["exponential", "uniform"])
@pytest.mark.parametrize("packets", [1, 5])
def test_jitter_and_losses_have_their_law(law: Any, packets: int) -> None:
    """Means within 6 standard errors: false alarms below 1e-8."""
    count = 200_000
    posts = message_words(1, np.arange(count))
    jitter = extra_seconds(Latency(1.0, jitter=0.5, law=law), packets, posts, 0, NOTHING)
    assert jitter.mean() == pytest.approx(0.5, abs=6 * jitter.std() / np.sqrt(count))
    loss = Latency(1.0, loss=0.3)
    tries = extra_seconds(loss, packets, posts, 0, NOTHING) / loss.round_trip
    for most in range(4):
        chance = (1 - 0.3 ** (most + 1)) ** packets  # all packets come within `most` more tries
        error = 6 * np.sqrt(chance * (1 - chance) / count)
        assert (tries <= most).mean() == pytest.approx(chance, abs=error)


@given(st.integers(0, 99), st.integers(0, 99))
def test_chances_follow_from_their_seed_alone(schedule: int, seed: int) -> None:
    network = attrs.evolve(
        PRESETS["mobile"],
        latencies={pair: Latency(0.05, 0.02, 0.1) for pair in PRESETS["mobile"].latencies},
    )
    protocol = DPDS(users=5, items=3, participation=0.5)
    times = [
        timed(recorded(run(protocol, [1] * 5, 1, schedule=chosen)), network, seed).ended
        for chosen in (None, Shuffled(schedule))
    ]
    assert times[0] == times[1]
    assert timed(recorded(small(5)), network, seed + 1).ended != times[0]


def test_a_log_in_a_file_gives_the_same_times(tmp_path: Path) -> None:
    log = recorded(small(), "simnet run x")
    log.save(tmp_path / "run.log")
    again = load(tmp_path / "run.log")
    assert again.command == "simnet run x"
    assert again.messages == log.messages == 6 * 5 + 6
    for network in PRESETS.values():
        assert timed(again, network).ended == timed(log, network).ended


def test_a_small_log_cannot_claim_more_members_than_memory_holds(tmp_path: Path) -> None:
    log = recorded(small())
    attrs.evolve(log, sizes=(1 << 40, *log.sizes[1:])).save(tmp_path / "run.log")
    with pytest.raises(BadInput, match="at most 100,000,000"):
        load(tmp_path / "run.log")


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_a_damaged_log_is_refused_or_timed(place: int, length: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.log"
        recorded(small()).save(file)
        content = bytearray(file.read_bytes())
        start = place % len(content)
        content[start : start + length] = bytes(
            255 - byte for byte in content[start : start + length]
        )
        file.write_bytes(bytes(content))
        with contextlib.suppress(BadInput):
            timed(load(file), PRESETS["mobile"])


@given(st.data())
def test_a_log_with_other_numbers_or_types_is_refused_or_timed(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.log"
        recorded(small(), with_seed=True).save(file)
        with np.load(file) as arrays:
            content = dict(arrays)
        described = json.loads(bytes(content.pop("described")))
        if data.draw(st.booleans()):
            change_one(described, data.draw)
        else:
            name = data.draw(st.sampled_from(sorted(content)))
            change = data.draw(st.sampled_from(["type", "shape", "number"]))
            if change == "type":
                content[name] = content[name].astype(float)
            elif change == "shape":
                content[name] = content[name][..., None]
            elif content[name].size:
                place = data.draw(st.integers(0, content[name].size - 1))
                content[name].flat[place] = data.draw(st.sampled_from([-1, 0, 1, 2, 1 << 62]))
        text = np.frombuffer(json.dumps(described).encode(), dtype=np.uint8)
        np.savez(file.with_suffix(".npz"), described=text, **content)
        with contextlib.suppress(BadInput):
            assert timed(load(file.with_suffix(".npz")), PRESETS["mobile"]).completion >= 0


def test_a_log_of_very_many_lists_is_refused_before_they_are_made(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    with file.open("wb") as log:
        recorded(small()).save(tmp_path / "run.log")
        with np.load(tmp_path / "run.log") as arrays:
            lengths = np.concatenate([arrays["lists_lengths"], np.zeros(10_000, dtype=np.int64)])
            np.savez(log, **{**arrays, "lists_lengths": lengths})
    assert len(load(file).lists) > 10_000
    with limited(memory=0.001), pytest.raises(BadInput, match="lists would take about"):
        load(file)


def change_one(value: Any, draw: Any) -> None:
    """Change one number, text or list somewhere in what a JSON file says."""
    places = list(value if isinstance(value, dict) else range(len(value)))
    place = draw(st.sampled_from(places))
    if isinstance(value[place], list | dict) and value[place] and draw(st.integers(0, 3)):
        change_one(value[place], draw)
    else:
        others = [None, -1, 1, 1.5, 10**30, float("nan"), "x", [], {}, [1, 2], {"FA": -5}, True]
        value[place] = draw(st.sampled_from(others))


def test_a_log_of_made_up_inputs_has_the_seed_of_its_run(tmp_path: Path) -> None:
    network, log = tmp_path / "network.toml", tmp_path / "run.log"
    jitter = {pair: Latency(0.05, 0.02, 0.1) for pair in PRESETS["mobile"].latencies}
    network.write_text(as_toml(attrs.evolve(PRESETS["mobile"], latencies=jitter)))
    asked = ("run", "dpds", "--users", 5, "--items", 3, "--no-claims", "--network", network)
    told = simnet(*asked, "--seed", 3, "--log", log, "--json", "-").json["times"]
    assert simnet("time", log, "--network", network, "--json", "-").json["times"] == told
    other = simnet("time", log, "--network", network, "--seed", 4, "--json", "-").json["times"]
    assert other[0]["completion"] != told[0]["completion"]
    given = ("run", RING, "--users", 3, "--inputs", "1,3,1", "--seed", 3, "--log", log)
    assert simnet(*given).status == 0
    assert load(log).seed is None


def test_whoever_waits_for_somebody_gone_goes_on_when_nobody_else_can() -> None:
    protocol = SecAgg(DPDS(users=5, items=3, participation=1.0), threshold=3)
    done = run(protocol, [1] * 5, 1, fates={"u3": Fate("masked")})
    timing = timed(recorded(done), PRESETS["mobile"])
    told = [wait for wait in timing.waits if wait.post == -1]
    assert [timing.log.names[wait.party] for wait in told] == ["server"]
    others = [ended for name, ended in timing.ended.items() if name not in ("server", "u3")]
    assert told[0].ended < min(others)  # they wait for the server's list of survivors
    assert any(leg.told for leg in timing.legs) or timing.legs[-1].party == "server"


def test_the_longest_chain_is_without_gaps() -> None:
    for name in PRESETS:
        timing = timed(recorded(small(9)), PRESETS[name])
        assert timing.legs[-1].ended == timing.completion
        assert timing.legs[0].began == 0
        for before, after in zip(timing.legs, timing.legs[1:], strict=False):
            assert before.ended == pytest.approx(after.began)
            assert after.sender in (None, before.party)


def test_the_steps_of_a_crowd_are_those_of_the_message_that_came_last() -> None:
    """The jitter is long beside the sending, so that of the first member seldom comes last."""

    @attrs.frozen
    class Asked:
        def parties(self) -> dict[str, Seat]:
            return {"crowd": Seat(self.user, members=20), "server": Seat(self.server)}

        async def user(self, me: Party) -> None:
            await me.receive(Tag("question"), "server")
            await me.send_rows(Tag("answer"), "server", bits(np.ones((20, 1), dtype=bool)))

        async def server(self, me: Party) -> None:
            await me.publish(Tag("question"), ["crowd"], bits(1))
            await me.gather_rows(Tag("answer"), ["crowd"])

    network = Network(
        name="jitter",
        classes={"client": Access(up=8000), "server": Access(up=8000)},
        latencies=dict.fromkeys(
            [("client", "client"), ("client", "server"), ("server", "server")],
            Latency(0.01, jitter=0.5),
        ),
        transport=Transport(header=0),
    )
    for seed in range(20):
        question, answer = timed(run(Asked()), network, seed).legs
        step = (1 + HEADER_BYTES) / 1000  # 8,000 bits a second
        copies = (question.gone - question.began) / step
        assert copies == pytest.approx(round(copies))  # the copies before the last one, and itself
        assert 1 <= round(copies) <= 20
        assert answer.gone - answer.began == pytest.approx(step)  # each member has an own uplink


def test_doubling_every_rate_halves_the_time_on_the_links() -> None:
    """Without latencies and prices, time is bytes divided by rates."""
    done = recorded(small(9))

    def network(rate: float) -> Network:
        access = Access(up=rate, down=3 * rate)
        pairs = [("client", "client"), ("client", "server"), ("server", "server")]
        return Network(
            name="links",
            classes={"client": access, "server": access},
            latencies=dict.fromkeys(pairs, Latency()),
        )

    assert timed(done, network(1e6)).completion == pytest.approx(
        2 * timed(done, network(2e6)).completion
    )


def test_a_timeline_shows_the_longest_chain_and_every_role(tmp_path: Path) -> None:
    timing = timed(recorded(small(40)), PRESETS["mobile"])
    assert {"server", "u1", "u2"} <= set(shown_parties(timing))
    assert {leg.party for leg in timing.legs} <= set(shown_parties(timing))
    figure = timeline_figure(timing)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == shown_parties(timing)[::-1]


def test_times_on_the_command_line(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    asked = ("run", "dpds", "--users", 20, "--items", 3, "--no-claims", "--network", "mobile")
    told = simnet(*asked, "--log", log, "--json", "-").json["times"]
    again = simnet("time", log, "--network", "mobile", "--json", "-").json
    assert again["times"] == told
    assert again["command"].split()[:3] == ["simnet", "run", "dpds"]
    assert "no log of a run" in refusal(simnet("time", RING, "--network", "mobile"))
    assert "did you mean mobile" in refusal(simnet("run", "dpds", "--network", "mobil"))
    with np.load(log) as parts:
        twice = {**parts, "events": np.tile(parts["events"], 2)}
    with log.open("wb") as file:
        np.savez(file, **twice)
    assert "sent twice" in refusal(simnet("time", log, "--network", "mobile"))


def test_units() -> None:
    assert [in_units(time) for time in (0.0, 3e-7, 0.002, 1.5, 100, 2712)] == [
        "0 s",
        "0.3 µs",
        "2 ms",
        "1.5 s",
        "100 s",
        "2,712 s",
    ]
    assert ended(small())["server"] == 2


def test_steps_through_a_relay_have_the_times_of_their_own_links() -> None:
    @attrs.frozen
    class Publish:
        def parties(self) -> dict[str, Seat]:
            return {**seats("u", self.user, 4), "server": Seat(self.server)}

        async def user(self, me: Party) -> None:
            if me.name == "u1":
                await me.publish(Tag("note"), ["u2", "u3", "u4"], constant(Field(101), NOTHING))
            else:
                await me.receive(Tag("note"), "u1")

        async def server(self, me: Party) -> None:
            del me

    for loss in (0.0, 0.4):
        network = Network(
            name="star",
            classes={"server": Access(up=8000)},
            latencies={("server", "server"): Latency(0.01, loss=loss)},
            transport=Transport(payload=10, header=0),
            relay="server",
        )
        timing = timed(run(Publish()), network, seed=3)
        first, second = timing.legs
        sent_again = 1 / (1 - loss)
        for role, parties in zip(timing.roles, (4, 1), strict=True):
            bytes_of_three = 3 * (1 + HEADER_BYTES)
            assert role.bytes_up * parties == pytest.approx(bytes_of_three * sent_again)
            assert role.bytes_down * parties == bytes_of_three
        step = (1 + HEADER_BYTES) / 1000 * sent_again  # 8,000 bits a second
        assert (first.sender, first.party) == ("u1", "server")
        assert first.left == pytest.approx(first.began)
        assert first.gone - first.left == pytest.approx(3 * step)  # one upload for three users
        assert (second.sender, second.party) == ("server", "u4")
        assert second.left - second.began == pytest.approx(2 * step)  # after u2's and u3's
        assert second.gone - second.left == pytest.approx(step)


def test_the_page_draws_no_arrow_where_no_message_ended_a_wait() -> None:
    class Ask:
        def parties(self) -> Mapping[str, Seat]:
            return {"server": Seat(self.server), **seats("u", self.user, 2)}

        async def user(self, me: Party) -> None:
            await me.send(Tag("note"), "server", bits([1]))

        async def server(self, me: Party) -> None:
            await me.gather_some(Tag("note"), ["u1", "u2"])

    timing = timed(run(Ask(), fates={"u2": Fate("note")}), "rounds")
    assert [(leg.told, leg.tag) for leg in timing.legs] == [(True, None)]
    assert times_of(timing, Keeping()).arrows == ()
    assert len(times_of(timed(run(Ask()), "rounds"), Keeping()).arrows) == 1


@attrs.frozen
class Report:
    """A crowd, or one party, of which only some members report."""

    members: int | None
    reports: int

    def parties(self) -> Mapping[str, Seat]:
        user = Seat(self.user, members=self.members)
        return {"u": user, "server": Seat(self.server), "relay": Seat(self.relay)}

    async def user(self, me: Party) -> None:
        rows = np.zeros((self.reports, 100), np.uint8)
        await me.send_rows(Voluntary("note"), "server", bits(rows))

    async def server(self, me: Party) -> None:
        await me.gather_rows(Voluntary("note"), ["u"])

    async def relay(self, me: Party) -> None:
        del me


@pytest.mark.parametrize("members", [None, 3])
@pytest.mark.parametrize("relay", [None, "relay"])
def test_a_post_of_which_nobody_sent_a_message_takes_no_time(
    members: int | None, relay: str | None
) -> None:
    timing = timed(run(Report(members, 0)), attrs.evolve(PRESETS["mobile"], relay=relay))
    assert timing.completion == 0
    assert all((role.bytes_up, role.bytes_down, role.sending) == (0, 0, 0) for role in timing.roles)


def test_the_uplinks_of_silent_members_are_not_busy() -> None:
    some, everybody = (timed(run(Report(3, reports)), "mobile").roles[0] for reports in (2, 3))
    assert some.sending == pytest.approx(everybody.sending * 2 / 3)
    assert some.bytes_up == pytest.approx(everybody.bytes_up * 2 / 3)


def test_a_network_without_classes_is_refused() -> None:
    with pytest.raises(BadInput, match=r"the network empty has no classes, such as 'client'"):
        Network(name="empty", classes={}, latencies={})


@attrs.frozen
class Crossing:
    """A message that is sent first and comes last, to a crowd or to one party."""

    members: int | None

    def parties(self) -> Mapping[str, Seat]:
        senders = {"far": Seat(self.far), "near": Seat(self.near)}
        return {**senders, "u": Seat(self.user, members=self.members), "s": Seat(self.server)}

    async def far(self, me: Party) -> None:
        await me.publish(Tag("old"), ["u"], bits(np.zeros(800, dtype=bool)))

    async def near(self, me: Party) -> None:
        await me.publish(Tag("new"), ["u"], bits(np.zeros(1600, dtype=bool)))

    async def user(self, me: Party) -> None:
        await me.receive(Tag("new"), "near")
        await me.send_rows(Tag("answer"), "s", bits(np.zeros((self.members or 1, 1), dtype=bool)))
        await me.gather(Tag("old"), ["far"])

    async def server(self, me: Party) -> None:
        await me.gather_rows(Tag("answer"), ["u"])


@pytest.mark.parametrize("far", [0.25, 1.3, 10.0])
def test_the_downlink_of_a_member_takes_messages_in_the_order_in_which_they_come(
    far: float,
) -> None:
    """Uplinks take no time here, so each member of a crowd has the times of a single party."""
    classes = {"client": Access(down=800), "server": Access(), "far": Access()}
    network = Network(
        name="two distances",
        classes=classes,
        roles={"far": "far", "user": "client"},
        latencies={
            (one, other): Latency(far if "far" in (one, other) else 1.0)
            for one in classes
            for other in classes
        },
    )
    crowd, single = (timed(run(Crossing(members)), network) for members in (3, None))
    assert crowd.ended == pytest.approx(single.ended)
    assert [leg.tag for leg in crowd.legs] == [leg.tag for leg in single.legs]
    assert [leg.ended for leg in crowd.legs] == pytest.approx([leg.ended for leg in single.legs])
