"""The loader: what it accepts, and how it names each mistake."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spikedoc.errors import CatalogError
from spikedoc.model.knowledge import Cost, Domain, Weight
from spikedoc.rules.loader import load_catalog
from spikedoc.rules.table import Table, joined

GOOD = '''cause = "coffee-spill"
domain = "outside"
aliases = ["OLD1"]
sources = ["arXiv:1412.6980"]
checks = ["smell-keyboard", "save-scene"]
fixes = ["dry-keyboard"]
example = ""
evidence = [
  { probe = "spike_is_alone", supports = 2, refutes = 1 },
  { probe = "returns_at_once", supports = 0, refutes = 3 },
]

[prior]
"isolated-spike" = 4
"level-shift/up" = 9

[title]
en = "Coffee"
zh = "咖啡"

[why]
en = """
It is wet
and sticky.
"""
zh = """
它又湿又黏，
用 lr 说明：
键盘 A
坏了。
"""

[benign_when]
en = "Tea."
zh = "茶。"

[check.smell-keyboard]
cost = "minutes"
figures = ["onset_step"]
en = "Smell it at step {onset_step}."
zh = "在第 {onset_step} 步闻一闻。"

[check.smell-keyboard.unmeasured]
en = "Smell it."
zh = "闻一闻。"

[fix.dry-keyboard]
en = "Dry it."
zh = "擦干。"
'''
NAME = "XY123-coffee-spill.toml"


def folder(tmp_path: Path, content: str = GOOD, name: str = NAME) -> Path:
    """Return a folder that holds one rule file."""
    (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def failure(path: Path) -> CatalogError:
    """Return the error that loading the folder raises."""
    with pytest.raises(CatalogError) as caught:
        load_catalog(path)
    return caught.value


def test_a_figure_may_choose_the_word_for_its_number(tmp_path: Path) -> None:
    counted = GOOD.replace("{onset_step}.", "{onset_step} {onset_step|step|steps}.", 1)
    rule = load_catalog(folder(tmp_path, counted)).rule("coffee-spill")
    assert rule is not None
    said = [rule.checks[0].text.fill({"onset_step": step}).en for step in (1, 2)]
    assert [text.split(" at step ")[1] for text in said] == ["1 step.", "2 steps."]


def test_one_word_for_a_number_is_no_choice(tmp_path: Path) -> None:
    wrong = GOOD.replace("{onset_step}.", "{onset_step} {onset_step|steps}.", 1)
    assert "brace" in str(failure(folder(tmp_path, wrong)))


def test_a_rule_folder_adds_to_the_shipped_catalogue(tmp_path: Path) -> None:
    shipped = load_catalog()
    extended = load_catalog(folder(tmp_path))
    assert len(extended.rules) == len(shipped.rules) + 1
    rule = extended.rule("coffee-spill")
    assert rule is not None
    assert rule.name == "XY123-coffee-spill"
    assert (rule.cause, rule.domain) == ("coffee-spill", Domain.OUTSIDE)
    assert rule.priors == {"isolated-spike": 4, "level-shift/up": 9}
    assert rule.weights == (Weight("spike_is_alone", 2, 1), Weight("returns_at_once", 0, 3))
    assert [check.id for check in rule.checks] == ["smell-keyboard", "save-scene"]
    assert rule.checks[0].cost is Cost.MINUTES
    assert rule.checks[0].figures == ("onset_step",)
    assert rule.checks[0].unmeasured is not None
    assert rule.checks[1].text == shipped.checks["save-scene"].text
    assert extended.rule("old1") is rule


def test_a_fix_may_name_settings(tmp_path: Path) -> None:
    line = 'settings = { clip = "{clip_p99}", beta2 = 0.95, bf16 = true }'
    rule = load_catalog(folder(tmp_path, GOOD.replace('en = "Dry', f'{line}\nen = "Dry'))).rule(
        "XY123"
    )
    assert rule is not None
    assert rule.fixes[0].settings == {"clip": "{clip_p99}", "beta2": 0.95, "bf16": 1}


def test_wrapped_paragraphs_become_one_line(tmp_path: Path) -> None:
    rule = load_catalog(folder(tmp_path)).rule("XY123")
    assert rule is not None
    assert rule.why.en == "It is wet and sticky."
    assert rule.why.zh == "它又湿又黏，用 lr 说明：键盘 A 坏了。"


@pytest.mark.parametrize(
    ("wrapped", "line"),
    [
        ("\none\ntwo\n", "one two"),
        ("一\n二", "一二"),
        ("一，\nlr", "一，lr"),
        ("步\n`lr`", "步 `lr`"),
        ("`lr`\n步", "`lr` 步"),
        ("`lr`\n，步", "`lr`，步"),
        ("a,\nb", "a, b"),
    ],
)
def test_lines_are_joined_as_the_language_asks(wrapped: str, line: str) -> None:
    assert joined(wrapped) == line


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ('cause = "coffee-spill"\n', "", "cause", "is missing"),
        ('cause = "coffee-spill"', 'cause = "Coffee Spill"', "cause", "not an id"),
        ('cause = "coffee-spill"', "cause = 3", "cause", "must be a string"),
        ('domain = "outside"', 'domain = "kitchen"', "domain", "none of: data"),
        ('example = ""', 'exmaple = ""', "exmaple", "unknown key"),
        ('["OLD1"]', '["OLD1", "OLD1"]', "aliases", "twice"),
        ('["arXiv:1412.6980"]', '"arXiv:1412.6980"', "sources", "list of strings"),
        ("supports = 2, refutes", "supports = 4, refutes", "evidence[1].supports", "0 to 3"),
        ("supports = 2, refutes", "supports = true, refutes", "evidence[1].supports", "0 to 3"),
        ("supports = 0, refutes = 3", "supports = 0, refutes = 0", "evidence[2]", "neither"),
        ("refutes = 3 }", "refute = 3 }", "evidence[2].refutes", "missing"),
        ('probe = "returns_at_once"', 'probe = "spike_is_alone"', "evidence", "twice"),
        ('"isolated-spike" = 4', '"isolated-spike" = 10', "prior.isolated-spike", "1 to 9"),
        ('"isolated-spike" = 4', '"lone-spike" = 4', "prior.lone-spike", "no anomaly kind"),
        ('"level-shift/up"', '"level-shift/sideways"', "prior.level-shift/sideways", "no form"),
        ('"level-shift/up"', '"isolated-spike/up"', "prior.isolated-spike/up", "no form"),
        ('zh = "茶。"\n', "", "benign_when.zh", "missing"),
        ('zh = "茶。"', 'zh = " "', "benign_when.zh", "is empty"),
        ('zh = "茶。"', 'zh = "茶。"\nde = "Tee."', "benign_when.de", "unknown key"),
        ('"smell-keyboard", "save', '"smell-keybord", "save', "checks", "no check has the id"),
        ('["smell-keyboard", "save-scene"]', "[]", "checks", "at least one"),
        ('["dry-keyboard"]', '["clip-at-p99"]', "fix.dry-keyboard", "not used"),
        ('"save-scene"]', '"adam-bound"]', "checks", "move it to shared.toml"),
        ("[fix.dry-keyboard]", "[fix.clip-at-p99]", "fix.clip-at-p99", "already defined"),
        ("[fix.dry-keyboard]", "[fix.dry_keyboard]", "fix.dry_keyboard", "not an id"),
        ('cost = "minutes"', 'cost = "days"', "check.smell-keyboard.cost", "none of: minutes"),
        ('cost = "minutes"\n', "", "check.smell-keyboard.cost", "missing"),
        ("{onset_step} 步", "{peak_step} 步", "check.smell-keyboard.zh", "not listed"),
        ("第 {onset_step} 步", "那里", "check.smell-keyboard.zh", "listed but not used"),
        ('figures = ["onset_step"]\n', "", "check.smell-keyboard.en", "not listed"),
        ("Smell it at", "Smell {it at", "check.smell-keyboard.en", "brace"),
        ('en = "Smell it."', 'en = "{onset_step}."', "check.smell-keyboard.unmeasured.en", "not"),
        (
            'zh = "擦干。"\n',
            'zh = "擦干。"\nunmeasured = { en = "Dry.", zh = "擦。" }\n',
            "fix.dry-keyboard.unmeasured",
            "belongs to a text with figures",
        ),
        (
            '[check.smell-keyboard.unmeasured]\nen = "Smell it."\nzh = "闻一闻。"\n',
            "",
            "check.smell-keyboard.unmeasured",
            "is missing: a text with figures",
        ),
        ('en = "Dry it."', 'en = "Dry it."\ncost = "hours"', "fix.dry-keyboard.cost", "unknown"),
        (
            'en = "Dry it."',
            'settings = { clop = 1 }\nen = "Dry it."',
            "fix.dry-keyboard.settings.clop",
            "is no setting",
        ),
        (
            'en = "Dry it."',
            'settings = { clip = "1.0" }\nen = "Dry it."',
            "fix.dry-keyboard.settings.clip",
            "figure in braces",
        ),
        (
            'en = "Dry it."',
            'settings = [1]\nen = "Dry it."',
            "fix.dry-keyboard.settings",
            "must be a table",
        ),
        ('"isolated-spike" = 4\n"level-shift/up" = 9\n', "", "prior", "at least one anomaly kind"),
        ('[title]\nen = "Coffee"\nzh = "咖啡"\n', "", "title", "missing"),
        ("[title]\n", "[[title]]\n", "title", "must be a table"),
    ],
)
def test_each_mistake_is_named_with_its_key(
    tmp_path: Path, old: str, new: str, key: str, reason: str
) -> None:
    assert old in GOOD
    broken = GOOD.replace(old, new, 1)
    error = failure(folder(tmp_path, broken))
    assert error.key == key
    assert reason in error.reason
    assert NAME in error.source
    assert "\n" not in str(error)


def test_an_evidence_list_is_required(tmp_path: Path) -> None:
    start, end = GOOD.index("evidence = ["), GOOD.index("[prior]")
    error = failure(folder(tmp_path, GOOD[:start] + "evidence = []\n" + GOOD[end:]))
    assert (error.key, error.reason) == ("evidence", "must hold at least one probe")


@pytest.mark.parametrize(
    "name", ["coffee.toml", "XY12-coffee.toml", "XY123-Coffee.toml", "XY123_coffee.toml"]
)
def test_a_file_name_must_hold_code_and_slug(tmp_path: Path, name: str) -> None:
    assert "file name must be like" in failure(folder(tmp_path, name=name)).reason


@pytest.mark.parametrize("name", ["XY124-coffee-spill.toml", "XY125-old1.toml"])
def test_slugs_and_aliases_are_unique(tmp_path: Path, name: str) -> None:
    folder(tmp_path)
    other = GOOD.replace("smell-keyboard", "touch-keyboard").replace("dry-keyboard", "buy-keyboard")
    if name.startswith("XY124"):
        other = other.replace('["OLD1"]', "[]")
    assert "is also" in failure(folder(tmp_path, other, name)).reason


def test_a_code_of_the_project_cannot_be_taken(tmp_path: Path) -> None:
    rule = GOOD.replace('domain = "outside"', 'domain = "data"')
    assert "is also" in failure(folder(tmp_path, rule, "SD101-coffee-spill.toml")).reason


def test_the_hundreds_digit_of_a_project_code_is_its_domain(tmp_path: Path) -> None:
    error = failure(folder(tmp_path, name="SD199-coffee-spill.toml"))
    assert (error.key, error.reason) == ("domain", "'outside' does not fit the code SD199")
    (tmp_path / "SD199-coffee-spill.toml").rename(tmp_path / "SD899-coffee-spill.toml")
    assert load_catalog(tmp_path).rule("SD899") is not None


def test_a_shared_file_of_the_folder_is_read_before_its_rules(tmp_path: Path) -> None:
    (tmp_path / "shared.toml").write_text(
        '[fix.dry-keyboard]\nen = "Dry it."\nzh = "擦干。"\n', encoding="utf-8"
    )
    rule = GOOD[: GOOD.index("[fix.dry-keyboard]")]
    assert load_catalog(folder(tmp_path, rule)).rule("XY123") is not None


def test_a_procedure_of_the_folder_replaces_the_shipped_one(tmp_path: Path) -> None:
    text = (
        '[procedure.spike]\nkinds = ["isolated-spike"]\n[[procedure.spike.stage]]\n'
        'id = "only"\nchecks = ["save-scene"]\n'
        'title = { en = "Save", zh = "保存" }\n'
    )
    (tmp_path / "procedures.toml").write_text(text, encoding="utf-8")
    stages = load_catalog(tmp_path).procedures["isolated-spike"]
    assert [(stage.id, stage.checks) for stage in stages] == [("only", ("save-scene",))]


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ('["isolated-spike"]', '["spike"]', "procedure.p.kinds", "no anomaly kind"),
        ('["save-scene"]', '["scene"]', "procedure.p.stage[1].checks", "no check has"),
        ('id = "only"\n', "", "procedure.p.stage[1].id", "missing"),
        ("kinds =", "kind =", "procedure.p.kinds", "missing"),
    ],
)
def test_mistakes_in_procedures_are_named(
    tmp_path: Path, old: str, new: str, key: str, reason: str
) -> None:
    text = (
        '[procedure.p]\nkinds = ["isolated-spike"]\n[[procedure.p.stage]]\nid = "only"\n'
        'checks = ["save-scene"]\ntitle = { en = "Save", zh = "保存" }\n'
    )
    (tmp_path / "procedures.toml").write_text(text.replace(old, new), encoding="utf-8")
    error = failure(tmp_path)
    assert error.key == key
    assert reason in error.reason


def test_broken_files_are_named_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / NAME
    for content, reason in [
        (b"cause = ", "not valid TOML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"x = " + b"[" * 50_000, "not valid TOML"),
        (b"#" * 1_000_001, "larger than"),
    ]:
        path.write_bytes(content)
        assert reason in failure(tmp_path).reason
    path.unlink()
    path.mkdir()
    assert "cannot be read" in failure(tmp_path).reason


def test_a_missing_folder_is_an_error_and_other_files_are_ignored(tmp_path: Path) -> None:
    assert "is not a folder" in failure(tmp_path / "nowhere").reason
    (tmp_path / "README.md").write_text("notes", encoding="utf-8")
    assert len(load_catalog(tmp_path).rules) == len(load_catalog().rules)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "XX404-my-rule.toml")
    assert "it is not a file" in failure(tmp_path).reason


def test_an_endless_number_is_not_valid(tmp_path: Path) -> None:
    (tmp_path / "XX404-my-rule.toml").write_text("cause = " + "9" * 5000)
    assert "is not valid TOML" in failure(tmp_path).reason


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ('"isolated-spike" = 4', '"isolated-spike" = 1', None),
        ('"isolated-spike" = 4', '"isolated-spike" = 0', "prior.isolated-spike"),
        ('"isolated-spike" = 4', '"isolated-spike" = 10', "prior.isolated-spike"),
        ("supports = 2", "supports = 3", None),
        ("supports = 2", "supports = 4", "evidence[1].supports"),
        ("supports = 2", "supports = -1", "evidence[1].supports"),
        ("refutes = 3", "refutes = 1", None),
        ("refutes = 3", "refutes = 4", "evidence[2].refutes"),
        ("refutes = 3", "refutes = true", "evidence[2].refutes"),
        ("refutes = 3", "refutes = 0", "evidence[2]"),  # it says nothing then
    ],
)
def test_weights_go_to_three_and_priors_from_one_to_nine(
    tmp_path: Path, before: str, after: str, key: str | None
) -> None:
    assert before in GOOD
    changed = folder(tmp_path, GOOD.replace(before, after))
    if key is None:
        assert any(rule.code == "XY123" for rule in load_catalog(changed).rules)
    else:
        assert failure(changed).key == key


@pytest.mark.parametrize(("extra", "accepted"), [(0, True), (1, False)])
def test_a_million_bytes_are_read(tmp_path: Path, extra: int, accepted: bool) -> None:
    missing = 1_000_000 + extra - len(GOOD.encode("utf-8")) - 1
    path = folder(tmp_path, GOOD + "#" + "x" * missing)
    if accepted:
        assert load_catalog(path).rules
    else:
        assert "1000000" in failure(path).reason


@pytest.mark.parametrize(
    ("wrapped", "line"),
    [
        ("\u00e9\n\u00e9", "\u00e9\u00e9"),  # both beyond ASCII
        ("\x7f\n\u00e9", "\x7f \u00e9"), ("\u0080\n\u0080", "\u0080\u0080"),
        ("a\n\n b", "a b"), ("\na\n", "a"), (" a ", "a"), ("。\nA", "。A"), ("A\n。", "A。"),
    ],
)  # fmt: skip
def test_where_lines_need_a_space(wrapped: str, line: str) -> None:
    assert joined(wrapped) == line


@pytest.mark.parametrize("value", ["words", {"en": "a table"}, [1, 2], [{"en": "a table"}, 3]])
def test_an_array_of_tables_holds_tables_alone(value: object) -> None:
    with pytest.raises(CatalogError, match="checks"):
        Table("made.toml", {"checks": value}).tables("checks")
    first, second = Table("made.toml", {"checks": [{"a": 1}, {"b": 2}]}).tables("checks")
    assert (first.key, second.key) == ("checks[1]", "checks[2]")
    assert Table("made.toml", {}).tables("checks") == ()
