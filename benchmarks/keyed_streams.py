"""Made streams of many keys whose truths are alike by a spread: for the cold start of new keys."""

from dataclasses import dataclass

import numpy as np

SWITCH_EVERY = 50  # rows of a key
FLIPPED = 0.1  # share of the labels, where there is noise


@dataclass(frozen=True)
class Cell:
    """One stream of the grid."""

    spread: float  # of the keys' weights around those of all, which have the length 1
    noise: bool  # whether a tenth of the labels is wrong
    switches: bool  # whether every key goes back and forth between two truths, at rows of its own
    n_inputs: int
    truth: str  # "linear", or "product": of neighbouring inputs

    @property
    def name(self) -> str:
        """Return what it is, in words."""
        words = [f"{self.truth}, {self.n_inputs} inputs"]
        words += ["noise"] * self.noise + ["switches"] * self.switches
        return ", ".join(words)


SPREADS = (0.0, 0.15, 0.3, 0.6, 1.0)
# Noise, switches, inputs, truth. All that was chosen was chosen on the streams of development,
# which the page does not show: shares of votes, rates, and the rates of what stands beside.
DEVELOPMENT = (
    (False, False, 5, "linear"),
    (True, False, 8, "linear"),
    (True, True, 8, "linear"),
    (True, False, 12, "linear"),
    (False, False, 5, "product"),
    (True, False, 8, "product"),
)
CONDITIONS = (
    (True, False, 5, "linear"),
    (True, True, 10, "linear"),
    (False, False, 12, "linear"),
    (False, True, 6, "linear"),
    (True, False, 6, "product"),
    (False, False, 9, "product"),
)
SEEDS = {DEVELOPMENT: 11, CONDITIONS: 16}
GRID = tuple(Cell(spread, *condition) for condition in CONDITIONS for spread in SPREADS)


def stream(
    cell: Cell, n_keys: int, n_rows: int, conditions: tuple = CONDITIONS
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return keys, X, y and the age of the key at each row: all keys begin at once and take turns.

    Every round each key has a row, in an order of its own.
    """
    place = conditions.index((cell.noise, cell.switches, cell.n_inputs, cell.truth))
    rng = np.random.default_rng((SEEDS[conditions], place, round(100 * cell.spread)))
    keys = np.concatenate([rng.permutation(n_keys) for _ in range(n_rows)])
    age = np.repeat(np.arange(n_rows), n_keys)
    X = rng.normal(size=(len(keys), cell.n_inputs))
    common = rng.normal(size=(2, 1, cell.n_inputs))
    common /= np.linalg.norm(common, axis=2, keepdims=True)
    own = rng.normal(size=(2, n_keys, cell.n_inputs)) / np.sqrt(cell.n_inputs)
    weights = common + cell.spread * own
    begins = rng.integers(0, 2 * SWITCH_EVERY, n_keys)
    regime = (age + begins[keys]) // SWITCH_EVERY % 2 if cell.switches else 0 * age
    inputs = X if cell.truth == "linear" else X * np.roll(X, 1, axis=1)
    y = (np.einsum("ij,ij->i", inputs, weights[regime, keys]) > 0).astype(np.int64)
    if cell.noise:
        flipped = rng.random(len(y)) < FLIPPED
        y[flipped] = 1 - y[flipped]
    return keys, X, y, age
