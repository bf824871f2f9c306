from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import resources

import jsonschema
import numpy as np
import pytest
from sweep_factory import HOSTILE, compared, course, examined, run_of

from spikedoc.pipeline import diagnose
from spikedoc.renderers.base import RenderOptions
from spikedoc.rules.loader import load_catalog
from spikedoc.sweep.compare import compare
from spikedoc.sweep.formats.json import FORMAT
from spikedoc.sweep.result import Comparison

SCHEMA = json.loads(
    (resources.files("spikedoc.sweep") / "sweep.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("name", ["lr", "bad_batch", "range_test"])
def test_it_reads_back(name: str) -> None:
    data = json.loads(FORMAT(compared(name), RenderOptions()))
    assert data["schema"] == "spikedoc-sweep/1"
    assert set(data) == {
        *("schema", "spikedoc", "sweeps", "range_tests", "coincidences", "notes"),
    }


@pytest.mark.parametrize("name", ["lr", "bad_batch", "range_test"])
@pytest.mark.parametrize("by", [None, "lr"])
def test_it_follows_its_schema(name: str, by: str | None) -> None:
    comparison = compare(examined(name), None if name == "range_test" else by)
    VALIDATOR.validate(json.loads(FORMAT(comparison, RenderOptions())))


def test_runs_made_by_hand_follow_it_as_well() -> None:
    rng = np.random.default_rng(1)
    rates = (0.001, 0.003, 0.01, 0.03)
    runs = [run_of(f"lr_{lr}", course(1 + lr, rng), lr=lr, depth="2") for lr in rates]
    broken = np.full(400, np.nan)
    runs.append(run_of("lr_0.1", broken, lr=0.1, depth="3"))
    comparison = compare(tuple((run, diagnose(run, load_catalog(None))) for run in runs))
    assert comparison.sweeps
    VALIDATOR.validate(json.loads(FORMAT(comparison, RenderOptions())))


def test_what_programs_read() -> None:
    (sweep,) = json.loads(FORMAT(compared("lr"), RenderOptions()))["sweeps"]
    assert sweep["setting"] == {"key": "lr", "origin": "config", "is_rate": True}
    assert sweep["proposal"]["kind"] == "proposed"
    assert sweep["proposal"]["value"] == 0.03
    assert set(sweep["proposal"]["text"]) == {"en", "zh"}
    assert sweep["window"] == [0.003, 0.03]
    assert [value["outcome"] for value in sweep["values"]][-1] == "diverging"
    assert sweep["values"][-1]["members"][0]["labels"] == ["divergence/finite"]


def test_numbers_that_json_has_not_and_control_signs() -> None:
    (test,) = compared("range_test").range_tests
    odd = replace(test, name=HOSTILE + "\x9b", turn=math.inf, broken=math.nan)
    text = FORMAT(Comparison(range_tests=(odd,)), RenderOptions())
    assert "\x1b" not in text
    assert "\x9b" not in text
    (back,) = json.loads(text)["range_tests"]
    assert (back["turn"], back["broken"]) == (None, None)
    assert back["name"] == odd.name
    assert FORMAT(Comparison(range_tests=(odd,)), RenderOptions(unicode=False)).isascii()
