"""Tests everything but plain tool calls: each client with a server of each era and transport.

One client program runs the steps of all features in one session; each feature is a test of its own that looks at
the answers to its steps.
"""

import uuid
from dataclasses import dataclass

import pytest
from harness import cases
from harness.clients import CLIENTS

SERVERS = ["everything", "everything-http", "everything-sse", "upstream", "upstream-stdio"]
DOCUMENT = "demo://resource/static/document/features.md"
WATCHED = "test://watched-resource"


def call(name, **arguments):
    return {"do": "call", "name": name, "arguments": arguments}


@dataclass(frozen=True)
class Talk:
    """One client in front of one server: `direct`, or through a gateway that the client reaches over `way`."""

    client: object
    server: str
    way: str

    def __str__(self):
        return f"{self.client.name}-{self.way}-{self.server}"

    @property
    def everything(self):
        return self.server.startswith("everything")

    @property
    def legacy(self):
        return self.client.legacy or (self.way == "direct" and self.server in cases.LEGACY_ONLY) or self.way == "sse"

    def has(self, feature):
        return (feature.needs in self.client.can or not feature.needs) and feature.applies(self)


class Feature:
    """A feature: `steps` says what to do, `check` checks the results of exactly these steps."""

    # What the client program has to be able to do.
    needs = ""

    def applies(self, talk):
        return True

    def steps(self, talk):
        raise NotImplementedError

    def check(self, talk, answer, report):
        raise NotImplementedError


class Lists(Feature):
    def steps(self, talk):
        return [{"do": "list_tools"}, {"do": "list_resources"}, {"do": "list_templates"}, {"do": "list_prompts"}]

    def check(self, talk, answer, report):
        listed = {tool["name"]: tool for tool in answer(0)["tools"]}
        uris = {resource["uri"] for resource in answer(1)["resources"]}
        patterns = {template["uriTemplate"] for template in answer(2)["resourceTemplates"]}
        prompts = {prompt["name"] for prompt in answer(3)["prompts"]}
        if talk.everything:
            assert DOCUMENT in uris and "completable-prompt" in prompts
            assert "demo://resource/dynamic/text/{resourceId}" in patterns
            assert listed["get-structured-content"]["outputSchema"]["properties"]["temperature"]["type"] == "number"
            assert listed["echo"]["annotations"]["readOnlyHint"] is True
        else:
            assert "test://static-text" in uris and "test_prompt_with_arguments" in prompts
            assert "test://template/{id}/data" in patterns
            assert listed["json_schema_2020_12_tool"]["inputSchema"]["$defs"]["address"]["$anchor"] == "addressDef"


class Resources(Feature):
    def steps(self, talk):
        theirs = [DOCUMENT, "demo://resource/dynamic/text/1"]
        ours = ["test://static-text", "test://static-binary", "test://template/7/data"]
        return [{"do": "read", "uri": uri} for uri in (theirs if talk.everything else ours)]

    def check(self, talk, answer, report):
        if talk.everything:
            assert "Everything Server - Features" in cases.texts(answer(0))
            assert "Resource 1" in cases.texts(answer(1))
        else:
            assert answer(0)["contents"][0]["text"] == "This is the content of the static text resource."
            assert answer(1)["contents"][0]["blob"].startswith("iVBOR")
            assert "Data for ID: 7" in cases.texts(answer(2))


class UnknownNames(Feature):
    """Errors after which the connection still works."""

    def steps(self, talk):
        read = {"do": "read", "uri": "test://there-is-no-such-thing"}
        good = call("echo", message="still here") if talk.everything else call("test_simple_text")
        return [call("no_such_tool"), read, {"do": "prompt", "name": "no_such_prompt"}, good]

    def check(self, talk, answer, report):
        tool, resource, prompt = (answer.raw(index) for index in range(3))
        assert "error" in tool or tool["ok"]["isError"], tool
        assert "error" in resource and "error" in prompt, (resource, prompt)
        assert answer(3)["content"]


class Prompts(Feature):
    def steps(self, talk):
        theirs = {"name": "args-prompt", "arguments": {"city": "Paris", "state": "Texas"}}
        ours = {"name": "test_prompt_with_arguments", "arguments": {"arg1": "one", "arg2": "two"}}
        return [{"do": "prompt", **(theirs if talk.everything else ours)}]

    def check(self, talk, answer, report):
        text = answer(0)["messages"][0]["content"]["text"]
        assert "Paris" in text if talk.everything else text == "Prompt with arguments: arg1='one', arg2='two'"


