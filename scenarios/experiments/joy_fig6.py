"""Fig. 6 of Joy and Gerla: errors for patients by size of the tumour, among ten thousand."""

from scenarios.joy.cancer import figure_of
from scenarios.joy.people import ENLARGED

EXPERIMENT = figure_of(6, "tumor_size", ENLARGED)
