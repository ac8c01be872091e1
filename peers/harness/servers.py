"""The real servers, each as a client or the gateway may reach it."""

import os
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field

from . import places
from .process import Child

EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js"


@dataclass
class Server:
    """A server: either a command for stdio, or the URL of a process that we started; without a transport the client has to find it out."""

    id: str
    transport: str
    command: str = ""
    args: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    url: str = ""

    def target(self):
        """Returns what a client program gets to connect to."""
        if self.url:
            return {"url": self.url, "transport": self.transport}
        return stdio_target(self.command, self.args, self.env)

    def toml(self):
        """Returns the `[[servers]]` entry of the gateway's configuration."""
        lines = ["[[servers]]", f"id = {quote(self.id)}"]
        if self.url:
            lines += [f"url = {quote(self.url)}"]
            lines += [f"transport = {quote(self.transport)}"] if self.transport else []
        else:
            lines += [f"command = {quote(self.command)}", f"args = [{', '.join(map(quote, self.args))}]"]
            pairs = ", ".join(f"{key} = {quote(value)}" for key, value in self.env.items())
            lines += [f"env = {{ {pairs} }}"] if pairs else []
        return "\n".join(lines) + "\n"


def stdio_target(command, args, own):
    """Returns the command of a stdio server: `env` is the whole environment of the child, `own` what it has beyond ours."""
    return {"command": str(command), "args": list(args), "env": {**os.environ, **own}, "own": own}


def quote(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


class Fleet:
    """Makes servers on demand in a working directory; those on HTTP live until it is closed."""

    def __init__(self, work):
        self.work = work
        self._stack = ExitStack()
        self._running = {}
        self.root = work / "files"
        self.repo = work / "repo"
        self.root.mkdir()
        make_repository(self.repo)

    def get(self, id):
        if id not in self._running:
            self._running[id] = getattr(self, id.replace("-", "_"))()
        return self._running[id]

    def close(self):
        self._stack.close()

    def _node(self, id, script, *args, env=None):
        return Server(id, "stdio", str(places.NODE), [str(places.package(script)), *map(str, args)], env or {})

    def everything(self):
        return self._node("everything", EVERYTHING, "stdio")

    def everything_http(self):
        return self._everything_on("everything-http", "streamableHttp", "http", "/mcp")

    def everything_sse(self):
        return self._everything_on("everything-sse", "sse", "sse", "/sse")

    def _everything_on(self, id, mode, transport, path):
        report = places.CLIENTS / "report-port.mjs"
        command = [places.NODE, "--import", report, places.package(EVERYTHING), mode]
        env = {**os.environ, "PORT": "0"}
        child = self._stack.enter_context(Child(command, r'"port":(\d+)', self.work / f"{id}.log", env))
        return Server(id, transport, url=f"http://127.0.0.1:{child.match[1]}{path}")

    def filesystem(self):
        return self._node("filesystem", "@modelcontextprotocol/server-filesystem/dist/index.js", self.root)

    def memory(self):
        env = {"MEMORY_FILE_PATH": str(self.work / "memory.jsonl")}
        return self._node("memory", "@modelcontextprotocol/server-memory/dist/index.js", env=env)

    def time(self):
        return Server("time", "stdio", str(places.MODERN / "mcp-server-time"))

    def git(self):
        command = str(places.MODERN / "mcp-server-git")
        return Server("git", "stdio", command, ["--repository", str(self.repo)])

    def sqlite(self):
        command = str(places.LEGACY / "mcp-server-sqlite")
        return Server("sqlite", "stdio", command, ["--db-path", str(self.work / "data.db")])

    def upstream(self):
        return self.upstream_of("both")

    def upstream_stdio(self):
        return Server("upstream-stdio", "stdio", str(places.upstream()), ["--stdio"])

    def upstream_of(self, era):
        command = [places.upstream(), "--port", "0", "--era", era]
        log = self.work / f"upstream-{era}-{len(self._running)}.log"
        child = self._stack.enter_context(Child(command, r"http://\S+", log))
        return Server("upstream", "http", url=child.match[0])


def make_repository(path):
    def git(*arguments):
        identity = ["-c", "user.name=Peer", "-c", "user.email=peer@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *identity, *arguments], cwd=path, check=True, capture_output=True)

    path.mkdir()
    git("init")
    (path / "README").write_text("a repository to look at\n")
    git("add", "README")
    git("commit", "-m", "first light")
