"""Fig. 4 of Joy and Gerla: errors for patients by size of the tumour, among themselves."""

from scenarios.joy.cancer import figure_of
from scenarios.joy.people import PATIENTS

EXPERIMENT = figure_of(4, "tumor_size", PATIENTS)
