"""Tests that every client calls tools of every server: directly, and all of them through one gateway."""

from dataclasses import replace

import pytest
from harness import cases
from harness.clients import CLIENTS


def direct():
    for client in CLIENTS:
        for server in [*cases.ALL, "upstream-stdio"]:
            if not (client.modern and server in cases.LEGACY_ONLY):
                yield pytest.param(client, server, id=f"{client.name}-{server}")


def through_one_gateway():
    for client in CLIENTS:
        for transport in client.transports:
            yield pytest.param(client, transport, id=f"{client.name}-{transport}")


def calls(server, fleet, client, *parts, name=lambda server, tool: tool):
    """Steps, each with the tool and what the result has to contain."""
    who = "_".join([client.name, *parts]).replace("-", "_")
    words = {"who": who, "root": str(fleet.root), "repo": str(fleet.repo)}
    for tool, arguments, expected in cases.TOOLS[server]:
        step = {"do": "call", "name": name(server, tool), "arguments": cases.fill(arguments, words)}
        yield step, tool, cases.fill(expected, words)


def check(report, index, tool, expected):
    result = report.ok(index)
    assert expected in cases.texts(result), (tool, result)
    assert bool(result.get("isError")) == (tool in cases.FAILING), (tool, result)


@pytest.mark.parametrize(("client", "server"), list(direct()))
def test_direct(client, server, fleet):
    todo = list(calls(server, fleet, client, "direct", server))
    report = client.run(fleet.get(server).target(), [{"do": "list_tools"}, *(step for step, _, _ in todo)])
    listed = {tool["name"] for tool in report.ok(0)["tools"]}
    for index, (_, tool, expected) in enumerate(todo, 1):
        assert tool in listed
        check(report, index, tool, expected)


def qualified(server, tool):
    return f"{server}__{tool}"


@pytest.mark.gateway
@pytest.mark.parametrize(("client", "transport"), list(through_one_gateway()))
def test_through_one_gateway(client, transport, fleet, everybody):
    listing = {"do": "list_tools", "until": sorted(cases.listed_names())}
    # The inspector starts anew for each step, and over stdio the gateway and its servers with it: one call a server.
    enough = 1 if client.family == "inspector" and transport != "http" else None
    by_listed = [
        case
        for server in cases.ALL
        for case in list(calls(server, fleet, client, transport, name=cases.listed_name))[:enough]
    ]
    # The other name may be called as well, but the inspector calls only what is listed, and over HTTP a modern client
    # needs the listed schema of a tool whose parameters it has to mirror.
    by_other = [
        case
        for server in ["memory", "time", "git", "sqlite", "filesystem"]
        for case in calls(server, fleet, client, transport, "again", name=qualified)
        if client.family != "inspector"
    ]
    todo = [*by_other, (listing, None, None), *by_listed]
    report = client.run(everybody.target(transport), [step for step, _, _ in todo])
    for index, (_, tool, expected) in enumerate(todo):
        if tool:
            check(report, index, tool, expected)
    listed = [tool["name"] for tool in report.ok(len(by_other))["tools"]]
    assert cases.listed_names() <= set(listed), cases.listed_names() - set(listed)
    assert len(listed) == len(set(listed)), "a name is listed twice"


@pytest.mark.gateway
@pytest.mark.parametrize("server", ["everything-sse", "everything-http"])
@pytest.mark.parametrize("client", [client for client in CLIENTS if client.family in ("py2", "ts1")], ids=str)
def test_a_transport_that_nobody_named(client, server, fleet, solo):
    """Tests a server as most configurations have it: a URL without the protocol used there."""
    todo = list(calls(server, fleet, client, "unnamed", server))
    with solo(replace(fleet.get(server), transport="")) as gateway:
        report = client.run(gateway.target("http"), [{"do": "list_tools"}, *(step for step, _, _ in todo)])
    assert {tool for _, tool, _ in todo} <= {tool["name"] for tool in report.ok(0)["tools"]}
    for index, (_, tool, expected) in enumerate(todo, 1):
        check(report, index, tool, expected)
