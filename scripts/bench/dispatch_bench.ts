/**
 * What dispatch itself costs: a tool that does nothing, called by the model and by a script,
 * and redaction of a large result. Usage: dispatch_bench.ts [--json]
 */
import type { Environment } from "../../src/protocol/environment.ts";
import type { ToolServices } from "../../src/protocol/services.ts";
import { createDispatcher } from "../../src/registry/dispatch/dispatch.ts";
import { Hooks } from "../../src/registry/hooks/hooks.ts";
import { ToolRegistry } from "../../src/registry/registry.ts";
import { createRedactor } from "../../src/text/redact.ts";

const CALLS = 20_000;
const BUDGET_MS = 0.2;

function createSubject() {
  const registry = new ToolRegistry();
  const schema = {
    type: "object",
    properties: { n: { type: "integer" }, path: { type: "string" } },
    required: ["n"],
  } as const;
  const common = { toolset: "bench", description: "", schema };
  registry.register({ ...common, name: "nothing", handler: ({ n }) => ({ content: { n } }) });
  registry.register({
    ...common,
    name: "script",
    async handler({ n }, ctx) {
      for (let i = 0; i < n; i++) await ctx.callTool("nothing", { n: i }, { sandbox: true });
      return { content: { n } };
    },
  });
  const dispatcher = createDispatcher({
    registry,
    hooks: new Hooks({ log() {} }),
    tools: ["nothing", "script"],
    session: { id: "bench" },
    // No tool of this bench touches either.
    environment: { name: "none", cwd: () => "/" } as unknown as Environment,
    services: {} as ToolServices,
    gate: {
      checkAction: () => Promise.resolve({ answer: "deny", by: "bench" }),
      checkCommand: () => Promise.resolve({ answer: "deny", by: "bench" }),
      checkGrant: () => Promise.resolve({ answer: "deny", by: "bench" }),
    },
    fetch,
    config: () => undefined,
    log() {},
    redact: createRedactor(["a-known-secret-value"]),
  });
  return (name: string, n: number) =>
    dispatcher.run({
      type: "tool_call",
      id: `call_${n}`,
      name,
      arguments: `{"n":${n},"path":"src/x.ts"}`,
    }, { signal: new AbortController().signal, emit() {} });
}

async function time(work: () => Promise<unknown> | unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

if (import.meta.main) {
  const call = createSubject();
  const first = await time(() => call("nothing", 0));
  const direct = await time(async () => {
    for (let n = 1; n <= CALLS; n++) await call("nothing", n);
  }) / CALLS;
  const nested = await time(() => call("script", CALLS)) / CALLS;
  const redact = createRedactor(["a-known-secret-value"]);
  const text = (await Deno.readTextFile(new URL(import.meta.url))).repeat(300).slice(0, 1_000_000);
  const redaction = Math.min(
    ...await Promise.all([1, 2, 3].map(() => time(() => redact(text, "code")))),
  );
  const report = {
    firstCallMs: first,
    perCallMs: direct,
    perNestedCallMs: nested,
    redactMegabyteMs: redaction,
  };
  if (Deno.args.includes("--json")) console.log(JSON.stringify(report));
  else {
    console.log(`first call                ${first.toFixed(2)} ms`);
    console.log(`per call                  ${direct.toFixed(4)} ms (budget ${BUDGET_MS} ms)`);
    console.log(`per call of a script      ${nested.toFixed(4)} ms`);
    console.log(`redacting 1 MB of code    ${redaction.toFixed(1)} ms`);
  }
  if (direct > BUDGET_MS) Deno.exit(1);
}
