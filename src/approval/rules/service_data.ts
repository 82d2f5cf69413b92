/** Containers, databases and hosted resources: losses beyond the working directory. */
import { hasFlag, inputText, type Invocation, parseOptions } from "../shell/invocation.ts";
import type { Rule } from "./rule.ts";
import { subcommand } from "../shell/unwrap.ts";
import { withoutBlockComments } from "../../text/block_comments.ts";

const ENGINES = ["docker", "podman", "nerdctl"];
const COMPOSE = [...ENGINES, "docker-compose", "podman-compose"];
const SQL_CLIENTS = (
  "psql pgcli mysql mariadb mysqlsh mycli sqlite3 sqlite litecli duckdb clickhouse clickhouse-client sqlcmd sqlplus " +
  "isql usql cqlsh cockroach bq snowsql beeline hive trino presto spark-sql wrangler turso supabase"
).split(" ");

/** Subcommand of a container engine, `container` skipped: `docker container stop` is `docker stop`. */
function engineCommand(command: Invocation): { name: string; args: string[] } {
  const first = subcommand(command.args, command.program === "podman" ? "podman" : "docker");
  return first.name === "container" ? subcommand(first.args, "") : first;
}

function composeCommand(command: Invocation): string {
  if (command.program.endsWith("-compose")) return subcommand(command.args, "compose").name;
  const first = subcommand(command.args, command.program === "podman" ? "podman" : "docker");
  return first.name === "compose" ? subcommand(first.args, "compose").name : "";
}

/** Options that lift the walls of a container. */
const HOST_ACCESS =
  /(?:^| )--(?:privileged(?:=true)?(?: |$)|(?:pid|ipc|uts|userns)[= ]host\b|cap-add[= ](?:cap_)?(?:all|sys_\w+|net_admin|dac_\w+|setuid|mknod)\b|security-opt[= ](?:seccomp|apparmor|systempaths|label)[=:](?:unconfined|disable)|device[= ]\/dev\/(?!dri|kvm|snd|video|net\/tun|fuse|ttyusb|ttyacm|kfd|nvidia))/i;
/** The root directory, a directory of the system or the engine's own socket as a volume. */
const HOST_VOLUME =
  /(?:^| )(?:-v|--volume|--mount)[= ]?(?:\S{0,200},)?(?:(?:source|src)=)?(?:~\/?[:,]|\/(?:[:,]|(?:etc|root|home|var|usr|boot|dev|proc|sys|run|bin|sbin|lib)[/:,](?!log\/|shm|localtime|timezone)(?:[^/\s]{0,100}[:,]|\/)|(?:root|etc|home)[:,]))|docker\.sock/;

const REMOTE_VARIABLES = /^(?:DOCKER_HOST|DOCKER_CONTEXT|CONTAINER_HOST|CONTAINER_CONNECTION)$/;

/** The SQL a command would run: its own words for bare SQL, a client's arguments and input. */
function sqlStatements(command: Invocation): string[] {
  const bare = !SQL_CLIENTS.includes(command.program);
  const upstream = command.upstream.flatMap(({ args }) => args);
  const text = bare
    ? [command.path, ...command.args].join(" ")
    : [...command.args, ...upstream, inputText(command) ?? ""].join(" ;");
  return withoutBlockComments(text).replace(/--[^\n]*/g, " ").split(";");
}

