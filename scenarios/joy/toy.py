"""The paper's first construction, which tells nothing: sampled owners say yes, whatever they hold.

Its second, sampling with randomised response, is `protocols.mechanisms.response.JoyGerla`. Source:
Joy and Gerla, *Differential Privacy By Sampling*, sections 3.2 and 3.3, Eq. 1.
"""

from fractions import Fraction

from protocols import checks
from protocols.mechanisms.response import NO, YES
from protocols.two_rounds.mechanism import Chance, Row


def noise_alone_law(sampling: Chance, truth: int) -> Row:
    """The chances of no answer, yes and no: yes when sampled, and the truth (1 is yes, 2 is no)
    plays no part.

    With equal laws ε is 0 and nothing can be estimated. Raises `ValueError` unless 0 < sampling <=
    1.
    """
    checks.chance("sampling", sampling)
    if sampling == 0:
        raise ValueError("sampling is above 0, got 0: nobody would answer")
    checks.whole("truth", truth, YES, NO)
    return 1 - Fraction(sampling), Fraction(sampling), Fraction(0)
