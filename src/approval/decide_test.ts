import assert from "node:assert/strict";
import { decide, evaluate, inspect } from "./decide.ts";
import { LIMITS } from "./shell/shell_ast.ts";

Deno.test("decide() names the rule, says why and shows what it saw", () => {
  assert.deepEqual(decide("/bin/rm  -rf '/'"), {
    decision: "forbidden",
    rule: "recursive delete of root filesystem",
    description: "deletes the root directory",
    normalized: "/bin/rm -rf /",
  });
  assert.deepEqual(decide("ls  -la"), {
    decision: "allow",
    rule: "",
    description: "",
    normalized: "ls -la",
  });
  assert.deepEqual(decide("rm -rf build && git push -f"), {
    decision: "prompt",
    rule: "recursive delete",
    description: "deletes whole directories; overwrites history on the remote",
    normalized: "rm -rf build && git push -f",
  });
});

Deno.test("decide() is pure: the same input gives the same verdict", () => {
  const policy = Object.freeze({ home: "/home/me", cwd: "/home/me" });
  for (const command of ["rm -rf *", "x=rm; $x -r y", "echo 'open"]) {
    assert.deepEqual(decide(command, policy), decide(command, policy));
  }
});

Deno.test("decide() judges relative paths from the working directory", () => {
  assert.equal(decide("rm -rf *", { cwd: "/" }).decision, "forbidden");
  assert.equal(decide("rm -rf ..", { cwd: "/etc/x" }).decision, "forbidden");
  assert.equal(decide("rm -rf .", { cwd: "/home/me", home: "/home/me" }).decision, "forbidden");
  assert.equal(decide("rm -rf *", { cwd: "/home/me/p", home: "/home/me" }).decision, "prompt");
  assert.equal(decide("rm /srv/app/x", { cwd: "/srv/app" }).decision, "allow");
  assert.equal(decide("rm /srv/app/x", { cwd: "/srv/web" }).decision, "prompt");
});

Deno.test("decide() folds the user's home", () => {
  const policy = { home: "/srv/people/me" };
  assert.equal(decide("rm -rf /srv/people/me", policy).decision, "forbidden");
  assert.equal(decide("echo x >> /srv/people/me/.ssh/authorized_keys", policy).decision, "prompt");
  assert.equal(decide("echo x >> /srv/people/me/notes", policy).decision, "allow");
});

Deno.test("decide() forbids what the operator denies, however it is spelled", () => {
  const policy = { denyGlobs: ["git push*", "*terraform apply*"], allowlist: ["git push*"] };
  for (
    const command of [
      "git push",
      'git pu""sh --force',
      "GIT PUSH",
      "sudo git push",
      "ls && git push origin main",
      "x=push; git $x",
      "bash -c 'git push'",
      "cd infra; terraform apply -auto-approve",
    ]
  ) {
    const verdict = decide(command, policy);
    assert.equal(verdict.decision, "forbidden", command);
    assert.match(verdict.rule, /^deny: /);
  }
  assert.equal(decide("git pull", policy).decision, "allow");
  assert.equal(decide("echo 'git push'", policy).decision, "allow");
  assert.equal(decide("ls", { denyGlobs: ["", " "] }).decision, "allow");
});

Deno.test("decide() lets the allowlist cover rules and commands, never hardline", () => {
  const only = { allowlist: ["recursive delete"] };
  assert.equal(decide("rm -rf build", only).decision, "allow");
  assert.equal(decide("rm -rf build; git push -f", only).rule, "git force push");
  assert.equal(decide("rm -rf /", only).decision, "forbidden");
  assert.equal(decide("rm -rf /", { allowlist: ["rm -rf /", "*"] }).decision, "forbidden");
  assert.equal(decide("git push -f", { allowlist: ["git push*"] }).decision, "allow");
  assert.equal(decide("git push -f; ls", { allowlist: ["git push*"] }).decision, "prompt");
  assert.equal(decide("find . -delete", { allowlist: ["find"] }).decision, "allow");
});

Deno.test("decide() minds a sudo password pipe unless the operator configured a password", () => {
  const command = "echo pw | sudo -S whoami";
  assert.equal(decide(command).decision, "forbidden");
  assert.equal(decide(command, { allowlist: ["*"] }).decision, "forbidden");
  assert.equal(decide(command, { sudoPassword: true }).decision, "prompt");
});

Deno.test("decide() forbids what is too large to check", () => {
  for (
    const command of [
      `ls; ${"x".repeat(LIMITS.chars)}`,
      `echo ${"a".repeat(LIMITS.unbrokenChars)}`,
      "a;".repeat(LIMITS.separators),
      `a; ${"$(".repeat(200)}ls${")".repeat(200)}`,
    ]
  ) {
    const verdict = decide(command);
    assert.equal(verdict.decision, "forbidden");
    assert.equal(verdict.rule, "parser limit");
    assert.match(verdict.description, /^cannot be checked: /);
  }
  assert.equal(decide(`echo ${"a".repeat(LIMITS.unbrokenChars)}; ls`).decision, "allow");
});

Deno.test("decide() asks about what it cannot parse and still sees the worst in it", () => {
  assert.equal(decide("echo 'open").rule, "unparsable command");
  assert.equal(decide("echo 'open", { allowlist: ["*"] }).decision, "prompt");
  assert.equal(decide("reboot\necho 'open").decision, "forbidden");
  assert.equal(decide("ls 'open\nreboot").decision, "forbidden");
});

Deno.test("decide() judges a disguised text both as written and as it looks", () => {
  assert.equal(decide("ｒｍ -ｒｆ /").decision, "forbidden");
  // A shell takes these for letters; folding alone would hide the command between quotes.
  assert.equal(decide("echo ＂; reboot; echo ＂").decision, "forbidden");
  assert.equal(decide("echo \x1b]0; reboot; \x07").decision, "forbidden");
  assert.equal(decide("ｌｓ -la /tmp").decision, "allow");
  assert.equal(decide("ls \u202egpj.exe").rule, "text direction override");
});

Deno.test("evaluate() reports every open finding, inspect() also the allowed ones", () => {
  const policy = { allowlist: ["recursive delete"] };
  const command = "rm -rf a; git push -f";
  const keys = (findings: readonly { key: string }[]) => findings.map(({ key }) => key);
  assert.deepEqual(keys(evaluate(command, policy).findings), ["git force push"]);
  assert.deepEqual(keys(inspect(command, policy).findings), ["recursive delete", "git force push"]);
});
