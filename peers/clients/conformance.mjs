// A stock client for the client scenarios of the conformance suite: conformance.mjs URL. It lists everything, calls
// every tool, reads every resource and gets every prompt that it was offered.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || "{}");
const modern = version >= "2026-07-28";

// A value that fits the schema, for arguments that the scenario leaves to the client.
function sample(schema) {
  if (schema?.default !== undefined) return schema.default;
  const type = Array.isArray(schema?.type) ? schema.type[0] : schema?.type;
  const values = { number: 5, integer: 3, boolean: true, array: [], object: {}, null: null };
  return type in values ? values[type] : "some text";
}

function argumentsFor(tool, tools) {
  const focal = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  if (tool.name === "json_schema_echo") return { schema: focal.inputSchema };
  const wanted = Object.entries(tool.inputSchema.properties ?? {});
  return Object.fromEntries(wanted.map(([name, schema]) => [name, sample(schema)]));
}

async function callTools(client) {
  const { tools } = await client.listTools();
  if (scenario === "json-schema-ref-no-deref") return;
  const calls = context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, tools) }));
  for (const call of calls) {
    try {
      const result = await client.callTool(call);
      console.error(call.name, JSON.stringify(result).slice(0, 200));
    } catch (error) {
      // The other calls are judged all the same.
      console.error(call.name, error);
      process.exitCode = 1;
    }
  }
}

async function readResources(client) {
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
}

async function getPrompts(client) {
  for (const prompt of (await client.listPrompts()).prompts) {
    const given = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, "some text"]));
    await client.getPrompt({ name: prompt.name, arguments: given });
  }
}

const client = new Client(
  { name: "conformance-client", version: "1.0.0" },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    versionNegotiation: { mode: modern ? { pin: version } : "legacy" },
  },
);
// Where the schema has defaults, the SDK fills them in.
const filled = ({ requestedSchema }) =>
  modern ? Object.fromEntries(Object.entries(requestedSchema.properties).map(([name, schema]) => [name, sample(schema)])) : {};
client.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept", content: filled(params) }));

await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const offered = client.getServerCapabilities() ?? {};
if (offered.tools) await callTools(client);
if (offered.resources) await readResources(client);
if (offered.prompts) await getPrompts(client);
await client.close();
