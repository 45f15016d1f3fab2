"""Experiments on Biswas, Cormode and Maple, *Impact of Sampling on Locally Differentially Private
Data Collection*.
"""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "biswas_fig1": "scenarios.biswas.histograms:FIG1",
    "biswas_fig2": "scenarios.biswas.histograms:FIG2",
    "biswas_fig3": "scenarios.biswas.fig3:EXPERIMENT",
}
