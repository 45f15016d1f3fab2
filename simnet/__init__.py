"""A workbench for multi-party private aggregation: kernel, instruments and command line.

The public names stand in `__init__.pyi`. Each name is loaded when it is first used, so that
importing the package takes little time.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
