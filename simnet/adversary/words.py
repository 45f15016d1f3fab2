"""Verdicts as sentences, for a terminal, an assertion or a page."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb, prod
from typing import Any

from simnet.adversary.orbits.lift import THEOREM
from simnet.adversary.verdict import LearnedFunction, Secret, Verdict
from simnet.adversary.whole_view import (
    FINDINGS_IN_WORDS,
    besides_in_words,
    disclosed_in_words,
    discloses_nothing,
)
from simnet.printable import count_of
from simnet.stated.disclosure import TRAFFIC

TERMS_SHOWN = 4
PARTIES_SHOWN = 3
FUNCTIONS_SHOWN = 3
SETS_SHOWN = 4  # at most so many coalitions of a list are named
MEMBERS_NAMED = 2  # all other parties of a role are named if they are at most so many
FROM_SHARES_ALONE = "learns nothing from secret shares"
MASKED = "; the functions listed tell nothing about them"


def secret_in_words(secret: Secret) -> str:
    """The name of an element of a secret, such as `u3[2]`; `u3'[2]` for a second secret."""
    of_run = "" if secret.run is None else f" (run {secret.run})"
    return secret.party + "'" * secret.number + f"[{secret.item}]{of_run}"


def function_in_words(learned: LearnedFunction) -> str:
    """A learned function with its value, such as `u1[2] + 3 u4[2] = 5`.

    Coefficients are written as the residues nearest to zero: -1 for q - 1.
    """
    named = [(secret_in_words(secret), factor) for secret, factor in learned.terms]
    for product, factor in learned.products:
        named.append(("·".join(map(secret_in_words, product.factors)), factor))
    parts = []
    for name, coefficient in named[:TERMS_SHOWN]:
        is_upper_half = coefficient > learned.modulus // 2
        signed = coefficient - learned.modulus if is_upper_half else coefficient
        size = "" if abs(signed) == 1 else f"{abs(signed)} "
        sign = "-" if signed < 0 else "+"
        parts.append(f"{sign} {size}{name}")
    text = " ".join(parts).removeprefix("+ ")
    hidden = len(named) - TERMS_SHOWN
    more = f" + ... ({hidden} more)" if hidden > 0 else ""
    return f"{text}{more} = {learned.value}"


def finding_in_words(verdict: Verdict) -> str:
    """What a coalition learns, as the end of a sentence that begins with the coalition.

    The sentence is about the whole view: about secret shares, and about disclosed values if these
    may tell something.
    """
    if verdict.alike is not None:
        return f"learns {interval_in_words(verdict)} from secret shares"
    if verdict.finding == "no-shares":
        disclosed = disclosed_in_words(verdict)
        return f"receives no secret shares and learns only what is disclosed ({disclosed})"
    return _shares_in_words(verdict) + besides_in_words(verdict)


def _beyond(verdict: Verdict) -> LearnedFunction | None:
    """Return the first function that the coalition learns and the output does not tell."""
    return next((learned for learned in verdict.functions if not learned.in_output), None)


def _shares_in_words(verdict: Verdict) -> str:
    exposed = exposed_in_words(leak.exposes for leak in verdict.leaks if leak.exposes)
    match verdict.finding:
        case "nothing":
            found = "learns nothing" if discloses_nothing(verdict) else FROM_SHARES_ALONE
            return f"{found} about inputs{MASKED}" if verdict.functions else found
        case "output-only":
            return "learns only the output" + (
                f"; the output itself reveals {exposed}" if exposed else ""
            )
        case "leaks":
            if exposed:
                return f"learns {exposed}"
            beyond = _beyond(verdict)
            learned = "more than the output" if beyond is None else function_in_words(beyond)
            return f"learns {learned}"
        case _:
            return f"learns {interval_in_words(verdict)}"


def tier_in_words(verdict: Verdict) -> str:
    """The tier of the finding, as a text. The text ends with "of secret shares" if disclosed values
    were not judged exactly, and the finding is not `no-shares`. It ends with the condition of a
    proof that is conditional, and begins with "undecided" if the two ends of the verdict differ.
    """
    if verdict.alike is not None:
        return f"{verdict.tier} for parties who are alike, by {THEOREM}"
    begins = "undecided, " if verdict.finding == "undecided" else ""
    return begins + _tier(verdict)


def _tier(verdict: Verdict) -> str:
    disclosure = verdict.discrete.disclosure
    if disclosure is not None and disclosure.tier in ("proved", "enumerated"):
        condition = condition_in_words(verdict)
        return verdict.tier if condition is None else f"{verdict.tier}, {condition}"
    if verdict.finding == "no-shares":
        return "not judged" if disclosure is None else disclosure.tier
    return f"{verdict.tier} of secret shares"


def condition_in_words(verdict: Verdict) -> str | None:
    """What the proof of a verdict needs and nobody could check, as a clause; None if there is
    nothing of this kind, or if the finding is `leaks`.
    """
    disclosure = verdict.discrete.disclosure
    return None if disclosure is None or verdict.finding == "leaks" else disclosure.condition


def interval_in_words(verdict: Verdict) -> str:
    """What a coalition learns; at least and at most, if the two differ."""
    least = FINDINGS_IN_WORDS[verdict.at_least]
    most = FINDINGS_IN_WORDS[verdict.at_most]
    if least == most:
        return least
    listed = " (see the functions listed)" if verdict.functions else ""
    return f"at least {least}{listed} and at most {most}"


def finding_in_short(verdict: Verdict) -> str:
    """The finding in a few words, for a table."""
    parties = verdict.exposed_parties
    hidden = len(parties) - PARTIES_SHOWN
    more = f" and {hidden} more" if hidden > 0 else ""
    exposed = f"exposes {', '.join(parties[:PARTIES_SHOWN])}{more}" if parties else ""
    match verdict.finding:
        case "output-only":
            return f"only the output, which {exposed}" if exposed else "only the output"
        case "leaks":
            return exposed or "more than the output"
        case "no-shares":
            return "no shares"
        case "undecided":
            least = FINDINGS_IN_WORDS[verdict.at_least]
            return f"at least {least}, at most {FINDINGS_IN_WORDS[verdict.at_most]}"
        case _:
            return "nothing"


def exposed_in_words(exposed: Iterable[Secret]) -> str:
    """Exposed secrets of at most three parties, such as `u7's items 1, 2; u9's item 3`."""
    parties: dict[
        str, dict[int, list[Secret]]
    ] = {}  # elements of secrets, by party and number of the secret
    for secret in exposed:
        elements = parties.setdefault(secret.party, {}).setdefault(secret.number, [])
        if secret.item not in [element.item for element in elements]:
            elements.append(secret)
    parts = []
    for party, secrets in parties.items():
        of_each = [_elements_in_words(elements) for elements in secrets.values()]
        parts.append(f"{party}'s {' and '.join(of_each)}")
    hidden = len(parts) - PARTIES_SHOWN
    more = f" and {hidden} more part{'ies' if hidden > 1 else 'y'}" if hidden > 0 else ""
    return "; ".join(parts[:PARTIES_SHOWN]) + more


def _elements_in_words(elements: Sequence[Secret]) -> str:
    """The elements of one secret of a party. The party's first secret is named without a number."""
    first, several = elements[0], len(elements) > 1
    places = ", ".join(str(element.item) for element in elements[:TERMS_SHOWN])
    places += "..." if len(elements) > TERMS_SHOWN else ""
    name = f"secret {first.number + 1}" if first.number else "secret"
    if first.is_by_item:
        of_secret = f" of its {name}" if first.number else ""
        return f"item{'s' if several else ''} {places}{of_secret}"
    if len(elements) == first.size:
        return name
    return f"{name} (entr{'ies' if several else 'y'} {places})"


