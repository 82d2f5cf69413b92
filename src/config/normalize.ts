/** Accepted spellings folded into the one canonical shape. Pure. */
import { getPath, isTree, mergeTrees, setPath, type Tree } from "./tree.ts";

const NO_LIMIT = new Set(["none", "null", "unlimited", "inf", "-1"]);

/** The file's tree in canonical keys; what it cannot fold stays for the schema to refuse. */
export function normalizeConfig(file: Tree): Tree {
  const tree = mergeTrees(file, {});
  if (typeof tree.model === "string") tree.model = { default: tree.model };
  renameInside(tree.model, "model", "default");
  renameInside(tree.model, "api_base", "base_url");
  foldMaxTurns(tree);
  foldApprovalMode(tree);
  foldProviders(tree);
  foldFallbacks(tree);
  return tree;
}

/** An older name of a sibling key; the current name wins. */
function renameInside(section: unknown, from: string, to: string): void {
  if (!isTree(section) || !Object.hasOwn(section, from)) return;
  if (!Object.hasOwn(section, to)) section[to] = section[from];
  delete section[from];
}

function foldMaxTurns(tree: Tree): void {
  if (Object.hasOwn(tree, "max_turns")) {
    if (getPath(tree, "agent.max_turns") === undefined) {
      setPath(tree, "agent.max_turns", tree.max_turns);
    }
    delete tree.max_turns;
  }
  const turns = getPath(tree, "agent.max_turns");
  if (turns === null || NO_LIMIT.has(String(turns).toLowerCase())) {
    setPath(tree, "agent.max_turns", 0);
  }
}

/** YAML readers disagree on what `off` is. */
function foldApprovalMode(tree: Tree): void {
  const mode = getPath(tree, "approvals.mode");
  if (typeof mode === "boolean") setPath(tree, "approvals.mode", mode ? "manual" : "off");
}

/** The list form `custom_providers` and the older spellings of an endpoint. */
function foldProviders(tree: Tree): void {
  const { custom_providers: list } = tree;
  if (Array.isArray(list) && list.every((item) => isTree(item) && typeof item.name === "string")) {
    const named: Tree = {};
    for (const { name, ...rest } of list as (Tree & { name: string })[]) named[name] = rest;
    tree.providers = mergeTrees(named, isTree(tree.providers) ? tree.providers : {});
    delete tree.custom_providers;
  }
  if (!isTree(tree.providers)) return;
  for (const entry of Object.values(tree.providers)) {
    renameInside(entry, "api", "base_url");
    renameInside(entry, "url", "base_url");
    renameInside(entry, "transport", "api_mode");
  }
}

function foldFallbacks(tree: Tree): void {
  if (!Object.hasOwn(tree, "fallback_model")) return;
  const { fallback_model: old } = tree;
  if (tree.fallback_providers === undefined && old !== null && old !== "") {
    tree.fallback_providers = Array.isArray(old) ? old : [old];
  }
  delete tree.fallback_model;
}
