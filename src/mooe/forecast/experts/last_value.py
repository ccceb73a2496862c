"""The expert that repeats the last value; nothing is easier, and little is harder to beat."""

from mooe.numerics.compiled import part

NAME = "last value"


@part
def vote(last, place, votes):
    """In place: the last value, for every step; votes (horizon, n_places)."""
    for h in range(votes.shape[0]):
        votes[h, place] = last
