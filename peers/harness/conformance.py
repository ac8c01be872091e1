"""Runs the official conformance suites and reads their verdicts, check by check."""

import json
import os
import re
import subprocess
from dataclasses import dataclass

from . import places

ALPHA, STABLE = "conformance-alpha", "conformance-stable"
RANK = {"SUCCESS": 0, "INFO": 0, "SKIPPED": 1, "WARNING": 2, "FAILURE": 3, "missing": 4}
TIMEOUT = 240


@dataclass(frozen=True)
class Suite:
    """One way to run one version of the suite; `wire` is the era that it uses."""

    name: str
    package: str
    wire: str
    server: tuple

    def __str__(self):
        return self.name


SUITES = [
    Suite("2025-11-25", ALPHA, "legacy", ("--requirements", "2025-11-25")),
    Suite("2026-07-28", ALPHA, "modern", ("--requirements", "2026-07-28")),
    Suite("0.1.16", STABLE, "legacy", ("--suite", "active")),
]

# The suite says so itself with this check: a server may answer with JSON, and then no SSE stream is looked at.
NOT_APPLICABLE = {"server-sse-polling": "server-sse-polling:server-sse-content-type"}

# Every scored client scenario but `auth/*`, and the unscored one that a gateway could break.
CLIENT_SCENARIOS = {
    "2025-11-25": [
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
        "json-schema-2020-12-preservation",
    ],
    "2026-07-28": [
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        "json-schema-2020-12-preservation",
    ],
    "0.1.16": ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
}


@dataclass
class Verdicts:
    """The worst status of each `scenario:check`, and the suite's message."""

    status: dict
    message: dict
    output: str
    code: int

    def failing(self):
        return {check for check, status in self.status.items() if RANK[status] >= RANK["FAILURE"]}

    def worse_than(self, other):
        """Returns checks with a worse verdict than in `other`, or without one where the suite had reason to give one."""
        here = self.status
        return {
            check
            for check in other.status
            if RANK[here.get(check, "missing")] > RANK[other.status[check]] and not self._needless(check)
        }

    def _needless(self, check):
        return check not in self.status and NOT_APPLICABLE.get(check.split(":")[0]) in self.status

    def explain(self, checks, other=None):
        lines = []
        for check in sorted(checks):
            before = f"{other.status.get(check, 'missing')} → " if other else ""
            lines.append(f"{check}: {before}{self.status.get(check, 'missing')}: {self.message.get(check, '')}")
        return "\n".join(lines)


def run_server(suite, url, out):
    return run(suite.package, out, "server", "--url", url, *suite.server)


def run_client(suite, scenario, command, out, env=None):
    options = ["--scenario", scenario]
    if suite.package == ALPHA:
        options += ["--spec-version", suite.name]
    return run(suite.package, out, "client", "--command", command, *options, env=env)


def run(package, out, *arguments, env=None):
    script = places.package(package) / "dist/index.js"
    done = subprocess.run(
        [places.NODE, script, *map(str, arguments), "-o", out],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, **(env or {})},
    )
    status, message = read(out)
    assert status, f"the suite wrote no verdicts:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    return Verdicts(status, message, output, done.returncode)


def read(out):
    status, message = {}, {}
    for path in sorted(out.glob("**/checks.json")):
        # The directory is named for the scenario and the time of the run.
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", path.parent.name).removeprefix("server-")
        for check in json.loads(path.read_text()):
            key = f"{scenario}:{check['id']}"
            if key not in status or RANK[check["status"]] > RANK[status[key]]:
                status[key] = check["status"]
                message[key] = check.get("errorMessage") or ""
    return status, message
