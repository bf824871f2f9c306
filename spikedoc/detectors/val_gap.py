"""Validation that is wrong from its first value on, while the training side learns."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import chance_loss
from spikedoc.model.metric import Metric
from spikedoc.model.quality import as_shares, is_accuracy
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.ends import ends
from spikedoc.signal.printed import is_bf16, significant_digits

NAME: Final = "val_gap"
# Overfitting takes time: at the first evaluation the two losses are of one size. Three times what
# training began with, at every evaluation, is no generalisation gap: at its best validation lay at
# 1.3 times that or below on 94 small trainings and 73 public logs.
FAR: Final = 3.0
FAR_EVALUATIONS: Final = 3
BEGINNING_SHARE: Final = 10
# It comes down as training does, by a fifth at least: the same thing, counted otherwise.
ALONG: Final = 0.8
# Never better than at first, with training accuracy nearly perfect: nothing of what was learned
# shows in evaluation mode.
LEARNED: Final = 0.9
STUCK_EVALUATIONS: Final = 4
STUCK_GAP: Final = 0.3
# Seven tenths apart are no chance at three evaluations either, nor is it when training answers four
# fifths and validation next to nothing at all: fewer than anyone guesses.
STUCK_FAR: Final = 0.7
STUCK_FEWEST: Final = 3
NONE_LEARNED: Final = 0.8
NONE_RIGHT: Final = 0.02
NONE_MOST: Final = 0.1
# A training that begins at the level of a guess – ln C of the classes that the config names, or of
# a usual number of them – knows nothing, so its validation begins there too. Where training has
# come down to two fifths of it, at two evaluations, validation has come down with it: to .42 at
# most on 66 healthy small trainings; it stood at .8 to 1.1 with other inputs or weights.
# Small random logits cost up to a fifth more than a guess.
GUESS_BELOW: Final = 0.95
GUESS_ABOVE: Final = 1.2
GUESSES: Final = (10,)  # larger ones are met by contrastive losses, which begin at ln of the batch
HALFWAY: Final = 0.4
# One in C right, to a tenth of it: the answer to C equal classes, whatever the sample.
EVEN: Final = 0.1
# A guess among a million classes is right this often; less is no share of equal ones.
LEAST_SHARE: Final = 1e-6
NOT_FOLLOWED: Final = 0.75
# Of a loss that is no cross-entropy the first value is that of the untrained network, whatever it
# is. Validation that stands there, within a quarter of it (one batch is noisy) and still to three
# per cent, while training comes down to two fifths, does not see what is trained: of averaged
# weights that never arrive it moved by 1.6 and 1.7 %; memorising moves it by far more.
STANDS_STILL: Final = 0.03
STANDS_ABOVE: Final = 1.25
STARTS_BY: Final = 0.02
FOLLOWED: Final = 0.5
FOLLOW_EVALUATIONS: Final = 2
BESIDE_SHARE: Final = 100
BESIDE_LEAST: Final = 5
# A mean over a validation set turns on every weight: it agrees with the next one to two or three
# digits. Five digits at four evaluations are no chance, while the training loss falls by a tenth;
# fewer digits say as much at more evaluations, while it halves.
EQUAL_EVALUATIONS: Final = {5: 4, 4: 10, 3: 30}  # by digits
TRAINED: Final = 0.9
# Logs that hold what was evaluated where it was, and no rows to fill.
NEVER_FILLED: Final = frozenset({"tensorboard", "trainer_state"})
HALVED: Final = 0.5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return GAP for a validation that is wrong from the start.

    Its loss is the same to the last digit, is far off or did not follow the training loss down, or
    its accuracy is stuck. `equal` is the number of evaluations with the same loss, `steady` how
    many times as high as training a loss stands where neither comes down.
    """
    found = _equal(run) or _far_off(run) or _stuck(run) or _not_followed(run) or _guesses(run)
    return () if found is None else (found,)