export const SERVICE_RULES: readonly Rule[] = [
  {
    key: "docker with remote daemon redirect",
    aliases: ["docker --context", "docker context use", "podman remote connection"],
    kind: "dangerous",
    description: "acts on the containers of another machine",
    programs: ENGINES,
    test: (command) => {
      const { name, args, globals } = subcommand(command.args, command.program);
      if (hasFlag(globals, "H", "host", "context", "url", "connection", "identity", "remote")) {
        return true;
      }
      const short = command.program === "podman" ? "r" : "c";
      return globals.flags.has(short) || (name === "context" && args[0] === "use");
    },
    match: [
      "docker -H tcp://h ps",
      "docker --context prod ps",
      "docker context use p",
      "podman --remote ps",
      "podman --url ssh://h ps",
      "podman -r ps",
    ],
    noMatch: ["docker ps", "docker context ls", "docker run -h name img"],
  },
  {
    key: "remote container daemon by environment",
    kind: "dangerous",
    description: "points container commands at another machine",
    variables: true,
    programs: ["export", "env", "declare"],
    test: ({ env, program, args }) =>
      [...env.keys()].some((name) => REMOTE_VARIABLES.test(name)) ||
      (/^(?:export|env|declare)$/.test(program) &&
        args.some((arg) => REMOTE_VARIABLES.test(arg.split("=", 1)[0]!) && arg.includes("="))),
    match: [
      "DOCKER_HOST=x docker ps",
      "export CONTAINER_HOST=ssh://h",
      "env DOCKER_CONTEXT=p docker ps",
    ],
    noMatch: ["echo $DOCKER_HOST", "DOCKER_BUILDKIT=1 docker build ."],
  },
  {
    key: "docker compose restart/stop/kill/down",
    kind: "dangerous",
    description: "stops running services",
    programs: COMPOSE,
    test: (command) => /^(?:restart|stop|kill|down|rm)$/.test(composeCommand(command)),
    match: ["docker compose down", "docker-compose -f a restart", "docker compose -p x stop web"],
    noMatch: ["docker compose up", "docker compose logs", "docker-compose ps"],
  },
  {
    key: "docker restart/stop/kill",
    kind: "dangerous",
    description: "stops running containers",
    programs: ENGINES,
    test: (command) => /^(?:restart|stop|kill)$/.test(engineCommand(command).name),
    match: ["docker stop web", "docker container kill x", "docker restart a b"],
    noMatch: ["docker run x", "docker ps", "docker start x"],
  },
  {
    key: "docker rm -f",
    kind: "dangerous",
    description: "removes running containers or their data",
    programs: ENGINES,
    test: (command) => {
      const { name, args } = engineCommand(command);
      const options = parseOptions(args);
      if (name === "rm" || name === "rmi" || name === "image") {
        return name === "rm" && hasFlag(options, "f", "force", "v", "volumes");
      }
      if (name === "volume") return /^(?:rm|remove|prune)$/.test(args[0] ?? "");
      return name === "system" && args[0] === "prune" && hasFlag(options, "volumes", "a", "all");
    },
    match: [
      "docker rm -f x",
      "docker container rm --force x",
      "docker volume rm data",
      "docker system prune -af",
    ],
    noMatch: ["docker rm x", "docker rmi img", "docker volume ls", "docker run --rm -v a:b img"],
  },
  {
    key: "container with access to the host",
    kind: "dangerous",
    description: "gives a container the rights or the files of the whole machine",
    programs: ENGINES,
    test: (command) => {
      const { name, args } = engineCommand(command);
      if (!/^(?:run|create|exec|update|compose)$/.test(name)) return false;
      const text = args.join(" ");
      return HOST_ACCESS.test(text) || HOST_VOLUME.test(text);
    },
    match: [
      "docker run --privileged alpine sh",
      "docker run -v /:/host alpine",
      "docker run -v /var/run/docker.sock:/s img",
      "docker run --pid=host img",
      "docker run -v /etc:/e img",
      "docker run --cap-add SYS_ADMIN img",
      "docker run -v $HOME:/h img",
      "docker compose run -v /:/h web",
      "docker run --device /dev/sda img",
      "docker run --mount type=bind,source=/,target=/h img",
    ],
    noMatch: [
      "docker run -v $PWD:/w img",
      "docker run -v data:/d img",
      "docker run --rm img ls /",
      "docker run -v /etc/localtime:/etc/localtime:ro img",
      "docker run --device /dev/dri img",
    ],
  },
  {
    key: "SQL DROP",
    kind: "dangerous",
    description: "deletes tables or databases",
    programs: [...SQL_CLIENTS, "drop", "dropdb", "mysqladmin"],
    test: (command) =>
      command.program === "dropdb" ||
      (command.program === "mysqladmin" && command.args.includes("drop")) ||
      sqlStatements(command).some((sql) =>
        /\bdrop\s+(?:table|database|schema|view|materialized|index|user|role|column|keyspace|owned)\b/i
          .test(sql)
      ),
    match: ["DROP TABLE t", 'psql -c "drop database x"', "echo 'DROP TABLE t' | psql", "dropdb x"],
    noMatch: ['psql -c "select 1"', "grep 'drop table' schema.sql"],
  },
  {
    key: "SQL DELETE without WHERE",
    kind: "dangerous",
    description: "deletes every row of a table",
    programs: [...SQL_CLIENTS, "delete"],
    test: (command) =>
      sqlStatements(command).some((sql) =>
        /\bdelete\s+from\b/i.test(sql) && !/\bwhere\b/i.test(sql)
      ),
    match: ["DELETE FROM users", 'mysql -e "delete from users; select 1"'],
    noMatch: ["DELETE FROM users WHERE id=1", 'psql -c "delete from users where id = 1"'],
  },
  {
    key: "SQL TRUNCATE",
    kind: "dangerous",
    description: "deletes every row of a table",
    programs: [...SQL_CLIENTS, "truncate"],
    test: (command) =>
      sqlStatements(command).some((sql) => /\btruncate\s+(?:table\s+)?["`\w]/i.test(sql)),
    match: ["TRUNCATE TABLE logs", "TRUNCATE logs", 'psql -c "truncate logs"'],
    noMatch: ["truncate -s 0 f", "truncate --size=0 f"],
  },
  {
    key: "destroy hosted resources",
    kind: "dangerous",
    description: "deletes infrastructure or data that may not come back",
    programs: [
      "terraform tofu pulumi kubectl oc helm aws gcloud az gsutil doctl gh heroku fly flyctl vercel vagrant",
      "virsh redis-cli mongo mongosh",
    ].join(" ").split(" "),
    test: ({ program, args }) => {
      if (args.some((arg) => /^--dry-?run\b/.test(arg))) return false;
      switch (program) {
        case "kubectl":
        case "oc": {
          const { name, args: rest } = subcommand(args, "kubectl");
          return name === "delete" &&
            (rest.includes("--all") || /^(?:ns|namespaces?|pvc?|crd)\b/.test(rest[0] ?? ""));
        }
        case "aws":
          return (args.includes("s3") &&
            ((args.includes("rm") && args.includes("--recursive")) ||
              (args.includes("rb") && args.includes("--force")))) ||
            args.some((arg) => /^(?:delete|terminate)-\w/.test(arg));
        case "redis-cli":
          return args.some((arg) => /^flush(?:all|db)$/i.test(arg));
        case "mongo":
        case "mongosh":
          return args.some((arg) => /\.(?:drop\w*|deleteMany|remove)\s*\(/.test(arg));
        case "terraform":
        case "tofu":
        case "pulumi":
          return args.some((arg) => /^-{0,2}(?:destroy|auto-approve|yes)$/.test(arg));
        default:
          return args.some((arg) =>
            /^(?:\w+:)?(?:destroy|undefine|uninstall|delete|rm)$/.test(arg)
          );
      }
    },
    match: [
      "terraform destroy",
      "terraform apply -auto-approve",
      "helm uninstall web",
      "gcloud projects delete p",
      "gh repo delete x --yes",
      "vagrant destroy -f",
      "mongosh --eval 'db.dropDatabase()'",
      "aws ec2 terminate-instances --instance-ids i",
      "kubectl delete namespace prod",
      "aws s3 rm s3://b --recursive",
      "redis-cli FLUSHALL",
    ],
    noMatch: [
      "terraform plan",
      "terraform apply plan.tfplan",
      "kubectl delete pod x",
      "aws s3 ls",
      "redis-cli ping",
      "gh pr list",
      "helm list -A",
      "mongosh --eval 'db.users.find()'",
    ],
  },
];
