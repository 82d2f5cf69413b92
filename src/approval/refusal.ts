/** The words a model reads when an action was refused. All begin with `BLOCKED`. */

export type RefusalKind =
  | "hardline"
  | "policy"
  | "plan"
  | "walls"
  | "nobody"
  | "person"
  | "review"
  | "timeout"
  | "failure";

export interface RefusalDetails {
  /** Why the action was flagged. */
  description: string;
  /** The person's own words. */
  why?: string | undefined;
  /** How many refusals in a row there were; 0 while that is not worth saying. */
  refusals: number;
}

const REASONS: Readonly<Record<RefusalKind, string>> = {
  hardline: "This is never run, whatever the approval mode.",
  policy: "It needs approval, and this run refuses what needs approval.",
  plan: "This session only plans: nothing is changed, and only commands that are known to change " +
    "nothing are run.",
  walls: "It needs a person's yes to exactly this, which no approval mode gives.",
  nobody: "It needs approval, and nobody is here to give it.",
  person: "The user denied it.",
  review: "The automatic review denied it, and nobody is here to overrule that.",
  timeout: "It needs approval, and nobody answered in time.",
  failure: "It needs approval, and asking for it failed.",
};

const PLAN_ADVICE = "Do not look for another way: make it a step of the plan you end with.";
const ADVICE = "Do not retry it and do not rephrase it to get around this; " +
  "go on without it, or say what you need and why.";

export function refusal(kind: RefusalKind, details: RefusalDetails): string {
  const head = kind === "hardline" ? "BLOCKED (hardline)" : "BLOCKED";
  const lines = [`${head}: ${details.description}. ${REASONS[kind]}`];
  if (details.why !== undefined && details.why !== "") lines.push(`Reason given: ${details.why}.`);
  lines.push(kind === "plan" ? PLAN_ADVICE : ADVICE);
  if (kind !== "plan" && details.refusals > 0) {
    lines.push(`That makes ${details.refusals} refusals in a row: stop trying and ask the user.`);
  }
  return lines.join(" ");
}
