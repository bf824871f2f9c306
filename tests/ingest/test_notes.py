"""What readers and ingest say of a log exists in English and in Chinese, whatever the log."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import spikedoc.ingest
import spikedoc.readers
from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.text import Text
from tests.notes import english

ROOT = Path(__file__).parents[2]
PACKAGES = (spikedoc.readers, spikedoc.ingest)
_FIELD = re.compile(r"\{(\w+)")
_CHINESE = re.compile("[\u4e00-\u9fff]")
# Nothing but names and signs: there is no word in it that could be translated.
_NO_WORDS = re.compile(r"(?:\{\w+\}|\W)*")


def modules() -> list[str]:
    return [
        one.name
        for package in PACKAGES
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]


def texts() -> Iterator[tuple[str, Text]]:
    for module in modules():
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, Text):
                yield f"{module}.{name}", value


@pytest.mark.parametrize(("where", "text"), list(texts()))
def test_each_text_has_two_languages_with_the_same_values(where: str, text: Text) -> None:
    assert set(_FIELD.findall(text.en)) == set(_FIELD.findall(text.zh)), where
    assert _CHINESE.search(text.zh) or _NO_WORDS.fullmatch(text.zh), where
    assert not _CHINESE.search(text.en), where
    assert not re.search("[\u4e00-\u9fff][,;:?!(]", text.zh), f"{where}: half-width sign"


def logs() -> list[Path]:
    folders = [ROOT / "sample_logs", *(ROOT / "tests" / "data").iterdir()]
    return sorted(one for folder in folders if folder.is_dir() for one in folder.iterdir())


@pytest.mark.parametrize("log", logs(), ids=lambda log: f"{log.parent.name}-{log.name}")
def test_every_note_of_the_logs_at_hand(log: Path) -> None:
    try:
        runs = load_runs(log)
    except InputError:  # a folder of checkpoints alone, a page that tells where the logs are from
        return
    for run in runs:
        english(run.notes)
        for source in run.sources:
            english(source.notes)


def test_a_file_that_cannot_be_read_is_told_of_in_both(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("step,loss\n1,2\n2,1\n3,0.5\n", encoding="utf-8")
    (tmp_path / "events.out.tfevents.1.h").write_bytes(b"")
    (run,) = load_runs(tmp_path)
    assert (
        Text(
            "events.out.tfevents.1.h: empty file; left out",
            "events.out.tfevents.1.h：空文件，已略去",
        )
        in run.notes
    )
