"""The sentences: both languages, the same fields, none left over."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import spikedoc.comparison
from spikedoc.comparison.sentences import sentence

FIELD = re.compile(r"\{(\w+)[|}]")


def keys() -> list[str]:
    file = resources.files("spikedoc.comparison") / "sentences.toml"
    return list(tomllib.loads(file.read_text("utf-8")))


def test_both_languages_have_the_same_fields_and_code() -> None:
    assert len(keys()) > 30
    for key in keys():
        text = sentence(key)
        assert set(FIELD.findall(text.en)) == set(FIELD.findall(text.zh)), key
        assert sorted(re.findall("`[^`]+`", text.en)) == sorted(re.findall("`[^`]+`", text.zh)), key
        assert re.search("[\u4e00-\u9fff]", text.zh), key


def test_every_sentence_is_used_and_every_one_used_is_there() -> None:
    folder = Path(spikedoc.comparison.__file__).parent
    code = "".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    verdicts = {"same-step", "other-step", "not-reproduced"}
    used = set(re.findall(r'sentence\(\s*"(\w+)"', code)) | verdicts
    chosen = {key for key in keys() if f'"{key}"' in code}
    assert used <= set(keys())
    assert set(keys()) == used | chosen
