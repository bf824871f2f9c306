"""The commands speak with one voice: same options, same order, same rule for the format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from spikedoc.cli.entry import commands, run
from spikedoc.cli.options import FORMAT_OF_SUFFIX, FORMER_NAMES, ORDER, FormatName, choose_format
from spikedoc.errors import UsageError

LOG = Path(__file__).parents[2] / "sample_logs" / "replay" / "first"
SWEEP = Path(__file__).parents[1] / "data" / "sweeps" / "lr"
KNOWN = ["text", "json", "markdown"]


def leaves(group: click.Group = commands, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, f"{name} ")
        else:
            yield above + name, command


COMMANDS = dict(leaves())


def options(name: str) -> dict[str, click.Option]:
    given = COMMANDS[name].params
    return {one.opts[-1]: one for one in given if isinstance(one, click.Option)}


@pytest.mark.parametrize("name", COMMANDS)
def test_shared_options_come_last_and_in_one_order(name: str) -> None:
    flags = list(options(name))
    shared = [flag for flag in flags if flag in ORDER and flag != "--output"]
    own = [flag for flag in flags if flag not in ORDER and flag != "--output"]
    assert shared == [flag for flag in ORDER if flag in shared]
    assert [flag for flag in flags if flag != "--output"] == own + shared
    assert shared[-1] == "--traceback"


@pytest.mark.parametrize("flag", ["--lang", "--color", "--width", "--map", "--rules"])
def test_what_means_the_same_is_said_in_the_same_words(flag: str) -> None:
    assert len({options(name)[flag].help for name in COMMANDS if flag in options(name)}) == 1


def test_everything_that_is_read_for_long_can_be_quiet() -> None:
    for name in COMMANDS:
        if "--map" in options(name):
            assert options(name)["--quiet"].opts == ["-q", "--quiet"]


def test_a_format_can_be_chosen_and_written_to_a_file() -> None:
    for name in ("analyze", "check", "compare", "convert", "report", "series", "sweep"):
        assert {"--format", "--output"} <= set(options(name)), name
        assert options(name)["--output"].opts == ["-o", "--output"]


@pytest.mark.parametrize(
    ("given", "file", "wanted"),
    [
        (None, None, "text"),
        (None, "r.md", "markdown"),
        (None, "r.JSON", "json"),
        (None, "r.txt", "text"),
        (None, "r.unheard", "text"),
        (None, "r", "text"),
        ("json", "r.md", "json"),
        ("json", "r.pdf", "json"),
    ],
)
def test_choose_format(given: str | None, file: str | None, wanted: str) -> None:
    assert choose_format(given, Path(file) if file else None, KNOWN) == wanted


@pytest.mark.parametrize("file", ["a.xml", "b.PDF", "c.csv", "d.html", "e.sarif", "f.jsonl"])
def test_a_promise_that_is_not_kept_is_refused(file: str) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*--format \(text, json, markdown\)"):
        choose_format(None, Path(file), KNOWN)


def test_a_new_format_is_chosen_by_a_suffix_that_equals_it() -> None:
    assert choose_format(None, Path("a.latex"), ["text", "latex"]) == "latex"
    assert "latex" not in FORMAT_OF_SUFFIX


def test_former_names_of_formats_still_work(capfd: pytest.CaptureFixture[str]) -> None:
    assert FORMER_NAMES == {"terminal": "text"}
    assert "terminal" not in FormatName(KNOWN).choices
    for arguments in (
        ["analyze", LOG, "--fail-on", "never"],
        ["check", LOG],
        ["compare", LOG, LOG],
        ["sweep", SWEEP],
        ["series", LOG],
        ["rules"],
        ["scan", LOG, "--workers", "0", "--quiet"],
    ):
        words = list(map(str, arguments))
        assert run([*words, "--format", "terminal"]) in (0, 1), words
        old = capfd.readouterr().out
        assert run([*words, "--format", "text"]) in (0, 1)
        assert capfd.readouterr().out == old != ""


def test_what_is_written_to_a_file_is_told_the_same_way(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for noun, arguments in {
        "report": ["analyze", LOG],
        "result": ["check", LOG],
        "comparison": ["compare", LOG, LOG],
        "list": ["series", LOG],
    }.items():
        file = tmp_path / noun
        words = [*map(str, arguments), "-o", str(file)]
        run(words)
        assert f"spikedoc: {noun} written to {file}\n" in capfd.readouterr().err
        run([*words, "-q"])
        assert "written" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["analyze", "check", "compare", "series", "sweep", "convert"])
@pytest.mark.parametrize(("path", "said"), [("", "empty PATH"), ("gone.csv", "gone.csv")])
def test_a_bad_path_is_told_in_one_line(
    name: str, path: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = [path, path] if name == "compare" else [path]
    assert run([name, *paths]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert all(line.startswith("spikedoc: ") for line in err.splitlines())


@pytest.mark.parametrize("words", [["--max-memory", "5MB"], ["--max-memory", "lots"]])
def test_a_size_that_bounds_nothing(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["series", str(LOG), *words]) == 2
    assert "expected a size such as 500MB" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["analyze", "check", "series", "convert", "scan"])
def test_who_reads_logs_of_others_can_bound_what_is_kept(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {"--max-points", "--max-memory"} <= set(options(name))
    long = LOG.parents[1] / "broken_image_periodic" / "run"
    words = [name, str(long), "--max-points", "1000", "--max-memory", "1GB"]
    assert run([*words, *(["--workers", "0"] if name == "scan" else [])]) in (0, 1)
    said = capsys.readouterr()
    if name in ("series", "convert"):
        assert "of 1500 points kept" in said.err
    if name == "analyze":
        assert "was thinned as asked" in " ".join(said.out.split())
