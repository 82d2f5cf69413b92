/**
 * What a model's command can read of hermes' own process: redaction is off and everything is
 * approved, so that a key is kept back by nothing but its absence.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { type Job, withJob } from "../support/run_job.ts";

const KEY = "zq-vault-7c1e5b9d24f80a63e7d2c4b6a8f01357";
const PASSWORD = "proxy-pass-5521";

/** Prints what `reader` shows of every ancestor, with the pids it looked at. */
function upwards(reader: string): string {
  return `pid=$$; while [ "$pid" -gt 1 ]; do echo "looked at $pid"; ${reader}; ` +
    `pid=$(sed 's/.*) . //; s/ .*//' /proc/$pid/stat); done 2>/dev/null`;
}

const PYTHON = `import os
pid = os.getpid()
while pid > 1:
    print("looked at", pid)
    for name in ("environ", "cmdline"):
        try:
            print(open(f"/proc/{pid}/{name}", "rb").read().hex())
            print(open(f"/proc/{pid}/{name}", "rb").read()[::-1])
        except OSError as error:
            print(error)
    pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
`;

const LINUX = Deno.build.os === "linux";

async function outputs(
  commands: readonly string[],
  body: (outputs: string[], job: Job) => void | Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const calls = commands.map((command) => ({
    toolCalls: [{ name: "terminal", arguments: { command } }],
  }));
  await withJob([...calls, { text: "done" }], async (job) => {
    const outcome = await job.run(["--quiet", "--approve", "always", "go"], {
      env: { HERMES_API_KEY: KEY, HERMES_REDACT_SECRETS: "false", ...env },
    });
    strictEqual(outcome.code, 0, outcome.stderr);
    const messages = job.model.requests.at(-1)!.body.messages as {
      role: string;
      content: string;
    }[];
    const results = messages.filter((message) => message.role === "tool");
    strictEqual(results.length, commands.length);
    await body(results.map(({ content }) => String(JSON.parse(content).output)), job);
  });
}

/** Every spelling in which the readers print. */
function spellings(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = bytes.toHex();
  const inner = [0, 1, 2].map((skip) => bytes.slice(skip).toBase64().slice(0, -4).slice(2));
  return [secret, [...secret].reverse().join(""), hex, ...inner];
}

function assertAbsent(secret: string, text: string): void {
  const dense = text.replaceAll(/\s+/g, "");
  for (const form of spellings(secret)) {
    ok(!text.includes(form) && !dense.includes(form), `${form} was seen`);
  }
}

Deno.test({
  name: "no program that a model starts finds a key in the environment of hermes",
  ignore: !LINUX,
  async fn() {
    const readers = [
      "cat /proc/$pid/environ | tr '\\0' '\\n'; tr '\\0' ' ' < /proc/$pid/cmdline",
      "tr '\\0' '\\n' < /proc/$pid/environ | rev",
      "xxd -p /proc/$pid/environ; od -An -tx1 /proc/$pid/environ",
      "base64 -w0 < /proc/$pid/environ; strings -a /proc/$pid/environ",
      "for f in /proc/$pid/task/*/environ; do cat $f; done; ps eww -p $pid",
    ];
    const python = `python3 - <<'EOF'\n${PYTHON}EOF`;
    const inChild = `bash -c ${shellQuote(upwards("cat /proc/$pid/environ"))}`;
    const commands = [...readers.map(upwards), python, inChild, "env; export -p; set"];
    await outputs(commands, (all, job) => {
      for (const request of job.model.requests) assertAbsent(KEY, JSON.stringify(request.body));
      match(all[0]!, /main\.ts|hermes/);
      for (const output of all.slice(0, -1)) match(output, /looked at[^]*looked at/);
      strictEqual(job.model.requests[0]!.headers.authorization, `Bearer ${KEY}`);
    });
  },
});

