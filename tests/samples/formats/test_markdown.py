from __future__ import annotations

from pathlib import Path

from samples_factory import write_csv

from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.formats.markdown import FORMAT
from spikedoc.samples.rank import rank
from spikedoc.samples.table import read_samples
from spikedoc.text import Language


def test_a_table_under_the_statement(tmp_path: Path) -> None:
    ranking = rank(read_samples(write_csv(tmp_path / "losses.csv")), "losses.csv", shown=2)
    lines = FORMAT(ranking, RenderOptions()).splitlines()
    assert lines[0].startswith("### losses.csv · 1280 losses of 320 samples")
    assert lines[2].startswith("**LOOK AT THESE** – 3 of 320 samples stand apart")
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 2
    assert "not finite" in rows[2]
    assert "请查看" in FORMAT(ranking, RenderOptions(language=Language.ZH))


def test_names_do_not_become_markup(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    body = "".join(f"<b>@user#{i}|[x](y),{i / 10 + 0.1}\n" for i in range(20))
    path.write_text("sample_id,loss\n" + body)
    text = FORMAT(rank(read_samples(path), path.name), RenderOptions())
    for markup in ("<b>", "[x](y)", " @user"):
        assert markup not in text
