"""The detector of the learning rate as plain loops over its definition: lists in, tuples out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise

from told import Told

from spikedoc.model.anomaly import Shape


def first(indices: Iterable[int], otherwise: int, is_it: Callable[[int], bool]) -> int:
    return next((i for i in indices if is_it(i)), otherwise)


def highest(values: list[float], begin: int, end: int | None = None) -> int:
    stop = len(values) if end is None else end
    return max(range(begin, stop), key=values.__getitem__)


def was_flat(values: list[float], i: int) -> bool:
    """The five points before differ by 5 % at most; three must be there."""
    recent = values[max(0, i - 5) : i]
    return len(recent) >= 3 and max(recent) - min(recent) <= 0.05 * max(recent)


def warms_up(steps: list[int], values: list[float], i: int, restarts: list[int]) -> bool:
    """One of five rises as large and more, up from a tenth of the peak and no higher than it."""
    bottom, top = i - 1, i
    while bottom > 0 and values[bottom - 1] <= values[bottom]:
        bottom -= 1
    while top + 1 < len(values) and values[top + 1] >= values[top]:
        top += 1
    peak = max(values[: bottom + 1])
    for k in (max(1, bottom), i):
        reach = 5 * max(1, steps[k] - steps[k - 1])
        if any(abs(steps[k] - at) <= reach for at in restarts):
            return False
    height, step = values[top] - values[bottom], values[i] - values[i - 1]
    if top == len(values) - 1:
        height = max([height, *heights_of_climbs(values[: bottom + 1], step)])
    gradual = height >= 5 * step
    ran_out = values[max(0, bottom - 3)] <= 0.1 * peak
    return gradual and ran_out and values[top] <= peak * 1.05


def heights_of_climbs(values: list[float], step: float) -> list[float]:
    """Of each unbroken rise with a step as large, but for the last value's."""
    out, begin = [], 0
    for i in range(1, len(values)):
        if values[i] < values[i - 1]:
            climb = values[begin:i]
            if any(b - a >= 0.95 * step for a, b in pairwise(climb)):
                out.append(climb[-1] - climb[0])
            begin = i
    return out


def jumps_of(steps: list[int], values: list[float], restarts: list[int]) -> list[int]:
    """More than 30 % up from one point to the next, beyond the first 5 %, and after the first
    fall by 5 % or out of a standstill."""
    n = len(values)
    fall = first(range(n), n, lambda i: values[i] < max(values[: i + 1]) * 0.95)
    return [
        i
        for i in range(max(2, int(0.05 * n)), n)
        if values[i] > 1.3 * values[i - 1]
        and values[i] > 1e-30
        and (i > fall or was_flat(values, i))
        and not warms_up(steps, values, i, restarts)
    ]


def distinct(jumps: list[int], steps: list[int]) -> list[int]:
    reach = max(1.0, 0.02 * (steps[-1] - steps[0]))
    return [i for k, i in enumerate(jumps) if not k or steps[i] - steps[jumps[k - 1]] > reach]


def even(lengths: list[int]) -> bool:
    """Each by a constant or a whole factor longer than the one before, within .35."""
    ratios = [b / max(a, 1) for a, b in pairwise(lengths)]
    constant = len(ratios) > 1 and max(ratios) - min(ratios) <= 0.35 * max(ratios)
    return constant or all(abs(r - max(1, round(r))) <= 0.35 for r in ratios)


def is_cycle(steps: list[int], values: list[float], jumps: list[int]) -> bool:
    groups = [i for k, i in enumerate(jumps) if not k or i - jumps[k - 1] > 5]
    if len(groups) < 2:
        return len(groups) == 1 and second_cycle(steps, values, groups[0])
    at = [steps[i] for i in groups]
    since_start = [b - a for a, b in pairwise([steps[0], *at])]
    others = [b - a for a, b in pairwise(at)]
    if not even(since_start) and not (len(groups) > 3 and even(others)):
        return False
    return all(max(values[i : i + 3]) <= max(values[:i]) * 1.05 for i in groups)


def smooth(course: list[float]) -> bool:
    """Never up by more than next to nothing, and no point makes more than 35 % of the fall."""
    moves = [a - b for a, b in pairwise(course)]
    return min(moves) >= -0.0025 and max(moves) <= 0.35 * (course[0] - course[-1])


