"""What loggers put in front of a message: `INFO: `, `2024-05-01 10:00:00,123 - root - INFO - `."""

from __future__ import annotations

import re
from typing import Final

_STAMP: Final = (
    r"[\[(]?(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?[ T]{1,2})?"
    r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?[\])]?"
)
# absl and glog: I0501 10:00:00.123456 1234 train.py:30]
_GLOG: Final = r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9}\s{1,8}\d{1,20}\s[\w./\-]{1,200}:\d{1,6}\]"
_LEVEL: Final = r"[\[(]?(?:INFO|DEBUG|WARN(?:ING)?|NOTICE)[\])]?(?!\w)"
_BRACKET: Final = r"\[[A-Za-z][\w.\-]{0,40}\](?=[\s:]{1,3}[A-Za-z])"
# srun --label: the number of a task.
_TASK: Final = r"\d{1,5}:(?= [A-Za-z\W])"
_SOURCE: Final = r"[\[(]?[\w./\-]{1,200}(?:\.py|:\w{1,80}):\d{1,6}(?![\w.])[\])]?"
# The name of a logger between dashes, bars or colons, or before the level.
_NAME: Final = (
    r"[\w.]{1,80}(?=\s{1,4}[|\-] )|[\w.]{1,80}:(?=[A-Za-z\-])"
    rf"|[\w.]{{1,80}}(?= {_LEVEL})"
)
_SEPARATOR: Final = r"[\s:|]{0,12}(?:-(?=\s)\s{1,4})?"
_PREFIX: Final = re.compile(
    rf"(?:{_TASK}|{_GLOG}|{_STAMP}|{_LEVEL}|{_BRACKET}){_SEPARATOR}"
    rf"(?:(?:{_STAMP}|{_LEVEL}|{_BRACKET}|{_SOURCE}|{_NAME}){_SEPARATOR}){{0,4}}"
)
# The words of levels, a bracket, or a digit.
_MAY_START: Final = frozenset("[(IWEFDN0123456789")


def message(line: str) -> str:
    """Return the line without what a logger, or srun, has put in front of it."""
    found = _PREFIX.match(line) if line[:1] in _MAY_START else None
    return line[found.end() :] if found else line
