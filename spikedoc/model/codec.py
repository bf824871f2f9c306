"""A report as one strict-JSON object, and back without loss.

NaN and infinities become the strings "nan", "inf" and "-inf"; a text value that happens to be one
of these three words is read back as the number. Keys may be added to the object, never renamed.
"""

from __future__ import annotations

import json
from typing import NoReturn

from spikedoc.errors import ReportError
from spikedoc.model.decoding import report_from
from spikedoc.model.encoding import Json, encode
from spikedoc.model.json_text import write
from spikedoc.model.report import Report
from spikedoc.text import Text

__all__ = ["Json", "decode", "dumps", "encode", "loads", "parse"]


def decode(data: object) -> Report:
    """Return the report that `encode` wrote; unknown keys are ignored.

    Raises ReportError naming the key when something is missing or of the wrong kind.
    """
    return report_from(data)


def dumps(report: Report, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """Return the report as JSON text without a final newline; `indent` None puts it on one line."""
    return write(encode(report), indent=indent, ascii_only=ascii_only)


def loads(text: str) -> Report:
    """Return the report held by JSON text; raises ReportError when it is not one."""
    return decode(parse(text))


def parse(text: str) -> object:
    """Return strict JSON text as Python objects; raises ReportError for anything else."""
    try:
        value: object = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ReportError(Text(f"not JSON: {error}", f"不是 JSON：{error}")) from None
    except (ValueError, RecursionError) as error:  # bare NaN, numbers or nesting without end
        raise ReportError(Text(f"not strict JSON: {error}", f"不是严格的 JSON：{error}")) from None
    return value


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"bare {word}")
