"""Runs the official conformance suites: on the upstream directly, and through a gateway with that upstream only."""

import shlex
import sys

import pytest
import yaml
from harness import conformance, places
from harness.conformance import CLIENT_SCENARIOS, SUITES

ERAS = ["both", "legacy", "modern"]
BASELINE = places.PEERS / "conformance" / "baseline.yaml"


@pytest.fixture(scope="session")
def upstreams(fleet):
    running = {}

    def upstream(era):
        if era not in running:
            running[era] = fleet.upstream_of(era)
        return running[era]

    return upstream


@pytest.fixture(scope="session")
def direct(upstreams, tmp_path_factory):
    """Returns the verdicts on an upstream without a gateway, which the other runs are compared with."""
    done = {}

    def verdicts(era, suite):
        if (era, suite) not in done:
            out = tmp_path_factory.mktemp("direct")
            done[era, suite] = conformance.run_server(suite, upstreams(era).url, out)
        return done[era, suite]

    return verdicts


def speaks(era, suite):
    return era in ("both", suite.wire)


def cells(same):
    for suite in SUITES:
        for era in ERAS:
            if speaks(era, suite) == same:
                yield pytest.param(era, suite, id=f"{era}-{suite}", marks=pytest.mark.xdist_group(f"{suite}"))


@pytest.mark.parametrize(("era", "suite"), list(cells(same=True)))
def test_upstream_is_clean(era, suite, direct):
    verdicts = direct(era, suite)
    assert verdicts.code == 0 and not verdicts.failing(), verdicts.explain(verdicts.failing())


def check_same_era(through, direct):
    assert not through.failing(), through.explain(through.failing(), direct)
    worse = through.worse_than(direct)
    assert not worse, through.explain(worse, direct)
    assert through.code == 0, through.output[-2000:]


@pytest.mark.gateway
@pytest.mark.parametrize(("era", "suite"), list(cells(same=True)))
def test_same_era(era, suite, upstreams, direct, solo, tmp_path):
    with solo(upstreams(era)) as gateway:
        check_same_era(conformance.run_server(suite, gateway.url, tmp_path), direct(era, suite))


@pytest.mark.gateway
@pytest.mark.parametrize("beside", ["stdio", "others"])
@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_same_era_otherwise(beside, suite, upstreams, direct, solo, fleet, tmp_path):
    """Checks the upstream over stdio, and among other servers."""
    servers = [fleet.get("upstream-stdio")] if beside == "stdio" else [fleet.get("time"), upstreams("both"), fleet.get("memory")]
    with solo(*servers) as gateway:
        check_same_era(conformance.run_server(suite, gateway.url, tmp_path), direct("both", suite))


@pytest.mark.gateway
@pytest.mark.parametrize(("era", "suite"), list(cells(same=False)))
def test_mixed_eras(era, suite, upstreams, direct, solo, tmp_path):
    """Checks what the gateway bridges: never worse than an upstream of this era, except for the baseline."""
    excused = yaml.safe_load(BASELINE.read_text())[f"{era} × {suite}"]
    assert all(isinstance(why, str) and why.strip() for why in excused.values()), "an entry without a reason"
    wanted = direct("both", suite)
    with solo(upstreams(era)) as gateway:
        through = conformance.run_server(suite, gateway.url, tmp_path)
    worse = through.worse_than(wanted) | through.failing()
    assert worse <= set(excused), through.explain(worse - set(excused), wanted)
    stale = set(excused) - worse
    assert not stale, f"no longer worse, take them off the baseline: {sorted(stale)}"


def client_cases():
    for suite in SUITES:
        for scenario in CLIENT_SCENARIOS[suite.name]:
            yield pytest.param(suite, scenario, id=f"{suite}-{scenario}")


# The TypeScript SDK refuses a result without `resultType`, which the suite wants to be taken as complete.
STRICTER_CLIENT = {("2026-07-28", "sep-2322-client-request-state")}


@pytest.mark.parametrize(("suite", "scenario"), list(client_cases()))
def test_stock_client_is_clean(suite, scenario, tmp_path):
    script = places.CLIENTS / "conformance.mjs"
    command = shlex.join(map(str, [places.NODE, "--import", places.CLIENTS / "resolve.mjs", script]))
    env = {"CHANCERY_PEERS_NPM": str(places.NPM)}
    verdicts = conformance.run_client(suite, scenario, command, tmp_path, env)
    assert not verdicts.failing(), verdicts.explain(verdicts.failing())
    if (suite.name, scenario) not in STRICTER_CLIENT:
        assert verdicts.code == 0, verdicts.output[-2000:]


@pytest.mark.gateway
@pytest.mark.parametrize(("suite", "scenario"), list(client_cases()))
def test_client_side(suite, scenario, tmp_path):
    """Lets the suite judge what the gateway sends to its upstream."""
    script = places.PEERS / "harness" / "through_gateway.py"
    command = shlex.join([sys.executable, str(script)])
    verdicts = conformance.run_client(suite, scenario, command, tmp_path)
    assert not verdicts.failing(), verdicts.explain(verdicts.failing()) + verdicts.output[-3000:]
    assert verdicts.code == 0, verdicts.output[-3000:]
