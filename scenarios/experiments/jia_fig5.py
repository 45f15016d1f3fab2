"""Fig. 5 of Jia and Gong: heavy hitters by cut, Kosarak."""

from scenarios.jia.hitters import figure_of

EXPERIMENT = figure_of(5, "kosarak", by_cut=True)
