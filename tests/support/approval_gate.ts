/** A gate with a scripted person and a store in memory, for tests of who says yes to what. */
import assert from "node:assert/strict";
import { type ApprovalGateOptions, createApprovalGate } from "../../src/approval/gate.ts";
import type { GrantStore } from "../../src/approval/grant_store.ts";
import {
  APPROVAL_ANSWERS,
  type ApprovalAnswer,
  type ApprovalContext,
  type ApprovalOutcome,
  type ApprovalRequest,
  type Approver,
} from "../../src/protocol/approval.ts";
import type { Grant } from "../../src/protocol/grant.ts";

/** A person who gives prepared answers, by their names or by choices, and remembers the questions. */
export class Person implements Approver {
  readonly questions: ApprovalRequest[] = [];
  readonly #answers: string[];

  constructor(...answers: string[]) {
    this.#answers = answers;
  }

  ask(request: ApprovalRequest): Promise<ApprovalOutcome> {
    this.questions.push(request);
    const given = this.#answers.shift() ?? "deny";
    if (APPROVAL_ANSWERS.includes(given as ApprovalAnswer)) {
      return Promise.resolve({ answer: given as ApprovalAnswer, by: "person" });
    }
    const choice = request.choices?.find(({ id }) => id === given);
    assert.ok(choice, `${given} is not offered for ${request.subject}`);
    return Promise.resolve({ answer: choice.answer, choice: choice.id, by: "person" });
  }
}

/** A store that several gates share. */
export class MemoryGrants implements GrantStore {
  readonly grants: Grant[] = [];

  read(): Promise<readonly Grant[]> {
    return Promise.resolve(this.grants);
  }

  add(grants: readonly Grant[]): Promise<void> {
    this.grants.push(...grants);
    return Promise.resolve();
  }
}

export const NOW = new Date("2026-02-03T04:05:06Z");

/** Somebody who is there and never answers. */
export const SILENT: Approver = { ask: () => new Promise(() => {}) };

export function context(changes: Partial<ApprovalContext> = {}): ApprovalContext {
  return {
    callId: "c1",
    tool: "terminal",
    environment: "local",
    cwd: "/srv/app",
    signal: new AbortController().signal,
    ...changes,
  };
}

export function gateWith(options: Partial<ApprovalGateOptions> = {}) {
  return createApprovalGate({ sessionId: "s", policy: "ask", now: () => NOW, ...options });
}
