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
  type EffectfulCall,
  type WantedGrant,
} from "../protocol/approval.ts";
import type { HookName } from "../protocol/hook.ts";
import { sha256Hex } from "../util/hash.ts";
import { allowsRule } from "./allowlist.ts";
import { FifoLock, settleOrAbort } from "./fifo_lock.ts";
import type { Finding } from "./decide.ts";
import { CommandJudge, type JudgeOptions } from "./command_judge.ts";
import { commandCase } from "./command_case.ts";
import {
  actionId,
  chosen,
  type GateQuestion,
  onlyOnce,
  shownRequest,
  summaryOf,
} from "./gate_question.ts";
import { GrantMemory, type GrantMemoryOptions } from "./grant_memory.ts";
import { actionChoices, commandChoices } from "./grant_choices.ts";
import { coversAction, coversCommand, coversWall } from "./grants.ts";
import { effectFinding } from "./trust.ts";
import { refusal, type RefusalKind } from "./refusal.ts";
import type { SmartReview } from "./smart_review.ts";

export interface ApprovalGateOptions extends GrantMemoryOptions, JudgeOptions {
  sessionId: string;
  policy: ApprovalPolicy;
  /** Asks a person; absent when no person is present. */
  approver?: Approver | undefined;
  /** Ids of actions that a person approved before; each counts once and is then taken out. */
  once?: Set<string> | undefined;
  /** Waiting for an answer longer than this is a no; default 300 000. */
  timeoutMs?: number;
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

/** The gate of one session, whose policy may change while it runs. */
export interface SessionGate extends ApprovalGate {
  policy: ApprovalPolicy;
}

/** The gate of one session; what was allowed for the session ends with it. */
export function createApprovalGate(options: ApprovalGateOptions): SessionGate {
  return new Gate(options);
}

const ISOLATED = new Set(["docker", "singularity", "modal", "daytona"]);
const DEFAULT_TIMEOUT_MS = 300_000;
const UNKNOWN = "the command is not known to change nothing";

class Gate implements SessionGate {
  policy: ApprovalPolicy;
  readonly #options: ApprovalGateOptions;
  readonly #questions = new FifoLock();
  readonly #memory: GrantMemory;
  readonly #judge: CommandJudge;
  readonly #once: Set<string>;
  #denials = 0;

  constructor(options: ApprovalGateOptions) {
    this.#options = options;
    this.policy = options.policy;
    this.#memory = new GrantMemory(options);
    this.#once = options.once ?? new Set();
    this.#judge = new CommandJudge(options);
  }

  get judgesEffects(): boolean {
    return this.policy === "ask-all" || this.policy === "plan";
  }

