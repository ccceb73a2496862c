"""Losses and regrets within intervals, and the paper's claim about their first rows."""
