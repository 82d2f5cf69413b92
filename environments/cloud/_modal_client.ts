/**
 * The part of Modal's client that hermes uses, under the client's own names. The client of the SDK
 * is one (`src/deps/modal.ts`), and the type checker holds it to this; tests bring another.
 */

export interface ModalApp {
  readonly appId: string;
}

export interface ModalImage {
  readonly imageId: string;
}

/** A process in a sandbox. Every call rejects when the connection or the sandbox is lost. */
export interface ModalProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Overtakes what is still being written. */
  closeStdin(): Promise<void>;
  _wait(signal?: AbortSignal): Promise<number>;
}

export interface ModalExecParams {
  mode: "binary";
  stderr: "ignore";
  pty: boolean;
}

export interface ModalSandbox {
  readonly sandboxId: string;
  exec(command: string[], params: ModalExecParams): Promise<ModalProcess>;
  /** The exit code; null while it runs. */
  poll(): Promise<number | null>;
  terminate(): Promise<unknown>;
  /** Lets go of the connection. */
  detach(): void;
  snapshotFilesystem(params: { timeoutMs: number; ttlMs: null }): Promise<ModalImage>;
}

export interface ModalSandboxParams {
  command: string[];
  timeoutMs: number;
  tags: Record<string, string>;
  idleTimeoutMs?: number;
  cpu?: number;
  memoryMiB?: number;
}

export interface ModalClient {
  readonly apps: {
    fromName(name: string, params: { createIfMissing: true }): Promise<ModalApp>;
  };
  readonly images: {
    fromRegistry(tag: string): ModalImage;
    fromId(id: string): Promise<ModalImage>;
    delete(id: string): Promise<unknown>;
  };
  readonly sandboxes: {
    create(app: ModalApp, image: ModalImage, params: ModalSandboxParams): Promise<ModalSandbox>;
    fromId(id: string): Promise<ModalSandbox>;
  };
}

export interface ModalAccess {
  tokenId: string;
  tokenSecret: string;
  serverUrl: string;
  /** Of Modal, inside a workspace; default the workspace's own. */
  environment: string | undefined;
}

export interface ModalConnection {
  client: ModalClient;
  /** True when the server does not know the credentials, or does not let them do this. */
  isRefusal(error: unknown): boolean;
  /** True when the server does not know what the call is about. */
  isMissing(error: unknown): boolean;
}

/** Connects to nothing yet. */
export type ModalConnect = (access: ModalAccess) => Promise<ModalConnection>;
