import { deepEqual, equal } from "node:assert/strict";
import { childEnvironment, isPrivateVariable } from "./_child_env.ts";

Deno.test("isPrivateVariable() recognises credentials by name", () => {
  const names = "OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY GITHUB_TOKEN GH_TOKEN MYTOKEN " +
    "AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN PGPASSWORD MYSQL_PWD DB_PASSWORD " +
    "dbPassword npm_config_authToken SUDO_PASSWORD GOOGLE_APPLICATION_CREDENTIALS AZURE_DEVOPS_PAT " +
    "HERMES_HOME HERMES_YOLO _HERMES_FORCE_X TELEGRAM_ALLOWED_USERS SENTRY_DSN SIGNING_SECRET";
  for (const name of names.split(" ")) equal(isPrivateVariable(name, "x"), true, name);
});

Deno.test("isPrivateVariable() recognises credentials by value", () => {
  const values = [
    "postgres://user:hunter2@db/app",
    "sk-proj-Ab1dEf2hIj3lMn4pQr5t",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
  ];
  for (const value of values) equal(isPrivateVariable("SETTING", value), true, value);
});

Deno.test("isPrivateVariable() lets ordinary variables through", () => {
  const env = {
    PATH: "/usr/bin:/bin",
    PWD: "/x",
    OLDPWD: "/y",
    HOME: "/home/me",
    SSH_AUTH_SOCK: "/run/agent.sock",
    XAUTHORITY: "/home/me/.Xauthority",
    KEYBOARD: "us",
    MONKEY: "banana",
    LS_COLORS: "di=01;34:*.tar=01;31",
    VIRTUAL_ENV: "/venv",
    NODE_ENV: "test",
    HTTPS_PROXY: "http://proxy:3128",
    GPG_TTY: "/dev/pts/0",
    DENO_DIR: "/cache",
  };
  for (const [name, value] of Object.entries(env)) {
    equal(isPrivateVariable(name, value), false, name);
  }
});

Deno.test("childEnvironment() passes what is named, and completes PATH and HOME", () => {
  const child = childEnvironment(
    { A_TOKEN: "1", B_TOKEN: "2", LANG: "C", PATH: "/mine:/usr/bin" },
    { pass: ["B_TOKEN", "ABSENT"], home: "/home/me" },
  );
  deepEqual(child, {
    B_TOKEN: "2",
    LANG: "C",
    HOME: "/home/me",
    PATH: "/mine:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin",
  });
});
