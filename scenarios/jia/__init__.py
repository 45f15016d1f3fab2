"""Experiments on Jia and Gong, *Calibrate*."""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "jia_eq14": "scenarios.jia.eq14:EXPERIMENT",
    "jia_fig3": "scenarios.jia.fig3:EXPERIMENT",
    "jia_fig4": "scenarios.jia.fig4:EXPERIMENT",
    "jia_fig5": "scenarios.jia.hitters:FIG5",
    "jia_fig6": "scenarios.jia.hitters:FIG6",
    "jia_fig7": "scenarios.jia.fig7:EXPERIMENT",
    "jia_fig8": "scenarios.jia.hitters:FIG8",
    "jia_fig9": "scenarios.jia.hitters:FIG9",
}
