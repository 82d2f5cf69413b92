import { deepEqual, equal } from "node:assert/strict";
import { childVariables } from "./child_variables.ts";

/** Variables as real services and CI systems name and fill them. */
const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgres://app:hunter2@db.internal:5432/app",
  MONGODB_URI: "mongodb+srv://app:pass@cluster0.example.net/app",
  REDIS_URL: "redis://:p4ssw0rd@cache:6379/0",
  AMQP_URL: "amqp://guest:guest@rabbit:5672/",
  CLOUDAMQP_URL: "amqps://x:y@hare.example/x",
  ELASTICSEARCH_URL: "https://elastic:changeme@es:9200",
  CLICKHOUSE_DSN: "clickhouse://default:pw@ch:9000",
  SQLALCHEMY_DATABASE_URI: "mysql+pymysql://root:toor@localhost/x",
  JDBC_URL: "jdbc:postgresql://db/app?user=app&password=hunter2",
  SENTRY_DSN: "https://0123456789abcdef0123456789abcdef@o1.ingest.example/2",
  STRIPE_SECRET_KEY: "sk_live_abcdefghijklmnop",
  STRIPE_WEBHOOK_SECRET: "whsec_abcdefghijklmnop",
  STRIPE_PUBLISHABLE: "pk_live_abcdefghijklmnop",
  TWILIO_ACCOUNT_SID: "AC0123456789abcdef0123456789abcdef",
  TWILIO_AUTH_TOKEN: "0123456789abcdef0123456789abcdef",
  SENDGRID_API_KEY: "SG.abcdefghijklmnopqrstuvw.abcdefghijklmnopqrstuvwxyz",
  MAILGUN_API_KEY: "key-0123456789abcdef",
  POSTMARK_SERVER: "0c1d2e3f-aaaa-bbbb-cccc-1234567890ab",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  AWS_SESSION_TOKEN: "IQoJb3JpZ2luX2VjEXAMPLE",
  AWS_PROFILE: "production",
  AWS_WEB_IDENTITY_TOKEN_FILE: "/var/run/secrets/token",
  AZURE_CLIENT_SECRET: "abc~DEF.123",
  AZURE_STORAGE_CONNECTION_STRING: "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=eHl6==",
  AZURE_TENANT_ID: "00000000-0000-0000-0000-000000000000",
  GOOGLE_APPLICATION_CREDENTIALS: "/home/me/key.json",
  GCP_SA_KEY: '{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----"}',
  GOOGLE_API_KEY: "AIzaSyA-abcdefghijklmnopqrstuvwxyz12345",
  GH_TOKEN: "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  GITHUB_TOKEN: "ghs_abcdefghijklmnopqrstuvwxyz0123456789",
  GITHUB_PAT: "github_pat_abcdefghij",
  ACTIONS_RUNTIME_TOKEN: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://pipelines.example/idtoken",
  GITHUB_ENV: "/home/runner/work/_temp/set_env",
  GITHUB_PATH: "/home/runner/work/_temp/add_path",
  CI_JOB_TOKEN: "glcbt-64_abcdefghijklmnopqrst",
  CI_REGISTRY_PASSWORD: "plain-word",
  CI_REPOSITORY_URL: "https://gitlab-ci-token:abc@gitlab.example/x.git",
  NPM_TOKEN: "npm_abcdefghijklmnopqrstuvwxyz0123456789",
  NODE_AUTH_TOKEN: "x",
  "npm_config__auth": "dXNlcjpwYXNz",
  PYPI_API_TOKEN: "pypi-AgEIcHlwaS5vcmcCJ",
  TWINE_PASSWORD: "word",
  CARGO_REGISTRY_TOKEN: "cio0123456789",
  CODECOV_TOKEN: "11111111-2222-3333-4444-555555555555",
  SONAR_TOKEN: "sqp_0123456789abcdef",
  VAULT_TOKEN: "hvs.abcdefghijklmnop",
  VAULT_ADDR: "https://vault.internal:8200",
  CONSUL_HTTP_TOKEN: "x",
  KUBECONFIG: "/home/me/.kube/config",
  DOCKER_AUTH_CONFIG: '{"auths":{"r":{"auth":"dXNlcjpwYXNz"}}}',
  DOCKER_HOST: "tcp://10.0.0.2:2375",
  DOCKER_PASSWORD: "word",
  PGPASSWORD: "hunter2",
  PGPASSFILE: "/home/me/.pgpass",
  MYSQL_PWD: "hunter2",
  MYSQL_ROOT_PASSWORD: "toor",
  POSTGRES_PASSWORD: "postgres",
  SLACK_WEBHOOK_URL: "https://hooks.slack.com/services/T000/B000/XXXXXXXXXXXXXXXXXXXXXXXX",
  SLACK_BOT_TOKEN: "xoxb-1234567890-abc",
  DISCORD_WEBHOOK: "https://discord.com/api/webhooks/123/abcdef",
  TELEGRAM_BOT_TOKEN: "123456789:AAExampleExampleExampleExampleExam",
  JWT_SECRET: "correct horse",
  SESSION_SECRET: "keyboard cat",
  SECRET_KEY_BASE: "0123456789",
  RAILS_MASTER_KEY: "0123456789abcdef0123456789abcdef",
  ENCRYPTION_KEY: "aGVsbG8gd29ybGQ=",
  SIGNING_KEY: "x",
  PRIVATE_KEY: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
  SSH_PRIVATE_KEY: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----",
  SSH_AUTH_SOCK: "/tmp/ssh-abc/agent.1",
  GPG_AGENT_INFO: "/run/gpg-agent:0:1",
  DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus",
  DISPLAY: ":0",
  WAYLAND_DISPLAY: "wayland-0",
  XAUTHORITY: "/home/me/.Xauthority",
  GIT_ASKPASS: "/usr/share/code/askpass.sh",
  VSCODE_IPC_HOOK_CLI: "/run/user/1000/vscode.sock",
  OPENAI_API_KEY: "sk-proj-abcdefghijklmnop",
  OPENAI_BASE_URL: "https://llm.internal/v1",
  ANTHROPIC_API_KEY: "sk-ant-abcdefghijklmnop",
  HERMES_API_KEY: "plain",
  HERMES_HOME: "/home/me/.hermes",
  SUDO_PASSWORD: "word",
  CLOUDFLARE_API_TOKEN: "0123456789abcdefghij",
  DATADOG_API_KEY: "0123456789abcdef",
  DD_APP_KEY: "0123456789abcdef",
  NEW_RELIC_LICENSE_KEY: "0123456789abcdef",
  SNYK_TOKEN: "x",
  ALGOLIA_ADMIN: "0123456789abcdef0123456789abcdef",
  SHOPIFY_ACCESS: "shpat_0123456789abcdef",
  BASIC_AUTH: "admin:admin",
  LDAP_BIND: "cn=admin,dc=example",
  SMTP_CREDENTIALS: "me:word",
  DENO_AUTH_TOKENS: "tok@deno.land",
  XDG_SESSION_COOKIE: "0123",
  BASH_ENV: "/tmp/start.sh",
  SOME_THING_OF_OURS: "anything",
};

