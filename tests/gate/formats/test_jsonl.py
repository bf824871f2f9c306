"""A line per run."""

from __future__ import annotations

import json

from verdict_factory import FAILED, PASSED, UNKNOWN, render


def test_a_line_per_run_with_what_the_object_holds() -> None:
    lines = [json.loads(one) for one in render("jsonl", FAILED, PASSED, UNKNOWN).splitlines()]
    whole = json.loads(render("json", FAILED, PASSED, UNKNOWN))
    assert [{**run, "schema": "spikedoc-check/1"} for run in whole["runs"]] == lines
