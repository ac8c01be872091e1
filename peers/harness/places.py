"""The places of the peers in the cache and of our binaries, and whether the gateway takes part."""

import os
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PEERS))

import install  # noqa: E402

CLIENTS = PEERS / "clients"


def needed(path):
    """Returns the path of a peer. A missing peer is an error, never a reason to skip."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run `python3 peers/install.py`, or `./test`, which does so")
    return path


NPM = needed(install.npm_dir())
NODE = install.node_binary(NPM)
MODERN = needed(install.venv_dir("modern") / "bin")
LEGACY = needed(install.venv_dir("legacy") / "bin")


def binary(variable):
    """Returns the path in an environment variable; these are built by `./test` or by hand."""
    path = os.environ.get(variable)
    if not path:
        raise KeyError(f"set {variable} to the path of the built binary")
    return needed(Path(path).resolve())


def upstream():
    """Returns the conformance upstream of `peers/rmcp`."""
    return binary("CONFORMANCE_UPSTREAM_BIN")


def chancery():
    return binary("CHANCERY_BIN")


def package(name):
    return needed(NPM / "node_modules" / name)


def node_environment():
    return {**os.environ, "CHANCERY_PEERS_NPM": str(NPM)}
