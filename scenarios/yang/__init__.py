"""Yang et al., *Fair and Differentially Private Distributed Frequency Estimation*."""

from collections.abc import Mapping

EXPERIMENTS: Mapping[str, str] = {
    "fig1": "scenarios.yang.fig1:EXPERIMENT",
    "fig2": "scenarios.yang.fig2:EXPERIMENT",
    "fig3": "scenarios.yang.fig3:EXPERIMENT",
    "fig4": "scenarios.yang.fig4:EXPERIMENT",
    "fig5": "scenarios.yang.fig5:EXPERIMENT",
    "yang_fig1_delta": "scenarios.yang.fig1_delta:EXPERIMENT",
    "table1": "scenarios.yang.table1:EXPERIMENT",
    "table2": "scenarios.yang.table2:EXPERIMENT",
}
