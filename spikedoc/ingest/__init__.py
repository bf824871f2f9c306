"""From a path, or a table in memory, to runs: find the files, read them, join them, name them."""

from spikedoc.ingest.frame import load_frame
from spikedoc.ingest.load import iter_runs, load_runs, load_stream

__all__ = ["iter_runs", "load_frame", "load_runs", "load_stream"]
