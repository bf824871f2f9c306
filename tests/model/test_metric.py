"""How the name of a series is said in a sentence."""

from __future__ import annotations

import pytest

from spikedoc.model.metric import spoken


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("val_metric:eval/accuracy", "eval/accuracy"),
        ("loss_component:kl", "kl"),
        ("loss", "loss"),
        ("other:a:b", "a:b"),
        ("lr:group", "lr:group"),  # a run has one of it: the role belongs to the name
        ("val_metric:", "val_metric:"),
    ],
)
def test_the_role_of_many_series_is_not_said(name: str, said: str) -> None:
    assert spoken(name) == said
