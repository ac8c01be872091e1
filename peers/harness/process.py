"""A child process that prints a line on stdout when it is ready, and is ended with all its children."""

import os
import re
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path

PATIENCE = 60.0


class Child:
    """Starts `command` in its own process group and waits until a line of its stdout matches `ready`."""

    def __init__(self, command, ready, log, env=None, cwd=None):
        self.command = [str(part) for part in command]
        # Inherited by everything that the child starts, in whatever process group.
        self.mark = f"PEERS_CHILD={uuid.uuid4()}"
        self.survivors = []
        self.log = Path(log)
        self._stderr = self.log.open("wb")
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**(os.environ if env is None else env), **dict([self.mark.split("=")])},
            cwd=cwd,
            start_new_session=True,
        )
        self.match = None
        self._seen = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(re.compile(ready),), daemon=True)
        self._reader.start()
        self._seen.wait(PATIENCE)
        if self.match is None:
            self.stop()
            raise RuntimeError(f"{self.command} did not get ready; its stderr:\n{self.tail()}")

    def _read(self, ready):
        # Reads to the end, so that the child never blocks on a full pipe.
        for line in self.process.stdout:
            if self.match is None and (match := ready.search(line.decode(errors="replace"))):
                self.match = match
                self._seen.set()
        self._seen.set()

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def stop(self, grace=10.0):
        """Sends SIGTERM to the child alone, which has to end its own children; what is left of the group is killed."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(grace)
            except subprocess.TimeoutExpired:
                pass
        self.survivors = self._wait_for_descendants()
        for pid in self.survivors:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)
        self._stderr.close()

    def _wait_for_descendants(self):
        deadline = time.monotonic() + 5
        while (alive := self._descendants()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return alive

    def _descendants(self):
        alive = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in environ.read_bytes():
                    alive.append(environ.parent.name)
            except OSError:
                continue
        return [pid for pid in alive if int(pid) != self.process.pid]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
