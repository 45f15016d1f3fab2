"""Fig. 8 of Jia and Gong: heavy hitters by ε, Kosarak."""

from scenarios.jia.hitters import figure_of

EXPERIMENT = figure_of(8, "kosarak", by_cut=False)
