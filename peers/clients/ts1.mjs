// The TypeScript SDK 1.x, legacy only.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { main } from "./steps.mjs";

function transport({ target }) {
  if (!target.url) return new StdioClientTransport({ ...target, stderr: "inherit" });
  const url = new URL(target.url);
  return target.transport === "sse" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

function answer(client, heard) {
  const { elicitation, sampling, roots } = heard.answers;
  if (elicitation) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      heard.question("elicitation/create", params);
      return heard.elicited(params.message);
    });
  }
  if (sampling) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      heard.question("sampling/createMessage", params);
      return { role: "assistant", model: "none", stopReason: "endTurn", content: { type: "text", text: sampling } };
    });
  }
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => (heard.question("roots/list"), { roots }));
}

await main(async (task, heard) => {
  const { elicitation, sampling, roots } = heard.answers;
  const capabilities = {
    ...(elicitation && { elicitation: { form: {} } }),
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: { listChanged: true } }),
  };
  const client = new Client({ name: "peer-ts1", version: "1.0.0" }, { capabilities });
  answer(client, heard);
  client.fallbackNotificationHandler = async ({ method, params }) => heard.notification(method, params);
  const wire = transport(task);
  await client.connect(wire);
  return {
    version: () => wire.protocolVersion ?? wire._protocolVersion ?? null,
    list_tools: () => client.listTools(),
    list_resources: () => client.listResources(),
    list_templates: () => client.listResourceTemplates(),
    list_prompts: () => client.listPrompts(),
    call: ({ name, arguments: given, progress }, signal) => {
      const onprogress = progress && ((params) => heard.notification("notifications/progress", params));
      return client.callTool({ name, arguments: given }, undefined, { onprogress, signal, timeout: 20_000 });
    },
    read: (params) => client.readResource(params),
    prompt: (params) => client.getPrompt(params),
    complete: (params) => client.complete(params),
    set_level: ({ level }) => client.setLoggingLevel(level),
    ping: () => client.ping(),
    subscribe: (params) => client.subscribeResource(params),
    watch_tools: () => {},
    close: () => client.close(),
  };
});