def evidence_in_words(verdict: Verdict, learned: LearnedFunction, most: int) -> str:
    """Return in words how messages give the value of a function; at most `most` numbers of messages
    are listed.

    For example, `16 (running, u1→u2) - 3 (running, u3→u4) mod 17` is 16 minus 3 mod 17. Here 16 and
    3 are the numbers in two messages, each with the tag, sender and recipient of its message.
    """
    count, evidence = verdict.evidence(learned, most)
    several = len(verdict.runs) > 1
    parts = []
    for weight, message, number in evidence:
        names = verdict.runs[message.run].roster.names
        signed = weight - learned.modulus if weight > learned.modulus // 2 else weight
        times = {1: "+ ", -1: "- "}.get(signed, f"{'-' if signed < 0 else '+'} {abs(signed)}·")
        key = "" if message.key is None else f" {message.key}"
        of_run = f", run {message.run + 1}" if several else ""
        link = f"{names[message.sender]}→{names[message.recipient]}"
        parts.append(f"{times}{number} ({message.tag}{key}, {link}{of_run})")
    shown = " ".join(parts).removeprefix("+ ")
    hidden = count - most
    more = f" + ... ({hidden:,} more number{'s' if hidden != 1 else ''})" if hidden > 0 else ""
    own = ""
    if learned.own or not count:
        also = ["plain numbers"] * verdict.own_part_has_numbers(learned)
        also += ["random rows of known seeds"] * bool(verdict.unknowns.queries)
        parts_of_own = ["own coins and secrets", *also[:-1], *(f"and {each}" for each in also[-1:])]
        own = f" - {learned.own} ({', '.join(parts_of_own)})"
    return f"{shown}{more}{own}  mod {learned.modulus}"


