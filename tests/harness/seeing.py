"""How colours look: on a light and on a dark page, in a grey print, and to colour-blind readers.

Sources: luminance and contrast are those of the Web Content Accessibility Guidelines 2.1, which ask
for a contrast of 3 for the parts of a figure and of 4.5 for small letters. Colour-blind sight is
that of Machado, Oliveira and Fernandes, *A physiologically-based model for simulation of color
vision deficiency*, 2009, at full severity. Differences are distances in CIELAB.
"""

import numpy as np
from matplotlib.colors import to_rgba

from simnet.arrays import Floats

FOR_PARTS, FOR_LETTERS = 3.0, 4.5  # the least contrast
WHITE, DARK = "#ffffff", "#121212"
OF_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
# What a reader sees in place of linear red, green and blue.
SIGHTS = {
    "full": np.eye(3),
    "no red cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue cones": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE_POINT = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str, background: str = WHITE) -> Floats:
    """The linear red, green and blue of a colour, which may be partly clear, on a background."""
    *rgb, alpha = to_rgba(colour)
    seen = alpha * np.array(rgb) + (1 - alpha) * np.array(to_rgba(background)[:3])
    return np.where(seen <= 0.04045, seen / 12.92, ((seen + 0.055) / 1.055) ** 2.4)


def luminance(colour: str, background: str = WHITE) -> float:
    """How bright a colour is: 0 for black, 1 for white. It is all that a grey print keeps."""
    return float(linear(colour, background) @ OF_LUMINANCE)


def contrast(one: str, other: str = WHITE) -> float:
    """The contrast of two colours: 1 for equal luminance, 21 for black on white."""
    low, high = sorted((luminance(one, other), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def difference(one: str, other: str, sight: str = "full") -> float:
    """How different two colours look to a reader with this sight; just noticeable is about 2."""
    labs = [_lab(SIGHTS[sight] @ linear(colour)) for colour in (one, other)]
    return float(np.linalg.norm(labs[0] - labs[1]))


def _lab(rgb: Floats) -> Floats:
    ratios = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE_POINT
    edge = 6 / 29
    roots = np.where(ratios > edge**3, np.cbrt(ratios), ratios / (3 * edge**2) + 4 / 29)
    x, y, z = roots
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
