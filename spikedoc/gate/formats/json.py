"""All verdicts as one JSON object, strict: numbers are finite, text is escaped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.verdict import Check, Verdict
from spikedoc.text import Text

SCHEMA: Final = "spikedoc-check/1"


def render(verdicts: Sequence[Verdict], _options: Options) -> str:
    """Return the object, in both languages; `passed` is that of all runs together."""
    content = {
        "schema": SCHEMA,
        "passed": all(verdict.passed for verdict in verdicts),
        "runs": [run_object(verdict) for verdict in verdicts],
    }
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def run_object(verdict: Verdict) -> dict[str, Any]:
    """Return what is said of one run."""
    return {
        "name": verdict.run,
        "path": verdict.path,
        "status": verdict.status.value,
        "passed": verdict.passed,
        "headline": _text(verdict.headline),
        "causes": list(verdict.causes),
        "checks": [_check(check) for check in verdict.checks],
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "id": check.id,
        "outcome": check.outcome.value,
        "severity": check.severity.value,
        "signal": check.signal,
        "step": check.step,
        "title": _text(check.title),
        "fingerprint": check.fingerprint,
        "message": _text(check.message),
    }


def _text(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


FORMAT: Final[Format] = render
