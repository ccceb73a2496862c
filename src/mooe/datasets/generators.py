"""The field's own made streams, seeded, each written from its published definition.

All speak of drift in one way. A stream visits its `concepts` in turn, `length` rows each, and goes
back to the first after the last; a change is abrupt or takes `width` rows. Some also move with
every row. Rows do not depend on how many are asked for: those of n = 10,000 are the first of
n = 20,000. Inputs, changes, choices, noise and each concept are drawn from generators of their own,
so that one does not move the others; the order of the draws of each is part of the definition.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mooe.datasets.synthetic import check_at_least, check_share, with_gradual_changes
from mooe.streams.stream import Stream, StreamError

GAMA = (
    "J. Gama, P. Medas, G. Castillo, P. Rodrigues: Learning with drift detection. SBIA 2004. "
    "doi:10.1007/978-3-540-28645-5_29"
)
BREIMAN = (
    "L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone: Classification and regression trees. "
    "Wadsworth 1984. doi:10.1201/9781315139470"
)
CITATIONS = {
    "agrawal": (
        "R. Agrawal, T. Imielinski, A. Swami: Database mining: a performance perspective. "
        "IEEE Transactions on Knowledge and Data Engineering 5, 1993. doi:10.1109/69.250074"
    ),
    "random-tree": (
        "P. Domingos, G. Hulten: Mining high-speed data streams. KDD 2000. "
        "doi:10.1145/347090.347107"
    ),
    "rbf": (
        "A. Bifet, G. Holmes, R. Kirkby, B. Pfahringer: MOA: massive online analysis. "
        "Journal of Machine Learning Research 11, 2010"
    ),
    "led": BREIMAN,
    "sea": (
        "W. N. Street, Y. Kim: A streaming ensemble algorithm (SEA) for large-scale "
        "classification. KDD 2001. doi:10.1145/502512.502568"
    ),
    "stagger": (
        "J. C. Schlimmer, R. H. Granger: Incremental learning from noisy data. "
        "Machine Learning 1, 1986. doi:10.1007/BF00116895"
    ),
    "mixed": GAMA,
    "sine": GAMA,
    "waveform": BREIMAN,
    "hyperplane": (
        "G. Hulten, L. Spencer, P. Domingos: Mining time-changing data streams. KDD 2001. "
        "doi:10.1145/502512.502529"
    ),
}
# What a generator of random numbers is for; that of a concept has the concept's number, too.
INPUTS, CHANGES, CHOICES, NOISE, CONCEPT = range(5)

SEA_THRESHOLDS = np.array([8.0, 9.0, 7.0, 9.5])
# Segments lit in each digit: top, upper left and right, middle, lower left and right, bottom.
SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ]
)
WAVES = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[7], [15], [11]])), 0)  # (wave, input)
WAVES_OF_CLASS = np.array([[0, 1], [0, 2], [1, 2]])


def agrawal(
    n: int = 40_000,
    concepts: Sequence[int] = (0, 1, 2, 3),
    length: int = 5_000,
    width: int = 0,
    perturbation: float = 0.05,
    seed: int = 0,
) -> Stream:
    """Return persons who ask for a loan, in one of two groups by rules of Agrawal et al.

    Salary is uniform from 20,000 to 150,000, commission 0 from a salary of 75,000 on and otherwise
    uniform from 10,000 to 75,000, age a whole number from 20 to 80, elevel (education) from 0 to 4,
    car from 1 to 20, zipcode from 0 to 8, hvalue (of the house) uniform from .5 to 1.5 times
    100,000 (9 - zipcode), hyears a whole number from 1 to 30, loan uniform from 0 to 500,000.
    elevel, car and zipcode are nominal. The label is 1 for group A and 0 for group B, by all rules.

    Parameters
    ----------
    n : int
        Rows, 0 or more.
    concepts : sequence of int
        The functions that take turns, 0 to 9; the publication counts them from 1.
    length : int
        Rows of a visit, at least 1; then the next concept takes over, after the last the first.
    width : int
        Rows of a change, 0 (at once) to `length`: around it, rows are drawn from the new concept
        with a probability that rises in a straight line from 0 to 1, and otherwise from the old.
    perturbation : float
        Share p, 0 to 1, of its range a by which a number v is blurred once the group is known: it
        becomes v + r a p, r uniform from -.5 to .5. A commission of 0 stays.
    seed : int
        From 0.

    Notes
    -----
    MOA and River blur with r from -1 to 1 and cut at the ends of the range: their perturbation of
    .05 is about one of .1 here. River's labels of functions 0 to 5 are the other way round than
    those of 6 to 9, and its function 4 is not the published one.

    References
    ----------
    R. Agrawal, T. Imielinski, A. Swami: Database mining: a performance perspective. IEEE
    Transactions on Knowledge and Data Engineering 5, 1993. doi:10.1109/69.250074

    Examples
    --------
    >>> stream = agrawal(n=8, concepts=(2, 6, 4), length=2)
    >>> stream.concept.tolist(), stream.y.tolist()
    ([2, 2, 6, 6, 4, 4, 2, 2], [0, 0, 0, 1, 1, 1, 0, 1])
    >>> [stream.feature_names[column] for column in stream.nominal]
    ['elevel', 'car', 'zipcode']
    """
    concept = _concepts(seed, n, concepts, length, width, most=9)
    check_share(perturbation=perturbation)
    u = _rng(seed, INPUTS).random((n, 9)).T  # (column, row)
    salary = 20_000.0 + 130_000.0 * u[0]
    commission = np.where(salary < 75_000.0, 10_000.0 + 65_000.0 * u[1], 0.0)
    zipcode = _codes(u[5], 9)
    usual = 100_000.0 * (9.0 - zipcode)  # what a house is worth there
    persons = _Persons(
        salary=salary,
        commission=commission,
        age=20.0 + _codes(u[2], 61),
        elevel=_codes(u[3], 5),
        car=1.0 + _codes(u[4], 20),
        zipcode=zipcode,
        hvalue=usual * (0.5 + u[6]),
        hyears=1.0 + _codes(u[7], 30),
        loan=500_000.0 * u[8],
    )
    y = _by_concept(
        concept,
        lambda number, rows: _is_in_group_a(number, _Persons(*(one[rows] for one in persons))),
    )
    ranges = (130e3, 65e3 * (commission > 0.0), 60.0, 0.0, 0.0, 0.0, usual, 29.0, 500e3)
    blur = perturbation * (_rng(seed, NOISE).random((n, 9)).T - 0.5)
    X = np.column_stack([v + r * a for v, r, a in zip(persons, blur, ranges, strict=True)])
    return _stream("agrawal", X, y, concept, _Persons._fields, nominal=(3, 4, 5))


def random_tree(
    n: int = 40_000,
    concepts: Sequence[int] = (0, 1),
    length: int = 10_000,
    width: int = 0,
    noise: float = 0.0,
    n_classes: int = 4,
    n_numeric: int = 5,
    n_nominal: int = 5,
    n_values: int = 5,
    depth: int = 6,
    first_leaf: int = 3,
    leaf_share: float = 0.15,
    seed: int = 0,
) -> Stream:
    """Return rows whose classes are those of the leaves of a tree that was drawn at random.

    Numeric inputs are uniform in [0, 1]; behind them are the nominal ones, codes from 0. A node
    splits on a column drawn from the numeric ones and those nominal ones that its path has not
    used: at a number uniform in what is left of the column's range there, or into one child for
    each code. The class of a leaf is drawn from all.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        The trees that take turns, from 0; each number is another tree of the seed.
    noise : float
        Probability, 0 to 1, that a label is replaced by another one.
    n_classes, n_values : int
        Classes, and codes of a nominal input; at least 2.
    n_numeric, n_nominal : int
        Inputs of each kind, 0 or more, together at least 1.
    depth : int
        Splits on the longest path, at least 1.
    first_leaf : int
        Level, the root's being 0, from which on a node is a leaf with probability `leaf_share`.
    leaf_share : float
        0 to 1.

    References
    ----------
    P. Domingos, G. Hulten: Mining high-speed data streams. KDD 2000. doi:10.1145/347090.347107.
    Numeric inputs are an addition of MOA.

    Examples
    --------
    >>> stream = random_tree(n=8, concepts=(0, 1), length=2)
    >>> stream.concept.tolist(), stream.y.tolist(), stream.nominal
    ([0, 0, 1, 1, 0, 0, 1, 1], [1, 0, 1, 1, 0, 2, 0, 0], (5, 6, 7, 8, 9))
    """
    concept = _concepts(seed, n, concepts, length, width)
    check_share(noise=noise, leaf_share=leaf_share)
    check_at_least(n_classes=(n_classes, 2), n_values=(n_values, 2), depth=(depth, 1))
    check_at_least(n_numeric=(n_numeric, 0), n_nominal=(n_nominal, 0), first_leaf=(first_leaf, 0))
    width_of_row = n_numeric + n_nominal
    check_at_least(**{"n_numeric + n_nominal": (width_of_row, 1)})
    X = _rng(seed, INPUTS).random((n, width_of_row))
    X[:, n_numeric:] = _codes(X[:, n_numeric:], n_values)
    shape = _TreeShape(n_classes, n_numeric, n_nominal, n_values, depth, first_leaf, leaf_share)

    def leaves(number: int, rows: np.ndarray) -> np.ndarray:
        return _leaf_classes(_grown(_rng(seed, CONCEPT, number), shape), shape, X[rows])

    y = _with_other_labels(_by_concept(concept, leaves), n_classes, noise, seed)
    return _stream("random-tree", X, y, concept, nominal=range(n_numeric, width_of_row))


def rbf(
    n: int = 40_000,
    concepts: Sequence[int] = (0,),
    length: int = 10_000,
    width: int = 0,
    noise: float = 0.0,
    speed: float = 0.0001,
    n_classes: int = 5,
    n_features: int = 10,
    n_centres: int = 50,
    seed: int = 0,
) -> Stream:
    """Return clouds of rows around centres that move, each centre of one class.

    Centres are uniform in the unit cube, with a class drawn from all, a weight and a spread uniform
    in [0, 1]. A row belongs to a centre drawn by weight and lies off it in a uniform direction, as
    far as a normal number times the spread. Every centre moves in a straight line, at first upwards
    in all inputs (its direction is uniform in the unit cube), and is thrown back by the walls.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        The sets of centres that take turns, from 0; each number is another set of the seed. All
        move all the time.
    noise : float
        Probability, 0 to 1, that a label is replaced by another one.
    speed : float
        Way of every centre from a row to the next, 0 (they stay) to 1.
    n_classes : int
        At least 2.
    n_features, n_centres : int
        At least 1.

    References
    ----------
    A. Bifet, G. Holmes, R. Kirkby, B. Pfahringer: MOA: massive online analysis. Journal of Machine
    Learning Research 11, 2010; RandomRBFGenerator and RandomRBFGeneratorDrift.

    Examples
    --------
    >>> stream = rbf(n=8, n_features=2)
    >>> stream.X.shape, stream.y.tolist()
    ((8, 2), [3, 0, 2, 2, 3, 3, 2, 2])
    """
    concept = _concepts(seed, n, concepts, length, width)
    check_share(noise=noise, speed=speed)
    check_at_least(n_classes=(n_classes, 2), n_features=(n_features, 1), n_centres=(n_centres, 1))
    offset = _rng(seed, INPUTS).standard_normal((n, n_features + 1))
    far, toward = offset[:, :1], _unit(offset[:, 1:])
    choice = _rng(seed, CHOICES).random(n)
    time = np.arange(n)[:, np.newaxis]
    X = np.empty((n, n_features))

    def classes(number: int, rows: np.ndarray) -> np.ndarray:
        """In place: fill in the rows of a concept and return their classes."""
        rng = _rng(seed, CONCEPT, number)
        start = rng.random((n_centres, n_features))
        label, spread, weight = rng.random((3, n_centres))
        direction = _unit(rng.random((n_centres, n_features)))
        upto = np.cumsum(weight)
        own = np.searchsorted(upto, choice[rows] * upto[-1], side="right")
        way = start[own] + speed * time[rows] * direction[own]
        at = 1.0 - np.abs(way % 2.0 - 1.0)  # in a hall of mirrors the way is straight
        X[rows] = at + spread[own, np.newaxis] * far[rows] * toward[rows]
        return np.asarray(_codes(label, n_classes)[own])

    y = _with_other_labels(_by_concept(concept, classes), n_classes, noise, seed)
    return _stream("rbf", X, y, concept)


def led(
    n: int = 40_000,
    swapped: Sequence[int] = (0, 3, 7),
    length: int = 10_000,
    width: int = 0,
    noise: float = 0.1,
    n_irrelevant: int = 17,
    seed: int = 0,
) -> Stream:
    """Return digits as the seven segments of a display, some of them wrong; inputs change places.

    A digit, the label, is drawn from 0 to 9. Inputs are 0 or 1 and nominal: the seven segments (1:
    lit), each wrong with probability `noise`, then irrelevant ones, drawn. In a concept the first
    so many of seven pairs, of a segment and an irrelevant input each, have changed places.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    swapped : sequence of int
        Segments that have changed places with irrelevant inputs, 0 to 7 and at most
        `n_irrelevant`; these numbers are the concepts, which take turns.
    noise : float
        Probability, 0 to 1, that a segment is wrong.
    n_irrelevant : int
        Irrelevant inputs, 0 or more.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone: Classification and regression trees.
    Wadsworth 1984, section 2.6.1. The best that can be had with a noise of .1 is 74 %. Inputs that
    change places are MOA's LEDGeneratorDrift.

    Examples
    --------
    >>> stream = led(n=3, noise=0.0)
    >>> stream.y.tolist(), stream.X[0, :7].astype(int).tolist()
    ([9, 8, 1], [1, 1, 1, 1, 0, 1, 1])
    """
    check_at_least(n_irrelevant=(n_irrelevant, 0))
    most = min(7, n_irrelevant)
    concept = _concepts(seed, n, swapped, length, width, most, name="swapped")
    check_share(noise=noise)
    u = _rng(seed, INPUTS).random((n, 1 + 7 + n_irrelevant))
    y = _codes(u[:, 0], 10).astype(np.int64)
    is_lit = SEGMENTS[y] ^ (u[:, 1:8] < noise)
    X = np.hstack([is_lit, u[:, 8:] < 0.5]).astype(np.float64)
    X = _with_swapped_inputs(X, concept, 7, seed)
    return _stream("led", X, y, concept, nominal=range(X.shape[1]))


def sea(
    n: int = 40_000,
    concepts: Sequence[int] = (0, 1, 2, 3),
    length: int = 5_000,
    width: int = 0,
    noise: float = 0.1,
    seed: int = 0,
) -> Stream:
    """Return three inputs uniform in [0, 10]; the first two decide, by a threshold of their sum.

    The label is 1 where it is at most 8, 9, 7 or 9.5, in concepts 0 to 3.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        The thresholds that take turns, 0 to 3.
    noise : float
        Probability, 0 to 1, that a label is flipped.

    References
    ----------
    W. N. Street, Y. Kim: A streaming ensemble algorithm (SEA) for large-scale classification.
    KDD 2001. doi:10.1145/502512.502568

    Examples
    --------
    >>> stream = sea(n=4, concepts=(0, 3), length=2, noise=0.0)
    >>> stream.X[:, :2].sum(axis=1).round(2).tolist(), stream.y.tolist()
    ([12.59, 5.49, 8.76, 15.34], [0, 1, 1, 0])
    """
    concept = _concepts(seed, n, concepts, length, width, most=3)
    check_share(noise=noise)
    X = 10.0 * _rng(seed, INPUTS).random((n, 3))
    y = X[:, 0] + X[:, 1] <= SEA_THRESHOLDS[concept]
    return _stream("sea", X, _with_other_labels(y, 2, noise, seed), concept)


def stagger(
    n: int = 40_000,
    concepts: Sequence[int] = (0, 1, 2),
    length: int = 2_500,
    width: int = 0,
    noise: float = 0.0,
    seed: int = 0,
) -> Stream:
    """Return blocks of a size, a colour and a shape, all nominal, and whether a concept holds.

    Size is 0 small, 1 medium or 2 large, colour 0 red, 1 blue or 2 green, shape 0 circular,
    1 square or 2 triangular. The label is 1 where a block is small and red (concept 0), green or
    circular (1), medium or large (2).

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        Those that take turns, 0 to 2.
    noise : float
        Probability, 0 to 1, that a label is flipped.

    References
    ----------
    J. C. Schlimmer, R. H. Granger: Incremental learning from noisy data. Machine Learning 1, 1986.
    doi:10.1007/BF00116895

    Examples
    --------
    >>> stream = stagger(n=3, concepts=(1,))
    >>> stream.X.astype(int).tolist(), stream.y.tolist()
    ([[2, 0, 2], [0, 1, 1], [0, 2, 0]], [0, 0, 1])
    """
    concept = _concepts(seed, n, concepts, length, width, most=2)
    check_share(noise=noise)
    X = _codes(_rng(seed, INPUTS).random((n, 3)), 3)
    size, colour, shape = X.T
    holds = ((size == 0) & (colour == 0), (colour == 2) | (shape == 0), size > 0)
    y = _with_other_labels(np.choose(concept, holds), 2, noise, seed)
    return _stream("stagger", X, y, concept, ("size", "colour", "shape"), nominal=range(3))


def mixed(
    n: int = 40_000,
    concepts: Sequence[int] = (0, 1),
    length: int = 5_000,
    width: int = 0,
    noise: float = 0.0,
    seed: int = 0,
) -> Stream:
    """Return two truth values and a point of the unit square; two of three conditions decide.

    v and w, nominal, are 0 or 1, x and y uniform in [0, 1]. The label is 1 where at least two hold
    of: v, w, y < .5 + .3 sin(3 pi x). In concept 1 labels are the other way round.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        Those that take turns, 0 and 1.
    noise : float
        Probability, 0 to 1, that a label is flipped.

    References
    ----------
    J. Gama, P. Medas, G. Castillo, P. Rodrigues: Learning with drift detection. SBIA 2004.
    doi:10.1007/978-3-540-28645-5_29

    Examples
    --------
    >>> stream = mixed(n=4, length=2)
    >>> stream.X.round(1).tolist()
    [[1.0, 0.0, 0.7, 0.1], [0.0, 1.0, 0.1, 0.8], [0.0, 1.0, 0.9, 0.1], [1.0, 1.0, 0.1, 0.5]]
    >>> stream.y.tolist()
    [1, 0, 0, 0]
    """
    concept = _concepts(seed, n, concepts, length, width, most=1)
    check_share(noise=noise)
    X = _rng(seed, INPUTS).random((n, 4))
    X[:, :2] = _codes(X[:, :2], 2)
    n_true = X[:, 0] + X[:, 1] + _is_below_waves(X[:, 2], X[:, 3])
    y = _with_other_labels((n_true >= 2) ^ (concept == 1), 2, noise, seed)
    return _stream("mixed", X, y, concept, ("v", "w", "x", "y"), nominal=(0, 1))


def sine(
    n: int = 40_000,
    concepts: Sequence[int] = (0, 1, 2, 3),
    length: int = 5_000,
    width: int = 0,
    noise: float = 0.0,
    n_irrelevant: int = 2,
    seed: int = 0,
) -> Stream:
    """Return points of the unit square, below or above a curve; other inputs say nothing.

    x, y and the irrelevant inputs are uniform in [0, 1]. The label is 1 where y < sin(x) in concept
    0, and where y < .5 + .3 sin(3 pi x) in concept 2; in 1 and 3 labels are the other way round.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        Those that take turns, 0 to 3.
    noise : float
        Probability, 0 to 1, that a label is flipped.
    n_irrelevant : int
        Irrelevant inputs, 0 or more.

    References
    ----------
    J. Gama, P. Medas, G. Castillo, P. Rodrigues: Learning with drift detection. SBIA 2004.
    doi:10.1007/978-3-540-28645-5_29. Concepts 0 and 1 are its SINE1, 2 and 3 its SINE2, with
    irrelevant inputs SINIRREL1 and SINIRREL2.

    Examples
    --------
    >>> stream = sine(n=4, concepts=(0, 1), length=2, n_irrelevant=0)
    >>> stream.X.round(1).tolist(), stream.y.tolist()
    ([[0.9, 0.3], [0.7, 0.1], [0.4, 0.6], [0.1, 0.8]], [1, 1, 1, 1])
    """
    concept = _concepts(seed, n, concepts, length, width, most=3)
    check_share(noise=noise)
    check_at_least(n_irrelevant=(n_irrelevant, 0))
    X = _rng(seed, INPUTS).random((n, 2 + n_irrelevant))
    x, y = X[:, 0], X[:, 1]
    is_below = np.where(concept < 2, y < np.sin(x), _is_below_waves(x, y))
    labels = _with_other_labels(is_below ^ (concept % 2 == 1), 2, noise, seed)
    return _stream("sine", X, labels, concept)


def waveform(
    n: int = 40_000,
    swapped: Sequence[int] = (0, 5, 10),
    length: int = 10_000,
    width: int = 0,
    n_irrelevant: int = 19,
    seed: int = 0,
) -> Stream:
    """Return mixtures of two of three triangular waves, noisy, at 21 places; inputs change places.

    The waves are max(6 - |i - peak|, 0), i = 1 to 21, with peaks at 7, 15 and 11. Of a row, classes
    0, 1, 2 mix the first and second, the first and third, the second and third wave, u to 1 - u
    with u uniform in [0, 1], plus a standard normal number for every input. Irrelevant inputs,
    standard normal, follow. In a concept the first so many of some pairs, of a place and an
    irrelevant input each, have changed places.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    swapped : sequence of int
        Inputs that have changed places with irrelevant ones, 0 to 21 and at most `n_irrelevant`;
        these numbers are the concepts, which take turns.
    n_irrelevant : int
        Irrelevant inputs, 0 or more.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone: Classification and regression trees.
    Wadsworth 1984, section 2.6.2. The best that can be had is 86 %. Inputs that change places are
    MOA's WaveformGeneratorDrift.

    Examples
    --------
    >>> stream = waveform(n=4, swapped=(0, 10), length=2)
    >>> stream.concept.tolist(), stream.X.shape, stream.y.tolist()
    ([0, 0, 10, 10], (4, 40), [2, 1, 0, 1])
    """
    check_at_least(n_irrelevant=(n_irrelevant, 0))
    most = min(21, n_irrelevant)
    concept = _concepts(seed, n, swapped, length, width, most, name="swapped")
    X = _rng(seed, INPUTS).standard_normal((n, 21 + n_irrelevant))
    u = _rng(seed, CHOICES).random((n, 2))
    y, share = _codes(u[:, 0], 3).astype(np.int64), u[:, 1:]
    first, second = WAVES_OF_CLASS[y].T
    X[:, :21] += share * WAVES[first] + (1.0 - share) * WAVES[second]
    return _stream("waveform", _with_swapped_inputs(X, concept, 21, seed), y, concept)


def hyperplane(
    n: int = 40_000,
    concepts: Sequence[int] = (0,),
    length: int = 10_000,
    width: int = 0,
    noise: float = 0.05,
    speed: float = 0.001,
    reversal: float = 0.1,
    n_features: int = 10,
    n_drifting: int = 5,
    seed: int = 0,
) -> Stream:
    """Return points of the unit cube on one side or the other of a hyperplane that turns.

    The label is 1 where the weighted sum of the inputs is at least half the sum of the weights.
    Weights start uniform in [0, 1]. After every row each of the first `n_drifting` grows by
    `speed`, or shrinks; each turns from one to the other, independently, with probability
    `reversal`. All grow at first.

    Parameters
    ----------
    n, length, width, seed
        As for `agrawal`.
    concepts : sequence of int
        The weights at the start that take turns, from 0; each number has others of the seed, and
        all change in the same way all the time.
    noise : float
        Probability, 0 to 1, that a label is flipped.
    speed : float
        Change of a weight after a row, 0 (they stay) to 1.
    reversal : float
        Probability, 0 to 1.
    n_features : int
        At least 1.
    n_drifting : int
        Weights that change, 0 to n_features.

    References
    ----------
    G. Hulten, L. Spencer, P. Domingos: Mining time-changing data streams. KDD 2001.
    doi:10.1145/502512.502529. How weights change is MOA's HyperplaneGenerator.

    Examples
    --------
    >>> stream = hyperplane(n=8, n_features=2, n_drifting=1)
    >>> stream.X.shape, stream.y.tolist()
    ((8, 2), [1, 0, 1, 0, 1, 0, 1, 0])
    """
    concept = _concepts(seed, n, concepts, length, width)
    check_share(noise=noise, speed=speed, reversal=reversal)
    check_at_least(n_features=(n_features, 1), n_drifting=(n_drifting, 0))
    if n_drifting > n_features:
        raise StreamError("n_drifting", f"be at most n_features = {n_features}", n_drifting)
    X = _rng(seed, INPUTS).random((n, n_features))
    turns = np.where(_rng(seed, CHOICES).random((n, n_drifting)) < reversal, -1, 1)
    steps = np.zeros((n, n_features), dtype=np.int64)  # of each weight, before a row
    steps[1:2, :n_drifting] = 1
    steps[2:, :n_drifting] = np.cumprod(turns[: max(n - 2, 0)], axis=0)
    walked = speed * np.cumsum(steps, axis=0)

    def is_above(number: int, rows: np.ndarray) -> np.ndarray:
        weights = _rng(seed, CONCEPT, number).random(n_features) + walked[rows]
        return np.asarray(np.einsum("ij,ij->i", weights, X[rows] - 0.5) >= 0.0)

    y = _with_other_labels(_by_concept(concept, is_above), 2, noise, seed)
    return _stream("hyperplane", X, y, concept)


def _rng(seed: int, *purpose: int) -> np.random.Generator:
    """Return the generator of a seed for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def _concepts(
    seed: int,
    n: int,
    concepts: Sequence[int],
    length: int,
    width: int,
    most: int | None = None,
    name: str = "concepts",
) -> np.ndarray:
    """Return the concept of each row, (n,), and check what it is told by; `most` is the last."""
    check_at_least(n=(n, 0), length=(length, 1), width=(width, 0), seed=(seed, 0))
    if width > length:
        raise StreamError("width", f"be at most length = {length}", width)
    numbers = np.array(concepts)
    are_whole = numbers.ndim == 1 and numbers.size > 0 and numbers.dtype.kind in "iu"
    if not are_whole or numbers.min() < 0 or (most is not None and numbers.max() > most):
        upto = "" if most is None else f" to {most}"
        raise StreamError(name, f"be one or more whole numbers from 0{upto}", concepts)
    visit = with_gradual_changes(np.arange(n) // length, length, width, _rng(seed, CHANGES))
    return np.asarray(numbers.astype(np.int64)[visit % len(numbers)])


def _by_concept(concept: np.ndarray, labels: Callable[[int, np.ndarray], np.ndarray]) -> np.ndarray:
    """Return what a function of a concept and its rows, (n,) of bool, gives for every row."""
    y = np.empty(len(concept), dtype=np.int64)
    for number in np.unique(concept).tolist():
        rows = concept == number
        y[rows] = labels(number, rows)
    return y


def _with_other_labels(y: np.ndarray, n_classes: int, noise: float, seed: int) -> np.ndarray:
    """Return labels of which each is, with probability `noise`, one of the other classes."""
    u = _rng(seed, NOISE).random((len(y), 2))
    other = (y + 1 + _codes(u[:, 1], n_classes - 1)) % n_classes
    return np.where(u[:, 0] < noise, other, y)


def _with_swapped_inputs(
    X: np.ndarray, concept: np.ndarray, n_relevant: int, seed: int
) -> np.ndarray:
    """Return rows in which the first so many pairs of inputs, as the concept says, are swapped."""
    rng, n_inputs = _rng(seed, CONCEPT), X.shape[1]
    relevant = rng.permutation(n_relevant)
    others = n_relevant + rng.permutation(n_inputs - n_relevant)
    out = X.copy()
    for number in np.unique(concept).tolist():
        order = np.arange(n_inputs)
        order[relevant[:number]], order[others[:number]] = others[:number], relevant[:number]
        rows = concept == number
        out[rows] = X[rows][:, order]
    return out


def _codes(u: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the codes from 0 that numbers uniform in [0, 1) stand for, as floats."""
    return np.asarray(np.floor(n_codes * u))


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors (n, d) with length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _stream(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    concept: np.ndarray,
    feature_names: Sequence[str] = (),
    nominal: Sequence[int] = (),
) -> Stream:
    return Stream(
        name,
        X,
        y.astype(np.int64),
        concept,
        feature_names=feature_names,
        nominal=tuple(nominal),
        citation=CITATIONS[name],
    )


class _Persons(NamedTuple):
    """Columns of `agrawal`, each an array (n,)."""

    salary: np.ndarray
    commission: np.ndarray
    age: np.ndarray
    elevel: np.ndarray
    car: np.ndarray
    zipcode: np.ndarray
    hvalue: np.ndarray
    hyears: np.ndarray
    loan: np.ndarray


def _is_in_group_a(function: int, p: _Persons) -> np.ndarray:
    """Whether persons are in group A by a function of Agrawal et al., which they count from 1."""
    pay = p.salary + p.commission
    left = 0.67 * pay - 5_000.0 * p.elevel - 10_000.0  # what functions 7 to 9 share
    salary_low = _by_age(p, 50, 75, 25)  # thousands
    is_paid_so = _is_within(p.salary, salary_low, 50)
    is_taught_so = _by_age(p, p.elevel <= 1, (p.elevel >= 1) & (p.elevel <= 3), p.elevel >= 2)
    match function:
        case 0:
            group_a = (p.age < 40) | (p.age >= 60)
        case 1:
            group_a = is_paid_so
        case 2:
            group_a = is_taught_so
        case 3:
            low = np.where(is_taught_so, _by_age(p, 25, 50, 50), salary_low)
            group_a = _is_within(p.salary, low, 50)
        case 4:
            low = np.where(is_paid_so, _by_age(p, 100, 200, 300), _by_age(p, 200, 300, 100))
            group_a = _is_within(p.loan, low, 200)
        case 5:
            group_a = _is_within(pay, salary_low, 50)
        case 6:
            group_a = 0.67 * pay - 0.2 * p.loan - 20_000.0 > 0.0
        case 7:
            group_a = left - 10_000.0 > 0.0
        case 8:
            group_a = left - 0.2 * p.loan > 0.0
        case _:
            equity = 0.1 * p.hvalue * np.maximum(p.hyears - 20.0, 0.0)
            group_a = left + 0.2 * equity > 0.0
    return np.asarray(group_a)


def _by_age(p: _Persons, below_40: Any, below_60: Any, older: Any) -> np.ndarray:
    """Return what is given for the age of each person."""
    return np.asarray(np.where(p.age < 40, below_40, np.where(p.age < 60, below_60, older)))


def _is_within(money: np.ndarray, low: np.ndarray, wide: int) -> np.ndarray:
    """Whether money lies between `low` and `low + wide`, which are in thousands."""
    return np.asarray((1_000 * low <= money) & (money <= 1_000 * (low + wide)))


class _TreeShape(NamedTuple):
    n_classes: int
    n_numeric: int
    n_nominal: int
    n_values: int
    depth: int
    first_leaf: int
    leaf_share: float


class _Tree(NamedTuple):
    """A tree as arrays (node,); the children of a node follow each other."""

    column: np.ndarray  # -1 at a leaf
    threshold: np.ndarray  # of a numeric column
    child: np.ndarray  # the first; the class at a leaf


def _grown(rng: np.random.Generator, shape: _TreeShape) -> _Tree:
    """Return a random tree, grown level by level; every node draws three numbers."""
    nodes: list[tuple[int, float, int]] = []
    numeric, nominal = range(shape.n_numeric), range(shape.n_numeric, sum(shape[1:3]))
    root = (0, dict.fromkeys(numeric, (0.0, 1.0)), tuple(nominal))
    waiting = deque([root])  # level, ranges of numeric columns, nominal columns not used yet
    while waiting:
        level, ranges, unused = waiting.popleft()
        columns = (*numeric, *unused)
        leaf, which, where = rng.random(3)
        is_leaf = level >= shape.first_leaf and leaf < shape.leaf_share
        if is_leaf or level == shape.depth or not columns:
            nodes.append((-1, np.nan, int(where * shape.n_classes)))
            continue
        column, child = columns[int(which * len(columns))], len(nodes) + len(waiting) + 1
        if column in unused:
            nodes.append((column, np.nan, child))
            rest = tuple(other for other in unused if other != column)
            waiting.extend([(level + 1, ranges, rest)] * shape.n_values)
        else:
            low, high = ranges[column]
            threshold = low + where * (high - low)
            nodes.append((column, threshold, child))
            for part in ((low, threshold), (threshold, high)):
                waiting.append((level + 1, {**ranges, column: part}, unused))
    return _Tree(*map(np.array, zip(*nodes, strict=True)))


def _leaf_classes(tree: _Tree, shape: _TreeShape, X: np.ndarray) -> np.ndarray:
    """Return the class of the leaf that each row comes to."""
    node, row = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
    for _ in range(shape.depth):
        column = tree.column[node]
        value = X[row, column]  # of the last column at a leaf, where it is not used
        step = np.where(column < shape.n_numeric, value >= tree.threshold[node], value)
        node = np.where(column < 0, node, tree.child[node] + step.astype(np.int64))
    return tree.child[node]


def _is_below_waves(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether points lie below the curve that `mixed` and `sine` share."""
    return np.asarray(y < 0.5 + 0.3 * np.sin(3.0 * np.pi * x))
