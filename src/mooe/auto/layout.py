"""Where the named arrays of the default model lie in one block of floats, and in its scratch."""

from numba.extending import register_jitable

from mooe.auto.records import (
    BUSY,
    EXPERTS,
    N_FACTS,
    N_NORMS,
    N_STATUS,
    TOGETHER,
    VISITS,
    Block,
    Desk,
    Inputs,
    Memory,
    Scorers,
    Squares,
)
from mooe.numerics.arithmetic import padded
from mooe.numerics.blocks import cut
from mooe.numerics.compiled import PART

__all__ = ["open_block", "open_desk", "sizes"]


@register_jitable(**PART)
def open_scorers(block, at, o, p, k):
    """Return the views of k scorers over p inputs, and where the next array begins."""
    weights = cut(block, at, (o, p, k))
    at += o * p * k
    sums = cut(block, at, (o, p, k))
    return Scorers(weights, sums), at + o * p * k


@register_jitable(**PART)
def open_memory(block, at, b, o, p, k, wide):
    """Return the views of a memory over p inputs, and where the next array begins."""
    n = k + BUSY
    q = p if wide else 0
    frozen, at = open_scorers(block, at, o, p, k)
    busy, at = open_scorers(block, at, o, p, BUSY)
    facts = cut(block, at, (N_FACTS, k))
    at += N_FACTS * k
    visits = cut(block, at, (k, VISITS, 2))
    at += k * VISITS * 2
    status = cut(block, at, (N_STATUS,))
    at += N_STATUS
    gains = cut(block, at, (n,))
    at += n
    since = cut(block, at, (n,))
    at += n
    losses = cut(block, at, (b, n))
    at += b * n
    rows = cut(block, at, (b, p))
    at += b * p
    places = cut(block, at, (b, q))
    at += b * q
    lengths = cut(block, at, (b,))
    at += b
    labels = cut(block, at, (b,))
    at += b
    row_weights = cut(block, at, (b,))
    at += b
    found = Memory(
        frozen,
        busy,
        facts,
        visits,
        status,
        gains,
        since,
        losses,
        rows,
        places,
        lengths,
        labels,
        row_weights,
    )
    return found, at


@register_jitable(**PART)
def open_squares(block, at, o, p):
    """Return the views of a least-squares expert over p inputs, and where the next array begins."""
    weights = cut(block, at, (o, p))
    at += o * p
    inverse = cut(block, at, (p, p))
    at += p * p
    gain = cut(block, at, (p,))
    at += p
    pending = cut(block, at, (2,))
    at += 2
    return Squares(weights, inverse, gain, pending), at


@register_jitable(**PART)
def sizes(c):
    """Return how many inputs there are: plain, of the slow least squares, and rich."""
    z = c.n_features + 1
    if c.narrow == 0:
        return z, 0, 0
    return z, z + c.n_fourier, z + c.n_fourier + c.n_pairs


@register_jitable(forceinline=True, **PART)
def open_block(s, c, block):
    """Return the views of a float block, and its length."""
    d, o, b, k = c.n_features, c.n_outputs, s.interval, s.n_slots
    z, r, q = sizes(c)
    wide = c.narrow == 0
    n = padded(len(EXPERTS) + c.n_added)
    w = d if wide else 0
    at = 0
    counts = cut(block, at, (d,))
    at += d
    mean = cut(block, at, (d,))
    at += d
    squares = cut(block, at, (d,))
    at += d
    zeros = cut(block, at, (d,))
    at += d
    touched = cut(block, at, (w,))
    at += w
    dense = cut(block, at, (w,))
    at += w
    place = cut(block, at, (w,))
    at += w
    frequencies = cut(block, at, (d, c.n_fourier))
    at += d * c.n_fourier
    phases = cut(block, at, (c.n_fourier,))
    at += c.n_fourier
    pairs = cut(block, at, (c.n_pairs, 2))
    at += 2 * c.n_pairs
    shares = cut(block, at, (n,))
    at += n
    tuned = cut(block, at, (n,))
    at += n
    usual = cut(block, at, (o,))
    at += o
    plain, at = open_memory(block, at, b, o, z, k, wide)
    rich, at = open_memory(block, at, b, o, q, k, False)
    fast, at = open_squares(block, at, o, 0 if wide else z)
    slow, at = open_squares(block, at, o, r)
    inputs = Inputs(counts, mean, squares, zeros, touched, dense, place, frequencies, phases, pairs)
    found = Block(
        inputs,
        shares,
        tuned,
        usual,
        plain,
        rich,
        fast,
        slow,
    )
    return found, at


@register_jitable(**PART)
def open_desk(s, c, block):
    """Return the views of a block of scratch, and its length."""
    o, k = c.n_outputs, s.n_slots + BUSY
    z, _, q = sizes(c)
    w = z if c.narrow == 0 else 0
    n = padded(len(EXPERTS) + c.n_added)
    at = 0
    votes = cut(block, at, (o, n))
    at += o * n
    seen = cut(block, at, (TOGETHER, max(z, q)))
    at += TOGETHER * max(z, q)
    columns = cut(block, at, (TOGETHER, w))
    at += TOGETHER * w
    length = cut(block, at, (TOGETHER,))
    at += TOGETHER
    norms = cut(block, at, (TOGETHER, N_NORMS))
    at += TOGETHER * N_NORMS
    plain = cut(block, at, (TOGETHER, o, k))
    at += TOGETHER * o * k
    rich = cut(block, at, (TOGETHER, o, k))
    at += TOGETHER * o * k
    gain = cut(block, at, (max(z, q),))
    at += max(z, q)
    losses = cut(block, at, (n,))
    at += n
    targets = cut(block, at, (o,))
    at += o
    own = cut(block, at, (o,))
    at += o
    slow = cut(block, at, (o,))
    at += o
    fast = cut(block, at, (o,))
    at += o
    answered = cut(block, at, (z - w,))
    at += z - w
    found = Desk(
        votes,
        seen,
        columns,
        length,
        norms,
        plain,
        rich,
        gain,
        losses,
        targets,
        own,
        slow,
        fast,
        answered,
    )
    return found, at
