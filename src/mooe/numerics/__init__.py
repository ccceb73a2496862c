"""How mooe compiles and computes: what both models and the baselines share."""
