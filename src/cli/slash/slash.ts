/** Slash commands of the chat: one table that help and the prompt both read. */
import { usageText } from "../render/progress.ts";
import type { PluginHost } from "../../plugins/plugin_host.ts";
import { APPROVAL_POLICIES, type ApprovalPolicy } from "../../protocol/approval.ts";
import { SANDBOX_MODES, type SandboxMode } from "../../protocol/sandbox.ts";
import type { SessionSpec } from "../../protocol/session_spec.ts";
import type { Session } from "../../session/session.ts";

/** What a command may do to the chat. */
export interface SlashContext {
  readonly session: Session;
  /** Absent when no plugin is wanted. */
  readonly plugins: PluginHost | undefined;
  write(text: string): void;
  /** Replaces the session: closes this one and opens another, new or resumed. */
  reopen(resume?: SessionSpec["resume"]): Promise<void>;
  /** Goes on with another model. */
  setModel(name: string): Promise<void>;
  /** Goes on with another policy for what needs a yes. */
  setApproval(policy: ApprovalPolicy): void;
  /** Goes on with other walls around commands. @throws {UsageError} for a network that is none. */
  setWalls(choice: { sandbox?: SandboxMode; network?: string }): Promise<void>;
  quit(): void;
}

export interface SlashCommand {
  name: string;
  args?: string;
  help: string;
  run(argument: string, context: SlashContext): Promise<void> | void;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: "help",
    help: "Show these commands",
    run: (_, context) => context.write(slashHelp(context.plugins?.commands)),
  },
  {
    name: "new",
    help: "Start a new session",
    run: (_, context) => context.reopen(),
  },
  {
    name: "resume",
    args: "[ID]",
    help: "Go on with another session: an id, a title, or the latest",
    run: (argument, context) => context.reopen({ session: argument || "latest" }),
  },
  {
    name: "model",
    args: "[NAME]",
    help: "Show the model, or go on with another",
    async run(argument, context) {
      if (argument !== "") await context.setModel(argument);
      context.write(`  ${context.session.model}\n`);
    },
  },
  {
    name: "approve",
    args: "[MODE]",
    help: `What happens to what needs a yes: ${APPROVAL_POLICIES.join(", ")}`,
    run(argument, context) {
      const policy = APPROVAL_POLICIES.find((name) => name === argument);
      if (policy !== undefined) context.setApproval(policy);
      else if (argument !== "") {
        context.write(`  No mode ${argument}; there are ${APPROVAL_POLICIES.join(", ")}\n`);
      }
      context.write(`  ${context.session.approvals?.policy ?? "nothing needs a yes here"}\n`);
    },
  },
  {
    name: "sandbox",
    args: "[MODE] [NETWORK]",
    help: `Show or change the walls around commands: ${SANDBOX_MODES.join(", ")}`,
    run: (argument, context) => changeSandbox(argument, context),
  },
  {
    name: "tools",
    help: "List the tools the model has",
    run: (_, context) => context.write(`  ${context.session.toolNames.join(", ")}\n`),
  },
  {
    name: "usage",
    help: "Show tokens and cost of this session",
    run: (_, context) => context.write(`  ${usageText(context.session.usage)}\n`),
  },
  {
    name: "plugins",
    help: "Show what became of the plugins",
    async run(_, context) {
      const { statusLines } = await import("../../plugins/status.ts");
      context.write(`${statusLines(context.plugins?.statuses ?? []).join("\n")}\n`);
    },
  },
  { name: "quit", help: "Leave", run: (_, context) => context.quit() },
];

/** The list that `/help` prints, with the commands plugins bring. */
function slashHelp(
  brought: readonly { name: string; args?: string; description: string }[] = [],
): string {
  const all = [...SLASH_COMMANDS, ...brought.map((one) => ({ ...one, help: one.description }))];
  return all.map(({ name, args, help }) =>
    `  /${`${name} ${args ?? ""}`.trimEnd().padEnd(14)} ${help}\n`
  ).join("");
}

/** `/sandbox read-only`, `/sandbox workspace-write off`, `/sandbox loopback`. */
async function changeSandbox(argument: string, context: SlashContext): Promise<void> {
  const { walls } = context.session;
  if (walls === undefined) {
    context.write("  This session runs no commands\n");
    return;
  }
  const words = argument.split(/\s+/).filter((word) => word !== "");
  const isElsewhere = walls.wallName !== "off" && walls.wallName !== walls.sandbox;
  if (words.length > 0 && !isElsewhere) {
    const choice = readSandbox(words, walls.sandbox);
    if (typeof choice === "string") {
      context.write(`  ${choice}\n`);
      return;
    }
    await context.setWalls(choice);
    if (choice.sandbox !== undefined && choice.sandbox !== walls.sandbox) {
      context.write(`  /approve ${context.session.approvals?.policy} keeps the sandbox as it is\n`);
    }
  }
  context.write(`  ${sandboxLine(walls)}\n`);
}

const NETWORKS = ["on", "off", "loopback"];

/** The chosen mode and network, or an error. A word that is no mode is about the network. */
function readSandbox(
  words: readonly string[],
  now: SandboxMode,
): { sandbox?: SandboxMode; network?: string } | string {
  const sandbox = SANDBOX_MODES.find((mode) => mode === words[0]);
  const [network, ...more] = sandbox === undefined ? words : words.slice(1);
  const isNetwork = network === undefined || NETWORKS.includes(network) || /[.:,]/.test(network);
  if (!isNetwork || more.length > 0) {
    const wrong = more[0] ?? network;
    return `${wrong} means nothing here: say ${SANDBOX_MODES.join(", ")}, ` +
      `and then ${NETWORKS.join(", ")} or hosts like example.com`;
  }
  if ((sandbox ?? now) === "off" && network !== undefined && network !== "on") {
    return `Without walls nothing keeps a command from the network: /sandbox workspace-write ${network}`;
  }
  return {
    ...sandbox === undefined ? {} : { sandbox },
    ...network === undefined ? {} : { network },
  };
}

/** The walls around commands from the next command on. */
function sandboxLine({ sandbox, wallName, network }: NonNullable<Session["walls"]>): string {
  if (wallName !== sandbox) {
    return wallName === "off"
      ? `${sandbox} for file tools; no walls around commands on this system`
      : `commands run in ${wallName}: the place itself is the wall`;
  }
  if (sandbox === "off") return "off: commands may do whatever you may";
  return `${sandbox}, network ${network || (sandbox === "read-only" ? "off" : "on")}`;
}
