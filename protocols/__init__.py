"""Protocols as scripts of actors, with their mathematics: cost, accuracy and privacy.

The public names stand in `__init__.pyi`. Each name is loaded when it is first used, as in
`from protocols import DPDS, TSS, GRR`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
