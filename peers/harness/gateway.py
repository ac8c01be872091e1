"""The gateway under test: a configuration in a directory of its own, served over HTTP or attached by stdio."""

import os

from . import places
from .process import Child
from .servers import stdio_target


class Gateway:
    """`chancery serve` over some servers; `target(transport)` is what a client connects to."""

    def __init__(self, work, servers, gateway_options=""):
        self.work = work
        self.servers = servers
        self.config = work / "chancery.toml"
        text = f'[gateway]\nlisten = "127.0.0.1:0"\nsse = true\n{gateway_options}\n'
        # These clients have no user who could consent, so calls that servers declare dangerous are allowed beforehand.
        grants = [f'[[policy.grants]]\nprincipal = "local"\nserver = "{server.id}"\naccess = "allow"\nconfirms = true\n' for server in servers]
        self.config.write_text(text + "\n".join([*(server.toml() for server in servers), *grants]))
        self.child = None

    def environment(self):
        """Returns an environment without the user's own configuration, state and running gateways."""
        own = {name: str(self.work / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        own |= {name: str(self.work / name.lower()) for name in ("XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
        for path in own.values():
            os.makedirs(path, mode=0o700, exist_ok=True)
        return own

    def start(self):
        command = [places.chancery(), "serve", "--config", self.config]
        env = {**os.environ, **self.environment()}
        self.child = Child(command, r"(http://127\.0\.0\.1:\d+)/mcp", self.work / "gateway.log", env)
        return self

    @property
    def url(self):
        return f"{self.child.match[1]}/mcp"

    def target(self, transport):
        if transport == "http":
            return {"url": self.url, "transport": "http"}
        if transport == "sse":
            return {"url": f"{self.child.match[1]}/sse", "transport": "sse"}
        arguments = ["stdio", "--standalone", "--config", str(self.config)]
        return stdio_target(places.chancery(), arguments, self.environment())

    def log(self):
        return self.child.tail() if self.child else ""

    def __enter__(self):
        return self.start()

    def __exit__(self, failed, *_):
        self.child.stop()
        # A gateway that leaves children behind is wrong even if every call went well.
        survivors = self.child.survivors
        assert failed or not survivors, f"processes {survivors} outlived the gateway:\n{self.log()}"
