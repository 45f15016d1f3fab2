"""Experiments on Yang et al., *Fair and Differentially Private Distributed Frequency
Estimation*.
"""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "fig1": "scenarios.yang.fig1:EXPERIMENT",
    "fig2": "scenarios.yang.fig2:EXPERIMENT",
    "fig3": "scenarios.yang.fig3:EXPERIMENT",
    "fig4": "scenarios.yang.fig4:EXPERIMENT",
    "fig5": "scenarios.yang.fig5:EXPERIMENT",
    "yang_fig1_delta": "scenarios.yang.fig1_delta:EXPERIMENT",
    "yang_text": "scenarios.yang.text:EXPERIMENT",
    "yang_theorems": "scenarios.yang.theorems:EXPERIMENT",
    "yang_tss_prime": "scenarios.yang.overheads:EXPERIMENT",
    "table1": "scenarios.yang.table1:EXPERIMENT",
    "table2": "scenarios.yang.table2:EXPERIMENT",
}
