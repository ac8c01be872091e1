"""The client that the conformance suite starts for its client scenarios: a stock client behind the gateway.

Starts a gateway whose only upstream is the URL that the suite appends to the command line, runs
`clients/conformance.mjs` against it, stops the gateway and exits as the client did.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from harness import places  # noqa: E402
from harness.gateway import Gateway  # noqa: E402
from harness.servers import Server  # noqa: E402


def main():
    upstream = Server("upstream", "http", url=sys.argv[-1])
    with tempfile.TemporaryDirectory(prefix="chancery-") as work, Gateway(Path(work), [upstream]) as gateway:
        script = places.CLIENTS / "conformance.mjs"
        command = [places.NODE, "--import", places.CLIENTS / "resolve.mjs", script, gateway.url]
        code = subprocess.run(command, env=places.node_environment()).returncode
        print(gateway.log(), file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
