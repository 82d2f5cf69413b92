/**
 * The gate in front of every command and declared action: rules, then memory, then policy,
 * then a reviewer or a person. One question at a time; silence means no.
 */
import {
  APPROVAL_ANSWERS,
  type ApprovalContext,
  type ApprovalGate,
  type ApprovalOutcome,
  type ApprovalPolicy,
  type ApprovalRequest,
  type Approver,
} from "../protocol/approval.ts";
import type { HookName } from "../protocol/hook.ts";
import { sha256Hex } from "../util/hash.ts";
import { SeenFiles, SeenVariables } from "./shell/earlier_commands.ts";
import { FifoLock, settleOrAbort } from "./fifo_lock.ts";
import type { CommandPolicy, Evaluation, Finding, Inspection } from "./decide.ts";
import { JudgedBefore } from "./judged_before.ts";
import { refusal, type RefusalKind } from "./refusal.ts";

export interface ApprovalGateOptions {
  sessionId: string;
  policy: ApprovalPolicy;
  /** Asks a person; absent when no person is present. */
  approver?: Approver | undefined;
  rules?: Omit<CommandPolicy, "cwd" | "realCwd" | "takesInput" | "variables" | "files" | "judged">;
  /** Ids of actions that a person approved before; each counts once and is then taken out. */
  once?: Set<string> | undefined;
  /** Waiting for an answer longer than this is a no; default 300 000. */
  timeoutMs?: number;
  /** Stores a rule in `command_allowlist`. */
  remember?(rule: string): Promise<void>;
  smart?: SmartReview;
  notify?(
    name: HookName & ("pre_approval_request" | "post_approval_response"),
    payload: { sessionId: string; [key: string]: unknown },
    turn: AbortSignal,
  ): Promise<void>;
  /** Removes secrets before a subject is shown to anybody. */
  redact?(text: string): string;
  /** Environments whose loss does not hurt this machine; only hardline and deny rules hold there. */
  isIsolated?(environment: string): boolean;
  /** Sub-agents get a yes instead of a no (`delegation.subagent_auto_approve`). */
  approveUnattended?: boolean;
  /** Refusals in a row after which the model is told to stop; default 3. */
  denialLimit?: number;
}

export interface SmartReview {
  /** Asks the auxiliary model. May reject; that escalates. */
  review(prompt: string, signal: AbortSignal): Promise<string>;
  /** `approvals.smart_policy`. */
  operatorRules?: string;
  /** Default 30 000. */
  timeoutMs?: number;
}

/** A question on its way through the gate. */
interface Question {
  request: ApprovalRequest;
  /** What a lasting yes covers; `once` findings are never stored for good. */
  findings: readonly Pick<Finding, "key" | "once">[];
  context: ApprovalContext;
  isCommand: boolean;
  /** Whether a yes given while waiting already covers it. */
  isCovered(): boolean;
}

/** The gate of one session; what was allowed for the session ends with it. */
export function createApprovalGate(options: ApprovalGateOptions): ApprovalGate {
  return new Gate(options);
}

const ISOLATED = new Set(["docker", "singularity", "modal", "daytona"]);
const DEFAULT_TIMEOUT_MS = 300_000;
const REVIEW_TIMEOUT_MS = 30_000;
/** So many that nobody finds two actions of one id. */
const ACTION_ID_CHARS = 24;

class Gate implements ApprovalGate {
  readonly #options: ApprovalGateOptions;
  readonly #questions = new FifoLock();
  /** Rules allowed for this session or for good. */
  readonly #remembered: Set<string>;
  readonly #policy: ApprovalPolicy;
  readonly #variables = new SeenVariables();
  readonly #files = new SeenFiles();
  readonly #judged = new JudgedBefore<Inspection>();
  readonly #once: Set<string>;
  #decide: Promise<typeof import("./decide.ts")> | undefined;
  #denials = 0;

  constructor(options: ApprovalGateOptions) {
    this.#options = options;
    this.#policy = options.policy;
    this.#remembered = new Set(options.rules?.allowlist);
    this.#once = options.once ?? new Set();
  }

