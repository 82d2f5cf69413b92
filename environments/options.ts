/** Options of a backend, and its administration from outside a session. */
import type { LocalOptions } from "./local/local_environment.ts";
import type { RemoteHost } from "./remote/remote_host.ts";

/** Options that every backend gets; each reads its own keys of `settings`. */
export interface EnvironmentOptions extends LocalOptions {
  /** The `terminal` section of the configuration. */
  settings?: Readonly<Record<string, unknown>>;
  /** The home of hermes; default `.hermes` in the user's. */
  dataDir?: string;
  /** A credential by its name, wherever the user keeps it; default `env`. */
  credential?: (name: string) => string | undefined;
  /** Lines about a place that is made ready: images pulled, leftovers removed. */
  onProgress?: (line: string) => void;
}

export interface EnvironmentAdmin {
  /** The program or account the backend uses, found without starting it. @throws why not. */
  look(options: EnvironmentOptions): Promise<string>;
  /** The place itself; absent where that is this machine. */
  open?(options: EnvironmentOptions): Promise<RemoteHost>;
  /** Removes what is no longer used; a line for each thing. */
  clean(options: EnvironmentOptions): Promise<string[]>;
}
