"""Discovery: the modules of a folder, in name order, and a clear word on a mistake."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import spikedoc.detectors
import spikedoc.evidence
import spikedoc.figures
import spikedoc.readers
import spikedoc.renderers
from spikedoc.plugins import discover

FOLDERS = {
    "DETECTOR": spikedoc.detectors, "PROBES": spikedoc.evidence, "FIGURES": spikedoc.figures,
    "READER": spikedoc.readers, "RENDERER": spikedoc.renderers,
}  # fmt: skip


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Return a function that makes a package of these modules, contents by name."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(**modules: str) -> ModuleType:
        folder = tmp_path / "shelf"
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        for name, content in modules.items():
            (folder / f"{name}.py").write_text(content)
        for known in [m for m in sys.modules if m.split(".")[0] == "shelf"]:
            monkeypatch.delitem(sys.modules, known)
        return importlib.import_module("shelf")

    return make


def test_plugins_come_in_name_order(shelf: Callable[..., ModuleType]) -> None:
    package = shelf(zebra="THING = 3", ant="THING = 1", middle="THING = 2")
    assert list(discover(package, "THING").items()) == [("ant", 1), ("middle", 2), ("zebra", 3)]


def test_support_code_is_no_plugin(shelf: Callable[..., ModuleType]) -> None:
    package = shelf(base="", _shared="raise RuntimeError", one="THING = 1")
    assert discover(package, "THING") == {"one": 1}


def test_a_plugin_without_its_constant_is_named(shelf: Callable[..., ModuleType]) -> None:
    package = shelf(one="THING = 1", two="thing = 2")
    with pytest.raises(TypeError, match=r"shelf\.two must export THING"):
        discover(package, "THING")


def test_an_empty_folder_holds_none(shelf: Callable[..., ModuleType]) -> None:
    assert discover(shelf(), "THING") == {}


@pytest.mark.parametrize("constant", FOLDERS)
def test_every_folder_of_the_package_is_in_order(constant: str) -> None:
    found = discover(FOLDERS[constant], constant)
    assert found
    assert list(found) == sorted(found)


def test_no_two_detectors_share_a_name() -> None:
    names = [
        importlib.import_module(f"spikedoc.detectors.{module}").NAME
        for module in discover(spikedoc.detectors, "DETECTOR")
    ]
    assert names == list(discover(spikedoc.detectors, "DETECTOR"))
