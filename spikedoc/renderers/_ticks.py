"""Round numbers for the axes of a plot."""

from __future__ import annotations

import math
import sys
from typing import Final

# A tick every 1, 2 or 5 times a power of ten reads fastest.
ROUND_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
TRAINING_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)  # from 10 on 2.5 keeps them whole numbers
WHOLE_FROM: Final = 10.0

INSIDE_DECADE: Final = (2.0, 5.0)

# Labels of the value axis keep at least one free row between them.
ROWS_PER_LABEL: Final = 2

# Columns per label of the step axis: six digits and room around them.
COLUMNS_PER_LABEL: Final = 10

# From here on step labels are shortened to millions.
MILLION: Final = 1e6

# More than any plot has room for.
MOST_TICKS: Final = 1000

# Decimal places or magnitudes beyond which a label uses the exponent form.
MOST_DECIMALS: Final = 4
LARGEST_PLAIN: Final = 1e6


def value_ticks(low: float, high: float, rows: int, *, log: bool) -> list[tuple[float, str]]:
    """Return values to label on the value axis with their labels, the most wanted first."""
    wanted = max(rows // ROWS_PER_LABEL, 2)
    if high <= low:
        return []
    values = _log_values(low, high, wanted) if log else []
    if len(values) >= 2:
        return [(value, f"{value:g}") for value in values]
    step = _round_step(high / wanted - low / wanted)
    values = _multiples(low, high, step)
    labels = [_label(value, step) for value in values]
    if len(values) < 2 or len(set(labels)) < len(labels):
        return []
    return list(zip(values, labels, strict=True))


def step_ticks(first: float, last: float, width: int) -> tuple[tuple[int, ...], str]:
    """Return the columns of the step axis to mark and the line of labels beneath them."""
    wanted = (last - first) / max(width // COLUMNS_PER_LABEL, 1)
    parts = TRAINING_STEPS if wanted >= WHOLE_FROM else ROUND_STEPS
    step = max(_round_step(wanted, parts), 1.0)
    columns: list[int] = []
    line = ""
    for value in _multiples(first, last, step):
        column = round((value - first) / (last - first) * (width - 1))
        label = _step_label(value)
        start = min(max(column - len(label) // 2, 0), width - len(label))
        if start < 0 or (line and start <= len(line)):
            continue
        columns.append(column)
        line = line.ljust(start) + label
    return tuple(columns), line


def _round_step(wanted: float, parts: tuple[float, ...] = ROUND_STEPS) -> float:
    """Return the smallest of the round numbers that is not below `wanted` (> 0)."""
    if not math.isfinite(wanted) or wanted <= 0:
        return 1.0
    power = max(10.0 ** math.floor(math.log10(wanted)), sys.float_info.min)
    return next((power * part for part in parts if power * part >= wanted), power * 10)


def _multiples(low: float, high: float, step: float) -> list[float]:
    first, last = low / step, high / step
    if not all(map(math.isfinite, (step, first, last))) or last - first > MOST_TICKS:
        return []  # the range is not one of ordinary numbers
    return [n * step for n in range(math.ceil(first), math.floor(last) + 1)]


def _log_values(low: float, high: float, wanted: int) -> list[float]:
    """Return powers of ten in the range, every n-th when they are many, then 2 and 5 of them."""
    decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    powers = [10.0**n for n in decades if low <= 10.0**n <= high]
    parts = [part * 10.0**n for n in decades for part in INSIDE_DECADE]
    between = [value for value in parts if low <= value <= high]
    stride = max(-(-len(powers) // wanted), 1)
    return [*powers[::stride], *(between if stride == 1 else [])]


def _label(value: float, step: float) -> str:
    decimals = max(0, -math.floor(math.log10(step)))
    if decimals > MOST_DECIMALS or abs(value) >= LARGEST_PLAIN:
        return f"{value:.3g}"
    return f"{value:.{decimals}f}"


def _step_label(value: float) -> str:
    return f"{value / MILLION:g}M" if abs(value) >= MILLION else f"{value:.0f}"
