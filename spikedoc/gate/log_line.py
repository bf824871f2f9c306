"""Which line of a text log holds a point: told only where one line alone can be meant."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from spikedoc.gate.verdict import Check, Outcome
from spikedoc.model.run import Run, Series

# A log of a million lines of six columns has 64 MB; what is longer nobody opens at a line.
LARGEST_BYTES: Final = 64_000_000
# Binary formats have a zero byte early on.
HEAD_BYTES: Final = 4_096
# A line longer than this is a document of its own, and "line 1" tells nothing.
LONGEST_LINE: Final = 20_000
# Bytes of lines that are taken apart: a log names a step on a few lines, not on all of them.
MOST_PARSED: Final = 4_000_000
NUMBER: Final = re.compile(
    rb"(?<![\w.])[-+]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:e[-+]?\d++)?|nan|inf(?:inity)?)(?!\w)",
    re.IGNORECASE,
)

Point = tuple[int, float]  # step and value, as logged


def with_lines(checks: Sequence[Check], run: Run) -> list[Check]:
    """Return the checks, those about a logged point with the file and the line it stands in."""
    points = {check: _point(check, run) for check in checks}
    files: dict[str, set[Point]] = {}
    for found in points.values():
        if found is not None:
            files.setdefault(found[0], set()).add(found[1])
    lines = {file: lines_of(file, tuple(wanted)) for file, wanted in files.items()}
    return [_placed(check, points[check], lines) for check in checks]


def _placed(
    check: Check, point: tuple[str, Point] | None, lines: dict[str, dict[Point, int]]
) -> Check:
    if point is None:
        return check
    return replace(check, log=point[0], line=lines[point[0]].get(point[1]))


def _point(check: Check, run: Run) -> tuple[str, Point] | None:
    """Return the file and the point that a check is about; None when it is about no single one."""
    series = run.named(check.signal)
    if check.outcome is Outcome.PASSED or check.step is None or series is None:
        return None
    index = series.index_at(check.step)
    if index == len(series) or int(series.steps[index]) != check.step:
        return None
    file = _file_of(series, run)
    return None if file is None else (file, (check.step, float(series.values[index])))


def _file_of(series: Series, run: Run) -> str | None:
    """Return the path of the one file that a series was read from."""
    paths = [source.path for source in run.sources]
    named = [path for path in paths if Path(path).name == Path(series.source).name]
    found = named if series.source else paths
    return found[0] if len(found) == 1 else None


def lines_of(file: str, points: Sequence[Point]) -> dict[Point, int]:
    """Return the line, counted from 1, of each point: it holds step and value, and no other does.

    Points that no line or several lines hold are left out, and so is everything in a file that is
    remote, packed, binary or very large.
    """
    content = _text(file)
    if content is None or not points:
        return {}
    found: dict[Point, list[int]] = {}
    for begin, line in _lines_with({step for step, _ in points}, content):
        numbers = [float(number) for number in NUMBER.findall(line)]
        for point in points:
            if _holds(numbers, point):
                found.setdefault(point, []).append(begin)
    return {
        point: content.count(b"\n", 0, begins[0]) + 1
        for point, begins in found.items()
        if len(begins) == 1
    }


def _lines_with(steps: set[int], content: bytes) -> list[tuple[int, bytes]]:
    """Return each line that one of `steps` stands in, with where it begins; none if too many do."""
    words = b"|".join(str(step).encode() for step in steps)
    pattern = re.compile(rb"(?<![\w.])(?:" + words + rb")(?:\.0*+)?(?![\w.])")
    out, parsed, at = [], 0, 0
    while match := pattern.search(content, at):
        begin = content.rfind(b"\n", 0, match.start()) + 1
        end = content.find(b"\n", match.end())
        at = len(content) if end < 0 else end
        if at - begin <= LONGEST_LINE:
            out.append((begin, content[begin:at]))
            parsed += at - begin
        if parsed > MOST_PARSED:
            return []
    return out


def _holds(numbers: Sequence[float], point: Point) -> bool:
    step, value = point
    if step not in numbers:
        return False
    place = numbers.index(step)
    others = [*numbers[:place], *numbers[place + 1 :]]
    return any(map(math.isnan, others)) if math.isnan(value) else value in others


def _text(file: str) -> bytes | None:
    if "://" in file or file == "-":
        return None
    try:
        path = Path(file).expanduser()
        if not path.is_file() or path.stat().st_size > LARGEST_BYTES:
            return None
        content = path.read_bytes()
    except (OSError, RuntimeError, ValueError):
        return None
    return None if b"\0" in content[:HEAD_BYTES] else content
