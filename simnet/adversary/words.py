"""Verdicts in words, for a terminal, an assertion or a page."""

from collections.abc import Iterable

from simnet.adversary.verdict import LearnedFunction, Secret, Verdict

TERMS_SHOWN = 4


def secret_in_words(secret: Secret) -> str:
    """An element of a declared secret, such as `u3[2]`; a party's second secret is `u3'[2]`."""
    of_run = "" if secret.run is None else f" (run {secret.run})"
    return secret.party + "'" * secret.number + f"[{secret.item}]{of_run}"


def function_in_words(learned: LearnedFunction) -> str:
    """A function with its value, such as `u1[2] + 3 u4[2] = 5`; coefficients are the nearest to
    zero.
    """
    parts = []
    for secret, coefficient in learned.terms[:TERMS_SHOWN]:
        signed = (
            coefficient - learned.modulus if coefficient > learned.modulus // 2 else coefficient
        )
        size = "" if abs(signed) == 1 else f"{abs(signed)} "
        sign = "-" if signed < 0 else "+"
        parts.append(f"{sign} {size}{secret_in_words(secret)}")
    text = " ".join(parts).removeprefix("+ ")
    hidden = len(learned.terms) - TERMS_SHOWN
    more = f" + ... ({hidden} more)" if hidden > 0 else ""
    return f"{text}{more} = {learned.value}"


def finding_in_words(verdict: Verdict) -> str:
    """The verdict in a sentence."""
    exposed = exposed_in_words(learned.exposes for learned in verdict.leaks if learned.exposes)
    match verdict.finding:
        case "nothing":
            return "learns nothing"
        case "output-only":
            return "learns only the output" + (
                f"; the output itself reveals {exposed}" if exposed else ""
            )
        case "leaks":
            beyond = next((learned for learned in verdict.functions if not learned.in_output), None)
            return (
                f"learns {exposed}"
                if exposed or beyond is None
                else f"learns {function_in_words(beyond)}"
            )
        case "no-shares":
            return "sees no shares: perturbation alone protects inputs"
        case _:
            return (
                "may learn more than is listed: undecided"
                if verdict.functions
                else "may learn something: undecided"
            )


def finding_in_short(verdict: Verdict) -> str:
    """The verdict in a few words, for a table."""
    parties = list(
        dict.fromkeys(learned.exposes.party for learned in verdict.leaks if learned.exposes)
    )
    more = f" and {len(parties) - 3} more" if len(parties) > 3 else ""
    exposed = f"exposes {', '.join(parties[:3])}{more}" if parties else ""
    match verdict.finding:
        case "output-only":
            return f"only the output, which {exposed}" if exposed else "only the output"
        case "leaks":
            return exposed or "more than the output"
        case "no-shares":
            return "no shares"
        case finding:
            return finding


def exposed_in_words(exposed: Iterable[Secret]) -> str:
    """Exposed secrets drawn together by party: `u7's items 1, 2, 3 and items 1, 2 of its secret
    2`.
    """
    parties: dict[str, dict[int, list[int]]] = {}
    for secret in exposed:
        known = parties.setdefault(secret.party, {}).setdefault(secret.number, [])
        known += [secret.item] * (secret.item not in known)
    parts = [
        f"{party}'s {' and '.join(_places(*one) for one in known.items())}"
        for party, known in parties.items()
    ]
    more = (
        f" and {len(parts) - 3} more part{'ies' if len(parts) > 4 else 'y'}"
        if len(parts) > 3
        else ""
    )
    return "; ".join(parts[:3]) + more


def _places(number: int, items: list[int]) -> str:
    """The items of one of a party's secrets, the first of which needs no number."""
    shown = ", ".join(map(str, items[:TERMS_SHOWN])) + ("..." if len(items) > TERMS_SHOWN else "")
    return f"item{'s' if len(items) > 1 else ''} {shown}" + (
        f" of its secret {number + 1}" if number else ""
    )


def verdict_in_words(verdict: Verdict) -> str:
    """A verdict with what is learned, in one line."""
    seeds = ", ".join(map(str, verdict.seeds))
    where = "this run (seed" if len(verdict.seeds) == 1 else "these runs (seeds"
    functions = "; ".join(function_in_words(learned) for learned in verdict.functions[:3])
    told = f" ({functions})" if functions else ""
    notes = "".join(f"; {note}" for note in verdict.notes)
    return f"{{{verdict.corrupt}}} {finding_in_words(verdict)} in {where} {seeds}){told}{notes}"
