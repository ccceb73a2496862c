"""One model per key on Spark: predict, then learn, exactly once, on as many machines as you have.

Needs the extra `spark` and Java 17. `predict_then_learn` takes a streaming DataFrame, or one that
is all there for a back-test; SETTINGS are those that a session needs for it. See docs/scale.md.
"""

from mooe.spark.frames import SETTINGS, predict_then_learn

__all__ = ["SETTINGS", "predict_then_learn"]
