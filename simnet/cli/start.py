"""The start of the program `simnet`: it loads the command line, which takes a moment.

If the user interrupts the program in that moment, it ends without a traceback.
"""

import sys

from simnet.presses import Pressed


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        with Pressed():  # Python drops some of the errors that are raised during an import
            import simnet.vault
            from simnet.cli.main import main as run_command
        simnet.vault.is_command = True
        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("simnet: interrupted\n")
        sys.exit(130)
