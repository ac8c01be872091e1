"""The real clients: each takes a target and a list of steps and reports what came back."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

from . import places

TIMEOUT = 120


@dataclass
class Report:
    """The report of a client, whose `results` have one entry for each step: `{"ok": …}` or `{"error": {…}}`."""

    steps: list
    results: list
    version: str = ""
    notifications: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    stderr: str = ""

    def ok(self, index):
        result = self.results[index]
        assert "ok" in result, f"step {index}, {self.steps[index]}, failed: {result}\n{self.stderr[-2000:]}"
        return result["ok"]


@dataclass(frozen=True)
class Client:
    """One client family in one mode; `can` names the optional kinds of steps that it knows."""

    name: str
    family: str
    mode: str = "auto"
    # The transports on which it reaches the gateway; HTTP+SSE is older than the modern era.
    transports: tuple = ("http", "stdio", "sse")
    can: frozenset = frozenset({"answer", "subscribe", "cancel", "progress", "complete", "log"})

    def __str__(self):
        return self.name

    @property
    def legacy(self):
        return self.mode == "legacy"

    @property
    def modern(self):
        """Returns whether the client is pinned to 2026-07-28, so that it needs a gateway for a legacy server."""
        return self.mode == "2026-07-28"

    def run(self, target, steps, answers=None, log_level=None):
        if self.family == "inspector":
            return inspect(self, target, steps)
        # Nothing newer than the handshake exists on HTTP+SSE.
        mode = "legacy" if target.get("transport") == "sse" else self.mode
        task = {"target": target, "mode": mode, "steps": steps, "answers": answers or {}, "log_level": log_level}
        done = subprocess.run(
            program(self.family),
            input=json.dumps(task),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            env=places.node_environment(),
        )
        lines = done.stdout.strip().splitlines()
        assert lines, f"{self.name} reported nothing (exit code {done.returncode}):\n{done.stderr[-3000:]}"
        report = json.loads(lines[-1])
        failed = report.get("failed")
        assert not failed, f"{self.name} did not get through: {failed}\n{done.stderr[-3000:]}"
        kept = ("results", "version", "notifications", "asked")
        return Report(steps, stderr=done.stderr, **{key: report[key] for key in kept})


def program(family):
    if family in ("ts1", "ts2"):
        return [places.NODE, "--import", places.CLIENTS / "resolve.mjs", places.CLIENTS / f"{family}.mjs"]
    python = places.LEGACY if family == "py1" else places.MODERN
    return [python / "python", "-W", "ignore", places.CLIENTS / f"{family}.py"]


# === The inspector: one invocation of its command line for each step ===


def inspect(client, target, steps):
    results, stderr = [], ""
    for step in steps:
        done = subprocess.run(
            inspector_command(client, target, step),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            env={**os.environ, "NO_COLOR": "1", "HOME": INSPECTOR_HOME.name},
        )
        stderr += done.stderr
        # A tool error is a result, although the exit code says otherwise.
        if done.stdout.startswith('{"result"'):
            results.append({"ok": json.loads(done.stdout)["result"]})
        else:
            results.append({"error": {"type": "exit", "code": done.returncode, "message": done.stderr + done.stdout}})
    return Report(steps, results, stderr=stderr)


def inspector_command(client, target, step):
    launcher = places.package("@modelcontextprotocol/inspector") / "clients/launcher/build/index.js"
    era = {"2026-07-28": "modern"}.get(client.mode, client.mode)
    command = [places.NODE, launcher, "--cli", "--format", "json", "--quiet", "--protocol-era", era]
    command += ["--method", INSPECTOR_METHODS[step["do"]], *inspector_options(step)]
    if "url" in target:
        return [*command, "--server-url", target["url"], "--transport", target["transport"]]
    # It starts the server with these variables only, whatever its own environment is.
    for name, value in target["own"].items():
        command += ["-e", f"{name}={value}"]
    return [*command, "--", target["command"], *target["args"]]


# The inspector keeps files in its user's home.
INSPECTOR_HOME = tempfile.TemporaryDirectory(prefix="inspector-")

INSPECTOR_METHODS = {
    "list_tools": "tools/list",
    "list_resources": "resources/list",
    "list_templates": "resources/templates/list",
    "list_prompts": "prompts/list",
    "call": "tools/call",
    "read": "resources/read",
    "prompt": "prompts/get",
}


def inspector_options(step):
    match step["do"]:
        case "call":
            return ["--tool-name", step["name"], "--tool-args-json", json.dumps(step["arguments"])]
        case "read":
            return ["--uri", step["uri"]]
        case "prompt":
            pairs = [f"{key}={value}" for key, value in step.get("arguments", {}).items()]
            return ["--prompt-name", step["name"], *(["--prompt-args", *pairs] if pairs else [])]
        case _:
            return []


PLAIN = frozenset({"cancel", "progress", "complete", "log", "answer"})

CLIENTS = [
    Client("py2-auto", "py2"),
    Client("py2-legacy", "py2", "legacy"),
    Client("py2-modern", "py2", "2026-07-28", ("http", "stdio")),
    Client("py1", "py1", "legacy"),
    Client("ts1", "ts1", "legacy"),
    Client("ts2-auto", "ts2"),
    Client("ts2-legacy", "ts2", "legacy"),
    Client("ts2-modern", "ts2", "2026-07-28", ("http", "stdio")),
    Client("fastmcp-auto", "fast", can=PLAIN),
    Client("fastmcp-legacy", "fast", "legacy", can=PLAIN),
    Client("inspector-auto", "inspector", can=frozenset()),
    Client("inspector-legacy", "inspector", "legacy", can=frozenset()),
]
