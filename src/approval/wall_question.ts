/**
 * Questions about what the walls stop: what may be asked at all, and in which words. Who may answer
 * is the gate's business.
 */
import type { ApprovalContext, ApprovalRequest, WantedGrant } from "../protocol/approval.ts";
import { protectionOf } from "../util/protected_paths.ts";
import { type CommandPolicy, evaluate } from "./decide.ts";

/** What may be asked about something that the walls stop. */
export interface JudgedWall {
  /** Why it is never given, whoever asks. */
  refused?: string;
  /** A yes to it is not remembered. */
  onceOnly: boolean;
}

/** Hardline commands and places that nobody may touch are not offered. */
export function judgeWall({ kind, value }: WantedGrant, policy: CommandPolicy): JudgedWall {
  if (kind === "outside") {
    const { decision, findings } = evaluate(value, policy);
    if (decision === "forbidden") {
      return { refused: findings.map(({ description }) => description).join("; "), onceOnly: true };
    }
    return {
      onceOnly: findings.some(({ once, everyTime }) => once === true || everyTime === true),
    };
  }
  if (kind === "host" || policy.places === undefined) return { onceOnly: false };
  const verdict = protectionOf(value, policy.places);
  const use = verdict?.[kind === "path-write" ? "write" : "read"];
  if (use === "refuse") return { refused: verdict!.description, onceOnly: true };
  return { onceOnly: use === "ask" };
}

const WALL_WORDS: Readonly<Record<WantedGrant["kind"], { what: string; why: string }>> = {
  outside: { what: "", why: "runs outside the sandbox" },
  "path-write": { what: "write to ", why: "changes a place outside the sandbox" },
  "path-read": { what: "read ", why: "reads a place that the sandbox hides" },
  host: { what: "connect to ", why: "reaches a host that the sandbox refuses" },
};

/** The question about something that the walls stop. */
export function wallRequest(
  { kind, value, reason }: WantedGrant,
  { tool }: ApprovalContext,
): Pick<ApprovalRequest, "tool" | "subject" | "rule" | "description"> {
  const { what, why } = WALL_WORDS[kind];
  const said = reason.trim() === "" ? "" : `; the reason given: ${reason.trim()}`;
  return { tool, subject: `${what}${value}`, rule: `sandbox: ${kind}`, description: why + said };
}
