"""`python -m simnet` is `simnet`."""

from simnet.cli.main import main

main()
