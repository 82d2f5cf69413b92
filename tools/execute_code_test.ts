import assert from "node:assert/strict";
import { HermesError } from "../src/protocol/error.ts";
import type { ToolDefinition } from "../src/protocol/provider.ts";
import type { CheckContext, SchemaContext } from "../src/protocol/tool.ts";
import { registry } from "../src/registry/registry.ts";
import type { Sandbox, ScriptRequest, ScriptResult } from "../src/protocol/script.ts";
import { createTempEnvironment } from "../tests/support/memory_environment.ts";
import { createTestContext, createTestServices, runTool } from "../tests/support/tool_context.ts";
import "./execute_code.ts";
import "./read_file.ts";
import "./terminal.ts";
import "./todo.ts";

const spec = registry.get("execute_code")!;
const YES = { available: true, reason: "" };

function definition(name: string): ToolDefinition {
  const { description, schema } = registry.facts(name)!;
  return { name, description, parameters: schema };
}

/** The schema as the model gets it in a session with these tools. */
async function schemaWith(tools: string[], options: { path?: string; config?: object } = {}) {
  const config = (path: string) => (options.config as Record<string, unknown> | undefined)?.[path];
  const check: CheckContext = {
    env: (name) => name === "PATH" ? options.path ?? "/usr/bin:/bin" : undefined,
    which: () => Promise.resolve(undefined),
    config,
    environmentName: "local",
    surface: "run",
    depth: 0,
    services: new Set(),
    kernel: "test",
    recall: (_key, _fingerprint, look) => look(),
  };
  assert.equal(await spec.check!(check), true);
  const context: SchemaContext = {
    tools,
    definitions: new Map(tools.map((name) => [name, definition(name)])),
    config,
    checks: check,
  };
  const { description, parameters } = spec.dynamicSchema!(context)!;
  return { description: description!, language: parameters!.properties!.language! };
}

/** A sandbox that keeps the request and answers with `result`. */
class FakeSandbox implements Sandbox {
  request: ScriptRequest | undefined;
  result: ScriptResult = {
    status: "success",
    output: "out\n",
    errors: "",
    callsMade: 2,
    durationMs: 1234.5,
  };
  run(request: ScriptRequest): Promise<ScriptResult> {
    this.request = request;
    return Promise.resolve(this.result);
  }
  availability() {
    return { script: YES, python: { available: false, reason: "no interpreter" } };
  }
  close = () => Promise.resolve();
}

async function call(args: Record<string, unknown>, config: Record<string, unknown> = {}) {
  await using env = await createTempEnvironment();
  const sandbox = new FakeSandbox();
  const services = { ...createTestServices(), sandbox };
  const sessionTools = ["execute_code", "read_file", "terminal", "todo"];
  const ctx = createTestContext(env, { services, sessionTools, config });
  return { reply: await runTool("execute_code", args, ctx), request: sandbox.request! };
}

Deno.test("execute_code describes exactly the tools that a script can call", async () => {
  const { description } = await schemaWith(["execute_code", "read_file", "todo"]);
  assert.match(description, /^read_file\(\{ path: string; /m);
  assert.doesNotMatch(description, /todo|terminal|execute_code\(/);
  const terminal = await schemaWith(["terminal"]);
  assert.match(
    terminal.description,
    /^terminal\(\{ command: string; timeout\?: number; workdir\?: string \}\)/m,
  );
});

Deno.test("execute_code offers Python only where it can run, and says why not", async () => {
  const without = await schemaWith(["read_file"], { path: "/nowhere" });
  assert.deepEqual(without.language.enum, ["typescript", "javascript"]);
  assert.match(without.language.description!, /no python: no python3 executable on PATH/);
  assert.doesNotMatch(without.description, /Python/);
});

Deno.test("execute_code names the limits of the configuration", async () => {
  const config = { "code_execution.timeout": 60, "code_execution.max_tool_calls": 7 };
  const { description } = await schemaWith(["read_file"], { config });
  assert.match(description, /At most 60 s, 7 calls, 50 KB printed/);
});

Deno.test("execute_code passes limits, callable tools and the rest by name", async () => {
  const { reply, request } = await call({ code: "1", session: "s" }, {
    "code_execution.timeout": 5,
    "code_execution.memory_mb": 64,
  });
  assert.deepEqual(reply, {
    status: "success",
    output: "out\n",
    errors: "",
    "tool_calls_made": 2,
    "duration_seconds": 1.23,
  });
  assert.deepEqual(request.tools.map((tool) => tool.name), ["read_file", "terminal"]);
  assert.deepEqual(request.otherTools, ["execute_code", "todo"]);
  assert.deepEqual(request.limits, {
    timeoutMs: 5000,
    maxToolCalls: 50,
    maxStdoutBytes: 50_000,
    maxStderrBytes: 10_000,
    memoryMb: 64,
  });
  assert.deepEqual([request.language, request.session], ["typescript", "s"]);
});

Deno.test("execute_code refuses empty code and a language that cannot run", async () => {
  assert.match((await call({ code: " \n" })).reply.error, /code is empty/);
  const endless = "1+".repeat(300_000) + "1";
  assert.match((await call({ code: endless })).reply.error, /600001 characters, a script may have/);
  assert.match((await call({ code: "1", language: "python" })).reply.error, /no interpreter/);
});

Deno.test("execute_code says in one line that a sandbox does not start", async () => {
  await using env = await createTempEnvironment();
  const sandbox = new FakeSandbox();
  sandbox.run = () => Promise.reject(new HermesError("the script sandbox did not start: why"));
  const services = { ...createTestServices(), sandbox };
  const reply = await runTool(
    "execute_code",
    { code: "1" },
    createTestContext(env, { services, sessionTools: [] }),
  );
  assert.deepEqual(reply, { error: "the script sandbox did not start: why" });
});

Deno.test("execute_code tells progress at most once a second", async () => {
  await using env = await createTempEnvironment();
  const sandbox = new FakeSandbox();
  const services = { ...createTestServices(), sandbox };
  const lines: string[] = [];
  const ctx = {
    ...createTestContext(env, { services, sessionTools: [] }),
    progress: (text: string) => void lines.push(text),
  };
  await runTool("execute_code", { code: "1" }, ctx);
  const report = sandbox.request!.onProgress!;
  for (const [callsFinished, elapsedMs] of [[0, 5], [1, 900], [2, 1100], [3, 12_400]] as const) {
    report({ callsFinished, callsStarted: 7, elapsedMs });
  }
  assert.deepEqual(lines, ["0/7 calls, 0 s", "2/7 calls, 1 s", "3/7 calls, 12 s"]);
});