def _equal(run: Run) -> Detection | None:
    """Return the validation loss that is one number while the training loss falls."""
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None:
        return None
    steps, values = val.finite()
    if (
        values.size == 0
        or _may_be_filled(run, train, val)
        or float(np.ptp(values)) > 0
        or is_bf16(values[:1])
    ):
        return None
    level = float(values[0])
    digits = min(significant_digits(level), max(EQUAL_EVALUATIONS))
    if values.size < EQUAL_EVALUATIONS.get(digits, np.inf):
        return None
    known = train.window(float(steps[0]), float(steps[-1]))
    course = ends(known[np.isfinite(known)])
    most = TRAINED if digits == max(EQUAL_EVALUATIONS) else HALVED
    if course is None or not 0 < course[1] <= most * course[0]:
        return None
    return _gap(val, steps, {"best": level, "train": course[1], "equal": float(values.size)})


def _may_be_filled(run: Run, train: Series, val: Series) -> bool:
    """Return whether a single evaluation may have been written again in every row of a table."""
    rows = train.steps[train.steps >= val.steps[0]]
    if not np.isin(rows, val.steps).all() or {s.reader for s in run.sources} & NEVER_FILLED:
        return False
    return not run.counts_epochs or rows.size < len(train)


def _far_off(run: Run) -> Detection | None:
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None or len(train) == 0:
        return None
    steps, values = val.finite()
    if values.size < FAR_EVALUATIONS:
        return None
    beside = _beside(train, steps)
    if not np.isfinite(beside).all() or float(beside.min()) <= 0:
        return None
    # The first training losses are the largest that the training side shows.
    known = train.finite()[1]
    part = max(1, known.size // BEGINNING_SHARE)
    began = float(known[:part].max())
    if float(values.min()) < FAR * max(float(beside[0]), began):
        return None
    measures = {"best": float(values.min()), "train": float(beside[-1])}
    if measures["best"] <= ALONG * float(values[0]):
        measures["scale"] = float(values[0]) / float(beside[0])
        measures["first"] = float(values[0])
    elif ALONG * values.max() <= values[0] and _stands(known, part):
        measures["steady"] = float(np.median(values / beside))
    return _gap(val, steps, measures)


def _stands(losses: FloatArray, part: int) -> bool:
    """Return whether the level of the last `part` losses is still that of the first ones."""
    return bool(np.median(losses[-part:]) >= ALONG * np.median(losses[:part]))


def _beside(train: Series, steps: IntArray) -> FloatArray:
    """Return the training loss last logged at or before each evaluation; NaN before the first."""
    at = np.searchsorted(train.steps, steps, side="right") - 1
    return np.where(at >= 0, train.values[np.maximum(at, 0)], np.nan)


def _stuck(run: Run) -> Detection | None:
    """Return the first validation accuracy that never rose while its training twin became whole."""
    for val in run.all(Metric.VAL_METRIC):
        train = _twin(run, val)
        if train is None:
            continue
        steps, values = _shares(val)
        _, learned = _shares(train)
        if values.size < STUCK_FEWEST or learned.size == 0:
            continue
        never = float(values.max()) <= float(values[0]) and float(values.min()) >= 0
        apart = float(learned[-1]) - float(values[-1])
        wide = STUCK_GAP if values.size >= STUCK_EVALUATIONS else STUCK_FAR
        stuck = never and float(learned[-1]) >= LEARNED and apart >= wide
        if stuck or (float(learned[-1]) >= NONE_LEARNED and _knows_none(values)):
            return _gap(val, steps, {"best": float(values.max()), "train": float(learned[-1])})
    return None


def _knows_none(shares: FloatArray) -> bool:
    """Return whether hardly an answer is right at any evaluation."""
    low, high = float(shares.min()), float(shares.max())
    return low >= 0 and float(np.median(shares)) <= NONE_RIGHT and high <= NONE_MOST


def _not_followed(run: Run) -> Detection | None:
    """Return the validation loss that still was where guessing is when training had halved."""
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None:
        return None
    (at, losses), (steps, values) = train.finite(), val.finite()
    if losses.size == 0 or values.size < FAR_EVALUATIONS:
        return None
    if not _is_guess(run, float(losses[0])) and not _stands_at_first(at, losses, values):
        return None
    width = max(BESIDE_LEAST, losses.size // BESIDE_SHARE)
    stops = np.searchsorted(at, steps, side="right")
    beside = np.array([np.median(losses[max(0, i - width) : i]) if i else np.inf for i in stops])
    halved = np.flatnonzero(beside <= HALFWAY * losses[0])
    if halved.size < FOLLOW_EVALUATIONS:
        return None
    seen = values[: int(halved[FOLLOW_EVALUATIONS - 1]) + 1]
    # On another scale (a contrastive loss rises with the batch) validation comes down all the same.
    fall = max(0.0, float(beside[0] - beside[seen.size - 1]))
    came_down = float(values[0] - seen.min()) > FOLLOWED * fall
    if came_down or float(seen.min()) < NOT_FOLLOWED * float(losses[0]):
        return None
    best, train_end = float(values.min()), float(beside[-1])
    # What comes down as far in the end generalises late (grokking): it does work.
    if float(values[0]) - best > FOLLOWED * max(0.0, float(beside[0]) - train_end):
        return None
    return _gap(val, steps, {"best": best, "train": train_end})


def _guesses(run: Run) -> Detection | None:
    """Return the validation whose loss and accuracy are those of a guess at every evaluation.

    Training ends below two fifths of that loss: it tells the classes apart, or has stored them.
    """
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None:
        return None
    (_, known), (steps, values) = train.finite(), val.finite()
    if known.size == 0 or values.size < STUCK_EVALUATIONS:
        return None
    end = float(np.median(known[-BESIDE_LEAST:]))
    for series in filter(is_accuracy, run.all(Metric.VAL_METRIC)):
        _, shares = _shares(series)
        if shares.size < STUCK_EVALUATIONS or not LEAST_SHARE <= float(shares[0]) <= 0.5 * (
            1 + EVEN
        ):
            continue
        classes = max(2, round(1.0 / float(shares[0])))
        chance = chance_loss(classes)
        even = float(np.abs(classes * shares - 1.0).max()) <= EVEN
        low, high = GUESS_BELOW * chance, GUESS_ABOVE * chance
        guessed = low <= float(values.min()) and float(values.max()) <= high
        if even and guessed and 0 < end <= HALFWAY * chance:
            return _gap(val, steps, {"best": float(values.min()), "train": end})
    return None


def _stands_at_first(at: IntArray, losses: FloatArray, values: FloatArray) -> bool:
    """Return whether validation stands still where the training loss began, seen from its start."""
    first = float(losses[0])
    if int(at[0]) > STARTS_BY * int(at[-1]) or first <= 0:
        return False
    low, high = float(values.min()), float(values.max())
    return (
        low >= NOT_FOLLOWED * first
        and high <= STANDS_ABOVE * first
        and (high - low <= STANDS_STILL * first)
    )


def _is_guess(run: Run, first: float) -> bool:
    """Return whether the first loss is that of guessing among the known or a usual count."""
    known = run.config.get("num_classes")
    classes = (known,) if isinstance(known, int) and known > 1 else GUESSES
    return any(GUESS_BELOW <= first / chance_loss(count) <= GUESS_ABOVE for count in classes)


def _twin(run: Run, val: Series) -> Series | None:
    """Return the training accuracy that `val` is the validation of, by name."""
    if not is_accuracy(val):
        return None
    return next(filter(is_accuracy, run.all(Metric.TRAIN_METRIC)), None)


def _shares(series: Series) -> tuple[IntArray, FloatArray]:
    steps, values = series.finite()
    return steps, as_shares(values)


def _gap(val: Series, steps: IntArray, measures: dict[str, float]) -> Detection:
    first, last = int(steps[0]), int(steps[-1])
    return Detection(NAME, Shape.GAP, val.name, first, first, last, measures)


DETECTOR: Final = detect
