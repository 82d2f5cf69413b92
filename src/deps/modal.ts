/**
 * Lazy import of npm `modal`. The SDK looks for its address and profile in the process environment
 * and in `~/.modal.toml`; here everything comes from the caller, and nothing is logged.
 */
import { ModalClient, type ModalClientParams, NotFoundError, type Profile } from "npm:modal@0.11.1";

interface ModalAccess {
  tokenId: string;
  tokenSecret: string;
  serverUrl: string;
  environment: string | undefined;
}

/** The part of the client that the SDK keeps to itself. */
interface ClientInternals {
  createClient(profile: Profile): unknown;
}

const Base = ModalClient as unknown as new (params: ModalClientParams) => ClientInternals;

/** One for each account: the SDK has no way to close a connection, so all sessions share it. */
const clients = new Map<string, ModalClient>();

/** Connects to nothing yet. */
export function modalClient(access: ModalAccess): ModalClient {
  const key = JSON.stringify(access);
  const client = clients.get(key) ?? createClient(access);
  clients.set(key, client);
  return client;
}

function createClient(access: ModalAccess): ModalClient {
  const { tokenId, tokenSecret, serverUrl, environment } = access;
  class Client extends Base {
    override createClient(profile: Profile): unknown {
      Object.assign(profile, {
        serverUrl,
        environment,
        imageBuilderVersion: undefined,
        sandboxV2: true,
      });
      return super.createClient(profile);
    }
  }
  return new Client({
    tokenId,
    tokenSecret,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  }) as unknown as ModalClient;
}

/** True when the server does not know the credentials, or does not let them do this. */
export function isModalRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === UNAUTHENTICATED || code === PERMISSION_DENIED;
}

/** True when the server does not know what the call is about. */
export function isModalMissing(error: unknown): boolean {
  return error instanceof NotFoundError || (error as { code?: unknown }).code === NOT_FOUND;
}

/** Status codes of gRPC. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
