// The TypeScript SDK 2.x, which speaks both eras.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { main } from "./steps.mjs";

function transport({ target }) {
  if (!target.url) return new StdioClientTransport({ ...target, stderr: "inherit" });
  const url = new URL(target.url);
  return target.transport === "sse" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

function negotiation(mode = "auto") {
  return { mode: mode === "auto" || mode === "legacy" ? mode : { pin: mode } };
}

function answer(client, heard) {
  const { elicitation, sampling, roots } = heard.answers;
  if (elicitation) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      heard.question("elicitation/create", params);
      return heard.elicited(params.message);
    });
  }
  if (sampling) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      heard.question("sampling/createMessage", params);
      return { role: "assistant", model: "none", stopReason: "endTurn", content: { type: "text", text: sampling } };
    });
  }
  if (roots) client.setRequestHandler("roots/list", () => (heard.question("roots/list"), { roots }));
}

await main(async (task, heard) => {
  const { elicitation, sampling, roots } = heard.answers;
  const capabilities = {
    ...(elicitation && { elicitation: { form: {} } }),
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: { listChanged: true } }),
  };
  const options = { capabilities, versionNegotiation: negotiation(task.mode) };
  const client = new Client({ name: "peer-ts2", version: "1.0.0" }, options);
  answer(client, heard);
  client.fallbackNotificationHandler = async ({ method, params }) => heard.notification(method, params);
  await client.connect(transport(task));
  const modern = client.getProtocolEra() === "modern";
  const level = modern && task.log_level ? { _meta: { "io.modelcontextprotocol/logLevel": task.log_level } } : {};
  const listening = [];
  const listen = async (filter) => listening.push(await client.listen(filter));
  return {
    version: () => client.getNegotiatedProtocolVersion(),
    list_tools: () => client.listTools(undefined, { cacheMode: "refresh" }),
    list_resources: () => client.listResources(),
    list_templates: () => client.listResourceTemplates(),
    list_prompts: () => client.listPrompts(),
    call: ({ name, arguments: given, progress }, signal) => {
      const onprogress = progress && ((params) => heard.notification("notifications/progress", params));
      return client.callTool({ name, arguments: given, ...level }, { onprogress, signal, timeout: 20_000 });
    },
    read: (params) => client.readResource(params),
    prompt: (params) => client.getPrompt(params),
    complete: (params) => client.complete(params),
    set_level: ({ level }) => (modern ? {} : client.setLoggingLevel(level)),
    ping: () => (modern ? {} : client.ping()),
    subscribe: async ({ uri }) => void (modern ? await listen({ resourceSubscriptions: [uri] }) : await client.subscribeResource({ uri })),
    watch_tools: async () => void (modern && (await listen({ toolsListChanged: true }))),
    close: async () => {
      for (const stream of listening) await stream.close();
      await client.close();
    },
  };
});