def complete(course: list[float]) -> bool:
    """Down to a tenth of the top, or the last twentieth makes 2 % of the fall at most."""
    last = max(1, math.ceil(0.05 * len(course)))
    fall = course[0] - course[-1]
    return course[-1] <= 0.1 or course[-1 - last] - course[-1] <= 0.02 * fall


def at_time(times: list[float], course: list[float], t: float) -> float:
    """The course at a time between its points, on the line between them."""
    if t >= times[-1]:
        return course[-1]
    k = max(i for i, s in enumerate(times) if s <= t)
    share = (t - times[k]) / (times[k + 1] - times[k])
    return course[k] + share * (course[k + 1] - course[k])


def second_cycle(steps: list[int], values: list[float], i: int) -> bool:
    """Back at the top, and down the same complete smooth curve, stretched or until the end."""
    top = max(values[:i])
    if top <= 0:
        return False
    begin = values.index(top)
    one, rest = [v / top for v in values[begin:i]], [v / top for v in values[i:]]
    if min(len(one), len(rest)) < 5 or abs(max(rest) - 1.0) > 0.05:
        return False
    again = rest.index(max(rest))
    two = rest[again:]
    if again > 5 or len(two) < 5 or 1.0 - two[-1] < 0.2:
        return False
    if not (smooth(one) and smooth(two) and complete(one)):
        return False
    length = float(steps[i] - steps[begin])
    times = [(s - steps[begin]) / length for s in steps[begin:i]]
    passed = [(s - steps[i + again]) / length for s in steps[i + again :]]
    stretches = [1.0, 2.0, 3.0] + ([passed[-1] / times[-1]] if complete(two) else [])
    return any(
        passed[-1] / n <= 1.05
        and all(
            abs(at_time(times, one, t / n) - v) <= 0.05 for t, v in zip(passed, two, strict=True)
        )
        for n in stretches
    )


def close(a: float, b: float) -> float:
    return float(abs(a - b) <= 0.05 * max(abs(a), abs(b)))


def jump(
    steps: list[int],
    values: list[float],
    i: int,
    jumps: list[int],
    restarts: list[int],
    stride: float,
) -> Told:
    before, after, n = values[i - 1], values[i], len(values)
    end = first(range(i, n), n, lambda k: values[k] <= before * 1.05)
    reverted, end = end < n, min(end, n - 1)
    peak = highest(values, i, end + 1)
    begin, measures = i, {"before": before, "after": values[peak]}
    for restart in restarts:
        at = first(range(n), n, lambda k, restart=restart: steps[k] >= restart)
        if 0 < at < i <= at + 5 and values[at - 1] > 1.3 * values[at]:
            begin = at
            measures = {"before": values[at - 1], "after": values[at], "climbs_to": values[peak]}
            break
    else:
        anew = max((k for k in range(1, i) if values[k] < values[k - 1]), default=0)
        fell = values[anew - 1] - values[anew] > 0.1 * (values[peak] - values[anew])
        if anew >= i - 5 and anew and fell and values[anew - 1] > 1.3 * values[anew]:
            begin, after = anew, values[anew]
            measures = {"before": values[anew - 1], "after": after, "rises_to": values[peak]}
        elif values[peak] > 1.05 * after:
            measures["climb_step"] = float(steps[peak])
    old = max(values[:i])
    if measures["before"] > 1e-6 * measures["after"]:
        measures["factor"] = measures["after"] / measures["before"]
    measures |= {
        "reverted": float(reverted),
        "at_start_value": close(after, values[0]),
        "at_peak_value": close(after, old),
        "above_all_before": float(values[peak] > old * 1.05),
        "at_restart": float(any(abs(steps[i] - at) <= 5 * stride for at in restarts)),
        "cyclic": float(is_cycle(steps, values, jumps)),
        "count": float(len(distinct(jumps, steps))),
    }
    return Told(Shape.JUMP, (steps[begin], steps[peak], steps[end]), measures)


