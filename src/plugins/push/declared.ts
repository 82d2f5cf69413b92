/** What a plugin registers against what its manifest declares: the rest is left out and named. */
import type { PluginPermissions } from "../../protocol/plugin.ts";
import type { Registrations } from "../messages.ts";

/** The parts of registrations that take a declaration. */
export type Pushed = Pick<
  Registrations,
  "services" | "timers" | "routes" | "platforms" | "providers"
>;

export interface Declared {
  allowed: Pushed;
  /** What is left out, one line each. */
  gaps: string[];
}

/** True when a manifest declares anything that happens without a call. */
export function declaresPush(permissions: PluginPermissions): boolean {
  const { sessions, platforms, routes, background } = permissions;
  return [sessions, platforms, routes, background].some((list) => list.length > 0);
}

/** Keeps what the manifest declares. */
export function keepDeclared(registrations: Pushed, permissions: PluginPermissions): Declared {
  const gaps: string[] = [];
  /** `declaration` is the key and the name under which the manifest would have to have an item. */
  const keep = <T>(
    items: readonly T[],
    what: string,
    declaration: (item: T) => [keyof PluginPermissions, string],
  ): T[] =>
    items.filter((item) => {
      const [key, name] = declaration(item);
      if ((permissions[key] as readonly string[]).includes(name)) return true;
      const { name: label = name } = item as { name?: string };
      gaps.push(
        `${what} "${label}" is left out: its manifest does not declare ` +
          `permissions.${key}: [${name}]`,
      );
      return false;
    });
  const allowed = {
    services: keep(registrations.services, "service", () => ["background", "services"]),
    timers: keep(registrations.timers, "timer", () => ["background", "timers"]),
    routes: keep(registrations.routes, "route", ({ path }) => ["routes", path]),
    platforms: keep(registrations.platforms, "platform", ({ name }) => ["platforms", name]),
    providers: keep(registrations.providers, "provider", ({ name }) => ["providers", name]),
  };
  return { allowed, gaps };
}
