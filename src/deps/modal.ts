/**
 * Lazy door to npm `modal`. The SDK looks for its address and profile in the process environment
 * and in `~/.modal.toml`; here everything comes from the caller, and nothing is logged.
 */
import { Channel } from "npm:@grpc/grpc-js@1.14.7";
import { ModalClient, type ModalClientParams, NotFoundError, type Profile } from "npm:modal@0.11.1";

export type { ContainerProcess, Image, ModalClient, Sandbox } from "npm:modal@0.11.1";

export interface ModalAccess {
  tokenId: string;
  tokenSecret: string;
  serverUrl: string;
  /** Of Modal, inside a workspace; default the workspace's own. */
  environment: string | undefined;
}

/** The part of the client that the SDK keeps to itself. */
interface ClientInternals {
  createClient(profile: Profile): unknown;
}

const Base = ModalClient as unknown as new (params: ModalClientParams) => ClientInternals;
type Middleware = NonNullable<ModalClientParams["grpcMiddleware"]>[number];

/** Connects to nothing yet. `close` ends the connection, which the SDK's own does not. */
export function createModalClient(access: ModalAccess): { client: ModalClient; close(): void } {
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
  let channel: Channel | undefined;
  const client = new Client({
    tokenId,
    tokenSecret,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    grpcMiddleware: [watchChannel((found) => channel = found)],
  }) as unknown as ModalClient;
  return {
    client,
    close() {
      client.close();
      channel?.close();
    },
  };
}

/** Finds the channel of a client, which only the calls on it know. */
function watchChannel(onChannel: (channel: Channel) => void): Middleware {
  let known = false;
  return async function* (call, options) {
    const answer = call.next(call.request, options);
    if (known || call.responseStream) return yield* answer;
    const { createCall } = Channel.prototype;
    Channel.prototype.createCall = function (...args) {
      known = true;
      onChannel(this);
      return createCall.apply(this, args);
    };
    let first;
    try {
      first = answer.next();
    } finally {
      // The call has begun: nobody else could have come in between.
      Channel.prototype.createCall = createCall;
    }
    return (await first).value;
  };
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
