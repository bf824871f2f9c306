"""`spikedoc schema` prints what the reports are validated against."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

from spikedoc.cli.entry import run


@pytest.mark.parametrize(
    ("subject", "package"),
    [
        ("report", "spikedoc.model"),
        ("check", "spikedoc.gate"),
        ("comparison", "spikedoc.comparison"),
        ("sweep", "spikedoc.sweep"),
        ("reference", "spikedoc.reference"),
    ],
)
def test_it_is_the_schema_of_the_package(
    subject: str, package: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["schema", "--of", subject]) == 0
    out = capfd.readouterr().out
    file = resources.files(package) / f"{subject}.schema.json"
    assert out == file.read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_the_report_unless_another_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    assert json.loads(capfd.readouterr().out)["$id"] == "urn:spikedoc:report:1"
