"""Fig. 6 of Jia and Gong: heavy hitters by cut, Retail."""

from scenarios.jia.hitters import figure_of

EXPERIMENT = figure_of(6, "retail", by_cut=True)
