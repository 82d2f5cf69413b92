/**
 * For plugins with `node_shim: true`: many packages for Node read the environment and the machine's
 * name while they load, and fail where a permission is missing. Here they find the variables the
 * plugin has, and a machine without properties. Grants nothing.
 */

interface NodeProcess {
  env: Record<string, string | undefined>;
}

/** Must run before any module of the plugin. */
export async function raiseNodeShim(): Promise<void> {
  const { default: os } = await import("node:os") as unknown as { default: object };
  const answers: Record<string, () => unknown> = {
    hostname: () => "localhost",
    release: () => "",
    version: () => "",
    machine: () => "",
    homedir: () => "/",
    uptime: () => 0,
    loadavg: () => [0, 0, 0],
    cpus: () => [],
    totalmem: () => 0,
    freemem: () => 0,
    networkInterfaces: () => ({}),
    userInfo: () => ({ username: "", uid: -1, gid: -1, shell: null, homedir: "/" }),
  };
  for (const [name, value] of Object.entries(answers)) Reflect.set(os, name, value);
  const scope = globalThis as unknown as { process: NodeProcess } & Record<string, unknown>;
  const granted = scope.process.env;
  const env = new Proxy({} as NodeProcess["env"], {
    get(own, name) {
      if (typeof name !== "string" || name in own) return Reflect.get(own, name);
      try {
        return granted[name];
      } catch {
        return undefined; // A variable that the plugin may not see is one that is not set.
      }
    },
  });
  Object.defineProperty(scope.process, "env", { value: env, writable: true, configurable: true });
  scope.__dirname ??= "/";
  scope.__filename ??= "/plugin.js";
}
