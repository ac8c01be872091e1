"""Installs the pinned peers into the cache, once for each state of the lock files, and prints where they are.

Needs nothing but Python 3 and npm. What cannot be installed is an error: nothing is skipped.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
VENVS = ("modern", "legacy", "runner")


def cache_dir():
    """Returns `$CHANCERY_CACHE`, or `chancery` in the user's cache directory."""
    if configured := os.environ.get("CHANCERY_CACHE"):
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chancery"


def digest(*parts):
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def npm_dir():
    return cache_dir() / f"npm-{digest(*((HERE / name).read_bytes() for name in NPM_FILES))}"


def venv_dir(name):
    python = f"{sys.version_info[0]}.{sys.version_info[1]}".encode()
    return cache_dir() / f"venv-{name}-{digest((HERE / 'requirements' / f'{name}.txt').read_bytes(), python)}"


def run(*command, **options):
    print("+", *command, file=sys.stderr, flush=True)
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **options)


def install_npm(target):
    for name in NPM_FILES:
        shutil.copy(HERE / name, target / name)
    # The peers bring their own Node (an optional dependency for each platform), so npm may run on an older one.
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=target)
    node = node_binary(target)
    run(node, "--version")


def node_binary(target):
    found = sorted(target.glob("node_modules/node-*/bin/node"))
    if not found:
        raise SystemExit(f"no Node for this platform in {target}: add its `node-OS-CPU` package to package.json")
    return found[0]


def install_venv(target, name):
    run(sys.executable, "-m", "venv", target)
    requirements = HERE / "requirements" / f"{name}.txt"
    run(target / "bin" / "pip", "install", "--quiet", "--no-deps", "--requirement", requirements)


def ensure(target, install):
    """Installs into `target` unless an earlier run finished doing so; two runs at once take turns."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.with_name(target.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = target / ".complete"
        if not complete.exists():
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir()
            install(target)
            complete.touch()
    return target


def main():
    npm = ensure(npm_dir(), install_npm)
    places = {"npm": str(npm), "node": str(node_binary(npm))}
    for name in VENVS:
        places[name] = str(ensure(venv_dir(name), lambda target, name=name: install_venv(target, name)))
    print(json.dumps(places))


if __name__ == "__main__":
    main()
