/** What every backend gets and gives: its options, and how it is looked after from outside a session. */
import type { LocalOptions } from "./local/local_environment.ts";
import type { RemoteHost } from "./remote/remote_host.ts";

/** What every backend gets; each reads its own keys of `settings`. */
export interface EnvironmentOptions extends LocalOptions {
  /** The `terminal` section of the configuration. */
  settings?: Readonly<Record<string, unknown>>;
  /** The home of hermes; default `.hermes` in the user's. */
  dataDir?: string;
  /** A credential by its name, wherever the user keeps it; default `env`. */
  credential?: (name: string) => string | undefined;
  /** What happens while a place is made ready: images pulled, leftovers removed. */
  onProgress?: (line: string) => void;
}

export interface EnvironmentAdmin {
  /** What makes it usable, found without starting anything. @throws when it is not: why. */
  look(options: EnvironmentOptions): Promise<string>;
  /** The place itself; absent where that is this machine. */
  open?(options: EnvironmentOptions): Promise<RemoteHost>;
  /** Removes what is no longer used; a line for each thing. */
  clean(options: EnvironmentOptions): Promise<string[]>;
}
