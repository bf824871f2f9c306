"""Keys of JSON records that hold null where others hold a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from spikedoc.readers.base import RawSeries
from spikedoc.text import Text, listed

NULL_OR_NAN: Final = Text(
    "null stands for {names} in {count} {count|record|records}, others have a number: not logged "
    "there, or NaN or infinite, for which many JSON writers have null; read as not logged",
    "{names} 在 {count} 条记录中为 null，其他记录有数值：可能未记录，也可能是 NaN 或无穷大"
    "（许多 JSON 写入器以 null 表示）；此处按未记录处理",
)
# Records without a number at the end, in usual distances between two, from which on it has gone.
LONGEST_GAP: Final = 4.0
# Quantities named in that note.
MOST_NAMES: Final = 3


class Nulls:
    """Counts them.

    Writers that keep to the standard, among them orjson and the browsers' own, put null for NaN and
    infinity, which it does not know; pandas and others put it for what was not logged.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._counts: Counter[str] = Counter()

    def see(self, row: Mapping[str, Any]) -> None:
        """Look at a record."""
        self._counts.update(key for key, cell in row.items() if cell is None)

    def notes(self, series: Sequence[RawSeries], row_count: int) -> tuple[Text, ...]:
        """Return a note on quantities that are null now and then, or from some record on."""
        counts = {one.tag: self._counts[one.tag] for one in series if self._counts[one.tag]}
        told = [one.tag for one in series if _is_lost(one, counts.get(one.tag, 0), row_count)]
        if not told:
            return ()
        most = max(counts[tag] for tag in told)
        return (NULL_OR_NAN.fill({"count": most, "names": listed(told, MOST_NAMES)}),)


def _is_lost(series: RawSeries, nulls: int, row_count: int) -> bool:
    size = series.steps.size
    last = int(series.order[-1]) if series.order is not None and size else row_count - 1
    behind = row_count - 1 - last
    is_end = behind > LONGEST_GAP * (last + 1) / max(1, size) and nulls >= behind
    return 0 < nulls < size or is_end
