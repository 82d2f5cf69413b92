/**
 * Loader hooks that refuse every import but `data:`, `blob:`, built-in modules and a plugin's own
 * files. For builds whose loader checks no permission. Foreign code runs in the same realm, so
 * they use nothing of it that such code may have replaced.
 */
import type { RegisterHooksOptions } from "node:module";

export interface ImportRules {
  /** Who is refused, as messages say it. */
  who: string;
  /** Built-in modules that are led to another module, by specifier. */
  changed: Record<string, string>;
  /** Files below it may be imported, too. */
  modulesUrl?: string;
}

/** Works from its own text alone, and keeps what it needs from the realm as it is now. */
export function makeImportHooks({ who, changed, modulesUrl }: ImportRules): RegisterHooksOptions {
  const { apply } = Reflect;
  const { exec } = RegExp.prototype;
  const { startsWith } = String.prototype;
  const { hasOwn } = Object;
  const [Url, Refused] = [URL, TypeError];
  const { get: href } = Object.getOwnPropertyDescriptor(URL.prototype, "href")!;
  // The loader reads names as addresses: blanks, queries and escapes would lead past `changed`.
  const builtin = /^node:(?!internal\/)[a-z0-9_]+(?:\/[a-z0-9_]+)*$/;
  const inline = /^(?:data|blob):/;
  const check = <T>(url: string, go: () => T): T => {
    if (apply(exec, builtin, [url]) !== null || apply(exec, inline, [url]) !== null) return go();
    if (modulesUrl !== undefined && apply(startsWith, url, [modulesUrl])) return go();
    throw new Refused(`Cannot import ${url}: a ${who} has no modules but its own`);
  };
  const isRequired = (conditions: readonly string[]) => {
    for (let i = 0; i < conditions.length; i++) if (conditions[i] === "require") return true;
    return false;
  };
  return {
    resolve(specifier, context, next) {
      const { parentURL, conditions } = context;
      // What is required is the changed module itself.
      const isChanged = hasOwn(changed, specifier) && !isRequired(conditions);
      const instead = isChanged ? changed[specifier] : undefined;
      if (instead !== undefined && parentURL !== instead) {
        return { url: instead, shortCircuit: true };
      }
      const isRelative = modulesUrl !== undefined && parentURL !== undefined &&
        (apply(startsWith, specifier, ["./"]) || apply(startsWith, specifier, ["../"]));
      const url = isRelative ? apply(href!, new Url(specifier, parentURL), []) : specifier;
      return check(url, () => next(specifier, context));
    },
    load: (url, context, next) => check(url, () => next(url, context)),
  };
}
