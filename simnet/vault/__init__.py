"""The vault: other processes, in which the functions of doors are called.

A script may not look at its input, but the function of a door gets the input, and Python lets a
function leave it behind anywhere: in a global variable, an attribute, a cache, an imported module.
So in a run of code that is not installed, functions of doors are called in another process, and
only their results come back. The modules::

    place            whether a run has a vault
    installed_code   whether all code of a run comes from installed packages
    sending          what travels between the run and the vault
    barrier          what a function may not do in the vault
    chamber          the processes: one mother for all runs, a nursery for each run, and chambers
    answering        what a chamber does with a call
    vault            the vault of one run

"""

is_command = False  # whether this process is a command, and not a program that uses simnet
