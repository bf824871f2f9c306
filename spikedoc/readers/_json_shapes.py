"""Files that are one JSON value: columns as arrays or as objects, and Sacred's metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from spikedoc.readers._json_rows import Row
from spikedoc.readers._numbers import LARGEST_STEP, plain
from spikedoc.readers.base import RawSeries

_STRING: Final = r'"[^"]{1,200}"'
# {"loss": [2.1, ...: as the history of Keras dumped to JSON.
_ARRAYS: Final = re.compile(rf"\s*\{{\s*{_STRING}\s*:\s*\[")
# {"loss": {"0": 2.1, ...: as pandas writes a table.
_FRAME: Final = re.compile(rf'\s*\{{\s*{_STRING}\s*:\s*\{{\s*"\d{{1,9}}"\s*:')
# {"loss": {"steps": [0, ...: as Sacred's observer writes metrics.
_SACRED: Final = re.compile(
    rf'\s*\{{\s*{_STRING}\s*:\s*\{{\s*"(?:steps|timestamps|values)"\s*:\s*\['
)
# What XGBoost and LightGBM call the errors of their objectives; others name their losses.
_BOOSTED: Final = re.compile(
    r"(?:m?(?:logloss|error)|(?:binary|multi)_(?:logloss|error)|(?:root_mean_squared_|m?ap)error"
    r"|rmsle|rmse|mae|mape|mphe|l1|l2|huber|fair|poisson|quantile|(?:cross_)?entropy"
    r"|\w{1,30}-(?:nloglik|deviance))(?:@\S{1,20})?"
)
# {"train": {"rmse": [0.8, ...: as boosting hands over its evaluations; settings nest lists, too.
_NESTED: Final = re.compile(
    rf'\s*\{{\s*{_STRING}\s*:\s*\{{\s*"([^"]{{1,200}})"\s*:\s*\[\s*[-+.\dNI]'
)
_QUANTITY: Final = re.compile(
    rf"(?:.*[^a-z])?(?:\w*loss|acc|accuracy|err|f1|auc|iou|dice|mse|score)(?:[^a-z].*)?"
    rf"|{_BOOSTED.pattern}",
    re.IGNORECASE,
)
# Epochs or rounds that a record of training has at least.
LEAST_NESTED: Final = 3
LONGEST_NAME: Final = 200
# AllenNLP writes one object for each epoch, into metrics_epoch_0.json and so on.
_EPOCH_FILE: Final = re.compile(r"(metrics_epoch_)(\d{1,6})(\.json)")
# A single object is some kilobytes; a million epochs in as many files are not looked for.
LARGEST_OBJECT: Final = 1_000_000
MOST_EPOCH_FILES: Final = 10_000


def is_columns(text: str) -> bool:
    """Return whether the text starts with an object of columns."""
    nested = _NESTED.match(text)
    if nested and _QUANTITY.fullmatch(nested.group(1)):
        return True
    return any(pattern.match(text) for pattern in (_ARRAYS, _FRAME, _SACRED))


def is_first_epoch(path: Path) -> bool:
    """Return whether the file is the first of AllenNLP's files, one for each epoch."""
    match = _EPOCH_FILE.fullmatch(path.name)
    return match is not None and not _of_epoch(path, match, int(match.group(2)) - 1).exists()


def is_epoch(path: Path) -> bool:
    """Return whether the file is one of AllenNLP's files by its name."""
    return _EPOCH_FILE.fullmatch(path.name) is not None


def epoch_files(path: Path) -> Iterator[Path]:
    """Yield the files of the epochs from that of `path` on, as far as there are any."""
    match = _EPOCH_FILE.fullmatch(path.name)
    if match is None:
        return
    first = int(match.group(2))
    for number in range(first, first + MOST_EPOCH_FILES):
        file = _of_epoch(path, match, number)
        if not file.is_file() or file.stat().st_size > LARGEST_OBJECT:
            return
        yield file


def _of_epoch(path: Path, match: re.Match[str], number: int) -> Path:
    return path.with_name(f"{match.group(1)}{number}{match.group(3)}")


def rows_of(content: Any) -> list[Row]:
    """Return the rows of a parsed file: of an array, an object of columns, or a single object."""
    if isinstance(content, list):
        return [record for record in content if isinstance(record, dict)]
    if not isinstance(content, dict):
        return []
    columns = {key: column for key, value in _flat(content) if (column := _column(value))}
    return list(_transposed(columns)) if columns else [content]


def is_boosted(content: Any) -> bool:
    """Return whether it is what XGBoost or LightGBM recorded: errors by data set and by name."""
    if not isinstance(content, dict) or not all(isinstance(one, dict) for one in content.values()):
        return False
    names = [name for errors in content.values() for name in errors]
    return bool(names) and any(_BOOSTED.fullmatch(name) for name in names)


def _flat(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values by name, those of objects of arrays by both names."""
    for key, value in content.items():
        if isinstance(value, dict) and any(_is_recorded(*one) for one in value.items()):
            yield from ((f"{key}/{name}", one) for name, one in value.items())
        else:
            yield key, value


def _is_recorded(name: str, value: object) -> bool:
    is_long = isinstance(value, list) and len(value) >= LEAST_NESTED
    return is_long and _QUANTITY.fullmatch(name[:LONGEST_NAME]) is not None


def _column(value: object) -> Mapping[int, Any] | None:
    """A column as cells by row: an array, or an object with row numbers for keys."""
    if isinstance(value, list):
        return dict(enumerate(value))
    if isinstance(value, dict) and value and all(key.isdecimal() for key in value):
        return {int(key): cell for key, cell in value.items()}
    return None


def _transposed(columns: Mapping[str, Mapping[int, Any]]) -> Iterator[Row]:
    for place in sorted(set().union(*columns.values())):
        yield {key: cells[place] for key, cells in columns.items() if place in cells}


def sacred_series(content: Any) -> tuple[RawSeries, ...]:
    """Return the series of a `metrics.json` of Sacred; none when it is something else."""
    if not isinstance(content, dict):
        return ()
    return tuple(
        series
        for tag, one in content.items()
        if isinstance(one, dict) and (series := _sacred(tag, one)) is not None
    )


def _sacred(tag: str, one: Mapping[str, Any]) -> RawSeries | None:
    steps, values, times = (one.get(key) for key in ("steps", "values", "timestamps"))
    if not isinstance(steps, list) or not isinstance(values, list):
        return None
    moments = times if isinstance(times, list) and len(times) == len(steps) else [None] * len(steps)
    points = [
        (int(x), y, _seconds(moment))
        for step, value, moment in zip(steps, values, moments, strict=False)
        if (x := plain(step)) is not None
        and abs(x) < LARGEST_STEP
        and (y := plain(value)) is not None
    ]
    if not points:
        return None
    xs, ys, walls = zip(*points, strict=True)
    return RawSeries(
        tag,
        np.array(xs, dtype=np.int64),
        np.array(ys, dtype=np.float64),
        None if None in walls else np.array(walls, dtype=np.float64),
    )


def _seconds(moment: object) -> float | None:
    try:
        return datetime.fromisoformat(str(moment)).timestamp() if moment else None
    except (ValueError, OverflowError, OSError):
        return None
