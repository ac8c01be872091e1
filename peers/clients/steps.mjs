// Runs a list of steps with one TypeScript MCP client and prints what came back, see peers/README.md.
// `connect(task, heard)` resolves to an object with one async function for each kind of step.

const PATIENCE = 20_000;

export class Heard {
  constructor(answers) {
    this.answers = answers;
    this.notifications = [];
    this.asked = [];
    this.waiting = new Set();
  }

  notification(method, params) {
    this.notifications.push({ method, params: params ?? {} });
    for (const look of [...this.waiting]) look();
  }

  question(method, params) {
    this.asked.push({ method, params: params ?? {} });
  }

  // The prepared answer, unless the question itself says that it will be declined.
  elicited(message) {
    return message.includes("declined") ? { action: "decline" } : this.answers.elicitation;
  }

  find(method, match, since) {
    return this.notifications.slice(since).find(
      (heard) => heard.method === method && Object.entries(match).every(([key, value]) => heard.params[key] === value),
    );
  }

  wait(method, match = {}, since = 0) {
    return new Promise((resolve, reject) => {
      const late = () => (this.waiting.delete(look), reject(new Error(`no ${method} in time`)));
      const timer = setTimeout(late, PATIENCE);
      const look = () => {
        const found = this.find(method, match, since);
        if (!found) return;
        this.waiting.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      this.waiting.add(look);
      look();
    });
  }
}

async function listed(client, task) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const result = await client.list_tools();
    const names = new Set(result.tools.map((tool) => tool.name));
    const missing = (task.until ?? []).filter((name) => !names.has(name));
    if (missing.length === 0) return result;
    if (Date.now() > deadline) throw new Error(`never listed: ${missing}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// Starts a call that never ends by itself and gives it up after its first progress notification.
async function cancel(client, heard, task) {
  const since = heard.notifications.length;
  const giveUp = new AbortController();
  const call = client.call({ ...task, progress: true }, giveUp.signal);
  const first = await Promise.race([call, heard.wait("notifications/progress", {}, since).then(() => "started")]);
  if (first !== "started") return first;
  giveUp.abort("given up");
  await call.catch(() => {});
  return { cancelled: true };
}

async function step(client, heard, { do: kind, ...task }) {
  if (kind === "list_tools") return listed(client, task);
  if (kind === "wait") return heard.wait(task.method, task.match);
  if (kind === "cancel") return cancel(client, heard, task);
  return (await client[kind](task)) ?? {};
}

const failure = (error) => ({ type: error.constructor.name, code: error.code ?? null, message: String(error.message ?? error) });

export async function main(connect) {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  const task = JSON.parse(text);
  const heard = new Heard(task.answers ?? {});
  const report = { results: [], notifications: heard.notifications, asked: heard.asked };
  const overtime = setTimeout(() => finish({ type: "Timeout", code: null, message: "the steps took too long" }), (task.timeout ?? 90) * 1000);
  const finish = (failed) => {
    clearTimeout(overtime);
    if (failed) report.failed = failed;
    process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
  };
  try {
    const client = await connect(task, heard);
    report.version = client.version();
    for (const one of task.steps) {
      try {
        report.results.push({ ok: await step(client, heard, one) });
      } catch (error) {
        report.results.push({ error: failure(error) });
      }
    }
    await client.close();
    finish();
  } catch (error) {
    console.error(error);
    finish(failure(error));
  }
}
