"""The JSON form: strict, and as its schema says."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import numpy as np
import pytest
from pairs import curve, run, spiked

from spikedoc.comparison.compare import Options, compare
from spikedoc.comparison.encoding import encode
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def broken() -> np.ndarray:
    out = curve(2)
    out[500:] = np.nan
    return out


PAIRS = {
    "identical": (run(curve(1)), run(curve(1))),
    "together": (run(curve(1)), run(curve(2))),
    "parted": (run(spiked(curve(1), 300)), run(curve(2))),
    "nan": (run(curve(1)), run(broken())),
    "schedule": (
        run(curve(1), others={Metric.LR: np.full(600, 1e-3)}),
        run(curve(2), others={Metric.LR: np.full(600, 1e-4)}, config={"lr": "x", "seed": 2}),
    ),
    "short": (run(curve(1, 3)), run(curve(2, 3))),
    "empty": (Run("a", "a", ()), Run("b", "b", ())),
}


@pytest.mark.parametrize("replay", [False, True])
@pytest.mark.parametrize("name", PAIRS)
def test_it_is_as_its_schema_says(name: str, replay: bool) -> None:
    file = resources.files("spikedoc.comparison") / "comparison.schema.json"
    schema = json.loads(file.read_text("utf-8"))
    data = encode(compare(*PAIRS[name], Options(replay=replay)))
    text = json.dumps(data, allow_nan=False)
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    assert data["schema"] == "spikedoc-comparison/1"
    assert (data["replay"] is not None) is replay


def test_names_and_texts_in_both_languages() -> None:
    data = encode(compare(*PAIRS["parted"]))
    assert set(data["headline"]) == {"en", "zh"}
    assert data["first"] == "loss"
    assert data["signals"][0]["parting"]["kind"] == "point"
    assert data["signals"][0]["identical"] is False
