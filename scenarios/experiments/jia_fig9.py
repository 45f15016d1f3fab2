"""Fig. 9 of Jia and Gong: heavy hitters by ε, Retail."""

from scenarios.jia.hitters import figure_of

EXPERIMENT = figure_of(9, "retail", by_cut=False)
