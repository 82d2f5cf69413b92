/** One `hermes run` against a fake model: the shortest way to an end-to-end test. */
import { type FakeModel, type Reply, startFakeModel } from "./fake_model_server.ts";
import { runHermes, type RunOutcome, tempHome } from "./hermes.ts";

export interface Job {
  home: string;
  model: FakeModel;
  /** Runs `hermes run --base-url … ARGS`. */
  run(args: readonly string[], options?: JobOptions): Promise<RunOutcome>;
  /** Runs any other command in the same home. */
  hermes(args: readonly string[], options?: JobOptions): Promise<RunOutcome>;
}

export interface JobOptions {
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  cwd?: string;
  fromSource?: boolean;
}

/** Gives `body` a home and a model with these replies, and cleans both up. */
export async function withJob(
  replies: readonly Reply[] | ((request: { body: unknown }, index: number) => Reply),
  body: (job: Job) => Promise<void>,
): Promise<void> {
  await using home = await tempHome();
  await using model = startFakeModel({ replies });
  await body({
    home: home.path,
    model,
    run: (args, options = {}) =>
      runHermes({
        home: home.path,
        args: ["run", "--base-url", model.url, "--model", "fake-model", ...args],
        ...options,
      }),
    hermes: (args, options = {}) => runHermes({ home: home.path, args, ...options }),
  });
}

/** The JSON events of a `--json` run. */
export function parseEvents(stdout: string): Record<string, unknown>[] {
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The id of the session a run announced on standard error or in its events. */
export function sessionIdOf(outcome: RunOutcome): string {
  const id = /session ([0-9a-z]{26})/.exec(outcome.stderr)?.[1] ??
    /"sessionId":"([0-9a-z]{26})"/.exec(outcome.stdout)?.[1];
  if (id === undefined) throw new Error(`no session id in: ${outcome.stderr}${outcome.stdout}`);
  return id;
}
