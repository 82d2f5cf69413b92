/**
 * What attempts reach for: a home with secrets, a workspace, a directory elsewhere, listeners,
 * processes and terminals outside the walls. Made fresh for every run, and all of it goes.
 */
import { exists } from "../../src/util/exists.ts";
import { dirname } from "../../src/util/path.ts";
import type { EscapeRow, NetworkRow } from "./_escape_row.ts";
import { makeHome, secretText } from "./_home.ts";
import { Listeners } from "./_listeners.ts";
import type { Machine } from "./_machine.ts";
import { asUser, NOBODY, plainRun, type WallsUser } from "./_sandbox_run.ts";
import { contentOf, describe } from "./_snapshot.ts";
import { startVictim, type Victim } from "./_victim.ts";

export type AnyRow = EscapeRow | NetworkRow;

export interface WorldOptions {
  machine: Machine;
  user: WallsUser;
  rows: readonly AnyRow[];
  /** The compiled `escape.c`. */
  helper: string;
}

export class World {
  readonly token: string = crypto.randomUUID().slice(0, 12);
  readonly base: string;
  readonly listeners: Listeners = new Listeners();
  readonly #options: WorldOptions;
  readonly #victims: Map<string, Victim> = new Map();
  readonly #before: Map<string, string> = new Map();
  readonly #variables: Map<string, string> = new Map();

  constructor(options: WorldOptions) {
    this.#options = options;
    this.base = `${options.machine.directory}/${this.token}`;
  }