class Completion(Feature):
    needs = "complete"

    def steps(self, talk):
        name, argument, value = ("completable-prompt", "department", "S")
        if not talk.everything:
            name, argument, value = ("test_prompt_with_arguments", "arg1", "par")
        ref = {"type": "ref/prompt", "name": name}
        return [{"do": "complete", "ref": ref, "argument": {"name": argument, "value": value}}]

    def check(self, talk, answer, report):
        expected = ["Sales", "Support"] if talk.everything else ["paris", "park", "party"]
        assert answer(0)["completion"]["values"] == expected


class Progress(Feature):
    needs = "progress"

    def steps(self, talk):
        theirs = call("trigger-long-running-operation", duration=0.3, steps=3)
        return [{**(theirs if talk.everything else call("test_tool_with_progress")), "progress": True}]

    def check(self, talk, answer, report):
        assert answer(0)["content"]
        expected = [(1, 3), (2, 3), (3, 3)] if talk.everything else [(0, 100), (50, 100), (100, 100)]
        seen = [note["params"] for note in report.notifications if note["method"] == "notifications/progress"]
        steps = [(step["progress"], step["total"]) for step in seen if step.get("total")]
        # The TypeScript SDKs lose a notification that comes in the same packet as the result after it.
        whole = expected if talk.client.family[:2] != "ts" else expected[: max(2, len(steps))]
        assert steps == whole


class Logging(Feature):
    """A legacy client sets a level for its session, a modern one asks for log lines with each call."""

    needs = "log"
    lines = ["Tool execution started", "Tool processing data", "Tool execution completed"]

    def applies(self, talk):
        # server-everything logs outside of calls, and fastmcp cannot ask for log lines: no modern client gets any.
        return talk.legacy or not (talk.everything or talk.client.family == "fast")

    def steps(self, talk):
        if talk.everything:
            wait = {"do": "wait", "method": "notifications/message"}
            return [{"do": "set_level", "level": "debug"}, call("toggle-simulated-logging"), wait]
        return [{"do": "set_level", "level": "info"}, call("test_tool_with_logging")]

    def check(self, talk, answer, report):
        if talk.everything:
            assert answer(2)["params"]["data"]
            return
        assert answer(1)["content"]
        heard = [note["params"]["data"] for note in report.notifications if note["method"] == "notifications/message"]
        assert heard == self.lines


class Elicitation(Feature):
    needs = "answer"

    def steps(self, talk):
        if talk.everything:
            return [call("trigger-elicitation-request")]
        return [call("test_elicitation", message="Who are you?"), call("test_elicitation", message="To be declined")]

    def check(self, talk, answer, report):
        assert "Ada" in cases.texts(answer(0))
        asked = [asked for asked in report.asked if asked["method"] == "elicitation/create"]
        if talk.everything:
            assert len(asked) == 1 and asked[0]["params"]["requestedSchema"]["required"] == ["name"]
        else:
            assert "decline" in cases.texts(answer(1))
            assert [one["params"]["message"] for one in asked[:2]] == ["Who are you?", "To be declined"]


class Sampling(Feature):
    needs = "answer"

    def steps(self, talk):
        return [call("trigger-sampling-request" if talk.everything else "test_sampling", prompt="6 * 7")]

    def check(self, talk, answer, report):
        assert "forty-two" in cases.texts(answer(0))
        asked = [asked for asked in report.asked if asked["method"] == "sampling/createMessage"]
        # fastmcp does not hand the parameters on.
        assert asked and ("6 * 7" in cases.texts(asked) or talk.client.family == "fast")


class Roots(Feature):
    needs = "answer"

    def steps(self, talk):
        return [call("get-roots-list" if talk.everything else "test_input_required_result_list_roots")]

    def check(self, talk, answer, report):
        assert "file:///srv/ada" in cases.texts(answer(0))


class SeveralRounds(Feature):
    """Two questions one after the other, and three at the same time."""

    needs = "answer"

    def applies(self, talk):
        return not talk.everything

    def steps(self, talk):
        names = ["multi_round", "multiple_inputs", "request_state"]
        return [call(f"test_input_required_result_{name}") for name in names]

    def check(self, talk, answer, report):
        assert "Ada likes" in cases.texts(answer(0))
        assert all(word in cases.texts(answer(1)) for word in ("Ada", "forty-two", "file:///srv/ada"))
        assert "state-ok" in cases.texts(answer(2))