  async checkCommand(command: string, context: ApprovalContext): Promise<ApprovalOutcome> {
    // The parser and the rules are loaded with the first command, not with the session; asking
    // for a module again takes a turn of the event loop even when it is there.
    const { evaluate } = await (this.#decide ??= import("./decide.ts"));
    const judge = (): Evaluation =>
      evaluate(command, {
        ...this.#options.rules,
        cwd: context.cwd,
        realCwd: context.realCwd,
        disk: context.environment === "local" ? this.#options.rules?.disk : undefined,
        takesInput: context.takesInput,
        variables: this.#variables.seen,
        files: this.#files,
        allowlist: this.#remembered,
        judged: {
          before: this.#judged,
          versions: { variables: this.#variables.version, files: this.#files.version },
        },
      });
    const evaluation = judge();
    const { decision, findings } = evaluation;
    const description = findings.map((finding) => finding.description).join("; ");
    if (decision === "forbidden") return this.#refuse("hardline", { description, by: "rule" });
    const isIsolated = this.#options.isIsolated ?? ((name) => ISOLATED.has(name));
    if (decision === "allow" || isIsolated(context.environment)) {
      this.#keep(evaluation);
      return { answer: "once", by: decision === "allow" ? "rules" : "isolated environment" };
    }
    const request: ApprovalRequest = {
      tool: context.tool,
      subject: command,
      rule: findings[0]!.key,
      description,
      allowAlways: findings.some((finding) => finding.once !== true),
      ...findings.some(({ everyTime }) => everyTime === true) ? { onceOnly: true } : {},
    };
    const isCovered = () => judge().decision === "allow";
    const outcome = await this.#settle({
      request,
      findings,
      context,
      isCommand: true,
      isCovered,
    });
    if (outcome.answer !== "deny") this.#keep(evaluation);
    return outcome;
  }

