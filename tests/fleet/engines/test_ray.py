"""On a real cluster of this machine with two workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("ray")
# Of the package's own threads and sockets, which are none of ours.
pytestmark = pytest.mark.filterwarnings("ignore")

from cluster_trials import (  # noqa: E402, F401
    test_a_worker_that_is_killed_loses_nothing,
    test_the_lines_are_those_of_this_process,
    test_what_kills_every_worker_is_given_up,
    test_what_the_work_raises_is_raised,
)

from spikedoc.errors import UsageError  # noqa: E402
from spikedoc.fleet.engines.ray import RayEngine  # noqa: E402


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayEngine]:
    engine = RayEngine(2, None)
    yield engine
    engine.close(now=True)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "[::1]:1"])
def test_where_nobody_listens(address: str) -> None:
    with pytest.raises(UsageError, match="no Ray cluster"):
        RayEngine(None, address)
