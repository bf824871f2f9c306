from __future__ import annotations

import sys

import pytest

from spikedoc.errors import UsageError
from spikedoc.fleet.engines import choice
from spikedoc.fleet.engines.loky import LokyEngine
from spikedoc.fleet.engines.serial import SerialEngine


def test_this_machine() -> None:
    assert isinstance(choice.engine("loky", 0, None), SerialEngine)
    engine = choice.engine("loky", 3, None)
    assert isinstance(engine, LokyEngine)
    assert engine.slots == 3
    assert choice.engine("loky", None, None).slots >= 1
    assert "ray" not in sys.modules


@pytest.mark.parametrize(
    ("name", "workers", "address", "told"),
    [
        ("loky", None, "tcp://a:1", "--address is for"),
        ("dask", 2, "tcp://a:1", "has its own"),
        ("ray", 0, None, "in this process"),
    ],
)
def test_options_that_do_not_fit(
    name: str, workers: int | None, address: str | None, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        choice.engine(name, workers, address)


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=rf"pip install spikedoc\[{name}\]"):
        choice.engine(name, None, None)
