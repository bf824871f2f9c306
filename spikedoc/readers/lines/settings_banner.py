"""Settings that a script prints when it starts: `Namespace(lr=0.1, …)`, `args: {'lr': 0.1, …}`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers.lines.base import LineProfile, Record, stateless

# A line names fewer settings than this beside a call or a dict of another kind.
LEAST_SETTINGS: Final = 3
# As of a configuration beside the log.
LONGEST_TEXT: Final = 200
_KINDS: Final = (
    "args", "Args", "ARGS", "rguments", "onfig", "ettings", "arams", "arameters", "ptions",
    "Namespace",
)  # fmt: skip
_FRONT: Final = r"(?:.{0,160}?[\s:=\]|])?"
# argparse's Namespace, the repr of a dataclass that is called like one of settings.
_CALL: Final = re.compile(
    rf"{_FRONT}(?:argparse\.)?(?:Namespace|\w{{0,40}}(?:Args|Arguments|Config|Settings|[Pp]arams"
    r"|Parameters|Options))\((?P<inside>\w{1,60}=.{1,16000})\)\W{0,3}"
)
_DICT: Final = re.compile(
    rf"{_FRONT}(?:args|arguments|config|configuration|settings|h?params|(?:hyper-?)?parameters"
    r"|options)\s{0,4}[:=]?\s{0,4}\{(?P<inside>['\"]\w{1,60}['\"]\s{0,2}:.{1,16000})\}\W{0,3}",
    re.IGNORECASE,
)
_LITERAL: Final = (
    r"(?P<text>'[^']{0,200}'|\"[^\"]{0,200}\")|(?P<word>True|False|true|false)"
    r"|(?P<number>[-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,4})?)"
)
_SETTING: Final = re.compile(
    r"(?<![\w.])['\"]?(?P<name>[A-Za-z_]\w{0,60})['\"]?\s{0,2}[=:]\s{0,2}"
    rf"(?:{_LITERAL})(?=\s{{0,2}}(?:,|$))"
)


def settings_in(line: str) -> dict[str, ConfigValue]:
    """Return the numbers, switches and short texts of a line that prints settings; else none."""
    if "(" not in line and "{" not in line:
        return {}
    match = _CALL.fullmatch(line) or _DICT.fullmatch(line)
    found = dict(_settings(match["inside"])) if match else {}
    is_record = isinstance(found.get("loss"), float)  # the name of one is a text
    return found if len(found) >= LEAST_SETTINGS and not is_record else {}


def _settings(inside: str) -> Iterator[tuple[str, ConfigValue]]:
    for match in _SETTING.finditer(inside):
        text, word, number = match["text"], match["word"], match["number"]
        if text is not None:
            yield match["name"], text[1:-1]
        elif word is not None:
            yield match["name"], word.lower() == "true"
        elif number.lstrip("+-").isdigit():
            yield match["name"], int(number)
        elif math.isfinite(float(number)):
            yield match["name"], float(number)


def _take(line: str) -> Record | None:
    settings = settings_in(line)
    return Record(config=settings, opens=True) if settings else None


def _claims(line: str) -> bool:
    return ("(" in line or "{" in line) and any(map(line.__contains__, _KINDS))


PROFILE: Final = LineProfile("settings_banner", 595, _claims, stateless(_take))
