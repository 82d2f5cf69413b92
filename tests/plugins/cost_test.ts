/** What plugins may not cost: nothing of them is loaded where none is wanted. */
import assert from "node:assert/strict";

interface GraphModule {
  specifier: string;
  dependencies?: { isDynamic?: boolean; code?: { specifier?: string } }[];
}

/** Every module that loading this one loads as well. */
async function loadedWith(entry: string): Promise<Set<string>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
  }).output();
  const { roots, modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    roots: string[];
    modules: GraphModule[];
  };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set(roots);
  for (const specifier of loaded) {
    for (const { isDynamic, code } of known.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier !== undefined) loaded.add(code.specifier);
    }
  }
  return loaded;
}

Deno.test("hermes run without a plugin loads nothing of plugins", async () => {
  for (
    const entry of [
      "src/cli/dispatch.ts",
      "src/cli/commands/run/run.ts",
      "src/session/tool_runtime.ts",
    ]
  ) {
    const loaded = await loadedWith(new URL(`../../${entry}`, import.meta.url).pathname);
    assert.ok(loaded.size > 5, entry);
    const root = new URL("../../", import.meta.url).href;
    const unwanted = [...loaded].map((specifier) => specifier.replace(root, "/"))
      .filter((specifier) => /\/(src\/)?plugins\//.test(specifier));
    assert.deepEqual(unwanted, [], entry);
  }
});

Deno.test("plugins that push nothing load nothing of pushing", async () => {
  const root = new URL("../../", import.meta.url);
  const loaded = await loadedWith(new URL("src/plugins/open.ts", root).pathname);
  const pushing = [...loaded].map((specifier) => specifier.replace(root.href, ""))
    .filter((specifier) => specifier.startsWith("src/plugins/push/"));
  // What says whether a manifest declares any of it.
  assert.deepEqual(pushing, ["src/plugins/push/declared.ts"]);
});
