/**
 * Questions about what the walls stop: what may be asked at all, with which answers and in which
 * words. Who may answer is the gate's business.
 */
import type { ApprovalChoice, ApprovalRequest, WantedGrant } from "../protocol/approval.ts";
import { isWithin } from "../util/path.ts";
import { isTrustedBase, type ProtectedPlaces, protectionOf } from "../util/protected_paths.ts";
import { type CommandPolicy, evaluate } from "./decide.ts";
import { summaryOf } from "./gate_question.ts";
import { type Keeping, wallChoices } from "./grant_choices.ts";

export interface WallPlace extends Keeping {
  /** How commands of the call are judged. */
  policy: CommandPolicy;
  tool: string;
  project: string;
}

/** The question, or why it is not asked at all. */
export function wallQuestion(
  wanted: WantedGrant,
  place: WallPlace,
): { request: ApprovalRequest; choices: ApprovalChoice[] } | { refused: string } {
  const judged = judgeWall(wanted, place.policy);
  if ("refused" in judged) return judged;
  const choices = wallChoices(wanted, { ...place, ...judged });
  const { what, why } = WALL_WORDS[wanted.kind];
  const { tool } = place;
  const reason = wanted.reason.trim();
  const description = reason === "" ? why : `${why}; the reason given: ${reason}`;
  const about = { subject: `${what}${wanted.value}`, rule: `sandbox: ${wanted.kind}`, description };
  return { request: { tool, ...about, ...summaryOf(choices) }, choices };
}

/** Refuses hardline commands, and places that no yes may open. */
function judgeWall(
  { kind, value }: WantedGrant,
  policy: CommandPolicy,
): { onceOnly: boolean } | { refused: string } {
  if (kind === "outside") {
    const { decision, findings } = evaluate(value, policy);
    if (decision === "forbidden") {
      return { refused: findings.map(({ description }) => description).join("; ") };
    }
    return {
      onceOnly: findings.some(({ once, everyTime }) => once === true || everyTime === true),
    };
  }
  if (kind === "host" || policy.places === undefined) return { onceOnly: false };
  return judgePath(value, { places: policy.places, isWrite: kind === "path-write" });
}

/** Paths that belong to hermes, or hold a whole home, stay behind the walls. */
function judgePath(
  path: string,
  { places, isWrite }: { places: ProtectedPlaces; isWrite: boolean },
): { onceOnly: boolean } | { refused: string } {
  const { homes, hermesHomes, trustedBase, secrets = [] } = places;
  if (isTrustedBase(path, places) || secrets.includes(path)) {
    return { refused: `${path} belongs to hermes` };
  }
  const held = [...homes, ...hermesHomes, ...trustedBase, ...secrets];
  if (held.some((place) => isWithin(place, path))) {
    return { refused: `${path} is wider than what a yes can cover` };
  }
  const isProtected = isWrite && (protectionOf(path, places)?.write ?? "free") !== "free";
  return { onceOnly: isProtected };
}

const WALL_WORDS: Readonly<Record<WantedGrant["kind"], { what: string; why: string }>> = {
  outside: { what: "", why: "runs outside the sandbox" },
  "path-write": { what: "write to ", why: "changes a place outside the sandbox" },
  "path-read": { what: "read ", why: "reads a place that the sandbox hides" },
  host: { what: "connect to ", why: "reaches a host that the sandbox refuses" },
};
