/**
 * The body of `hermes __strip`: makes JavaScript of the TypeScript it is sent, one JSON line for
 * another, with no permission at all. See `../script/type_stripper.ts` for why it is a process.
 */
import { stripTypeScriptTypes } from "node:module";
import { FrameWriter, readFrames } from "./frames.ts";

/** What is sent back. */
export interface StripAnswer {
  code?: string;
  /** Why the source is no TypeScript. */
  error?: string;
}

/** Resolves when standard input ends. */
export async function runStripper(): Promise<void> {
  const stream = {
    read: (buffer: Uint8Array) => Deno.stdin.read(buffer),
    write: (bytes: Uint8Array) => Deno.stdout.write(bytes),
  };
  const writer = new FrameWriter(stream);
  for await (const lines of readFrames(stream)) {
    for (const line of lines) writer.send(answer(JSON.parse(line)));
  }
  await writer.drained();
}

function answer(source: string): StripAnswer {
  try {
    return { code: stripTypeScriptTypes(source) };
  } catch {
    // Enums and namespaces need code of their own; a real syntax error is described better there too.
  }
  try {
    // Declared as "strip" alone by the types of a later Node, which dependencies bring along.
    return { code: stripTypeScriptTypes(source, { mode: "transform" as never }) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

if (import.meta.main) await runStripper();
