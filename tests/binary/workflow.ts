/** As much of the language of GitHub workflows as the ones here use. */

export interface Step {
  id?: string;
  uses?: string;
  with?: Record<string, string>;
  run?: string;
  env?: Record<string, string>;
}

/** Replaces `${{ a.b.c }}` by what the context has there. */
export function evaluate(text: string, context: Readonly<Record<string, unknown>>): string {
  return String(text).replaceAll(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, path: string) => {
    const value = path.split(".").reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key],
      context,
    );
    return value === undefined ? "" : String(value);
  });
}

export function evaluateAll(
  texts: Readonly<Record<string, string>> = {},
  context: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, evaluate(text, context)]),
  );
}
