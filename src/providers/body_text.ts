/**
 * The JSON of request bodies. A conversation is sent whole every time and grows by a few
 * messages, so that what a list holds is written once and put together from then on.
 */
import { memoized } from "../util/memo.ts";

/** `JSON.stringify` for bodies whose lists hold the same objects from call to call. */
export function createBodyWriter(): (body: Readonly<Record<string, unknown>>) => string {
  const textOf = memoized((element: object) => JSON.stringify(element));
  return (body) => {
    const fields = Object.entries(body).filter(([, value]) => value !== undefined);
    const texts = fields.map(([name, value]) =>
      `${JSON.stringify(name)}:${fieldText(value, textOf)}`
    );
    return `{${texts.join(",")}}`;
  };
}

function fieldText(value: unknown, textOf: (element: object) => string): string {
  if (!Array.isArray(value) || !value.every(isObject)) return JSON.stringify(value);
  return `[${value.map(textOf).join(",")}]`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
