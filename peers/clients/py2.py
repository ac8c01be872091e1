"""The Python SDK 2.x: `mcp.Client`, which supports both eras."""

import asyncio
from contextlib import asynccontextmanager

import mcp_types as types
import steps
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters


class Driver:
    def __init__(self, client, heard):
        self.client = client
        self.heard = heard
        self.listeners = []

    def version(self):
        return self.client.protocol_version

    def modern(self):
        return self.version() >= "2026-07-28"

    async def list_tools(self):
        return await self.client.list_tools(cache_mode="refresh")

    async def list_resources(self):
        return await self.client.list_resources()

    async def list_templates(self):
        return await self.client.list_resource_templates()

    async def list_prompts(self):
        return await self.client.list_prompts()

    async def call(self, name, arguments, progress=False):
        async def on_progress(done, total, message):
            self.heard.notification("notifications/progress", {"progress": done, "total": total, "message": message})

        return await self.client.call_tool(name, arguments, progress_callback=on_progress if progress else None)

    async def give_up(self, call):
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    async def read(self, uri):
        return await self.client.read_resource(uri)

    async def prompt(self, name, arguments=None):
        return await self.client.get_prompt(name, arguments)

    async def complete(self, ref, argument, context=None):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        return await self.client.complete(kinds[ref["type"]](**ref), argument, context)

    async def set_level(self, level):
        if not self.modern():
            await self.client.set_logging_level(level)

    async def ping(self):
        if not self.modern():
            await self.client.send_ping()

    async def subscribe(self, uri):
        if not self.modern():
            return await self.client.subscribe_resource(uri)
        listening = asyncio.Event()
        self.listeners.append(asyncio.create_task(self.listen(listening, resource_subscriptions=[uri])))
        await listening.wait()

    async def watch_tools(self):
        if self.modern():
            listening = asyncio.Event()
            self.listeners.append(asyncio.create_task(self.listen(listening, tools_list_changed=True)))
            await listening.wait()

    async def listen(self, listening, **filter):
        async with self.client.listen(**filter) as events:
            listening.set()
            async for event in events:
                if uri := getattr(event, "uri", None):
                    self.heard.notification("notifications/resources/updated", {"uri": str(uri)})
                else:
                    self.heard.notification("notifications/tools/list_changed", {})

    async def close(self):
        for listener in self.listeners:
            listener.cancel()
        await asyncio.gather(*self.listeners, return_exceptions=True)


def target(task):
    if url := task["target"].get("url"):
        return sse_client(url) if task["target"]["transport"] == "sse" else url
    where = task["target"]
    return StdioServerParameters(command=where["command"], args=where["args"], env=where.get("env"))


def callbacks(heard):
    answers, options = heard.answers, {}

    async def elicit(context, params):
        heard.question("elicitation/create", params)
        return types.ElicitResult(**heard.elicited(params.message))

    async def sample(context, params):
        heard.question("sampling/createMessage", params)
        text = types.TextContent(type="text", text=answers["sampling"])
        return types.CreateMessageResult(role="assistant", content=text, model="none", stop_reason="endTurn")

    async def roots(context):
        heard.question("roots/list", {})
        return types.ListRootsResult(roots=[types.Root(**root) for root in answers["roots"]])

    if "elicitation" in answers:
        options["elicitation_callback"] = elicit
    if "sampling" in answers:
        options["sampling_callback"] = sample
    if "roots" in answers:
        options["list_roots_callback"] = roots
    return options


@asynccontextmanager
async def connect(task, heard):
    async def on_log(params):
        heard.notification("notifications/message", params)

    async def on_message(message):
        method = getattr(getattr(message, "root", message), "method", None)
        if method and method.startswith("notifications/") and method != "notifications/message":
            params = getattr(message, "params", None)
            if method != "notifications/progress":
                heard.notification(method, params)

    options = callbacks(heard) | {"logging_callback": on_log, "message_handler": on_message}
    if level := task.get("log_level"):
        options["log_level"] = level
    async with Client(target(task), mode=task.get("mode", "auto"), read_timeout_seconds=30, **options) as client:
        driver = Driver(client, heard)
        try:
            yield driver
        finally:
            await driver.close()


steps.main(connect)