  get home(): string {
    return `${this.base}/home`;
  }
  get workspace(): string {
    return `${this.home}/project`;
  }
  get outside(): string {
    return `${this.base}/outside`;
  }
  get #otherHome(): string {
    return `/home/walls-${this.token}`;
  }
  get #runDirectory(): string {
    return `/run/walls-${this.token}`;
  }
  get #otherSession(): string {
    return `/tmp/hermes-env-${Deno.pid}-${this.token}`;
  }

  static async create(options: WorldOptions): Promise<World> {
    const world = new World(options);
    try {
      await world.#makeFiles();
      await world.#listen();
      await world.#startVictims();
      await world.#remember();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** What hermes gets beyond the usual: things that lead to more, if they leaked. */
  get env(): Record<string, string> {
    return {
      ...this.#options.machine.env(this.#options.user),
      XDG_RUNTIME_DIR: `${this.base}/xdg`,
      SSH_AUTH_SOCK: `${this.base}/agent/agent.1`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${this.base}/xdg/bus`,
      HERMES_API_KEY: secretText("hermes-key", this.token),
    };
  }

  /** The variables of one row, in addition to those of all rows. */
  variablesOf(row: AnyRow): Record<string, string> {
    const victim = this.#victims.get(row.id);
    return {
      ...Object.fromEntries(this.#variables),
      ID: row.id,
      T: `${this.outside}/${row.id}`,
      W: `${this.workspace}/${row.id}`,
      ...victim?.variables ?? {},
    };
  }

  /** True when the effect of the row has happened. */
  async happened(row: AnyRow, output: string): Promise<boolean> {
    const { effect } = row;
    if (effect === "says") return /^GAINED$/m.test(output);
    if ("printed" in effect) return output.includes(secretText(effect.printed, this.token));
    if ("contact" in effect) return this.listeners.heard(effect.contact, row.id);
    if ("holds" in effect) {
      return (await contentOf(this.#expand(row, effect.holds))).includes(effect.text);
    }
    if ("changed" in effect || "rewritten" in effect) {
      return await this.#look(row) !== this.#before.get(row.id);
    }
    const victim = this.#victims.get(row.id)!;
    return await victim.shows("victim" in effect ? effect.victim : effect.terminal);
  }

  /** A path of a table with its variables replaced. */
  #expand(row: AnyRow, path: string): string {
    const variables = this.variablesOf(row);
    return path.replace(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? "");
  }

  async #makeFiles(): Promise<void> {
    const { machine, user, rows, helper } = this.#options;
    await makeHome(this.home, this.token);
    await Deno.mkdir(this.outside);
    await Deno.mkdir(this.#otherSession);
    const secret = secretText("other-session", this.token);
    await Deno.writeTextFile(`${this.#otherSession}/secret.txt`, secret);
    for (const { id } of rows) {
      await Deno.mkdir(`${this.workspace}/${id}`, { recursive: true });
      await Deno.mkdir(`${this.outside}/${id}/empty`, { recursive: true });
      await Deno.writeTextFile(`${this.outside}/${id}/keep.txt`, "untouched\n");
    }
    const git =
      "git init -q . && rm -f .git/hooks/* && git config user.name a && git config user.email a@b.c && " +
      "printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && " +
      "cp .git/hooks/pre-commit .git/hooks/pre-push && " +
      "echo '{}' > package.json && mkdir .vscode && echo '{}' > .vscode/tasks.json && " +
      "git add package.json && git commit -qm first";
    await plainRun(["sh", "-c", git], {
      cwd: this.workspace,
      env: { PATH: machine.path, HOME: this.home },
    });
    if (machine.isRoot) {
      for (const directory of [this.#otherHome, this.#runDirectory]) await Deno.mkdir(directory);
      const other = secretText("other-home", this.token);
      await Deno.writeTextFile(`${this.#otherHome}/secret.txt`, other);
      await Deno.copyFile(helper, `${this.base}/suid`);
      await Deno.chmod(`${this.base}/suid`, 0o4755);
    }
    if (user === "nobody") {
      await plainRun(
        ["chown", "-R", `${NOBODY}:${NOBODY}`, this.home, this.outside, this.#otherSession],
        { env: { PATH: machine.path } },
      );
    }
  }

  async #listen(): Promise<void> {
    const { base, home, token, listeners } = this;
    const tmp = `/tmp/walls-${token}.sock`;
    const paths: Record<string, string> = {
      home: `${home}/agent.sock`,
      gpg: `${home}/.gnupg/S.gpg-agent`,
      agent: `${base}/agent/agent.1`,
      bus: `${base}/xdg/bus`,
      tmp,
      elsewhere: `${this.outside}/listener.sock`,
      ...this.#options.machine.isRoot ? { run: `${this.#runDirectory}/docker.sock` } : {},
    };
    for (const [name, path] of Object.entries(paths)) {
      await Deno.mkdir(dirname(path), { recursive: true });
      await listeners.unix(name, path);
    }
    listeners.abstract("abstract", `walls-${token}`);
    const { machine, user, helper } = this.#options;
    const variables: Record<string, string> = {
      HOME: home,
      WS: this.workspace,
      OUT: this.outside,
      TOKEN: token,
      E: helper,
      SUID: `${base}/suid`,
      OTHER_HOME: this.#otherHome,
      OTHER_SESSION: this.#otherSession,
      AGENT: paths.agent!,
      XDG: `${base}/xdg`,
      RUN: this.#runDirectory,
      TMP_SOCKET: tmp,
      ABSTRACT: `walls-${token}`,
      PATH: machine.env(user).PATH!,
      TCP4: `${listeners.tcp("tcp4", "127.0.0.1")}`,
      TCP6: `${listeners.tcp("tcp6", "::1")}`,
      UDP4: `${await listeners.udp("udp4", "127.0.0.1")}`,
      UDP6: `${await listeners.udp("udp6", "::1")}`,
    };
    if (machine.otherAddress !== undefined) {
      variables.OTHER = machine.otherAddress;
      variables.TCP_OTHER = `${listeners.tcp("other", machine.otherAddress)}`;
      variables.UDP_OTHER = `${await listeners.udp("udp-other", machine.otherAddress)}`;
    }
    for (const [name, value] of Object.entries(variables)) this.#variables.set(name, value);
  }

  async #startVictims(): Promise<void> {
    const { user, helper, rows } = this.#options;
    const wanting = rows.filter(({ attempt, effect }) =>
      /\$(?:VICTIM|TTY)\b/.test(attempt) || effect !== "says" && "victim" in effect
    );
    await Promise.all(wanting.map(async (row) => {
      const directory = `${this.base}/victims/${row.id}`;
      await Deno.mkdir(directory, { recursive: true });
      if (user === "nobody") await Deno.chown(directory, NOBODY, NOBODY);
      const victim = await startVictim({
        kind: row.attempt.includes("$TTY") ? "terminal" : "victim",
        argv: [...asUser(user), helper],
        directory,
        home: this.home,
        heldFile: `${this.outside}/${row.id}/keep.txt`,
        token: this.token,
      });
      this.#victims.set(row.id, victim);
    }));
  }

  async #remember(): Promise<void> {
    for (const row of this.#options.rows) this.#before.set(row.id, await this.#look(row));
  }

  /** How the place looks that the row would change; empty where there is none. */
  async #look(row: AnyRow): Promise<string> {
    const place = changedPlace(row);
    if (place === undefined) return "";
    const times = row.effect !== "says" && "changed" in row.effect;
    return await describe(this.#expand(row, place), { times });
  }

  async close(): Promise<void> {
    for (const victim of this.#victims.values()) await victim.close();
    await this.listeners.close();
    const { machine, rows } = this.#options;
    // Attempts without walls have mounted and written for real.
    for (const { id } of rows.filter((row) => row.id.startsWith("mount"))) {
      for (const path of [`${this.outside}/${id}`, `${this.workspace}/${id}`]) {
        await unmount(path, machine);
      }
    }
    const made = rows.filter(({ id }) => this.#before.get(id) === "")
      .map((row) => this.#expand(row, changedPlace(row) ?? ""))
      .filter((path) => path.includes(this.token));
    const all = [this.base, this.#otherHome, this.#runDirectory, this.#otherSession, ...made];
    for (const path of all) {
      if (await exists(path)) await Deno.remove(path, { recursive: true });
    }
  }
}

/** The place that shows the effect of the row, with variables in it. */
function changedPlace({ effect }: AnyRow): string | undefined {
  if (effect === "says") return undefined;
  if ("changed" in effect) return effect.changed;
  return "rewritten" in effect ? effect.rewritten : undefined;
}

async function unmount(path: string, machine: Machine): Promise<void> {
  try {
    await plainRun(["umount", "-l", path], { env: { PATH: machine.path } });
  } catch {
    // Nothing was mounted, as it should be behind the walls.
  }
}
