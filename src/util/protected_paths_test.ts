import assert from "node:assert/strict";
import { accessTo, isTrustedBase, protectionOf } from "./protected_paths.ts";

const PLACES = {
  homes: ["/home/me", "/data/me"],
  hermesHomes: ["/home/me/.hermes", "/data/state"],
  trustedBase: ["/home/me/.cache/hermes/bin", "/opt/hermes/hermes"],
};

const KINDS: [path: string, kind: string | undefined][] = [
  ["/home/me/project/src/main.ts", undefined],
  ["/home/me/project/.github/workflows/ci.yml", "ci settings"],
  ["/srv/repo/.github/actions/a/b/action.yaml", "ci settings"],
  ["/srv/repo/.github/actions/a/index.js", undefined],
  ["/srv/repo/.github/dependabot.yml", undefined],
  ["/srv/repo/.gitlab-ci.yml", "ci settings"],
  ["/srv/repo/.gitlab/issue_templates/bug.md", undefined],
  ["/srv/repo/Jenkinsfile", "ci settings"],
  ["/srv/repo/Jenkinsfile.md", undefined],
  ["/srv/repo/.circleci/config.yml", "ci settings"],
  ["/srv/repo/appveyor.yml", "ci settings"],
  ["/srv/repo/xappveyor.yml", undefined],
  ["/srv/repo/.cirrus.star", "ci settings"],
  ["/home/me/project/.env.example", undefined],
  ["/home/me/.ssh/id_work", "credentials"],
  ["/data/me/.ssh/id_work", "credentials"],
  ["/root/.aws/credentials", "credentials"],
  ["/home/me/.ssh/config", "ssh config"],
  ["/home/me/.ssh/authorized_keys", "startup"],
  ["/home/me/.bashrc", "startup"],
  ["/home/me/.config/fish/config.fish", "startup"],
  ["/home/me/.gitconfig", "git settings"],
  ["/srv/repo/.git/hooks/pre-commit", "git settings"],
  ["/srv/repo/.git/config", "git settings"],
  ["/srv/repo/.git/index", undefined],
  ["/srv/repo/.env.local", "env file"],
  ["/srv/repo/AGENTS.override.md", "instructions"],
  ["/srv/repo/.hermes/plugins/x/plugin.yaml", "instructions"],
  ["/srv/repo/.vscode/tasks.json", "editor settings"],
  ["/home/me/.bashrc.d/x.sh", "startup"],
  ["/home/me/.config/Code/User/tasks.json", "startup"],
  ["/home/me/.cargo/config.toml", "startup"],
  ["/home/me/.cargo/registry/x.rs", undefined],
  ["/home/me/.local/lib/python3.11/site-packages/a.pth", "startup"],
  ["/home/me/.local/lib/python3.11/site-packages/pkg/a.py", undefined],
  ["/home/me/.aws/config", "startup"],
  ["/home/me/.docker/cli-plugins/docker-x", "startup"],
  ["/run/user/1000/systemd/user/x.service", "startup"],
  ["/srv/wt/.git", "git settings"],
  ["/srv/bare.git/hooks/update", "git settings"],
  ["/srv/repo/.git/worktrees/w/config.worktree", "git settings"],
  ["/srv/repo/.git/modules/m/n/hooks/pre-commit", "git settings"],
  ["/srv/repo/.git/modules/m/index", undefined],
  ["/srv/a\nb/.git/modules/m/hooks/x", "git settings"],
  ["/home/you/.config/heroku/a\nb", "credentials"],
  ["/srv/repo/.gitignore", undefined],
  ["/srv/repo/.mcp.json", "editor settings"],
  ["/srv/repo/.devcontainer/devcontainer.json", "editor settings"],
  ["/srv/repo/.devcontainer.json", "editor settings"],
  ["/srv/repo/.devcontainer/py/devcontainer.json", "editor settings"],
  ["/srv/repo/.cursor/mcp.json", "instructions"],
  ["/usr/local/lib/python3/site.py", "path program"],
  ["/etc/passwd", "system"],
  ["/etc/shadow", "credentials"],
  ["/proc/1/environ", "credentials"],
  ["/proc/self/task/7/mem", "credentials"],
  ["/usr/bin/git", "system"],
  ["/usr/local/bin/git", "path program"],
  ["/home/me/.local/bin/git", "path program"],
  ["/home/me/.hermes/cache/config-00.json", "trusted base"],
  ["/data/state/plugins/x/index.ts", "trusted base"],
  ["/home/me/.cache/hermes/bin/abc/app/main.js", "trusted base"],
  ["/opt/hermes/hermes", "trusted base"],
  ["/tmp/hermes-env-12-abc/3", "trusted base"],
  ["/var/tmp/hermes-child-12-x/scratch", "trusted base"],
  ["/home/me/.hermes/.env", "credentials"],
  ["/home/me/.hermes/profiles/work/auth.json", "credentials"],
  ["/data/state/seal.key", "credentials"],
];

Deno.test("protectionOf() names the kind of a protected file", () => {
  for (const [path, kind] of KINDS) assert.equal(protectionOf(path, PLACES)?.kind, kind, path);
});

Deno.test("accessTo() refuses writes to the trusted base and reads of credentials", () => {
  const access = (path: string) => {
    const { read, write } = accessTo(path, PLACES);
    return [read, write];
  };
  assert.deepEqual(access("/home/me/.hermes/config.yaml"), ["free", "refuse"]);
  assert.deepEqual(access("/home/me/.netrc"), ["refuse", "refuse"]);
  assert.deepEqual(access("/tmp/x"), ["free", "free"]);
});

Deno.test("isTrustedBase() does not take a neighbour with a longer name for the home", () => {
  assert.equal(isTrustedBase("/home/me/.hermes-notes/a", PLACES), false);
  assert.equal(isTrustedBase("/home/me/.HERMES/config.yaml", PLACES), true);
});

Deno.test("protectionOf() takes time in proportion to the length of a path", () => {
  const parts = [
    "/a.git/modules/",
    "/.git/worktrees/x/",
    "/.devcontainer/x/",
    "/.env.a",
    "/.",
    "/agents.md/",
    "/docker.sock/",
  ];
  for (const part of parts) {
    const [short, long] = [10_000, 100_000].map((length) => {
      const path = `/home/me${part.repeat(length / part.length)}/x`;
      const startedAt = performance.now();
      for (let i = 0; i < 3; i++) protectionOf(path, PLACES);
      return performance.now() - startedAt;
    });
    // Ten times the length: growth with its square would be a hundred times the time, and seconds.
    assert.ok(long! < 60 * Math.max(short!, 5), `${part}: ${short} ms, then ${long} ms`);
  }
});
