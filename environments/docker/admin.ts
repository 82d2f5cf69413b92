/** Looking after containers. */
import type { EnvironmentAdmin } from "../options.ts";
import { openDocker } from "./docker_environment.ts";

export const DOCKER_ADMIN: EnvironmentAdmin = {
  async look(options) {
    const { host: { engine }, settings: { image } } = await openDocker(options);
    const version = await engine.version();
    const known = await engine.call(["image", "inspect", "--format", "{{.Id}}", image]);
    const pulled = known.code === 0 ? "" : ", which is pulled first";
    return `${engine.program} ${version}, image ${image}${pulled}`;
  },
  open: async (options) => (await openDocker(options)).host,
  /** Containers of dead processes, and kept ones of this home that no session uses; files stay. */
  async clean(options) {
    const { host } = await openDocker(options);
    const lines = (await host.engine.reap()).map((name) => `removed ${name}`);
    for (const { name, profile, owner } of await host.engine.list()) {
      if (owner !== "" || profile !== host.profile) continue;
      if (await host.engine.isBusy(name)) lines.push(`left ${name}: a hermes uses it`);
      else {
        await host.engine.remove(name);
        lines.push(`removed ${name}`);
      }
    }
    return lines;
  },
};
