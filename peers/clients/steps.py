"""Runs a list of steps with one Python MCP client and prints what came back.

The task comes as JSON on stdin, see `peers/README.md`. A family module (`py1.py`, `py2.py`, `fast.py`) brings a
`connect(task, heard)` context manager that yields an object with one coroutine for each kind of step.
"""

import asyncio
import json
import sys
import traceback

PATIENCE = 20.0


class Heard:
    """All messages that the server sent unasked, in order; steps can wait for them."""

    def __init__(self, answers):
        self.answers = answers
        self.notifications = []
        self.asked = []
        self._news = asyncio.Event()

    def notification(self, method, params):
        self.notifications.append({"method": method, "params": plain(params)})
        self._news.set()
        self._news = asyncio.Event()

    def question(self, method, params):
        self.asked.append({"method": method, "params": plain(params)})

    def elicited(self, message):
        """Returns the prepared answer, unless the question itself says that it will be declined."""
        return {"action": "decline"} if "declined" in message else self.answers["elicitation"]

    def find(self, method, match, since):
        for heard in self.notifications[since:]:
            if heard["method"] == method and all(heard["params"].get(key) == value for key, value in match.items()):
                return heard
        return None

    async def wait(self, method, match, since=0):
        async with asyncio.timeout(PATIENCE):
            while not (found := self.find(method, match, since)):
                await self._news.wait()
            return found


def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return value if value is not None else {}


async def step(client, heard, task):
    match task["do"]:
        case "list_tools":
            return await listed(client, task)
        case "wait":
            return await heard.wait(task["method"], task.get("match", {}))
        case "cancel":
            return await cancel(client, heard, task)
        case kind:
            options = {key: value for key, value in task.items() if key != "do"}
            return plain(await getattr(client, kind)(**options))


async def listed(client, task):
    """With `until`, lists again until these names are there: servers behind a gateway may still be starting."""
    async with asyncio.timeout(PATIENCE):
        while True:
            result = plain(await client.list_tools())
            missing = set(task.get("until", [])) - {tool["name"] for tool in result["tools"]}
            if not missing:
                return result
            await asyncio.sleep(0.1)


async def cancel(client, heard, task):
    """Starts a call that never ends by itself and gives it up after its first progress notification."""
    since = len(heard.notifications)
    call = asyncio.create_task(client.call(task["name"], task["arguments"], progress=True))
    waiting = asyncio.create_task(heard.wait("notifications/progress", {}, since))
    await asyncio.wait({call, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if call.done():
        waiting.cancel()
        return plain(call.result())
    waiting.result()
    await client.give_up(call)
    return {"cancelled": True}


def failure(error):
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    detail = getattr(error, "error", None)
    code = getattr(detail, "code", None)
    return {"type": type(error).__name__, "code": code, "message": str(error)}


async def run(connect):
    task = json.load(sys.stdin)
    heard = Heard(task.get("answers", {}))
    report = {"results": [], "notifications": heard.notifications, "asked": heard.asked}
    try:
        async with asyncio.timeout(task.get("timeout", 90)), connect(task, heard) as client:
            report["version"] = client.version()
            for one in task["steps"]:
                try:
                    report["results"].append({"ok": await step(client, heard, one)})
                except Exception as error:
                    report["results"].append({"error": failure(error)})
    except BaseException as error:
        report["failed"] = failure(error)
        traceback.print_exc()
    print(json.dumps(report))


def main(connect):
    asyncio.run(run(connect))
