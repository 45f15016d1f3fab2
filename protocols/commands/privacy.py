"""`simnet privacy`: exact ε and δ of views, and commands that choose parameters by them.

Packages that build on this one add sub-commands through the entry points of `GROUP`.
"""

from importlib.metadata import entry_points

from cyclopts import App

from protocols.commands.drop_outs import completes, degree
from protocols.commands.privacy_choices import advise, participation, users_needed
from protocols.commands.privacy_views import compose, dpcs, dpdg, tss, tss_s1
from protocols.commands.survive import survive
from protocols.commands.thresholds import thresholds

GROUP = "simnet.privacy_commands"

HELP = """Compute exact privacy: for a named view, the δ at an ε, or the ε at a δ.
Other commands check the claims of papers, find parameters that meet a target, and say what
drop-outs change.

For example:

- `simnet privacy dpcs --counts 33,40,200 --participation 0.39 --epsilon 0.5 --relation remove`
- `simnet privacy dpcs --counts 33,40,200 --participation 0.39 --delta 1e-6`
- `simnet privacy tss-s1 --items 30 --reported 12 --gamma 2 --participation 0.5`
- `simnet privacy claims --users 1000 --items 30 --beta 0.033 --epsilon 0.5`
"""

privacy = App(name="privacy", help=HELP)
privacy.command(dpcs, name=("dpcs", "dpds"))
for function, name in (
    (tss, "tss"),
    (tss_s1, "tss-s1"),
    (dpdg, "dpdg"),
    (participation, "participation"),
    (users_needed, "users"),
    (advise, "advise"),
    (compose, "compose"),
    (degree, "degree"),
    (completes, "completes"),
    (survive, "survive"),
    (thresholds, "thresholds"),
):
    privacy.command(function, name=name)
for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
    privacy.command(entry.load(), name=entry.name)
