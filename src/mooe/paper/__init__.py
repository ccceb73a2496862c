"""MOOE as published: the algorithm of the paper."""
