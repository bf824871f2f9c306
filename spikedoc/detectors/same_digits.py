"""A loss of single steps that prints the same five digits in every record."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import chance_level
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run
from spikedoc.signal.printed import is_bf16, significant_digits

NAME: Final = "same_digits"
# Every batch holds other samples: a mean over thousands of tokens agrees with the next one to two
# digits, not to five. Ten records in a row at the end of the log leave no chance.
LEAST_POINTS: Final = 10
LEAST_DIGITS: Final = 5
# Losses that are equal by their making before the first update moves anything: ln 2 of two equal
# policies, 2 ln 2 of an undecided discriminator.
LEAST_LEVEL: Final = 2.0
# … unless the loss was elsewhere before: half as high again, at least. Then it is the guess of a
# network whose answers have died, and the four digits of ln C are enough: of the values around it
# one in ten thousand is printed so, and ten in a row are.
MOVED: Final = 1.5
GUESS_DIGITS: Final = 4
# … or of eight digits and more, whatever the level: two means over one batch already differ in the
# seventh, by the order of their sums. Only what is equal by its making is left alone: ln 2, 2 ln 2.
EXACT_DIGITS: Final = 8
MADE_EQUAL: Final = (float(np.log(2.0)), 2.0 * float(np.log(2.0)))
MADE_WIDTH: Final = 1e-6
# The last bits of a double.
ROUNDING: Final = 1e-14
# At such a rate a weight moves by less than is printed.
NEGLIGIBLE_LR: Final = 1e-6
# Longer logs have enough points to measure that they do not fall.
MAX_POINTS: Final = 60


def detect(run: Run) -> tuple[Detection, ...]:
    """Return STANDSTILL from the first to the last record of the same loss.

    `first`, `best` and `last` are the first, the lowest and the last value of the loss; where it
    is the loss of guessing, `classes` are those guessed among, and `chance` is its value. A loss
    that fell to that of guessing is a PLATEAU; `first` is the highest value before.
    """
    series = run.main_loss
    if series is None:
        return ()
    steps, values = series.finite()
    if not LEAST_POINTS <= values.size < MAX_POINTS:
        return ()
    other = np.flatnonzero(np.abs(values - values[-1]) > ROUNDING * abs(float(values[-1])))
    first, level = int(other[-1]) + 1 if other.size else 0, float(values[-1])
    if values.size - first < LEAST_POINTS:
        return ()
    fell = _fell_to_a_guess(run, values[:first], level)
    digits = significant_digits(level)
    is_plain = level >= LEAST_LEVEL and digits >= LEAST_DIGITS
    is_plain = is_plain or (level > 0 and digits >= EXACT_DIGITS and not _is_made_equal(level))
    if not (is_plain or fell) or is_bf16(values[-1:]) or not _is_trained(run, steps[first:]):
        return ()
    measures = {"first": float(values[0]), "best": float(values.min()), "last": level}
    if fell:
        measures |= {"first": float(values[:first].max()), "best": level, "still": 1.0}
    chance = _guess(run, level)
    if chance is not None:
        measures |= {"classes": float(chance[0]), "chance": chance[1]}
    begin, end = int(steps[first]), int(steps[-1])
    shape = Shape.PLATEAU if fell else Shape.STANDSTILL
    return (Detection(NAME, shape, series.name, begin, begin, end, measures),)


def _is_made_equal(level: float) -> bool:
    return any(abs(level - made) <= MADE_WIDTH * made for made in MADE_EQUAL)


def _guess(run: Run, level: float) -> tuple[int, float] | None:
    """Return the number of classes among which guessing costs `level`, and what it costs."""
    known = run.config.get("num_classes")
    return chance_level(level, known if isinstance(known, int) else None)


def _fell_to_a_guess(run: Run, before: FloatArray, level: float) -> bool:
    """Return whether a loss that was far higher before stands at ln C to the last digit."""
    chance, digits = _guess(run, level), significant_digits(level)
    if chance is None or digits < GUESS_DIGITS or not before.size:
        return False
    return float(f"{chance[1]:.{digits}g}") == level and float(before.max()) >= MOVED * level


def _is_trained(run: Run, steps: IntArray) -> bool:
    """Return whether the learning rate, where logged, was worth mentioning all along."""
    rate = run.get(Metric.LR)
    if rate is None:
        return True
    then: FloatArray = rate.values[(rate.steps >= steps[0]) & (rate.steps <= steps[-1])]
    return bool(then.size) and bool(np.all(then > NEGLIGIBLE_LR))


DETECTOR: Final = detect
