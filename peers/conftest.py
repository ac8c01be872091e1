"""Fixtures: the servers and the gateway, one set for each worker, in a directory that pytest removes."""

import itertools
import os
from contextlib import contextmanager

import pytest
from harness import cases
from harness.clients import Client
from harness.gateway import Gateway
from harness.servers import Fleet

WARM_UP = Client("warm-up", "ts1", "legacy")


def pytest_collection_modifyitems(config, items):
    """Without a gateway to test, what is left proves the harness; `./test` always brings one."""
    if not os.environ.get("CHANCERY_BIN"):
        with_gateway = [item for item in items if item.get_closest_marker("gateway")]
        items[:] = [item for item in items if item not in with_gateway]
        config.hook.pytest_deselected(items=with_gateway)


@pytest.fixture(scope="session")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("peers")


@pytest.fixture(scope="session")
def fleet(work):
    fleet = Fleet(work)
    yield fleet
    fleet.close()


@pytest.fixture(scope="session")
def everybody(fleet, work):
    """One gateway in front of every server."""
    (work / "everybody").mkdir()
    with Gateway(work / "everybody", [fleet.get(id) for id in cases.ALL]) as gateway:
        # Servers that were never seen may be missing from a first list, and the inspector lists only once.
        wait = {"do": "list_tools", "until": sorted(cases.listed_names())}
        WARM_UP.run(gateway.target("http"), [wait]).ok(0)
        yield gateway


@pytest.fixture(scope="session")
def solo(work):
    """A gateway in front of the given servers only, for the time of one test."""
    numbers = itertools.count()

    @contextmanager
    def start(*servers, **options):
        place = work / f"solo-{next(numbers)}"
        place.mkdir()
        with Gateway(place, servers, **options) as gateway:
            yield gateway

    return start
