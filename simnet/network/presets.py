"""Networks that have a name."""

from collections.abc import Mapping

from simnet.network.network import NO_HEADERS, Access, Latency, Network
from simnet.values.meter import Operation

# Seconds for one operation among many: the order of magnitude of what `simnet network --prices`
# measured on one core of a server. Measure your own machine if computing matters.
PRICES: Mapping[Operation, float] = {
    "FA": 1e-9,
    "FM": 4e-9,
    "RM": 1e-9,
    "BS": 1e-9,
    "aS": 2e-5,
    "FS": 1.5e-9,
    "nA": 3e-9,
    "nS": 1.5e-9,
    "RS": 2.5e-9,
}


def _network(
    name: str,
    source: str,
    client: Access,
    server: Access,
    between_clients: float,
    to_server: float,
    between_servers: float,
) -> Network:
    return Network(
        name=name,
        source=source,
        classes={"client": client, "server": server},
        latencies={
            ("client", "client"): Latency(between_clients),
            ("client", "server"): Latency(to_server),
            ("server", "server"): Latency(between_servers),
        },
        prices=PRICES,
    )


_SERVER = Access(up=10e9, down=10e9)
_FCC = "FCC, 2024 Section 706 Report"

PRESETS: Mapping[str, Network] = {
    network.name: network
    for network in (
        _network(
            "data-centre",
            "10 Gbit/s, and 0.25 ms in one direction: an assumption of this project",
            _SERVER,
            _SERVER,
            0.25e-3,
            0.25e-3,
            0.25e-3,
        ),
        _network(
            "wide-area",
            "1 Gbit/s, and 40 ms in one direction, as between continents: an assumption of this "
            "project",
            Access(up=1e9, down=1e9),
            Access(up=1e9, down=1e9),
            40e-3,
            40e-3,
            40e-3,
        ),
        _network(
            "broadband",
            f"clients: 20 Mbit/s up and 100 Mbit/s down ({_FCC}, benchmark of fixed service); "
            "assumptions of this project: servers with 10 Gbit/s; 15 ms to a server, 30 ms between "
            "clients, 5 ms between servers",
            Access(up=20e6, down=100e6),
            _SERVER,
            30e-3,
            15e-3,
            5e-3,
        ),
        _network(
            "mobile",
            f"clients: 3 Mbit/s up and 35 Mbit/s down ({_FCC}, minimum of mobile 5G-NR); "
            "assumptions of this project: clients that compute four times as long as the prices "
            "say, and servers with 10 Gbit/s; 50 ms to a server, 100 ms between clients, 5 ms "
            "between servers",
            Access(up=3e6, down=35e6, slowness=4.0),
            _SERVER,
            100e-3,
            50e-3,
            5e-3,
        ),
        Network(
            name="rounds",
            source="every message takes 1 s, whatever its size, and computing takes no time",
            classes={"client": Access(), "server": Access()},
            latencies={
                ("client", "client"): Latency(1.0),
                ("client", "server"): Latency(1.0),
                ("server", "server"): Latency(1.0),
            },
            transport=NO_HEADERS,
        ),
    )
}