def watching(uri, touch):
    wait = {"do": "wait", "method": "notifications/resources/updated", "match": {"uri": uri}}
    return [{"do": "subscribe", "uri": uri}, touch, wait]


class Subscription(Feature):
    needs = "subscribe"

    def applies(self, talk):
        # server-everything sends updates to the session that called a tool; a modern client has none, see below.
        return talk.legacy or not talk.everything

    def steps(self, talk):
        if talk.everything:
            return watching(DOCUMENT, call("toggle-subscriber-updates"))
        return watching(WATCHED, call("touch_resource", uri=WATCHED))

    def check(self, talk, answer, report):
        assert [answer(index) for index in range(3)][2]


class ListChanged(Feature):
    """server-everything changes its lists only while it starts."""

    needs = "subscribe"

    def applies(self, talk):
        return not talk.everything

    def steps(self, talk):
        wait = {"do": "wait", "method": "notifications/tools/list_changed"}
        return [{"do": "watch_tools"}, call("test_trigger_tool_change"), wait]

    def check(self, talk, answer, report):
        assert answer(2)


class Cancellation(Feature):
    """server-everything does not show whether it was notified; the upstream lists the calls that were cancelled."""

    needs = "cancel"

    def applies(self, talk):
        return not talk.everything

    def steps(self, talk):
        key = str(uuid.uuid4())
        cancel = {"do": "cancel", "name": "wait_until_cancelled", "arguments": {"key": key}}
        return [cancel, call("was_cancelled", key=key)]

    def check(self, talk, answer, report):
        assert answer(0) == {"cancelled": True}
        assert answer(1)["content"][0]["text"] == "cancelled"


FEATURES = [feature() for feature in Feature.__subclasses__()]


class Answer:
    """Returns the results of one feature's steps within the report of a whole session."""

    def __init__(self, report, start):
        self.report, self.start = report, start

    def __call__(self, index):
        return self.report.ok(self.start + index)

    def raw(self, index):
        return self.report.results[self.start + index]


def talks():
    for client in CLIENTS:
        # The inspector starts anew for each step, so it sees one server of each era.
        for server in ["everything", "upstream"] if client.family == "inspector" else SERVERS:
            if not (client.modern and server in cases.LEGACY_ONLY):
                yield Talk(client, server, "direct")
            for way in client.transports:
                # Over HTTP every server; over the others one of each era is enough.
                if way == "http" or server in ("everything", "upstream-stdio"):
                    yield Talk(client, server, way)


def each_feature():
    for talk in talks():
        for feature in FEATURES:
            if talk.has(feature):
                # One group stays on one worker, so that the session is run once.
                marks = [pytest.mark.xdist_group(str(talk))]
                marks += [pytest.mark.gateway] if talk.way != "direct" else []
                yield pytest.param(talk, feature, id=f"{talk}-{type(feature).__name__}", marks=marks)


@pytest.fixture(scope="module")
def sessions(fleet, solo):
    """Runs each session once and keeps its report, or why there is none."""
    done = {}

    def session(talk):
        if talk not in done:
            try:
                done[talk] = run(talk, fleet, solo)
            except Exception as error:
                done[talk] = error
        if isinstance(done[talk], Exception):
            raise done[talk]
        return done[talk]

    return session


def run(talk, fleet, solo):
    starts, steps = {}, []
    for feature in FEATURES:
        if talk.has(feature):
            starts[feature] = len(steps)
            steps += feature.steps(talk)
    server = fleet.get(talk.server)
    if talk.way == "direct":
        return talk.client.run(server.target(), steps, cases.ANSWERS, "info"), starts
    with solo(server) as gateway:
        return talk.client.run(gateway.target(talk.way), steps, cases.ANSWERS, "info"), starts


@pytest.mark.parametrize(("talk", "feature"), list(each_feature()))
def test_feature(talk, feature, sessions):
    report, starts = sessions(talk)
    feature.check(talk, Answer(report, starts[feature]), report)


@pytest.mark.gateway
@pytest.mark.parametrize("server", ["everything", "everything-http", "everything-sse"])
@pytest.mark.parametrize("client", [client for client in CLIENTS if client.family in ("py2", "ts2") and not client.legacy], ids=str)
def test_modern_subscription_on_a_legacy_server(client, server, fleet, solo):
    """Without capabilities of the client's own, one upstream session carries both its calls and its subscriptions."""
    with solo(fleet.get(server)) as gateway:
        report = client.run(gateway.target("http"), watching(DOCUMENT, call("toggle-subscriber-updates")))
    for index in range(3):
        report.ok(index)
