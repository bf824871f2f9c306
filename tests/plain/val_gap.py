"""The detector of validation that is wrong from the start, as plain loops over its definition."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import naive
from told import Told

from spikedoc.model.anomaly import Shape

Points = list[tuple[int, float]]


@dataclass
class Case:
    """Training and validation loss and accuracy as (step, value); the classes that are known."""

    train: Points
    val: Points
    train_accuracy: Points
    val_accuracy: Points
    classes: int | None


def known(points: Points) -> Points:
    return [(s, v) for s, v in points if math.isfinite(v)]


def gap(points: Points, best: float, train: float, **more: float) -> list[Told]:
    first, last = points[0][0], points[-1][0]
    return [Told(Shape.GAP, (first, first, last), {"best": best, "train": train} | more)]


def val_gap(case: Case) -> list[Told]:
    return equal(case) or far_off(case) or stuck(case) or not_followed(case)


def equal(case: Case) -> list[Told]:
    """One number of enough digits at enough evaluations, beside a training that falls."""
    val = known(case.val)
    if not val or len({v for _, v in val}) > 1:
        return []
    evaluated = {s for s, _ in case.val}
    if all(s in evaluated for s, _ in case.train if s >= min(evaluated)):
        return []  # of a table whose empty cells were filled
    level, (first, last) = val[0][1], (val[0][0], val[-1][0])
    digits = len("".join(c for c in f"{level!r}".split("e")[0] if c.isdigit()).strip("0"))
    fewest = {3: 30, 4: 10}.get(digits, 4)
    if (
        digits < 3
        or len(val) < fewest
        or (struct.pack(">f", level)[2:] == b"\0\0" and is_single(level))
    ):
        return []
    beside = [v for s, v in known(case.train) if first <= s <= last]
    part = max(1, len(beside) // 4)
    if len(beside) < 4:
        return []
    ended = naive.median(beside[-part:])
    if ended <= 0 or ended > (0.9 if digits >= 5 else 0.5) * naive.median(beside[:part]):
        return []
    return gap(val, level, ended, equal=float(len(val)))


def is_single(value: float) -> bool:
    return struct.unpack(">f", struct.pack(">f", value))[0] == value


def far_off(case: Case) -> list[Told]:
    """Three times the training loss beside the first of three evaluations, and its first tenth."""
    val = known(case.val)
    if len(val) < 3 or not case.train:
        return []
    beside = []
    for step, _ in val:
        before = [v for s, v in case.train if s <= step]
        beside.append(before[-1] if before else math.nan)
    if not all(map(math.isfinite, beside)) or min(beside) <= 0:
        return []
    best = min(v for _, v in val)
    train = [v for _, v in known(case.train)]
    if best < 3.0 * max(beside[0], *train[: max(1, len(train) // 10)]):
        return []
    first = val[0][1]
    along = {"scale": first / beside[0], "first": first} if best <= 0.8 * first else {}
    tenth = max(1, len(train) // 10)
    stands = 0.8 * max(v for _, v in val) <= first
    if not along and stands and naive.median(train[-tenth:]) >= 0.8 * naive.median(train[:tenth]):
        along = {"steady": naive.median([v / b for (_, v), b in zip(val, beside, strict=True)])}
    return gap(val, best, beside[-1], **along)


def shares(points: Points) -> Points:
    finite = known(points)
    percent = bool(finite) and max(v for _, v in finite) > 1.0
    return [(s, v / 100.0 if percent else v) for s, v in finite]


def stuck(case: Case) -> list[Told]:
    """Four evaluations never better than the first, three tenths below a training at .9.

    Three, when it is seven tenths; or hardly an answer right at all beside a training at .8.
    """
    val, train = shares(case.val_accuracy), shares(case.train_accuracy)
    if len(val) < 3 or not train:
        return []
    values, learned = [v for _, v in val], train[-1][1]
    never = max(values) <= values[0] and min(values) >= 0
    wide = 0.3 if len(val) >= 4 else 0.7
    if never and learned >= 0.9 and learned - values[-1] >= wide:
        return gap(val, max(values), learned)
    none = min(values) >= 0 and naive.median(values) <= 0.02 and max(values) <= 0.1
    if none and learned >= 0.8:
        return gap(val, max(values), learned)
    return []


def not_followed(case: Case) -> list[Told]:
    """Training began at a guess and came down to two fifths at two evaluations; validation stayed
    at three quarters and came down by no more than half as much.

    Or training began anywhere, at the first fiftieth of the log, and validation stands still there.
    """
    train, val = known(case.train), known(case.val)
    if not train or len(val) < 3:
        return []
    start = train[0][1]
    guess = 0.95 <= start / math.log(case.classes or 10) <= 1.2
    values = [v for _, v in val]
    seen_from_start = start > 0 and train[0][0] <= 0.02 * train[-1][0]
    near = 0.75 * start <= min(values) and max(values) <= 1.25 * start
    stands = seen_from_start and near and max(values) - min(values) <= 0.03 * start
    if not guess and not stands:
        return []
    width = max(5, len(train) // 100)
    seen: list[float] = []
    beside: list[float] = []
    times = 0
    for step, value in val:
        before = [v for s, v in train if s <= step][-width:]
        beside.append(naive.median(before) if before else math.inf)
        seen.append(value)
        times += beside[-1] <= 0.4 * start
        if times == 2:
            break
    fall = max(0.0, beside[0] - beside[-1])
    if times < 2 or min(seen) < 0.75 * start or seen[0] - min(seen) > 0.5 * fall:
        return []
    last = [v for s, v in train if s <= val[-1][0]][-width:]
    end = naive.median(last) if last else math.inf
    if values[0] - min(values) > 0.5 * max(0.0, beside[0] - end):
        return []  # it comes down in the end
    return gap(val, min(values), end)
