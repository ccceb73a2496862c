"""One model per key: KeyedMOOE, many small models in one process.

>>> from mooe.keyed import KeyedMOOE
>>> model = KeyedMOOE()
"""

from mooe.keyed.models import KeyedMOOE

__all__ = ["KeyedMOOE"]
