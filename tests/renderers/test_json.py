from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import report_factory

from spikedoc.model.codec import loads
from spikedoc.renderers import json as json_format
from spikedoc.renderers import jsonl as jsonl_format
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language


@pytest.mark.parametrize("case", report_factory.ALL)
def test_golden(case: str, golden: Callable[[str, str], None]) -> None:
    report = report_factory.ALL[case]()
    text = json_format.RENDERER(report, RenderOptions())
    golden(f"{case}.json", text)
    assert text == json_format.RENDERER(report, RenderOptions(Language.ZH, verbose=True))
    assert repr(loads(text)) == repr(report)


def test_ascii_consoles_get_escapes() -> None:
    options = RenderOptions(unicode=False)
    report = report_factory.failing()
    for renderer in (json_format.RENDERER, jsonl_format.RENDERER):
        assert renderer(report, options).isascii()
        assert "损失" in renderer(report, RenderOptions())


def test_several_runs_make_an_array_or_lines() -> None:
    options = RenderOptions()
    made = [make() for make in report_factory.ALL.values()]
    array = json.loads(json_format.JOIN([json_format.RENDERER(r, options) for r in made]))
    assert [item["run"]["name"] for item in array] == [r.run.name for r in made]
    one = json.loads(json_format.JOIN([json_format.RENDERER(made[0], options)]))
    assert one["run"]["name"] == made[0].run.name
    lines = jsonl_format.JOIN([jsonl_format.RENDERER(r, options) for r in made]).splitlines()
    assert [json.loads(line)["status"] for line in lines] == [r.status.value for r in made]
