from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from sweep_factory import HOSTILE, compared

from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.formats.json import FORMAT
from spikedoc.sweep.result import Comparison


@pytest.mark.parametrize("name", ["lr", "bad_batch", "range_test"])
def test_it_reads_back(name: str) -> None:
    data = json.loads(FORMAT(compared(name), RenderOptions()))
    assert data["schema"] == "spikedoc-sweep/1"
    assert set(data) == {
        *("schema", "spikedoc_version", "sweeps", "range_tests", "coincidences", "notes"),
    }


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
