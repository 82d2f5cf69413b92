/** The files of a new plugin: a working one with a test, and the types of `hermes/plugin` beside it. */
import { PLUGIN_API_TS } from "./runtime_data.ts";

/** Texts by path for a plugin of this name. */
export function scaffoldFiles(name: string): Record<string, string> {
  // A tool's name begins with a letter, and is no longer than a plugin's.
  const tool = `hello_${name.replaceAll("-", "_")}`.slice(0, 64);
  return {
    "plugin.yaml": `name: ${name}
version: 0.1.0
description: Says hello
# What it may do beyond computing. Everything not listed is refused.
# permissions:
#   net: [api.example.com]
#   read: [./docs]
#   env: [EXAMPLE_API_KEY]
#   run: [git]
#   hooks: [see_calls]
#   secrets: [EXAMPLE_BOT_TOKEN]
#   sessions: [wake]
#   background: [services]
# It is not loaded while one of these variables is missing:
# requires_env: [EXAMPLE_API_KEY]
`,
    "mod.ts": `/** The plugin ${name}. */
import { defineTool, type PluginContext } from "hermes/plugin";

const hello = defineTool({
  name: "${tool}",
  description: "Greet somebody by name. Use it when the user wants a greeting.",
  schema: {
    type: "object",
    properties: { name: { type: "string", description: "Who is greeted" } },
    required: ["name"],
  },
  handler: ({ name }) => ({ greeting: \`Hello, \${name}!\` }),
});

export function register(ctx: PluginContext): void {
  ctx.registerTool(hello);
}
`,
    "mod_test.ts": `import assert from "node:assert/strict";
import { testPlugin } from "hermes/plugin";
import { register } from "./mod.ts";

Deno.test("${tool} greets by name", async () => {
  const plugin = await testPlugin(register);
  assert.deepEqual(await plugin.call("${tool}", { name: "Ada" }), {
    greeting: "Hello, Ada!",
  });
});
`,
    "deno.json": `${
      JSON.stringify({ imports: { "hermes/plugin": "./.hermes/plugin.ts" } }, null, 2)
    }\n`,
    ".hermes/plugin.ts": PLUGIN_API_TS,
  };
}
