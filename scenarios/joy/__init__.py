"""Experiments on Joy and Gerla, *Differential Privacy By Sampling*."""

EXPERIMENTS = {  # name: module and record, which is imported when it is used
    "joy_fig2": "scenarios.joy.fig2:EXPERIMENT",
    "joy_fig3": "scenarios.joy.fig3:EXPERIMENT",
    "joy_fig4": "scenarios.joy.cancer:FIG4",
    "joy_fig5": "scenarios.joy.cancer:FIG5",
    "joy_fig6": "scenarios.joy.cancer:FIG6",
    "joy_fig7": "scenarios.joy.cancer:FIG7",
    "joy_population": "scenarios.joy.population:EXPERIMENT",
}