/** Allowed by name, withheld for what is in them. */
const SECRET_VALUES: Readonly<Record<string, string>> = {
  JAVA_TOOL_OPTIONS: "-Dspring.datasource.password=hunter2hunter2",
  GOFLAGS: "-ldflags=-X=main.token=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  PIP_INDEX_URL: "https://dl.packages.example/a8Kd93jX01mQz7Lp/org/python/simple/",
  UV_INDEX_URL: "https://pkgs.example/simple?token=0123456789",
  CI_COMMIT_MESSAGE: "use sk-proj-Ab1dEf2hIj3lMn4p for now",
  EDITOR: "code --api-key=abcdefgh12345678",
  XDG_DATA_HOME: "https://me:hunter2@host/",
};

/** What everyday programs need. */
const ORDINARY: Readonly<Record<string, string>> = {
  PATH: "/home/me/.cargo/bin:/usr/bin:/bin",
  HOME: "/home/me",
  PWD: "/x",
  LANG: "de_DE.UTF-8",
  LC_ALL: "C",
  TERM: "xterm-256color",
  TZ: "Europe/Berlin",
  XDG_RUNTIME_DIR: "/run/user/1000",
  EDITOR: "vim",
  CARGO_HOME: "/home/me/.cargo",
  RUSTFLAGS: "-C target-cpu=native --cfg tokio_unstable",
  GOPATH: "/home/me/go",
  GOSUMDB: "sum.golang.org",
  JAVA_HOME: "/usr/lib/jvm/java-21-openjdk-amd64",
  NODE_ENV: "test",
  NODE_OPTIONS: "--max-old-space-size=4096 --enable-source-maps",
  NVM_DIR: "/home/me/.nvm",
  VIRTUAL_ENV: "/home/me/venv",
  PYTHONPATH: "src:tests",
  CONDA_PREFIX: "/opt/conda",
  CFLAGS: "-O2 -Wall -I/usr/local/include",
  LD_LIBRARY_PATH: "/usr/local/lib",
  CI: "true",
  GITHUB_SHA: "0123456789abcdef0123456789abcdef01234567",
  GITHUB_WORKSPACE: "/home/runner/work/x/x",
  DEBIAN_FRONTEND: "noninteractive",
  HTTPS_PROXY: "http://proxy.example:3128",
  "no_proxy": "localhost,127.0.0.1",
  PIP_INDEX_URL: "https://packages.example/simple",
  GIT_AUTHOR_EMAIL: "me@example.com",
};

Deno.test("childVariables() passes none of the secret variables of real services", () => {
  equal(Object.keys(SECRETS).length >= 90, true);
  deepEqual(childVariables(SECRETS), {});
});

Deno.test("childVariables() withholds an allowed variable whose value is a secret", () => {
  deepEqual(childVariables(SECRET_VALUES), {});
});

Deno.test("childVariables() passes what toolchains need", () => {
  deepEqual(childVariables(ORDINARY), ORDINARY);
});

Deno.test("childVariables() takes name and password out of addresses", () => {
  deepEqual(
    childVariables({
      "https_proxy": "http://me:p@ss@proxy.example:3128",
      HTTP_PROXY: "me:secret@proxy.example:3128",
      GOPROXY: "https://u:p@a.example,https://b.example|direct",
      PIP_EXTRA_INDEX_URL: "https://tok@a.example/simple https://b.example/simple",
      ALL_PROXY: "socks5://me:a/b@proxy.example",
    }),
    {
      "https_proxy": "http://proxy.example:3128",
      HTTP_PROXY: "proxy.example:3128",
      GOPROXY: "https://a.example,https://b.example|direct",
      PIP_EXTRA_INDEX_URL: "https://a.example/simple https://b.example/simple",
    },
  );
});

Deno.test("childVariables() passes what the operator names, as it is", () => {
  const env = { GH_TOKEN: "ghp_x", OTHER_TOKEN: "y", SSH_AUTH_SOCK: "/tmp/agent" };
  deepEqual(childVariables(env, ["GH_TOKEN", "SSH_AUTH_SOCK", "ABSENT"]), {
    GH_TOKEN: "ghp_x",
    SSH_AUTH_SOCK: "/tmp/agent",
  });
});
