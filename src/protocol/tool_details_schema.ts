/** The details and views of results as zod, for the published schema of events. */
import { z } from "../deps/zod.ts";

const todoItem = z.object({
  id: z.string(),
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
});

const processState = z.object({
  id: z.string(),
  command: z.string(),
  running: z.boolean(),
  exitCode: z.number().exactOptional(),
});

const editedFile = z.object({
  path: z.string(),
  change: z.enum(["created", "modified", "deleted", "moved"]),
  added: z.number(),
  removed: z.number(),
});

export const toolDetails = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("command"),
    exitCode: z.number(),
    output: z.string().describe("The beginning and the end of what it printed"),
    timedOut: z.boolean().exactOptional(),
    cwd: z.string().exactOptional().describe("The directory afterwards, when it changed"),
    sandbox: z.string().exactOptional().describe("What the walls stopped or undid"),
    processId: z.string().exactOptional().describe("Set for a background process"),
    approvedBy: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal("script"),
    status: z.enum(["success", "error", "timeout", "interrupted"]),
    output: z.string(),
    errors: z.string(),
    toolCalls: z.number(),
  }),
  z.object({
    kind: z.literal("process"),
    action: z.string(),
    processes: z.array(processState),
    output: z.string(),
  }),
  z.object({
    kind: z.literal("read"),
    path: z.string(),
    firstLine: z.number(),
    lines: z.number(),
    totalLines: z.number().exactOptional(),
    bytes: z.number(),
    preview: z.string(),
    unchanged: z.boolean().exactOptional().describe("The model has it from an earlier call"),
  }),
  z.object({
    kind: z.literal("edit"),
    files: z.array(editedFile),
    diff: z.string().describe("A unified diff; empty where none was made"),
    problems: z.array(z.string()),
  }),
  z.object({
    kind: z.literal("search"),
    target: z.enum(["content", "files"]),
    total: z.number(),
    rows: z.array(z.string()),
  }),
  z.object({ kind: z.literal("todo"), items: z.array(todoItem) }),
  z.object({
    kind: z.literal("answers"),
    answers: z.array(z.object({ question: z.string(), answer: z.string() })),
    answered: z.boolean(),
  }),
  z.object({ kind: z.literal("data"), data: z.unknown().describe("Whatever a plugin says") }),
]);

export const viewBlock = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({
    kind: z.literal("output"),
    text: z.string(),
    isError: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal("diff"), text: z.string() }),
  z.object({
    kind: z.literal("list"),
    items: z.array(z.object({
      text: z.string(),
      state: z.enum(["waiting", "active", "done", "dropped"]).exactOptional(),
    })),
  }),
  z.object({ kind: z.literal("image"), mediaType: z.string(), ref: z.string() }),
]);
