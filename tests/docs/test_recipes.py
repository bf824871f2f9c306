"""The recipes of docs/how-to, followed to the letter in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = ("reader", "detector", "probe", "rule", "renderer")
BLOCK = re.compile(r'^```(?:python|toml) title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)


def files_of(recipe: str) -> list[tuple[str, str]]:
    page = (ROOT / f"docs/how-to/add-a-{recipe}.md").read_text("utf-8")
    return BLOCK.findall(page)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the recipes touch, and write their files into it."""
    root = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("__pycache__", "golden", "data", "docs", "sample_logs")
    for folder in ("spikedoc", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=skip)
    logs = shutil.ignore_patterns("run", "make")  # of the sample logs only what they are about
    shutil.copytree(ROOT / "sample_logs", root / "sample_logs", ignore=logs)
    shutil.copy(ROOT / "pyproject.toml", root)
    for recipe in RECIPES:
        for name, text in files_of(recipe):
            write(root / name, text)
    return root


def write(file: Path, text: str) -> None:
    """Write a new file; of an existing rule the text is another line of its evidence."""
    if file.exists():
        rule = file.read_text("utf-8")
        assert rule.count("\nevidence = [\n") == 1
        text = rule.replace("\nevidence = [\n", f"\nevidence = [\n{text}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(copy)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_adds_one_file_to_the_package(recipe: str) -> None:
    names = [name for name, _ in files_of(recipe)]
    new = [n for n in names if n.startswith("spikedoc/") and not (ROOT / n).exists()]
    assert len(new) == 1
    assert recipe == "rule" or [n for n in names if n.startswith("tests/")]


def test_the_tests_of_the_recipes_pass(copy: Path) -> None:
    tests = [name for recipe in RECIPES for name, _ in files_of(recipe) if name[:6] == "tests/"]
    done = run(
        copy, "-m", "pytest", "-p", "no:cacheprovider", *tests, "tests/rules/test_catalog.py"
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_a_rule_with_a_cause_of_its_own_is_one_file_as_well(copy: Path) -> None:
    ((name, text),) = files_of("rule")
    known = 'cause = "distribution-change"\n'
    assert known in text
    try:
        (copy / name).write_text(text.replace(known, 'cause = "shard-border"\n'), "utf-8")
        done = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/rules")
    finally:
        (copy / name).write_text(text, "utf-8")
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_program_finds_what_was_added(copy: Path) -> None:
    assert "SD199-new-shard" in run(copy, "-m", "spikedoc", "rules").stdout
    assert "oneline" in run(copy, "-m", "spikedoc", "analyze", "--help").stdout
    page = run(copy, "-m", "spikedoc", "explain", "SD304").stdout
    assert "Did the batch size change there?" in page
    log = copy / "run.log"
    log.write_text("".join(f"{step} train/loss {2 / step}\n" for step in range(1, 100)))
    report = run(copy, "-m", "spikedoc", "analyze", str(log), "--format", "oneline", "--lang", "en")
    assert report.stdout.startswith("healthy run.log: "), report.stderr


def test_what_the_detector_of_the_recipe_sees_comes_out_as_one_finding(copy: Path) -> None:
    log = copy / "logits.csv"
    rows = [f"{n},{3 - n / 200},{'nan' if n > 150 else 40 + n / 100}" for n in range(300)]
    log.write_text("\n".join(["step,loss,max_logit", *rows]))
    report = run(copy, "-m", "spikedoc", "analyze", str(log), "--format", "json")
    found = json.loads(report.stdout)["findings"]
    (logits,) = [one for one in found if one["signal"] == "max_logit"]
    assert (logits["kind"], logits["form"], logits["start_step"]) == (
        "nonfinite",
        "persistent",
        151,
    )


@pytest.mark.parametrize(
    "tests", ["tests/detectors/test_salted.py", "tests/classifier/test_nonfinite.py"]
)
def test_the_tests_for_all_detectors_hold_with_that_of_the_recipe(copy: Path, tests: str) -> None:
    done = run(copy, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_code_of_the_recipes_keeps_the_style(copy: Path) -> None:
    files = [name for recipe in RECIPES for name, _ in files_of(recipe) if name.endswith(".py")]
    for command in (["check"], ["format", "--check"]):
        done = run(copy, "-m", "ruff", *command, "--no-cache", *files)
        assert done.returncode == 0, done.stdout
