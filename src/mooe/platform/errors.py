"""What a platform refuses, and why: one error for each thing that its caller can do about it.

Bad values are a ValueError, as everywhere in mooe: name, value, rule.
"""


class PlatformError(Exception):
    """What the platform cannot do; nothing was stored or learnt."""


class UnknownModelError(PlatformError, LookupError):
    """No model of this name."""


class UnknownPredictionError(PlatformError, LookupError):
    """No prediction of this id."""


class ConflictError(PlatformError):
    """The same id with another x or label, the same name for another model."""


class QuarantineError(PlatformError):
    """A model that cannot go on; others do. Restoring a snapshot takes it out again."""


class StoreError(PlatformError):
    """The store cannot be read or written."""


class StoreInUseError(StoreError):
    """Another process has the store."""


class StoreStoppedError(StoreError):
    """The platform has stopped, for it cannot know what is on disk: open the store again."""