  /** What a command that runs leaves to later ones. */
  #keep({ variables, files }: Evaluation): void {
    this.#variables.keep(variables);
    for (const written of files) this.#files.keep(written);
  }

  async checkAction(request: ApprovalRequest, context: ApprovalContext): Promise<ApprovalOutcome> {
    const isCovered = () => this.#remembered.has(request.rule);
    if (isCovered()) return { answer: "once", by: "remembered answer" };
    const findings = [{ key: request.rule, once: !request.allowAlways }];
    return await this.#settle({ request, findings, context, isCommand: false, isCovered });
  }

  async #settle(question: Question): Promise<ApprovalOutcome> {
    const { context, request } = question;
    if (this.#once.size > 0 && this.#once.delete(await this.#idOf(question))) {
      return this.#allow({ answer: "once", by: "your yes to this action" });
    }
    if (this.#policy === "always") return this.#allow({ answer: "once", by: "policy" });
    if (context.unattended === true && this.#options.approveUnattended === true) {
      return this.#allow({ answer: "once", by: "policy" });
    }
    if (this.#policy === "never") {
      // No person is asked; whoever reads the events must see what was wanted.
      context.asked?.(await this.#shownRequest(question));
      return this.#refuse("policy", { ...request, by: "policy" });
    }
    return await this.#questions.run(context.signal, async () => {
      if (question.isCovered()) return this.#allow({ answer: "once", by: "remembered answer" });
      return this.#policy === "smart"
        ? await this.#reviewed(question)
        : await this.#asked(question);
    });
  }

  /** The auxiliary model first; a person when it does not say yes. After its no, a yes holds once. */
  async #reviewed(question: Question): Promise<ApprovalOutcome> {
    const verdict = await this.#review(question);
    if (verdict === "approve") return this.#allow({ answer: "once", by: "smart review" });
    if (verdict === "deny" && !this.#canAsk(question)) {
      return this.#refuse("review", { ...question.request, by: "smart review" });
    }
    return await this.#asked(
      verdict === "deny"
        ? { ...question, request: { ...question.request, allowAlways: false, onceOnly: true } }
        : question,
    );
  }

  async #review({ request, context, isCommand }: Question) {
    const { smart } = this.#options;
    if (smart === undefined) return "escalate";
    const { parseReview, reviewPrompt } = await import("./smart_review.ts");
    const prompt = reviewPrompt({
      subject: this.#shown(request.subject),
      isCommand,
      description: request.description,
      cwd: context.cwd,
      environment: context.environment,
      operatorRules: smart.operatorRules,
    });
    if (prompt === undefined) return "escalate";
    const answer = await settleOrAbort((signal) => smart.review(prompt, signal), {
      signal: context.signal,
      timeoutMs: smart.timeoutMs ?? REVIEW_TIMEOUT_MS,
    });
    return answer.kind === "value" ? parseReview(answer.value) : "escalate";
  }

  #canAsk({ context }: Question): boolean {
    return this.#options.approver !== undefined && context.unattended !== true;
  }

  async #asked(question: Question): Promise<ApprovalOutcome> {
    const { approver } = this.#options;
    const { context } = question;
    const request = await this.#shownRequest(question);
    if (approver === undefined || context.unattended === true) {
      const refused = this.#refuse("nobody", { ...request, by: "nobody present" });
      if (this.#policy !== "ask" || context.unattended === true) return refused;
      // Reported although no person answers: whoever reads the events later must see what was wanted.
      context.asked?.(request);
      return { ...refused, unanswerable: true };
    }
    await this.#notify("pre_approval_request", { request, context });
    context.asked?.(request);
    const settled = await settleOrAbort((signal) => approver.ask(request, signal), {
      signal: context.signal,
      timeoutMs: this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    const isLate = settled.kind === "timeout" ||
      (settled.kind === "value" && settled.value.expired === true);
    const outcome = settled.kind === "value" && !isLate
      ? await this.#accept(settled.value, question)
      : this.#refuse(isLate ? "timeout" : "failure", {
        ...request,
        by: isLate ? "timeout" : "failure",
      });
    await this.#notify("post_approval_response", { request, context, outcome });
    return outcome;
  }

  /** Turns an answer into an outcome and keeps what it allows. */
  async #accept(given: ApprovalOutcome, question: Question): Promise<ApprovalOutcome> {
    // A surface may hand on anything: what is no yes is a no.
    if (given.answer === "deny" || !APPROVAL_ANSWERS.includes(given.answer)) {
      return {
        ...given,
        ...this.#refuse("person", { ...question.request, by: given.by, why: given.reason }),
      };
    }
    const answer = question.request.onceOnly === true ? "once" : given.answer;
    if (answer === "once") return this.#allow({ ...given, answer });
    for (const { key } of question.findings) this.#remembered.add(key);
    if (answer === "session") return this.#allow({ ...given, answer });
    const stored = await this.#store(question);
    return this.#allow({ ...given, answer: stored ? "always" : "session" });
  }

  /** Stores what may be stored; false when nothing could be. */
  async #store({ findings }: Question): Promise<boolean> {
    const { remember } = this.#options;
    const lasting = findings.filter((finding) => finding.once !== true);
    if (remember === undefined || lasting.length === 0) return false;
    try {
      for (const { key } of lasting) await remember(key);
      return true;
    } catch {
      // The yes was given; that it could not be written down makes it last for the session.
      return false;
    }
  }

  #allow(outcome: ApprovalOutcome): ApprovalOutcome {
    this.#denials = 0;
    return outcome;
  }

  #refuse(
    kind: RefusalKind,
    details: { description: string; by: string; why?: string | undefined },
  ): ApprovalOutcome {
    this.#denials++;
    const stop = this.#denials >= (this.#options.denialLimit ?? 3);
    const reason = refusal(kind, { ...details, refusals: stop ? this.#denials : 0 });
    return { answer: "deny", by: details.by, reason };
  }

  /** The request as others may see it, with the id of its action. */
  async #shownRequest(question: Question): Promise<ApprovalRequest> {
    const { request } = question;
    return { ...request, subject: this.#shown(request.subject), id: await this.#idOf(question) };
  }

  /** Of all that was about to happen, and where: the same command elsewhere is another action. */
  async #idOf({ request: { tool, rule, subject }, context }: Question): Promise<string> {
    const { environment, cwd, exact = null } = context;
    const text = JSON.stringify([tool, rule, subject, exact, environment, cwd]);
    return (await sha256Hex(text)).slice(0, ACTION_ID_CHARS);
  }

  #shown(text: string): string {
    return this.#options.redact?.(text) ?? text;
  }

  async #notify(
    name: "pre_approval_request" | "post_approval_response",
    { request, context, outcome }: {
      request: ApprovalRequest;
      context: ApprovalContext;
      outcome?: ApprovalOutcome;
    },
  ): Promise<void> {
    await this.#options.notify?.(name, {
      sessionId: this.#options.sessionId,
      callId: context.callId,
      ...request,
      ...outcome === undefined ? {} : { answer: outcome.answer, by: outcome.by },
    }, context.signal);
  }
}
