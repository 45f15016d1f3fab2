"""The quotes of the sentence that Sampling Privacy has a significantly lower error bound than
randomised response.

The sentence stands in the paragraph on Gowalla (section 5.1). The paragraphs on the patients say
nothing about who errs less, so the quotes on the patients apply this sentence to them as a reading.
"""

from collections.abc import Iterator

from simnet.studies.experiment import Word
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import MeasureByAxis, always_less, everywhere
from simnet.studies.table import Table

WORDS = {
    "significantly": Word(
        0.1,
        "an error bound is 'significantly' lower than another if it is smaller by at "
        "least this share of the other",
    )
}
ANY = "any smaller error counts; another row judges the word 'significantly'"
BY_WORD = "the bound is smaller by at least the threshold of 'significantly'"


def lower_errors(
    source: str, where: str, axis: str, why: str, scope: str = "", disputed: str = ""
) -> Iterator[Quote]:
    """Yield two quotes: the error of Sampling Privacy is smaller than that of randomised response,
    and it is significantly smaller.

    `where` and `axis` name the places, such as the groups of patients. `scope` says why we
    read the sentence as one about these places, and `disputed` why a reader may read it otherwise.
    """
    before = f"{scope}; " if scope else ""
    yield always_less(
        source,
        f"Sampling Privacy has the smaller error {where}",
        lambda mechanism: mechanism == "sampling",
        "mechanism",
        [axis],
        why,
        under=f"{before}{ANY}",
        disputed=disputed,
    )

    def significantly(table: Table) -> Counterpart:
        most = 1 - table.word("significantly")

        def holds(bounds: MeasureByAxis) -> bool:
            ours = [bound for (name, _), bound in bounds.items() if name == "sampling"]
            return max(ours) <= most * bounds["response", None]

        quote = everywhere(source, "", "bound", ["mechanism", "sampling"], [axis], holds)
        return quote.reading(table)

    yield Quote(
        source,
        f"Sampling Privacy has the smaller error {where}, and significantly so",
        STATED,
        significantly,
        under=f"{before}{BY_WORD}",
        why=why,
        disputed=disputed,
    )
