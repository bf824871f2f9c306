"""What is said of files that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.ingest.discovery import Found
from spikedoc.readers._notes import LEFT_OUT
from spikedoc.text import Text, Values

# Failures told one by one in the notes.
FAILURES_TOLD: Final = 5
UNREADABLE: Final = Text("{count} files in all could not be read", "总共有 {count} 个文件无法读取")
NONE_READABLE: Final = Text(
    "none of {count} logs can be read; {name}: {reason}",
    "{count} 份日志均无法读取；{name}：{reason}",
)
EMPTY_FOLDER: Final = Text("an empty folder", "空目录")
FILES_SEEN: Final = Text("files seen: {seen}", "其中的文件：{seen}")
NO_SERIES: Final = Text("no series of numbers in it", "其中没有数值序列")
NO_LOG: Final = Text("no training log in this folder", "这个目录中没有训练日志")


def nothing_in(path: Path, found: Found) -> InputError:
    """Return the error for a path that gave no run."""
    if found.failures:
        first = found.failures[0]
        if len(found.failures) == 1:
            return first
        name = Path(first.path).name
        values: Values = {"count": len(found.failures), "name": name, "reason": first.why}
        return InputError(path, NONE_READABLE.fill(values), first.advice)
    if not found.seen:
        return InputError(path, EMPTY_FOLDER)
    if path.is_file():
        return InputError(
            path, NO_SERIES, Text("is this the log of a training?", "这是训练日志吗？")
        )
    counted = found.seen.most_common(FAILURES_TOLD)
    seen = Text(
        ", ".join(f"{count} {suffix}" for suffix, count in counted),
        "、".join(f"{count} 个 {suffix}" for suffix, count in counted),
    )
    told = [FILES_SEEN.fill({"seen": seen}), *found.notes[:FAILURES_TOLD]]
    english, chinese = "; ".join(one.en for one in told), "；".join(one.zh for one in told)
    return InputError(path, NO_LOG, Text(english, chinese))


def told_failures(failures: Sequence[InputError]) -> tuple[Text, ...]:
    """Return a note on each file that could not be read, on the first few of many."""
    told = [
        LEFT_OUT.fill({"name": Path(one.path).name, "reason": one.why})
        for one in failures[:FAILURES_TOLD]
    ]
    if len(failures) > FAILURES_TOLD:
        told.append(UNREADABLE.fill({"count": len(failures)}))
    return tuple(told)