  async checkCommand(command: string, context: ApprovalContext): Promise<ApprovalOutcome> {
    const { judge, by } = await this.#judge.placed(command, context);
    const evaluation = judge();
    const { decision } = evaluation;
    if (decision === "forbidden") {
      return this.#refuse("hardline", { description: reasons(evaluation.findings), by: "rule" });
    }
    if (this.policy === "plan") {
      const { changesNothing } = await import("./read_only.ts");
      if (!changesNothing(command, this.#judge.policy(context))) return this.#onlyPlans(UNKNOWN);
    }
    const isAskAll = this.policy === "ask-all";
    const isIsolated = this.#options.isIsolated ?? ((name) => ISOLATED.has(name));
    if (!isAskAll && (decision === "allow" || isIsolated(context.environment))) {
      this.#judge.keep(evaluation);
      return { answer: "once", by: decision === "allow" ? by : "isolated environment" };
    }
    const project = this.#memory.projectOf(context);
    const about = { context, project: project.name, policy: this.#options.rules ?? {}, isAskAll };
    const caseOf = (findings: readonly Finding[]) => commandCase(command, { findings, ...about });
    const isCovered = async () => {
      const { decision, findings } = judge();
      if (decision === "allow" && !isAskAll) return true;
      return coversCommand(await this.#memory.grants(), caseOf(findings));
    };
    if (await isCovered()) {
      this.#judge.keep(evaluation);
      return this.#allow({ answer: "once", by: "remembered answer" });
    }
    const wanted = caseOf(evaluation.findings);
    const choices = commandChoices(wanted, {
      canStore: this.#memory.canStore(project),
      isSecret: this.#isSecret(command),
    });
    const request: ApprovalRequest = {
      tool: context.tool,
      subject: command,
      rule: wanted.findings[0]!.key,
      description: reasons(wanted.findings),
      ...summaryOf(choices),
    };
    const question = { request, choices, context, isCommand: true, isCovered };
    const outcome = await this.#settle(question);
    if (outcome.answer !== "deny") this.#judge.keep(evaluation);
    return outcome;
  }

  async checkAction(request: ApprovalRequest, context: ApprovalContext): Promise<ApprovalOutcome> {
    return await this.#action(request, context, { wholeRule: true });
  }

  async #action(
    request: ApprovalRequest,
    context: ApprovalContext,
    { wholeRule }: { wholeRule: boolean },
  ): Promise<ApprovalOutcome> {
    const project = this.#memory.projectOf(context);
    const { subject, tool, rule, onceOnly } = request;
    const { exact } = context;
    const digest = exact === undefined ? undefined : await sha256Hex(exact);
    const wanted = { subject, tool, rule, project: project.name, digest };
    const allowlist = [...this.#options.rules?.allowlist ?? []];
    const isCovered = async () =>
      onceOnly !== true &&
      (allowsRule(allowlist, { key: rule }) || coversAction(await this.#memory.grants(), wanted));
    if (await isCovered()) return this.#allow({ answer: "once", by: "remembered answer" });
    const choices = actionChoices(request, {
      wanted,
      wholeRule,
      canStore: this.#memory.canStore(project),
      isSecret: this.#isSecret(subject),
    });
    const asked = { ...request, ...summaryOf(choices) };
    return await this.#settle({ request: asked, choices, context, isCommand: false, isCovered });
  }

  async checkEffects(call: EffectfulCall, context: ApprovalContext): Promise<ApprovalOutcome> {
    const description = this.judgesEffects ? effectFinding(call.effects) : undefined;
    if (description === undefined) return { answer: "once", by: "rules" };
    const { tool } = context;
    if (this.policy === "plan") return this.#onlyPlans(`${tool} ${description}`);
    const asked = { tool, subject: call.subject, rule: "ask-all", description, allowAlways: false };
    return await this.#action(asked, context, { wholeRule: false });
  }

  async checkGrant(wanted: WantedGrant, context: ApprovalContext): Promise<ApprovalOutcome> {
    const isChange = wanted.kind === "outside" || wanted.kind === "path-write";
    if (this.policy === "plan" && isChange) return this.#onlyPlans(UNKNOWN);
    const { wallQuestion } = await import("./wall_question.ts");
    const place = this.#memory.projectOf(context);
    const project = place.name;
    const asked = wallQuestion(wanted, {
      policy: this.#judge.policy(context),
      tool: context.tool,
      project,
      canStore: this.#memory.canStore(place),
      isSecret: this.#isSecret(wanted.value),
    });
    if ("refused" in asked) {
      return this.#refuse("hardline", { description: asked.refused, by: "rule" });
    }
    const { request, choices } = asked;
    const isCovered = async () =>
      request.onceOnly !== true && coversWall(await this.#memory.grants(), { ...wanted, project });
    if (await isCovered()) return this.#allow({ answer: "once", by: "remembered answer" });
    const question = { request, choices, context, isCommand: false, isCovered };
    return await this.#settle({ ...question, personOnly: true });
  }

  async #settle(question: GateQuestion): Promise<ApprovalOutcome> {
    const { context, request, personOnly = false } = question;
    if (this.#once.size > 0 && this.#once.delete(await actionId(question))) {
      return this.#allow({ answer: "once", by: "your yes to this action" });
    }
    const { approveUnattended = false } = this.#options;
    const isTrusted = context.unattended === true && approveUnattended;
    if (!personOnly && (this.policy === "always" || isTrusted)) {
      return this.#allow({ answer: "once", by: "policy" });
    }
    if (this.#refusesUnasked(question)) {
      // No person is asked; whoever reads the events must see what was wanted.
      context.asked?.(await this.#shownRequest(question));
      return this.#refuse(personOnly ? "walls" : "policy", { ...request, by: "policy" });
    }
    return await this.#questions.run(context.signal, async () => {
      if (await question.isCovered()) {
        return this.#allow({ answer: "once", by: "remembered answer" });
      }
      return this.policy === "smart" && !personOnly
        ? await this.#reviewed(question)
        : await this.#asked(question);
    });
  }

  /** True when the policy says no before a person is asked. */
  #refusesUnasked(question: GateQuestion): boolean {
    const { policy } = this;
    if (policy === "never") return true;
    if (this.#canAsk(question)) return question.personOnly === true && policy === "plan";
    return policy === "plan" || (question.personOnly === true && !this.#waits);
  }

  /** True where a question that no person can answer ends the run. */
  get #waits(): boolean {
    return this.policy === "ask" || this.policy === "ask-all";
  }

  /** The auxiliary model first; a person when it does not say yes. After its no, a yes holds once. */
  async #reviewed(question: GateQuestion): Promise<ApprovalOutcome> {
    const verdict = await this.#review(question);
    if (verdict === "approve") return this.#allow({ answer: "once", by: "smart review" });
    if (verdict === "deny" && !this.#canAsk(question)) {
      return this.#refuse("review", { ...question.request, by: "smart review" });
    }
    return await this.#asked(verdict === "deny" ? onlyOnce(question) : question);
  }

  async #review({ request, context, isCommand }: GateQuestion) {
    const { smart } = this.#options;
    if (smart === undefined) return "escalate";
    const { reviewAction } = await import("./smart_review.ts");
    const { cwd, environment, signal } = context;
    const { description } = request;
    const subject = this.#shown(request.subject);
    const about = { subject, isCommand, description, cwd, environment, signal };
    return await reviewAction(smart, about);
  }

  #canAsk({ context }: GateQuestion): boolean {
    return this.#options.approver !== undefined && context.unattended !== true;
  }

  async #asked(question: GateQuestion): Promise<ApprovalOutcome> {
    const { approver } = this.#options;
    const { context } = question;
    const request = await this.#shownRequest(question);
    if (approver === undefined || context.unattended === true) {
      const refused = this.#refuse("nobody", { ...request, by: "nobody present" });
      if (!this.#waits || context.unattended === true) return refused;
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

  /** Turns an answer into an outcome and keeps the grants of its choice, and no more. */
  async #accept(given: ApprovalOutcome, question: GateQuestion): Promise<ApprovalOutcome> {
    // A surface may hand on anything: an answer that is no offered yes counts as a no.
    const choice = APPROVAL_ANSWERS.includes(given.answer)
      ? chosen(question.choices, given)
      : undefined;
    if (choice === undefined) {
      return {
        ...given,
        ...this.#refuse("person", { ...question.request, by: given.by, why: given.reason }),
      };
    }
    if (choice.grants.length === 0) return this.#allow({ ...given, answer: "once" });
    const isStored = await this.#memory.keep(choice.grants);
    return this.#allow({ ...given, choice: choice.id, answer: isStored ? "always" : "session" });
  }

  #onlyPlans(description: string): ApprovalOutcome {
    return this.#refuse("plan", { description, by: "plan mode" });
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
  #shownRequest(question: GateQuestion): Promise<ApprovalRequest> {
    return shownRequest(question, (text) => this.#shown(text));
  }

  #isSecret(text: string): boolean {
    return this.#shown(text) !== text;
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
    const { choices: _, ...told } = request;
    await this.#options.notify?.(name, {
      sessionId: this.#options.sessionId,
      callId: context.callId,
      ...told,
      ...outcome === undefined ? {} : answerOf(outcome),
    }, context.signal);
  }
}

function answerOf({ answer, by, choice }: ApprovalOutcome) {
  return { answer, by, ...(choice === undefined ? {} : { choice }) };
}

function reasons(findings: readonly Finding[]): string {
  return findings.map(({ description }) => description).join("; ");
}
