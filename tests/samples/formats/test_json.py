from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from samples_factory import write_csv

from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.formats.json import FORMAT
from spikedoc.samples.rank import rank
from spikedoc.samples.table import read_samples

SCHEMA = json.loads((resources.files("spikedoc.samples") / "samples.schema.json").read_text())


@pytest.mark.parametrize("bad", [True, False])
def test_it_keeps_to_its_schema(tmp_path: Path, bad: bool) -> None:
    ranking = rank(read_samples(write_csv(tmp_path / "losses.csv", bad=bad)), "losses.csv")
    data = json.loads(FORMAT(ranking, RenderOptions()))
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert data["apart"] == (3 if bad else 0)
    assert data["ranked"][0]["worst"] == ("nan" if bad else pytest.approx(1.0, abs=0.5))
