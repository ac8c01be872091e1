"""The Python SDK 1.x: `mcp.ClientSession`, legacy only."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import mcp.types as types
import steps
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


class Driver:
    def __init__(self, session, heard, greeting):
        self.session = session
        self.heard = heard
        self.greeting = greeting

    def version(self):
        return str(self.greeting.protocolVersion)

    async def list_tools(self):
        return await self.session.list_tools()

    async def list_resources(self):
        return await self.session.list_resources()

    async def list_templates(self):
        return await self.session.list_resource_templates()

    async def list_prompts(self):
        return await self.session.list_prompts()

    async def call(self, name, arguments, progress=False):
        async def on_progress(done, total, message):
            self.heard.notification("notifications/progress", {"progress": done, "total": total, "message": message})

        return await self.session.call_tool(name, arguments, progress_callback=on_progress if progress else None)

    async def give_up(self, call):
        # This SDK has no way to cancel a request; hosts send the notification themselves.
        request = self.session._request_id - 1
        params = types.CancelledNotificationParams(requestId=request, reason="given up")
        note = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(note))
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    async def read(self, uri):
        return await self.session.read_resource(uri)

    async def prompt(self, name, arguments=None):
        return await self.session.get_prompt(name, arguments)

    async def complete(self, ref, argument, context=None):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        return await self.session.complete(kinds[ref["type"]](**ref), argument, context)

    async def set_level(self, level):
        return await self.session.set_logging_level(level)

    async def ping(self):
        return await self.session.send_ping()

    async def subscribe(self, uri):
        return await self.session.subscribe_resource(uri)

    async def watch_tools(self):
        return None


def transport(task):
    where = task["target"]
    if url := where.get("url"):
        return sse_client(url) if where["transport"] == "sse" else streamable_http_client(url)
    return stdio_client(StdioServerParameters(command=where["command"], args=where["args"], env=where.get("env")))


def callbacks(heard):
    answers, options = heard.answers, {}

    async def elicit(context, params):
        heard.question("elicitation/create", params)
        return types.ElicitResult(**heard.elicited(params.message))

    async def sample(context, params):
        heard.question("sampling/createMessage", params)
        text = types.TextContent(type="text", text=answers["sampling"])
        return types.CreateMessageResult(role="assistant", content=text, model="none", stopReason="endTurn")

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
    async def on_message(message):
        note = getattr(message, "root", message)
        method = getattr(note, "method", "")
        if isinstance(message, types.ServerNotification) and method != "notifications/progress":
            heard.notification(method, note.params)

    options = callbacks(heard) | {"message_handler": on_message, "read_timeout_seconds": timedelta(seconds=30)}
    async with transport(task) as streams, ClientSession(streams[0], streams[1], **options) as session:
        yield Driver(session, heard, await session.initialize())


steps.main(connect)