def verdict_in_words(verdict: Verdict) -> str:
    """A verdict in one line, with at most three of the functions learned, and with the notes."""
    seeds = ", ".join(map(str, verdict.seeds))
    where = "this run (seed" if len(verdict.seeds) == 1 else "these runs (seeds"
    said = _beyond(verdict) if verdict.finding == "leaks" and not verdict.leaks else None
    functions = "; ".join(
        function_in_words(learned)
        for learned in verdict.functions[:FUNCTIONS_SHOWN]
        if learned is not said
    )
    listed = f" ({functions})" if functions else ""
    condition = condition_in_words(verdict)
    needs = "" if condition is None else f", {condition}"
    notes = "".join(f"; {note}" for note in verdict.notes)
    found = f"{{{verdict.corrupt}}} {finding_in_words(verdict)} in {where} {seeds})"
    return f"{found}{listed}{needs}{notes}"


def sets_in_words(
    sets: Sequence[Sequence[str]],
    others: Sequence[str],
    role_of: Mapping[str, str],
    braces: bool = False,
) -> str:
    """Return a list of coalitions in words. If the list has every coalition with certain numbers of
    parties of each role, one phrase such as "any 2 users" may stand for all of these. `others` are
    the parties that may be in a coalition. With `braces`, single coalitions stand in braces. At
    most four phrases are written out; the text for an empty list is "none".

    >>> roles = {"u1": "user", "u2": "user", "u3": "user", "server": "server"}
    >>> pairs = [("u1", "u2"), ("u1", "u3"), ("u2", "u3")]
    >>> sets_in_words(pairs, ["u1", "u2", "u3", "server"], roles)
    'any 2 users'
    >>> sets_in_words([("u1", "server")], ["u1", "u2", "server"], roles)
    'u1, server'
    >>> others = ["u1", "u2", "u3", "server"]
    >>> sets_in_words([others], others, roles)
    'server with all other users'
    >>> sets_in_words([("u1", "server")], ["u1", "u2", "server"], roles, braces=True)
    '{u1, server}'
    """
    if not sets:
        return "none"
    size_of = Counter(role_of[name] for name in others)
    kinds: dict[tuple[tuple[str, int], ...], list[Sequence[str]]] = {}
    for members in sets:
        counts = Counter(role_of[name] for name in members)
        kinds.setdefault(tuple(sorted(counts.items())), []).append(members)
    words: list[str] = []
    for kind, alike in kinds.items():
        # One coalition of few parties is shorter if its members are named.
        is_short = len(alike) > 1 or any(n > MEMBERS_NAMED for _, n in kind)
        if is_short and len(alike) == prod(comb(size_of[role], n) for role, n in kind):
            every = "all" if braces else "all other"
            words.append(" with ".join(_any(role, n, size_of[role], every) for role, n in kind))
        else:
            listed = [", ".join(members) for members in alike]
            words += [f"{{{members}}}" for members in listed] if braces else listed
    more = f"; and {len(words) - SETS_SHOWN} more" if len(words) > SETS_SHOWN else ""
    return "; ".join(words[:SETS_SHOWN]) + more


def _any(role: str, count: int, size: int, every: str) -> str:
    if size == 1:
        return role
    if count == size:
        return f"{every} {role}s"
    return f"any {role}" if count == 1 else f"any {count} {role}s"


def seen_in_words(kind: Mapping[str, Any]) -> str:
    """One kind of plain messages that a coalition sees, as `DiscreteView.sees` lists it."""
    messages = count_of(kind["messages"], "message")
    if kind["what"] == TRAFFIC:
        return f"{messages} on the network: sender, recipient, round, bytes"
    content = (
        "each with its key, a plain number"
        if kind["carries"] == "key"
        else f"with {_contents(kind['carries'])}"
    )
    most = kind.get("most_senders", kind["senders"])
    upto = "" if most == kind["senders"] else f" to {most:,}"
    several = f"{kind['senders']:,}{upto} senders of the role {kind['from']}"
    senders = several if most > 1 else f"one {kind['from']}"
    return f"{kind['what']}: {messages} from {senders}, {content}"


def _contents(kinds: str) -> str:
    words = {
        "nd": "indices (mostly of parties)",
        "Nd": "indices (mostly of items)",
        "bd": "bits",
        "rd": "reals",
        "od": "octets",
    }
    return " and ".join(words.get(kind, kind) for kind in kinds.split(", "))
