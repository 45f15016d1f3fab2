"""Claims of a paper as Markdown: what is wrong, the table of all claims, and the rules."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from simnet.studies.paper_claim import LEVEL, WRONG, Judged, Verdict
from simnet.studies.table import CONFIDENCE
from simnet.studies.typeset import markdown_table

RULES = f"""\
A *claim* is a number that a paper prints, or a statement, under its best reading. *Exact* is what
follows without a trial; *measured* is what our trials gave, with an interval that holds with
probability {CONFIDENCE * 100:g} %, or *open* for a statement that they do not decide.
The first of these rules that applies decides:

1. If the exact number lies outside the measured interval, the claim *cannot be checked*.
2. On data that are not the paper's it *cannot be checked*, unless the law alone decides it.
3. A claim that agrees with the exact number is *right*. A number agrees if the exact one rounds to
   it, a bound if the exact number keeps it, a number that the paper simulated if it, or one further
   out, has a probability of {LEVEL * 100:g} % or more under the law, and a statement if it holds at
   every instance.
4. Otherwise it *holds under a condition*, if there is one, is *wrong, corrected* if we know what
   should stand there, and else *wrong*.
5. Where we know no law, our runs decide: *right* if the whole interval agrees or, for a number, if
   it contains the number and is at most half as wide as what we measured; *differs in our runs* if
   none of it agrees; otherwise the claim *cannot be checked*.
"""


def summary(claims: Sequence[Judged]) -> str:
    """Return a sentence with the number of claims of each verdict, and one on chance."""
    counts = Counter(one.verdict for one in claims)
    verdicts: tuple[Verdict, ...] = get_args(Verdict)
    listed = ", ".join(f"{counts[verdict]} {verdict}" for verdict in verdicts if counts[verdict])
    of_chance = [one.rests_on_chance for one in claims if one.rests_on_chance]
    return (
        f"{len(claims)} claims: {listed}. {len(of_chance)} verdicts compare random numbers; chance "
        f"alone would make about {sum(of_chance):.1f} of them wrong."
    )


def wrong_claims(claims: Sequence[Judged]) -> list[str]:
    """Return a line of Markdown for each wrong claim: by how much, why, and how to check it."""
    lines = []
    for one in claims:
        if one.verdict in WRONG:
            numbers = [
                f"{word} {text}"
                for word, text in (("printed", one.printed_in_words), ("exact", one.exact_in_words))
                if text and one.search is None
            ]
            check = f" Check: {one.claim.check}." if one.claim.check else ""
            said = f" ({', '.join(numbers)})" if numbers else ""
            lines.append(
                f"- **{one.claim.name}**, *{one.in_words}*: {one.claim.words}{said}. "
                f"{one.why}{check}"
            )
    return lines


def claims_table(claims: Sequence[Judged]) -> str:
    """Return the table of claims. The reasons of wrong claims stand in the list above it."""
    rows = [
        [
            one.claim.name,
            one.claim.words,
            one.printed_in_words,
            one.exact_in_words,
            one.measured_in_words,
            one.verdict,
            "see above" if one.verdict in WRONG else one.why,
        ]
        for one in claims
    ]
    heads = ["claim", "the paper says", "printed", "exact", "measured", "verdict", "why"]
    return markdown_table(heads, rows)
