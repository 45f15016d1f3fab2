"""Biswas, Cormode and Maple on sampled collections, reproduced."""

EXPERIMENTS = {  # each by the place of its record, which is imported when it is used
    "biswas_fig1": "scenarios.biswas.histograms:FIG1",
    "biswas_fig2": "scenarios.biswas.histograms:FIG2",
    "biswas_fig3": "scenarios.biswas.fig3:EXPERIMENT",
    "biswas_theorems": "scenarios.biswas.theorems:EXPERIMENT",
}
