/**
 * The result of a handler: what the model reads, data for everybody else, and whether it failed.
 * Nothing here looks into texts; a failure is what `isError` says.
 */
import type { ToolDetails } from "./tool_details.ts";

export interface ToolTextPart {
  type: "text";
  text: string;
}

/** An image as the tool has it: bytes, or their base64. Dispatch stores them as a blob. */
export interface ToolImagePart {
  type: "image";
  mediaType: string;
  data: Uint8Array<ArrayBuffer> | string;
}

export type ToolPart = ToolTextPart | ToolImagePart;

/** What the model reads: text, an object that becomes JSON, or parts of text and images. */
export type ToolContent = string | Readonly<Record<string, unknown>> | readonly ToolPart[];

export interface ToolResult<D extends ToolDetails = ToolDetails> {
  content: ToolContent;
  /** For surfaces and observers; the model never sees it. */
  details?: D;
  /** The call did not do what was asked. */
  isError?: boolean;
}

/** The result of a call that a tool or a script made. */
export interface NestedCallResult {
  content: string;
  isError: boolean;
  details?: ToolDetails;
}

const RESULT_KEYS: readonly string[] = ["content", "details", "isError"];

/** A failure as the model reads it: `{"error": …}` and further keys. */
export function errorResult(error: string, extra: Record<string, unknown> = {}): ToolResult {
  return { content: { error, ...extra }, isError: true };
}

/**
 * The result that a plugin's answer stands for: text, an object (one with an `error` failed), or
 * `{content: [parts], details?, isError?}`. Undefined for anything else.
 */
export function pluginResult(value: unknown): ToolResult | undefined {
  if (typeof value === "string") return { content: value };
  if (!isRecord(value)) return undefined;
  const { content, details, isError } = value;
  const isWhole = Array.isArray(content) && content.every(isPart) &&
    Object.keys(value).every((key) => RESULT_KEYS.includes(key));
  if (!isWhole) {
    return typeof value.error === "string" && value.error !== ""
      ? { content: value, isError: true }
      : { content: value };
  }
  return {
    content: content as ToolPart[],
    // Whatever it calls itself, it is not one of the kinds that hermes promises.
    ...(details === undefined ? {} : { details: { kind: "data", data: details } }),
    ...(isError === true ? { isError } : {}),
  };
}

/** True for a part of text or of an image, as far as its shape tells. */
export function isPart(value: unknown): value is ToolPart {
  if (!isRecord(value)) return false;
  if (value.type === "text") return typeof value.text === "string";
  return value.type === "image" && typeof value.mediaType === "string" &&
    (typeof value.data === "string" || value.data instanceof Uint8Array);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
