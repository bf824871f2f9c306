"""Names and tags of a log that try to act, in a real log, through every output of the gate.

`tests/gate/formats` does the same with verdicts made by hand; here the whole way is gone.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import numpy as np
import pytest

from spikedoc.cli.entry import run
from spikedoc.cli.outputs import formats

ATTACKS = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "ansi": "\x1b[31mred\x1b]8;;http://example.org\x07link\x1b[2J",
    "rich": "[bold red]x[/] [link=http://example.org]y[/link]",
    "markdown": "![x](http://example.org/a.png) **b** | @all #1 `c` <!-- -->",
    "formula": "=HYPERLINK(1)",
    "at": "@SUM(1+1)*cmd|' /C calc'!A0",
    "command": "::error file=a::x",
    "legacy": "##[error]x",
    "newline": "a\n::error::x\r::set-output name=y::z",
    "encoded": "%0A::error::x",
    "xml": "a\x00\x08\x0b\ufffe]]><b>&lt;",
    "bidi": "a\u202egpj.exe\u2066b\u200f",
    "placeholder": "{level} {0} %s ${HOME} $(id)",
    "quote": "\"'><svg/onload=alert(1)>",
}
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe]")


def write_runs(folder: Path, attack: str) -> tuple[Path, Path]:
    """Write a healthy log and a broken one whose tags and run name hold the attack."""
    paths = []
    for number, name in enumerate(("good", "bad")):
        rng = np.random.default_rng(number)
        loss = (0.5 + 2.0 * np.exp(-np.arange(300) / 50.0)) * np.exp(rng.normal(0, 0.05, 300))
        other = np.exp(rng.normal(0.0, 0.1, 300)) * (1 + 50 * number * (np.arange(300) > 150))
        kept = re.sub(r"[/\x00]", "_", attack)[:60]
        place = folder / name / kept
        place.mkdir(parents=True)
        if name == "bad":
            loss[200:] = np.nan
        with (place / "log.csv").open("w", newline="", encoding="utf-8", errors="replace") as file:
            writer = csv.writer(file)
            writer.writerow(["step", "loss", "x" + re.sub(r"[\x00\r\n]", " ", attack)])
            writer.writerows(zip(range(300), loss, other, strict=True))
        paths.append(place)
    return paths[0], paths[1]


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_of_a_log_acts(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    good, bad = write_runs(tmp_path, attack)
    files = {name: tmp_path / f"out.{name}" for name in formats()}
    asked = [word for name in files for word in ("--format", f"{name}={files[name]}")]
    code = run(["check", str(bad), str(good), "--reference", str(good), "-v", *asked])
    shown, said = capfd.readouterr()
    assert code == 1
    texts = {name: file.read_text("utf-8") for name, file in files.items()}
    texts |= {"screen": shown, "stderr": said, "summary": (tmp_path / "summary.md").read_text()}
    for name, text in texts.items():
        assert not CONTROLS.search(text), name
    for name, text in texts.items():
        commands = [line for line in text.splitlines() if line.lstrip().startswith(("::", "##["))]
        assert all(re.match(r"::(error|notice) [^:]*::", line) for line in commands), name
        assert bool(commands) == (name == "github"), name
    ET.fromstring(texts["junit"].encode())
    for name in ("json", "gitlab", "sarif"):
        json.loads(texts[name])
    for line in texts["jsonl"].splitlines():
        json.loads(line)
    schema = json.loads((Path(__file__).parent / "formats/sarif.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(texts["sarif"]))
    inside = re.sub(r"\\.", "", texts["summary"])
    assert not re.search(r"[<>`\[\]@]|!\[", inside.replace("**", ""))
    for row in texts["summary"].splitlines()[4:]:
        assert not row or re.sub(r"\\.", "", row).count("|") == 4