Deno.test({
  name: "variables of .env, a proxy's password and one in an argument are not in /proc either",
  ignore: !LINUX,
  async fn() {
    const replies = [
      {
        toolCalls: [{
          name: "terminal",
          arguments: { command: upwards("cat /proc/$pid/environ /proc/$pid/cmdline") },
        }],
      },
      // File tools run in the process of hermes itself.
      ...["/proc/self/environ", "/proc/thread-self/environ"].map((path) => ({
        toolCalls: [{ name: "read_file", arguments: { path } }],
      })),
      { text: "done" },
    ];
    await withJob(replies, async (job) => {
      await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
      await Deno.writeTextFile(`${job.home}/.hermes/.env`, `HERMES_API_KEY=${KEY}\n`);
      const outcome = await job.run(
        ["--quiet", "--approve", "always", `look at http://me:${PASSWORD}@host.example/x`],
        {
          env: {
            HERMES_REDACT_SECRETS: "false",
            NO_PROXY: "127.0.0.1",
            HTTPS_PROXY: `http://me:${PASSWORD}@proxy.example:3128`,
          },
        },
      );
      strictEqual(outcome.code, 0, outcome.stderr);
      const messages = job.model.requests.at(-1)!.body.messages as {
        role: string;
        content: string;
      }[];
      const seen = messages.find(({ role }) => role === "tool")!.content;
      match(seen, /host\.example/);
      assertAbsent(PASSWORD, seen);
      for (const { role, content } of messages) if (role === "tool") assertAbsent(KEY, content);
    });
  },
});

Deno.test("hermes still finds a variable that it removed from its process", async () => {
  await outputs(["echo $HERMES_MODEL $DENO_DIR | wc -w"], async (_, job) => {
    const shown = await job.hermes(["config", "get", "model.default"], {
      env: { HERMES_MODEL: "named-by-a-variable" },
    });
    match(shown.stdout, /named-by-a-variable/);
  });
});

/** Each holds a value of its own that is looked for. */
const WITHHELD =
  "DATABASE_URL MONGODB_URI REDIS_URL AMQP_URL SENTRY_DSN STRIPE_KEY TWILIO_SID AWS_PROFILE " +
  "AZURE_TENANT GOOGLE_APPLICATION_CREDENTIALS GH_TOKEN NPM_TOKEN PGPASSWORD SLACK_WEBHOOK_URL " +
  "JWT_SECRET ENCRYPTION_KEY KUBECONFIG SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS OWN_SETTING";

Deno.test("no withheld variable reaches a command, a background process, a terminal or a hook", async () => {
  const names = WITHHELD.split(" ");
  const env = Object.fromEntries(names.map((name, i) => [name, `withheld-value-${i}`]));
  const call = (args: Record<string, unknown>) => ({
    toolCalls: [{ name: "terminal", arguments: args }],
  });
  const replies = [
    call({
      command: "env; export -p; cat /proc/self/environ; python3 -c 'import os; print(os.environ)'",
    }),
    call({ command: "env", pty: true }),
    call({ command: "env > background.txt", background: true, notify_on_complete: true }),
    call({
      command:
        "until [ -s background.txt ]; do sleep 0.01; done; cat background.txt hook.txt; echo $JAVA_HOME",
    }),
    { text: "done" },
  ];
  await withJob(replies, async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(
      `${job.home}/.hermes/config.yaml`,
      "hooks:\n  pre_tool_call:\n    - command: sh -c 'env > hook.txt; cat > /dev/null'\n",
    );
    const outcome = await job.run(
      ["--quiet", "--approve", "always", "--accept-hooks", "go"],
      { env: { ...env, HERMES_REDACT_SECRETS: "false", JAVA_HOME: "/opt/java" } },
    );
    strictEqual(outcome.code, 0, outcome.stderr);
    const messages = job.model.requests.at(-1)!.body.messages as {
      role: string;
      content: string;
    }[];
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    strictEqual(results.length, 4);
    for (const result of results) ok(!result.includes("withheld-value"), result);
    strictEqual(results[3]!.split("JAVA_HOME=/opt/java").length, 3, results[3]!);
  });
});

Deno.test("a variable that the operator names reaches commands", async () => {
  const replies = [
    { toolCalls: [{ name: "terminal", arguments: { command: "echo $OWN_SETTING $OTHER" } }] },
    { text: "done" },
  ];
  await withJob(replies, async (job) => {
    const env = { OWN_SETTING: "seen-here", OTHER: "not-there" };
    await job.hermes(["config", "set", "terminal.env_passthrough", `["OWN_SETTING"]`]);
    const outcome = await job.run(["--quiet", "go"], { env });
    strictEqual(outcome.code, 0, outcome.stderr);
    const seen = JSON.stringify(job.model.requests.at(-1)!.body.messages.at(-1));
    ok(seen.includes("seen-here") && !seen.includes("not-there"), seen);
  });
});
