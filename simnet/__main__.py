"""`python -m simnet` runs the program `simnet`."""

from simnet.cli.main import main

main()
