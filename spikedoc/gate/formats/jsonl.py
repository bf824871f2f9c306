"""A line of JSON per run, for programs that read a stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.formats.json import SCHEMA, run_object
from spikedoc.gate.verdict import Verdict


def render(verdicts: Sequence[Verdict], _options: Options) -> str:
    """Return the runs of the JSON object, each on a line of its own with the schema's name."""
    lines = ({"schema": SCHEMA, **run_object(verdict)} for verdict in verdicts)
    return "".join(json.dumps(one, ensure_ascii=True, allow_nan=False) + "\n" for one in lines)


FORMAT: Final[Format] = render
