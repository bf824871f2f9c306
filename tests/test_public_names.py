"""What others may import, and how it must be called."""

from __future__ import annotations

import inspect
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pytest

import spikedoc
from spikedoc.errors import InputError, SpikedocError
from spikedoc.model.report import Report
from spikedoc.version import VERSION


def test_these_names_are_public_and_no_others() -> None:
    assert set(spikedoc.__all__) == {"analyze", "analyze_all", "load"}
    for name in spikedoc.__all__:
        assert inspect.getdoc(getattr(spikedoc, name))


@pytest.mark.parametrize("name", ["analyze", "analyze_all"])
def test_the_source_is_positional_and_the_mapping_a_keyword(name: str) -> None:
    source, mapping = inspect.signature(getattr(spikedoc, name)).parameters.values()
    assert source.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert mapping.name == "mapping"
    assert mapping.kind is inspect.Parameter.KEYWORD_ONLY
    assert mapping.default is None


def write(folder: Path, name: str, values: np.ndarray) -> Path:
    file = folder / f"{name}.csv"
    lines = ["step,loss", *(f"{i},{v:.6f}" for i, v in enumerate(values.tolist()))]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


CURVE = 1.0 + np.exp(-np.arange(300) / 30.0)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_gives_the_report_of_its_run(tmp_path: Path, kind: type) -> None:
    report = spikedoc.analyze(kind(write(tmp_path, "one", CURVE)))
    assert isinstance(report, Report)
    assert report.status == "healthy"
    assert report.run.signals["loss"].points == 300


def test_a_dict_of_arrays_gives_a_report() -> None:
    given = {"step": np.arange(300), "my/tag": CURVE, "other": CURVE * 2}
    report = spikedoc.analyze(given, mapping={"loss": "my/tag"})
    assert report.run.signals["loss"].tag == "my/tag"


def test_several_runs_need_analyze_all(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, "metrics", CURVE)
    with pytest.raises(InputError, match="holds 2 runs") as caught:
        spikedoc.analyze(tmp_path)
    assert caught.value.hint == "use analyze_all"
    assert len(spikedoc.analyze_all(tmp_path)) == 2


def test_errors_are_of_one_family(tmp_path: Path) -> None:
    with pytest.raises(SpikedocError):
        spikedoc.analyze(tmp_path / "nowhere")


def test_the_version_is_one() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", VERSION)
    try:
        assert version("spikedoc") == VERSION
    except PackageNotFoundError:
        pytest.skip("spikedoc is not installed here")
