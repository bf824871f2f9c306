from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import report_factory

from spikedoc.model.codec import dumps
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.markdown import RENDERER as MARKDOWN
from spikedoc.renderers.text import RENDERER as TERMINAL
from spikedoc.text import Language

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "r.json"
    file.write_text(dumps(report_factory.failing()), encoding="utf-8")
    return file


def test_a_saved_report_looks_like_the_first_one(call: Call, saved: Path) -> None:
    report = report_factory.failing()
    assert call("report", saved) == (0, TERMINAL(report, RenderOptions(width=100)), "")
    code, out, _ = call("report", saved, "--lang", "zh", "--format", "markdown")
    assert (code, out) == (0, MARKDOWN(report, RenderOptions(Language.ZH)))


@pytest.mark.parametrize("shape", ["array", "lines"])
def test_several_saved_reports(call: Call, tmp_path: Path, shape: str) -> None:
    texts = [dumps(report_factory.failing()), dumps(report_factory.healthy())]
    file = tmp_path / "r"
    content = f"[{','.join(texts)}]" if shape == "array" else "\n".join(texts) + "\n"
    file.write_text(content, encoding="utf-8")
    code, out, _ = call("report", file, "--format", "json")
    assert code == 0
    assert [item["status"] for item in json.loads(out)] == ["critical", "healthy"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"[]", "holds no report"),
        (b"{}", "schema: expected a string, found nothing"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"loss,step\n1,2\n", "not JSON"),
        (b'{"a": NaN}', "bare NaN"),
        (b"{}\n{}\n", "schema"),
    ],
)
def test_what_is_no_report_is_told_in_a_line(
    call: Call, tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "r.json"
    file.write_bytes(content)
    code, out, err = call("report", file)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_file(call: Call) -> None:
    assert call("report", "/does/not/exist") == (
        2,
        "",
        "spikedoc: cannot read /does/not/exist: No such file or directory\n",
    )


@pytest.mark.parametrize("content", ['{"a": 1}', "[1]", '{"schema": 5}'])
def test_other_json_is_named_and_told_apart(call: Call, tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    code, out, err = call("report", file)
    assert (code, out) == (2, "")
    assert f"{file}: not a report saved by spikedoc: " in err
    assert len(err.splitlines()) == 1
