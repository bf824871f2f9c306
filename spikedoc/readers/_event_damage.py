"""What was skipped in an event file, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from spikedoc.text import Text

# Damaged places described one by one in the notes.
GAPS_DESCRIBED: Final = 5

GAP: Final = Text(
    "damaged from byte {first} to {last}; read on behind it",
    "第 {first} 至 {last} 字节损坏，已从其后继续读取",
)
GAPS: Final = Text(
    "{count} damaged {count|place|places}, {total} {total|byte|bytes} in all",
    "共 {count} 处损坏，合计 {total} 字节",
)
BAD_RECORDS: Final = Text(
    "{count} {count|record|records} with a wrong checksum {count|was|were} left out",
    "{count} 条校验和不符的记录已略去",
)
CUT_SHORT: Final = Text(
    "the last record is cut short: the writer was stopped", "最后一条记录不完整：写入进程已被中止"
)


@dataclass(slots=True)
class Damage:
    """What was skipped."""

    gaps: list[tuple[int, int]] = field(default_factory=list)  # byte ranges without a valid record
    bad_records: int = 0  # records whose data do not fit their checksum
    cut_short: bool = False  # the last record ends after the end of the file

    def notes(self) -> tuple[Text, ...]:
        """Return one sentence per kind of damage."""
        notes = [GAP.fill({"first": a, "last": b}) for a, b in self.gaps]
        if len(notes) > GAPS_DESCRIBED:
            total = sum(b - a for a, b in self.gaps)
            told = GAPS.fill({"count": len(notes), "total": total})
            notes = [*notes[:GAPS_DESCRIBED], told]
        if self.bad_records:
            notes.append(BAD_RECORDS.fill({"count": self.bad_records}))
        if self.cut_short:
            notes.append(CUT_SHORT)
        return tuple(notes)
