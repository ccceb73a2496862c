"""Accuracy on streams: what is run, what the paper prints, how both compare."""
