"""Verdicts made by hand, and one output of them."""

from __future__ import annotations

import importlib

from spikedoc.gate.formats.base import Options
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.model.label import Severity, Status
from spikedoc.text import Language, Text

EN, ZH = Options(Language.EN), Options(Language.ZH)
HOSTILE = "a\x1b[31m\n::error::x\r<b>]]>&\"'`|@all\x00\ufffe\ud800\u202e=1+1,:%0A"


def check(outcome: Outcome, message: str = "it broke", name: str = "nonfinite/persistent") -> Check:
    return Check(
        name, Text("NaN that stays", "NaN"), outcome, Severity.CRITICAL,
        Text(message, f"{message}。"), "loss", 120, "0123",
    )  # fmt: skip


def verdict(*checks: Check, status: Status = Status.CRITICAL, run: str = "nightly") -> Verdict:
    return Verdict(run, "logs/a.csv", status, Text("Lost.", "失败。"), checks, ("SD401",))


def render(name: str, *verdicts: Verdict, options: Options = EN) -> str:
    text = importlib.import_module(f"spikedoc.gate.formats.{name}").FORMAT(verdicts, options)
    assert isinstance(text, str)
    return text


FAILED = verdict(check(Outcome.FAILED), check(Outcome.PASSED, name="oscillation"))
KNOWN = verdict(check(Outcome.KNOWN), status=Status.WARNING)
PASSED = verdict(check(Outcome.PASSED), status=Status.HEALTHY)
UNKNOWN = verdict(status=Status.UNKNOWN)
