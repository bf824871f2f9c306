"""The trace of a run in a record: what of it is kept, and how it is read back from a store."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from itertools import pairwise
from typing import Any, Final

from spikedoc.coincidence.trace import DATA_SEEDS, LARGEST_SEED, Trace

# Spikes kept of a run: about as many bytes as its findings take. More are sampled.
MOST_SPIKES: Final = 20
# A step beyond this is no count of anything, and its products leave the whole numbers of doubles.
LARGEST_STEP: Final = 10**15
LONGEST_DIGEST: Final = 32


def kept(trace: Trace | None) -> Trace | None:
    """Return what is kept of a trace; None without spikes, or when its numbers make no sense."""
    if trace is None or not trace.steps:
        return None
    try:
        return trace_from(json.loads(json.dumps(asdict(trace.at_most(MOST_SPIKES)))))
    except (TypeError, ValueError):  # steps that are times in nanoseconds, or the like
        return None


def trace_from(values: Any) -> Trace | None:
    """Return the trace in the JSON of a record, None for null; raises TypeError or ValueError.

    A store may come from anywhere: what is computed with it relies on types and order.
    """
    if values is None:
        return None
    if not isinstance(values, dict):
        raise TypeError("spikes")
    found = {key: values[key] for key in values.keys() & Trace.__dataclass_fields__.keys()}
    found["steps"] = tuple(_whole(step) for step in _listed(found["steps"]))
    found["heads"] = tuple(_digest(head) for head in _listed(found["heads"]))
    trace = Trace(**found)
    for number in (trace.first, trace.last, trace.count):
        _whole(number)
    for one in (trace.batch_size, trace.accumulation):
        if one is not None and _whole(one) < 1:
            raise ValueError("batch")
    _check_axis(trace)
    _check_origin(trace)
    return trace


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_SPIKES:
        raise TypeError("list of spikes")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > LARGEST_STEP:  # a bool is no number here
        raise TypeError("whole number")
    return value


def _digest(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_DIGEST:
        raise TypeError("digest")
    return value


def _check_axis(trace: Trace) -> None:
    """Spikes lie in order within the run, one digest each, a point is a step wide or more."""
    bounds = (trace.first, *trace.steps, trace.last)
    is_sorted = all(a <= b for a, b in pairwise(bounds))
    if not is_sorted or len(set(trace.steps)) < len(trace.steps):
        raise ValueError("order of spikes")
    if not len(trace.heads) == len(trace.steps) <= trace.count:
        raise ValueError("number of spikes")
    for length in (trace.width, 1 if trace.epoch is None else trace.epoch):
        if type(length) not in (int, float) or not math.isfinite(length) or length <= 0:
            raise ValueError("length")
    if not 1 <= trace.width <= LARGEST_STEP:
        raise ValueError("width")


def _check_origin(trace: Trace) -> None:
    _digest(trace.digest)
    if type(trace.unshuffled) is not bool or not isinstance(trace.seeds, dict):
        raise TypeError("order of the data")
    for key, seed in trace.seeds.items():
        if key not in DATA_SEEDS or type(seed) is not int or abs(seed) > LARGEST_SEED:
            raise ValueError("seed")
