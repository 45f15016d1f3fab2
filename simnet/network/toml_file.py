"""Networks as TOML files, and where a network of a name is found.

A file gives megabits per second and milliseconds, because networks are described in these units,
and prices in nanoseconds::

    name = "office"
    source = "measured on 3 May"
    relay = "server"                 # optional: messages between others go through this party

    [classes.client]
    up_mbit = 20                     # without a rate, the link has no limit
    down_mbit = 100
    slowness = 2                     # computing takes twice as long as the prices say
    [classes.server]

    [[latencies]]                    # one for each pair of classes, and for each class with itself
    between = ["client", "server"]
    ms = 15
    jitter_ms = 2                    # optional, with law = "exponential" or "uniform"
    loss = 0.01                      # optional: the share of packets that are lost
    [[latencies]]
    between = ["client", "client"]
    ms = 30
    [[latencies]]
    between = ["server", "server"]
    ms = 5

    [roles]                          # optional: the class of all parties of a role
    helper = "client"

    [transport]                      # optional: bytes of a packet
    payload = 1448
    header = 66

    [prices_ns]                      # optional: nanoseconds of one operation
    FA = 2

Parties of a role that is not listed are clients if they bring an input, and servers if not. Without
the table `prices_ns`, the prices are those of the network `broadband`. In this table, an operation
that is not listed takes no time.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from simnet.errors import BadInput
from simnet.foreign import parsed, text_of
from simnet.nearest import did_you_mean
from simnet.network.network import TCP, Access, Latency, Network, Transport
from simnet.network.presets import PRESETS, PRICES
from simnet.values.meter import Operation

_TOP = ("name", "source", "relay", "classes", "latencies", "roles", "transport", "prices_ns")
_CLASS = ("up_mbit", "down_mbit", "slowness")
_LATENCY = ("between", "ms", "jitter_ms", "loss", "law")
MEGA, MILLI, NANO = 1e6, 1e-3, 1e-9
MOST_BYTES = 1 << 31  # of a packet; the bytes of a run then fit into 64 bits


def network_named(text: str) -> Network:
    """Return the network of this name, or the one in the TOML file of this name.

    Raises `BadInput` if there is neither, and for a file that does not describe a network.

    >>> from simnet import network_named
    >>> network_named("mobile").classes["client"].up
    3000000.0
    """
    if text in PRESETS:
        return PRESETS[text]
    path = Path(text)
    if path.suffix == ".toml" or path.is_file():
        return read_network(path)
    raise BadInput(
        f"there is no network {text!r}{did_you_mean(text, PRESETS)}: name one of "
        f"{', '.join(PRESETS)}, or a TOML file"
    )


def read_network(path: Path) -> Network:
    """Return the network that a TOML file describes. Raises `BadInput` if it describes none."""
    text = text_of(path)
    try:
        return _network(parsed(text, "TOML"), path.stem)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def network_from_toml(text: str) -> Network:
    """Return the network that the text of a TOML file describes.

    Raises `BadInput` if it describes none.
    """
    return _network(parsed(text, "TOML"), "network")


def as_toml(network: Network) -> str:
    """Return the text of a TOML file that describes a network.

    >>> print(as_toml(network_named("rounds")).splitlines()[0])
    name = "rounds"
    """
    lines = [f"name = {_text(network.name)}", f"source = {_text(network.source)}"]
    if network.relay is not None:
        lines.append(f"relay = {_text(network.relay)}")
    for name, access in network.classes.items():
        lines += ["", f"[classes.{_text(name)}]"]
        rates = {"up_mbit": access.up, "down_mbit": access.down}
        lines += [
            f"{key} = {_number(rate / MEGA)}" for key, rate in rates.items() if rate is not None
        ]
        if access.slowness != 1:
            lines.append(f"slowness = {_number(access.slowness)}")
    for (one, other), latency in network.latencies.items():
        lines += ["", "[[latencies]]", f"between = [{_text(one)}, {_text(other)}]"]
        lines.append(f"ms = {_number(latency.seconds / MILLI)}")
        if latency.jitter:
            lines.append(f"jitter_ms = {_number(latency.jitter / MILLI)}")
            lines.append(f"law = {_text(latency.law)}")
        if latency.loss:
            lines.append(f"loss = {_number(latency.loss)}")
    if network.roles:
        lines += ["", "[roles]"]
        lines += [f"{_text(role)} = {_text(name)}" for role, name in network.roles.items()]
    transport = network.transport
    lines += ["", "[transport]", f"payload = {transport.payload}", f"header = {transport.header}"]
    lines += ["", "[prices_ns]"]  # also without prices: a file without this table has others
    lines += [f"{kind} = {_number(price / NANO)}" for kind, price in network.prices.items()]
    return "\n".join(lines) + "\n"


def _network(given: Mapping[str, Any], stem: str) -> Network:
    _refuse_others("a network", given, _TOP)
    classes = {}
    for name, access in _table(given, "classes").items():
        _refuse_others(f"the class {name}", access, _CLASS)
        up, down = (_rate(access, key) for key in ("up_mbit", "down_mbit"))
        classes[name] = Access(up, down, _real(access, "slowness", 1.0))
    if not classes:
        raise BadInput("a network needs classes, such as [classes.client]")
    latencies = {}
    entries = given.get("latencies", [])
    if not isinstance(entries, list):
        raise BadInput(
            f"the latencies must be tables, each with the head [[latencies]], got {entries!r}"
        )
    for entry in entries:
        _refuse_others("a latency", entry, _LATENCY)
        between = entry.get("between")
        if not isinstance(between, list) or len(between) != 2:
            raise BadInput('a latency needs two classes, such as between = ["client", "server"]')
        pair = str(between[0]), str(between[1])
        if pair in latencies:
            raise BadInput(f"there are two latencies between = {between!r}: give one")
        latencies[pair] = Latency(
            _real(entry, "ms", 0.0) * MILLI,
            _real(entry, "jitter_ms", 0.0) * MILLI,
            _real(entry, "loss", 0.0),
            entry.get("law", "exponential"),
        )
    relay = given.get("relay")
    if not isinstance(relay, str | None):
        raise BadInput(
            f'relay must be the name of a party, such as relay = "server", got {relay!r}'
        )
    transport = _table(given, "transport")
    _refuse_others("a transport", transport, ("payload", "header"))
    prices = _table(given, "prices_ns")
    _refuse_others("prices_ns", prices, get_args(Operation))
    return Network(
        name=str(given.get("name", stem)),
        source=str(given.get("source", "")),
        classes=classes,
        latencies=latencies,
        roles={role: str(name) for role, name in _table(given, "roles").items()},
        transport=Transport(
            _whole(transport, "payload", TCP.payload), _whole(transport, "header", TCP.header)
        ),
        prices={kind: _real(prices, kind, 0.0) * NANO for kind in prices}  # type: ignore[misc]
        if "prices_ns" in given
        else PRICES,
        relay=relay,
    )


def _table(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = given.get(key, {})
    if not isinstance(table, dict):
        raise BadInput(f"{key} must be a table, such as [{key}], got {table!r}")
    return table


def _refuse_others(what: str, given: Any, known: tuple[str, ...]) -> None:
    if not isinstance(given, dict):
        raise BadInput(f"{what} must be a table, got {given!r}")
    for key in given:
        if key not in known:
            raise BadInput(
                f"{what} has no {key!r}{did_you_mean(key, known)}: it has {', '.join(known)}"
            )


def _rate(given: Mapping[str, Any], key: str) -> float | None:
    return None if key not in given else _real(given, key, 0.0) * MEGA


def _real(given: Mapping[str, Any], key: str, default: float) -> float:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f"{key} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise BadInput(f"{key} must be a number below 1.8e308, got a larger one") from None


def _whole(given: Mapping[str, Any], key: str, default: int) -> int:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= MOST_BYTES:
        raise BadInput(f"{key} must be a whole number of bytes below {MOST_BYTES:,}, got {value!r}")
    return value


def _number(value: float) -> str:
    return f"{value:.15g}"  # one digit fewer than a float holds: a change of unit is not seen


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
