"""Fig. 5 of Joy and Gerla: errors for patients by age, among themselves."""

from scenarios.joy.cancer import figure_of
from scenarios.joy.people import PATIENTS

EXPERIMENT = figure_of(5, "age", PATIENTS)
