"""Experiments on Wang et al., *Collecting and Analyzing Multidimensional Data with LDP*."""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "wang_fig1": "scenarios.wang.fig1:EXPERIMENT",
    "wang_fig2": "scenarios.wang.fig2:EXPERIMENT",
    "wang_fig3": "scenarios.wang.fig3:EXPERIMENT",
    "wang_fig4": "scenarios.wang.fig4:EXPERIMENT",
    "wang_fig5": "scenarios.wang.synthetic:FIG5",
    "wang_fig6": "scenarios.wang.synthetic:FIG6",
    "wang_fig7": "scenarios.wang.growth:FIG7",
    "wang_fig8": "scenarios.wang.growth:FIG8",
    "wang_fig9": "scenarios.wang.learning:FIG9",
    "wang_fig10": "scenarios.wang.learning:FIG10",
    "wang_fig11": "scenarios.wang.learning:FIG11",
    "wang_table1": "scenarios.wang.table1:EXPERIMENT",
}
