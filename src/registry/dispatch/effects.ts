/**
 * Holds a tool to the effects it declares: what it does not declare is refused when it is tried,
 * however the code gets there. `scripts/check_effects.ts` finds the same before anything runs.
 */
import type { Environment } from "../../protocol/environment.ts";
import type { ToolEffect } from "../../protocol/tool.ts";

/** Methods of an environment that change something, and the effect each takes. */
export const ENVIRONMENT_EFFECTS: ReadonlyMap<string, ToolEffect> = new Map([
  ["exec", "execute"],
  ["spawn", "spawn"],
  ["writeFile", "write"],
  ["remove", "write"],
  ["rename", "write"],
]);

/** One view per environment and set of effects: tools remember things by the environment they got. */
const views = new WeakMap<Environment, Map<string, Environment>>();
/** The same by the list of effects, which a tool declares once. */
const byList = new WeakMap<Environment, WeakMap<readonly ToolEffect[], Environment>>();
const NO_EFFECTS: readonly ToolEffect[] = [];

/** The environment as a tool with these effects may use it. */
export function environmentFor(
  environment: Environment,
  effects: readonly ToolEffect[] = NO_EFFECTS,
): Environment {
  const lists = byList.get(environment) ?? new WeakMap<readonly ToolEffect[], Environment>();
  byList.set(environment, lists);
  let view = lists.get(effects);
  if (view === undefined) lists.set(effects, view = viewOf(environment, effects));
  return view;
}

function viewOf(environment: Environment, effects: readonly ToolEffect[]): Environment {
  const refused = new Map(
    [...ENVIRONMENT_EFFECTS].filter(([, effect]) => !effects.includes(effect)),
  );
  if (refused.size === 0) return environment;
  const key = [...refused.keys()].join(" ");
  const known = views.get(environment) ?? new Map<string, Environment>();
  views.set(environment, known);
  let view = known.get(key);
  if (view === undefined) known.set(key, view = restricted(environment, refused));
  return view;
}

function restricted(
  environment: Environment,
  refused: ReadonlyMap<string, ToolEffect>,
): Environment {
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(environment, {
    get(target, property) {
      const effect = typeof property === "string" ? refused.get(property) : undefined;
      if (effect !== undefined) return () => Promise.reject(undeclared(effect));
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      let method = bound.get(property);
      if (method === undefined) bound.set(property, method = value.bind(target));
      return method;
    },
  });
}

/** `fetch` for a tool that declares `send`, and a refusal for the others. */
export function fetchFor(wire: typeof fetch, effects: readonly ToolEffect[] = []): typeof fetch {
  return effects.includes("send") ? wire : () => Promise.reject(undeclared("send"));
}

function undeclared(effect: ToolEffect): Error {
  return new Error(`the tool does not declare the effect "${effect}"`);
}
