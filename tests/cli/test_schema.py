"""`spikedoc schema` prints what the reports are validated against."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

from spikedoc.cli.entry import run


def test_it_is_the_schema_of_the_package(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    out = capfd.readouterr().out
    file = resources.files("spikedoc.model") / "report.schema.json"
    assert out == file.read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(out))
