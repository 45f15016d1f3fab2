"""Fig. 7 of Joy and Gerla: errors for patients by age, among ten thousand."""

from scenarios.joy.cancer import figure_of
from scenarios.joy.people import ENLARGED

EXPERIMENT = figure_of(7, "age", ENLARGED)
