"""The client of fastmcp, which supports both eras."""

import asyncio
from contextlib import asynccontextmanager

import mcp_types as types
import steps
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport


class Driver:
    def __init__(self, client, heard):
        self.client = client
        self.heard = heard

    def version(self):
        return self.client.protocol_version

    async def list_tools(self):
        return {"tools": [steps.plain(tool) for tool in await self.client.list_tools()]}

    async def list_resources(self):
        return {"resources": [steps.plain(one) for one in await self.client.list_resources()]}

    async def list_templates(self):
        return {"resourceTemplates": [steps.plain(one) for one in await self.client.list_resource_templates()]}

    async def list_prompts(self):
        return {"prompts": [steps.plain(one) for one in await self.client.list_prompts()]}

    async def call(self, name, arguments, progress=False):
        async def on_progress(done, total, message):
            self.heard.notification("notifications/progress", {"progress": done, "total": total, "message": message})

        handler = on_progress if progress else None
        return await self.client.call_tool_mcp(name=name, arguments=arguments, progress_handler=handler)

    async def give_up(self, call):
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    async def read(self, uri):
        return await self.client.read_resource_mcp(uri)

    async def prompt(self, name, arguments=None):
        return await self.client.get_prompt_mcp(name, arguments)

    async def complete(self, ref, argument, context=None):
        kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
        return await self.client.complete_mcp(kinds[ref["type"]](**ref), argument, context)

    async def set_level(self, level):
        if self.version() < "2026-07-28":
            await self.client.set_logging_level(level)

    async def ping(self):
        if self.version() < "2026-07-28":
            await self.client.ping()


def transport(task):
    where = task["target"]
    if url := where.get("url"):
        return SSETransport(url) if where["transport"] == "sse" else StreamableHttpTransport(url)
    return StdioTransport(command=where["command"], args=where["args"], env=where.get("env"), keep_alive=False)


def handlers(heard):
    answers, options = heard.answers, {}

    async def elicit(message, response_type, params, context):
        heard.question("elicitation/create", params)
        return ElicitResult(**heard.elicited(message))

    async def sample(messages, params, context):
        heard.question("sampling/createMessage", params)
        return answers["sampling"]

    async def roots(context):
        heard.question("roots/list", {})
        return [types.Root(**root) for root in answers["roots"]]

    if "elicitation" in answers:
        options["elicitation_handler"] = elicit
    if "sampling" in answers:
        options["sampling_handler"] = sample
    if "roots" in answers:
        options["roots"] = roots
    return options


@asynccontextmanager
async def connect(task, heard):
    async def on_log(message):
        heard.notification("notifications/message", message)

    async def on_message(message):
        method = getattr(getattr(message, "root", message), "method", "")
        if method.startswith("notifications/") and method not in ("notifications/message", "notifications/progress"):
            heard.notification(method, getattr(message, "params", None))

    options = handlers(heard) | {"log_handler": on_log, "message_handler": on_message, "timeout": 30}
    async with Client(transport(task), mode=task.get("mode", "auto"), **options) as client:
        yield Driver(client, heard)


steps.main(connect)