def swing_again(steps: list[int], values: list[float], turn: int) -> bool:
    """Smoothly up and down from the last low before the top, and from `turn` the same again.

    Each swing from low to low is held against the first on its own scale. The last may end on its
    way: it has the scale of the one before, or is less high by the same factor once more.
    """
    top = highest(values, 0, turn + 1)
    begin = min(range(top, -1, -1), key=values.__getitem__)
    if min(top - begin, turn - top, len(values) - turn) < 5:
        return False
    period = steps[turn] - steps[begin]
    lows, last = [begin, *lows_from(steps, values, turn, period)], len(values) - 1
    swings = [values[i : j + 1] for i, j in pairwise([*lows, last])]
    spans = [max(swing) - min(swing) for swing in swings]
    if min(spans) <= 0 or max(values[turn:]) > 1.05 * values[top]:
        return False
    course = [(v - min(swings[0])) / spans[0] for v in swings[0]]
    if max(abs(b - a) for a, b in pairwise(course)) > 0.35:
        return False
    times = [float(s - steps[begin]) / period for s in steps[begin : turn + 1]]
    for k, swing in enumerate(swings[1:], 1):
        low = lows[k]
        length = period if k == len(swings) - 1 else steps[lows[k + 1]] - steps[low]
        wanted = [at_time(times, course, (s - steps[low]) / length) for s in steps[low:]]
        apart = [
            max(abs(w - (v - min(swing)) / h) for w, v in zip(wanted, swing, strict=False))
            for h in heights(swing, spans[: k + 1])
        ]
        if not any(a <= 0.05 for a in apart):
            return False
    return True


def lows_from(steps: list[int], values: list[float], turn: int, period: int) -> list[int]:
    """The lowest of what lies a period on, to a tenth, as often as that is not the end."""
    lows, last = [turn], len(values) - 1
    while True:
        at = steps[lows[-1]]
        near = [i for i, s in enumerate(steps) if 0.9 * period <= s - at < 1.1 * period]
        low = min(near, key=values.__getitem__, default=last)
        if low >= last:
            return lows
        lows.append(low)


def heights(swing: list[float], spans: list[float]) -> list[float]:
    """Its own height if a swing is seen to come down by a fifth, else as those before go on."""
    if max(swing) - min(swing[swing.index(max(swing)) :]) >= 0.2 * spans[-1]:
        return [spans[-1]]
    if len(spans) > 2:
        return [spans[-2], spans[-2] ** 2 / spans[-3]]
    return [spans[0]] if spans[-1] >= 0.5 * spans[0] else []


def comeback(
    steps: list[int], values: list[float], restarts: list[int], stride: float
) -> list[Told]:
    """Below a tenth of the peak and back up to half of it, once."""
    n, peak = len(values), max(values)
    top = first(range(n), n, lambda i: values[i] >= 0.95 * peak)
    low = first(range(top, n), n, lambda i: values[i] <= 0.1 * peak)
    back = first(range(low, n), n, lambda i: values[i] >= 0.5 * peak)
    high = [v >= 0.5 * peak for v in values]
    visits = sum(high[i] and not (i and high[i - 1]) for i in range(n))
    if back == n or visits > 2:
        return []
    turn = min(range(low, back + 1), key=values.__getitem__)
    planned = all(abs(steps[turn] - at) > 5 * stride for at in restarts)
    if planned and swing_again(steps, values, turn):
        return []
    peak_after = highest(values, back)
    measures = {
        "before": values[turn],
        "after": values[peak_after],
        "comeback": 1.0,
        "warm_up": float(second_stage(values, turn)),
    }
    if values[turn] > 1e-6 * values[peak_after]:
        measures["factor"] = values[peak_after] / values[turn]
    return [Told(Shape.JUMP, (steps[turn], steps[peak_after], steps[-1]), measures)]


def second_stage(values: list[float], low: int) -> bool:
    """Up in a third of the time of the fall, no higher, and then down again or held as long."""
    n = len(values)
    before, top = highest(values, 0, low + 1), highest(values, low)
    near = first(range(low, n), n, lambda i: values[i] >= 0.95 * values[top])
    decays = top < n - 1 and values[-1] <= 0.95 * values[top]
    holds = n - near > near - low
    soon = near - low <= (low - before) / 3
    return soon and values[top] <= values[before] * 1.05 and (decays or holds)


def schedule(
    steps: list[int], values: list[float], restarts: list[int], stride: float
) -> list[Told]:
    """All that the detector tells of finite values."""
    if len(values) < 10 or max(values) <= 0:
        return []
    jumps = jumps_of(steps, values, restarts)
    if not jumps:
        return comeback(steps, values, restarts, stride)
    return [jump(steps, values, i, jumps, restarts, stride) for i in distinct(jumps, steps)]
