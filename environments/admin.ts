/**
 * Looking after environments from outside a session: whether each can be used, a way in for a
 * person, and tidying up. One entry for each backend, imported when it is asked for.
 */
import type { EnvironmentAdmin } from "./options.ts";

export const ADMINS: Readonly<Record<string, () => Promise<EnvironmentAdmin>>> = {
  local: async () => (await import("./local/admin.ts")).LOCAL_ADMIN,
  docker: async () => (await import("./docker/admin.ts")).DOCKER_ADMIN,
  ssh: async () => (await import("./ssh/admin.ts")).SSH_ADMIN,
  singularity: async () => (await import("./singularity/admin.ts")).SINGULARITY_ADMIN,
  modal: async () => (await import("./cloud/admin.ts")).modalAdmin(),
  daytona: async () => (await import("./cloud/admin.ts")).DAYTONA_ADMIN,
};
