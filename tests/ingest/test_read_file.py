"""What is known of a log once it has been read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.read_file import ReadFile
from spikedoc.ingest.recognition import readers
from spikedoc.readers._notes import EPOCH_STEPS
from spikedoc.readers.base import RawSeries, Table


def test_its_kind_its_tags_and_what_the_report_says() -> None:
    series = tuple(RawSeries(tag, np.arange(3), np.ones(3)) for tag in ("loss", "lr"))
    note = EPOCH_STEPS.fill({"tag": "epoch"})
    file = LogFile(Path("r/log.csv"), readers()["csv"], Path("r"), size=12)
    one = ReadFile(file, Table(series, notes=(note,)))
    assert one.kind == "csv"
    assert one.tags == {"loss", "lr"}
    source = one.source
    assert (source.path, source.reader, source.size) == (str(Path("r/log.csv")), "csv", 12)
    assert source.notes == (note,)
