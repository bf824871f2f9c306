"""Finding a rule by any of its names."""

from __future__ import annotations

import pytest

from spikedoc.model.knowledge import Catalog, Domain, Rule
from spikedoc.text import Text

TEXT = Text("words", "文字")
OVERFLOW = Rule(
    "SD401", "fp16-overflow", "fp16-overflow", Domain.NUMERICS, {}, TEXT, TEXT, TEXT, (), (), (),
    aliases=("SD041", "half-overflow"),
)  # fmt: skip
OTHER = Rule("SD101", "bad-labels", "bad-labels", Domain.DATA, {}, TEXT, TEXT, TEXT, (), (), ())
CATALOG = Catalog((OTHER, OVERFLOW))


@pytest.mark.parametrize(
    "key", ["SD401", "sd401", "fp16-overflow", "FP16-Overflow", "SD401-fp16-overflow", "SD041",
            "half-overflow"],
)  # fmt: skip
def test_a_rule_is_found_by_any_of_its_names(key: str) -> None:
    assert CATALOG.rule(key) is OVERFLOW


@pytest.mark.parametrize("key", ["", "SD4", "SD999", "overflow", "SD401-bad-labels"])
def test_half_a_name_is_none(key: str) -> None:
    assert CATALOG.rule(key) is None


def test_the_name_is_that_of_the_file() -> None:
    assert OVERFLOW.name == "SD401-fp16-overflow"
