"""The start of the program `simnet`: it loads the command line, which takes a moment.

If the user interrupts the program in that moment, it ends without a traceback.
"""

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        from simnet.cli.main import main as run_command
        from simnet.vault import chamber
    except KeyboardInterrupt:
        sys.stderr.write("simnet: interrupted\n")
        sys.exit(130)
    chamber.is_command = True
    run_command()
