"""The project's thresholds: read as written, and every mistake named with file and key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spikedoc.errors import UsageError
from spikedoc.gate.settings import Settings, find_settings, load_settings, with_options
from spikedoc.model.label import Severity

WHOLE = """
fail-on = "critical"
select = ["nonfinite", "divergence/finite"]
ignore = ["clip-inactive"]
allow-unknown = true
baseline = "known.json"
[severity]
isolated-spike = "info"
overfitting = "off"
[expect]
val_loss.final = { max = 2.1 }
"nan.count" = 0
[expect.grad_norm]
p99 = { max = 10, level = "warn" }
[map]
loss = "my/loss"
"""


def load(folder: Path, text: str, name: str = "spikedoc.toml") -> Settings:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return load_settings(file)


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    found = load(tmp_path, WHOLE)
    assert found.fail_on is Severity.CRITICAL
    assert found.select == ("nonfinite", "divergence/finite")
    assert found.severity == {"isolated-spike": Severity.INFO, "overfitting": None}
    assert found.baseline == tmp_path / "known.json"
    assert found.mapping == {"loss": "my/loss"}
    assert found.allow_unknown
    bounds = {e.key: (e.least, e.most, e.fails) for e in found.expectations}
    assert bounds == {
        "val_loss.final": (None, 2.1, True),
        "nan.count": (0.0, 0.0, True),
        "grad_norm.p99": (None, 10.0, False),
    }


def test_the_table_of_a_pyproject(tmp_path: Path) -> None:
    found = load(tmp_path, '[tool.spikedoc]\nfail-on = "info"\n', "pyproject.toml")
    assert found.fail_on is Severity.INFO


def test_nothing_said(tmp_path: Path) -> None:
    found = find_settings(tmp_path)
    assert found.source is None or not found.source.is_relative_to(tmp_path)
    assert Settings().fail_on is Severity.WARNING


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail_on = 'info'", "'fail_on' is no setting (did you mean fail-on?)"),
        ("fail-on = 'bad'", "fail-on: expected one of info, warning, critical"),
        ("fail-on = []", "fail-on: expected one of"),
        ("select = 'nonfinite'", "select: expected a list of labels"),
        ("ignore = ['nonfinit']", "'nonfinit' is not a label; did you mean nonfinite?"),
        ("allow-unknown = 1", "allow-unknown: expected true or false"),
        ("baseline = 3", "baseline: expected the path of a file"),
        ("reference = ''", "reference: expected the path of a file"),
        ("severity = 3", "severity: expected a table"),
        ("[severity]\nnonfinite = 'none'", "severity.nonfinite: expected one of"),
        ("[severity]\nfoo = 'info'", "'foo' is not a label"),
        ("expect = 3", "expect: expected a table"),
        ("[expect]\nval_loss.finl = 1", "did you mean final?"),
        ("[expect]\nfinal = 1", "expect.final: expected SIGNAL.STATISTIC"),
        ("[expect]\nloss.final = 'x'", "expect.loss.final: expected a number or a table"),
        ("[expect]\nloss.final = true", "expect.loss.final: expected a number or a table"),
        ("[expect]\nloss.final = {max = nan}", "expected a finite number"),
        ("[expect]\nloss.final = {max = 1, level = 'no'}", 'expected "error" or "warn"'),
        ("[expect]\nloss.final = {max = 1, level = []}", 'expected "error" or "warn"'),
        ("[expect]\nloss.final = {max = 1, optional = 'yes'}", "optional: expected true or false"),
        ("[expect]\nloss.final = {max = 1, min = 2}", "min is above max"),
        ("map = 3", "map: expected a table"),
        ("= 3", "cannot be read as TOML"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, text)
    assert said in str(error.value)
    assert str(tmp_path / "spikedoc.toml") in str(error.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "spikedoc.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read as TOML"):
        load_settings(tmp_path / "spikedoc.toml")


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "spikedoc.toml").touch()
    assert find_settings(inner).source == tmp_path / "spikedoc.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_settings(inner).source == tmp_path / "spikedoc.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.spikedoc]\n")
    assert find_settings(inner).source == tmp_path / "a" / "pyproject.toml"
    (inner / "pyproject.toml").write_text("not toml at all [")
    assert find_settings(inner).source == tmp_path / "a" / "pyproject.toml"


def test_options_win_and_ignored_labels_add_up(tmp_path: Path) -> None:
    found = with_options(
        load(tmp_path, WHOLE),
        fail_on="info",
        select=("oscillation,periodic-spikes",),
        ignore=("overfitting",),
        allow_unknown=False,
        baseline=None,
    )
    assert found.fail_on is Severity.INFO
    assert found.select == ("oscillation", "periodic-spikes")
    assert found.ignore == ("clip-inactive", "overfitting")
    assert found.allow_unknown
    assert found.baseline == tmp_path / "known.json"


@pytest.mark.parametrize(
    "content",
    [
        b"[tool.spikedoc]\nfail-on = 'info'\n[x",
        b"[tool]\nspikedoc = 5\n",
        b"[tool.spikedoc]\nallow-unknown = \xff\n",
    ],
)
def test_a_broken_pyproject_that_speaks_of_us_is_no_licence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(UsageError, match=r"pyproject\.toml: "):
        find_settings(tmp_path)


def test_a_byte_order_mark_hides_nothing(tmp_path: Path) -> None:
    for name in ("spikedoc.toml", "pyproject.toml"):
        head = b"" if name == "spikedoc.toml" else b"[tool.spikedoc]\n"
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + head + b"fail-on = 'info'\n")
        assert load_settings(tmp_path / name).fail_on is Severity.INFO


@pytest.mark.parametrize("digits", [400, 5000])
def test_numbers_beyond_all_bounds(tmp_path: Path, digits: int) -> None:
    with pytest.raises(UsageError):
        load(tmp_path, f"[expect]\nloss.final = {{ max = 1{'0' * digits} }}\n")


def test_keys_nested_beyond_all_bounds(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        load(tmp_path, f"[expect]\n{'a.' * 2000}b = 1\n")


def test_a_pipe_is_no_settings_file(tmp_path: Path) -> None:
    pipe = tmp_path / "spikedoc.toml"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="not a regular file"):
        load_settings(pipe)


def test_a_long_word_is_cut(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, f"ignore = ['{'x' * 100_000}']")
    assert len(str(error.value)) < 500


def test_a_file_that_is_found_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spikedoc.toml").write_text("fail-on = 'info'\n")
    read: list[Path] = []
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: (read.append(self), whole(self))[1])
    assert find_settings(tmp_path).fail_on is Severity.INFO
    assert read == [tmp_path / "spikedoc.toml"]
