from __future__ import annotations

import fsspec
import pytest

from spikedoc.errors import InputError
from spikedoc.ingest.remote_places import remote_places


def put(root: str, *names: str) -> str:
    for name in names:
        fsspec.filesystem("memory").pipe(f"/{root}/{name}", b"x" * 10)
    return f"memory://{root}"


def test_the_topmost_folders_with_logs_are_places() -> None:
    root = put("places-1", "a/run/train/events.out.tfevents.1", "a/run/val/events.out.tfevents.2",
               "b/x/log.csv", "b/x/deep/log.csv", "c/model.pt")  # fmt: skip
    assert [(one.path, one.size) for one in remote_places(root)] == [("a/run", 20), ("b/x", 20)]
    assert remote_places(root)[0].address == "memory://places-1/a/run"


def test_a_log_right_in_the_root_makes_one_place_of_all() -> None:
    (place,) = remote_places(put("places-2", "log.csv", "a/log.csv"))
    assert (place.path, place.address, place.size) == (".", "memory://places-2", 20)


def test_a_folder_whose_name_begins_alike_is_another() -> None:
    root = put("places-3", "run/log.csv", "run2/log.csv")
    assert [(one.path, one.size) for one in remote_places(root)] == [("run", 10), ("run2", 10)]


def test_settings_are_among_the_marks() -> None:
    root = put("places-4", "a/log.csv")
    before = remote_places(root)[0].marks
    put("places-4", "a/config.yaml")
    assert remote_places(root)[0].marks != before
    assert remote_places(root)[0].modified > 0


def test_what_a_pattern_matches_is_searched() -> None:
    root = put("places-5", "a/x/log.csv", "b/x/log.csv", "a/y/log.csv", "a/y/other.csv")
    found = [(one.path, one.address) for one in remote_places(f"{root}/a*")]
    assert found == [("a/x", f"{root}/a/x"), ("a/y", f"{root}/a/y")]
    found = [(one.path, one.address, one.size) for one in remote_places(f"{root}/*/*/lo*.csv")]
    assert found == [(at, f"{root}/{at}/lo*.csv", 10) for at in ("a/x", "a/y", "b/x")]


def test_a_copy_has_the_marks_of_what_was_copied_where_the_store_knows_the_content(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = put("places-6", "a/log.csv")
    before = remote_places(root)[0].marks
    put("places-6", "a/log.csv")
    assert remote_places(root)[0].marks != before  # only a time tells
    fs = fsspec.filesystem("memory")
    listed = type(fs).find

    def with_tags(*given: object, **named: object) -> dict[str, dict[str, object]]:
        found = listed(*given, **named)
        return {name: {**info, "ETag": '"5d41"'} for name, info in found.items()}

    monkeypatch.setattr(type(fs), "find", with_tags)
    before = remote_places(root)[0].marks
    put("places-6", "a/log.csv")
    assert remote_places(root)[0].marks == before


@pytest.mark.parametrize(
    "address", ["memory://nothing-here", "memory://nothing-*", "https://example.org/runs", "x"]
)
def test_what_cannot_be_listed(address: str) -> None:
    with pytest.raises(InputError):
        remote_places(address)
