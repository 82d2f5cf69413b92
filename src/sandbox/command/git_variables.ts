/** Variables that keep git from running hooks behind the walls; settings a person passes stay. */

type Variables = Readonly<Record<string, string | undefined>>;

/** Looked up as a directory, this has no hooks and never will. */
const NO_HOOKS = "/dev/null";

/**
 * One more setting behind those that reach commands already: git reads `GIT_CONFIG_KEY_0` up to
 * `GIT_CONFIG_COUNT`, and fails where one is missing.
 */
export function gitVariables(env: Variables, passed: readonly string[]): Record<string, string> {
  const seen = (name: string) => passed.includes(name) ? env[name] : undefined;
  let count = Math.min(Number(seen("GIT_CONFIG_COUNT")) || 0, 1000);
  for (let i = 0; i < count; i++) {
    if (seen(`GIT_CONFIG_KEY_${i}`) === undefined || seen(`GIT_CONFIG_VALUE_${i}`) === undefined) {
      count = i;
    }
  }
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "core.hooksPath",
    [`GIT_CONFIG_VALUE_${count}`]: NO_HOOKS,
  };
}
