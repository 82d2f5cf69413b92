/** The doctor's look at models: which one answers, whether it can be reached, which keys are set. */
import type { Settings } from "../../../config/load.ts";
import { chooseEndpoint } from "../../../providers/choose.ts";
import { listModels } from "../../../providers/endpoint.ts";
import { reasonOf } from "../../../util/reason.ts";
import type { Finding } from "./finding.ts";
import { providerKeys, type Selection, selectModel } from "../model/selection.ts";

const REACH_MS = 3000;
const LOCAL_MS = 300;
const LOCAL_SERVERS = ["ollama", "lmstudio"];

export async function checkModel(settings: Settings): Promise<Finding[]> {
  const selection = await selectModel(settings);
  return [
    await describeSelection(selection),
    ...(selection.leftOut ?? []).map((detail): Finding => ({
      name: "model",
      status: "warn",
      detail,
      fix: "Correct fallback_providers: hermes config edit",
    })),
    describeKeys(settings),
    ...await localServers(settings),
  ];
}

async function describeSelection(selection: Selection): Promise<Finding> {
  const name = "model";
  if (selection.problem !== undefined) {
    return {
      name,
      status: "fail",
      detail: selection.problem,
      fix: "Choose one: hermes model NAME",
    };
  }
  if (selection.source === "offline") {
    return {
      name,
      status: "warn",
      detail: `the embedded offline model answers: ${selection.because}`,
      fix: "Set a key: hermes config set OPENROUTER_API_KEY -",
    };
  }
  const detail = `${selection.model} at ${selection.provider}, ${selection.because}`;
  const failure = await unreachable(selection.baseUrl!);
  if (failure === undefined) return { name, status: "ok", detail };
  return {
    name,
    status: "fail",
    detail: `${detail}; ${selection.baseUrl} does not answer: ${failure}`,
    fix: "Start the server or check the network, or choose another: hermes model NAME",
  };
}

/** Any answer will do: this asks for reach, not for rights. No key is sent. */
async function unreachable(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(REACH_MS),
    });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    if (error instanceof DOMException) return `no answer in ${REACH_MS / 1000} s`;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return reasonOf(cause);
  }
}

function describeKeys(settings: Settings): Finding {
  const set = providerKeys(settings).flatMap((provider) => provider.set ?? []);
  return {
    name: "keys",
    status: set.length === 0 ? "note" : "ok",
    detail: set.length === 0 ? "none is set" : `${set.join(", ")} set`,
  };
}

async function localServers(settings: Settings): Promise<Finding[]> {
  const context = { env: settings.env, named: {} };
  return await Promise.all(LOCAL_SERVERS.map(async (name): Promise<Finding> => {
    const { baseUrl } = chooseEndpoint({ provider: name }, context)!;
    const models = await listModels(baseUrl, { fetch, timeoutMs: LOCAL_MS });
    return Array.isArray(models)
      ? { name, status: "ok", detail: `${models.length} models at ${baseUrl}` }
      : { name, status: "note", detail: `not running at ${baseUrl}` };
  }));
}
