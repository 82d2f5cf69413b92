/** Clusters, clouds and databases: what others use, or what costs money. */
import { inputText, type Invocation, parseOptions } from "../shell/invocation.ts";
import { isLoopback } from "./hosts.ts";
import { byProgram, joinedArgs, type Rule } from "./rule.ts";

/** Options under which nothing happens; `--dry-run=none` and `=false` are no such thing. */
const DRY =
  /--dry-?run(?:=(?:client|server|true|all|1))?(?=\s|$)|--what-?if(?=\s|$)|--help\b|--noop(?=\s|$)/i;
const CLIENTS = "psql pgcli mysql mariadb sqlite3 sqlite duckdb mysqlsh clickhouse-client".split(
  " ",
);

/** SQL and client commands that reach the shell, files or accounts. */
const SQL_REACHES_OUT =
  /\\!|\\o\s*\||\\copy\b[^\n\\]{0,500}\bprogram\b|\b(?:to|from)\s+program\b|\binto\s+(?:outfile|dumpfile)\b|\bload_(?:file|extension)\s*\(|\bload\s+data\b|\bpg_(?:read|write|ls)_\w+|\blo_(?:im|ex)port\b|^\s*\.(?:shell|system|load|import\s+\|)|\bxp_cmdshell\b|\bcreate\s+(?:or\s+replace\s+)?(?:extension|language)\b|\binstall\s+plugin\b|\b(?:alter|create|drop)\s+(?:user|role|login)\b|\bgrant\s+(?:all|\w+)\b|^\s*system\s+\w|\b(?:read|write)file\s*\(/i;

function sqlReachesOut(command: Invocation): boolean {
  const upstream = command.upstream.flatMap(({ args }) => args);
  return [...command.args, ...upstream, inputText(command) ?? ""].some((text) =>
    SQL_REACHES_OUT.test(text)
  );
}

/** `UPDATE t SET …` without a condition. */
function updatesAll(command: Invocation): boolean {
  return [...command.args, inputText(command) ?? ""].some((text) =>
    text.split(";").some((sql) =>
      /^\s*update\s+\S{1,200}\s+set\b/i.test(sql) && !/\bwhere\b/i.test(sql)
    )
  );
}

/** A DELETE request that is not to a server under development. */
function deletesByHttp(command: Invocation): boolean {
  const { args } = command;
  const text = joinedArgs(command);
  const isDelete = /(?:^| )(?:-X ?|--request[= ])DELETE\b/.test(text) ||
    (/^(?:http|https|xh|xhs)$/.test(command.program) && args.some((arg) => /^delete$/i.test(arg)));
  if (!isDelete) return false;
  if (/:(?:9200|9300|2379|8500|5984)\b/.test(text)) return true;
  const { operands } = parseOptions(args, {
    values: "XHdFoueb",
    longValues: ["request", "header", "data"],
  });
  return !operands.some((word) => isLoopback(word));
}

export const HOSTED_RULES: readonly Rule[] = [
  {
    key: "change a cluster",
    kind: "dangerous",
    description: "runs commands in a cluster, or removes or changes what runs there",
    ...byProgram({
      kubectl: {
        after: "kubectl",
        has: [
          /^(?:delete|exec|attach|debug|drain|cordon|uncordon|taint|run|patch|edit|replace|proxy|certificate|annotate \S+ --all|label \S+ --all|create (?:cluster)?role|create rolebinding|create serviceaccount|apply (?:\S+ )*(?:-f|--filename)[= ]?https?:|scale (?:\S+ )*--replicas[= ]0|auth reconcile|config (?:set|delete|unset)|cp \S+ \S+:)/,
        ],
        not: DRY,
      },
      oc: {
        has: [/^(?:-\S+ )*(?:delete|exec|rsh|adm|debug|patch|edit|replace|policy|login|rsync)\b/],
        not: DRY,
      },
      minikube: /^delete/,
      kind: /^delete/,
      k3d: /^(?:cluster|node) delete/,
      "k3s-uninstall.sh": /^/,
      "k3s-killall.sh": /^/,
      kubeadm: /^(?:reset|init|join|upgrade apply)/,
      microk8s: /^(?:reset|disable|kubectl delete)/,
      eksctl: /^(?:delete|create|drain)/,
      kops: /^(?:delete|update .*--yes)/,
      helm: { has: [/^(?:-\S+ )*(?:uninstall|delete|del|un|rollback)\b/], not: DRY },
      nomad: /^(?:job )?(?:stop|run|system gc)|^alloc exec/,
      consul: /^kv delete|^leave|^force-leave/,
      etcdctl: /^(?:\S+ )*(?:del|rm|member remove|user|role|auth)\b/,
      istioctl: /uninstall|purge/,
      argocd: /^app (?:delete|sync)/,
      flux: /^(?:uninstall|delete|suspend)/,
      docker:
        /^swarm (?:leave|init|join)|^(?:service|stack|node|config|secret) (?:rm|remove|update|scale)|^network (?:rm|prune|disconnect)|^(?:image )?rmi? (?:-\S*f|--force)|^image (?:rm|prune) (?:\S+ )*(?:-\S*[fa]|--force|--all)|^(?:builder|buildx) prune|^system prune|^container prune/,
      podman: /^system (?:reset|prune)|^pod rm|^(?:image )?rmi? (?:-\S*f|--force)/,
      nsenter: /./,
      lxc: /^(?:delete|stop|config set|config device add|init .*privileged)/,
      incus: /^(?:delete|stop|config set)/,
      chroot: /./,
      "systemd-nspawn": /./,
      machinectl: /^(?:shell|remove|terminate)/,
      multipass: /^(?:delete|purge|stop)/,
      virsh:
        /^(?:destroy|undefine|shutdown|reboot|reset|vol-delete|pool-delete|snapshot-delete|net-destroy)/,
      vboxmanage: /\b(?:unregistervm|poweroff|closemedium|acpipowerbutton)\b/i,
      qm: /^(?:destroy|stop|shutdown|reset)/,
      pct: /^(?:destroy|stop|shutdown)/,
    }),
    match: [
      "kubectl delete ns prod",
      "kubectl exec -it web -- sh",
      "kubectl drain node1 --force",
      "kubectl -n prod delete pod x",
      "kubectl apply -f https://h/x.yaml",
      "kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=e",
      "nsenter -t 1 -m sh",
      "docker network rm prod",
      "kind delete cluster",
      "helm uninstall --dry-run=none web",
      "kubectl delete pod x --dry-run=false",
    ],
    noMatch: [
      "kubectl get pods",
      "kubectl apply -f k8s/",
      "kubectl logs -f deploy/web",
      "kubectl delete pod x --dry-run=client",
      "helm list -A",
      "helm uninstall --dry-run web",
      "helm uninstall --dry-run=server web",
      "docker network ls",
      "docker image prune",
      "kubectl scale deploy/web --replicas=3",
      "kind create cluster",
    ],
  },
  {
    key: "change hosted resources",
    kind: "dangerous",
    description: "creates, changes or deletes something in a cloud, or who may use it",
    ...byProgram({
      aws: {
        has: [
          /(?:^| )(?:(?:delete|terminate|remove|deregister|revoke|attach|detach|authorize|disable|stop|reboot|modify|purge|reset|cancel|schedule|disassociate|create-access|create-user|create-login|create-policy|create-key|create-role|create-stack|add-(?:user|role|permission)|update-(?:login|assume|function|stack|access|user)|put-(?:bucket|user|role|group|key|resource|secret|parameter|public|image)|restore|run-instances|start-session|send-command|execute-command|deactivate|enable-user|upload-server|import-key|tag-resource|set-)\S*)(?: |$)|\bs3 (?:rm|rb)\b|\bs3 sync (?:(?!s3 sync )\S+ ){0,30}--delete|\bssm start-session|\bdynamodb (?:put|update|batch-write)/,
        ],
        not: DRY,
      },
      gcloud: {
        has: [
          /\b(?:delete|add-iam-policy-binding|remove-iam-policy-binding|set-iam-policy|stop|reset|suspend|ssh|import|disable|undelete|failover|restore|create-key|keys create|update-access|set-machine-type|abandon|destroy)\b|\bstorage rm\b/,
        ],
        not: DRY,
      },
      gsutil: /\b(?:rm|rb|acl|iam|defacl|setmeta|lifecycle|retention)\b/,
      az: {
        has: [
          /\b(?:delete|purge|stop|deallocate|restart|run-command|role assignment create|reset|redeploy|remove|revoke|lock delete|invoke|credential reset|set-policy|create-for-rbac)\b/,
        ],
        not: DRY,
      },
      doctl: /\b(?:delete|destroy|create|power-off|shutdown|rebuild|reset|remove|resize)\b/,
      hcloud: /\b(?:delete|poweroff|reset|rebuild|shutdown|remove|detach|disable-protection)\b/,
      "linode-cli": /\b(?:delete|rebuild|shutdown|reboot|remove)\b/,
      scw: /\b(?:delete|terminate|stop|reboot)\b/,
      oci: /\b(?:delete|terminate|action)\b/,
      ibmcloud: /\b(?:delete|rm|remove|disable)\b/,
      vultr: /\b(?:delete|destroy)\b/,
      terraform: {
        has: [
          /^(?:-\S+ )*(?:apply(?: -\S+(?: [^\s=]+=\S*)?)*$|destroy|state (?:rm|mv|push|replace-provider)|taint|untaint|force-unlock|import|workspace delete)/,
        ],
        not: DRY,
      },
      tofu: {
        has: [
          /^(?:-\S+ )*(?:apply(?: -\S+(?: [^\s=]+=\S*)?)*$|destroy|state (?:rm|mv|push)|taint|force-unlock|import|workspace delete)/,
        ],
      },
      terragrunt: /\b(?:apply|destroy|run-all)\b/,
      pulumi: {
        has: [/^(?:-\S+ )*(?:up|update|destroy|cancel|state|stack rm|refresh|import)\b/],
        not: /--preview-only|--help/,
      },
      cdk: /^(?:deploy|destroy|bootstrap)\b/,
      cdktf: /^(?:deploy|destroy)\b/,
      serverless: /^remove\b/,
      sls: /^remove\b/,
      sam: /^(?:delete|deploy)\b/,
      wrangler: /\bdelete\b|^(?:secret|rollback)\b/,
      supabase: /^db (?:reset|push)|^projects delete|^branches delete|\bsecrets (?:set|unset)/,
      heroku:
        /^(?:apps:destroy|pg:(?:reset|restore|copy|kill)|ps:(?:kill|stop|restart)|addons:destroy|config:(?:set|unset)|releases:rollback|maintenance:on|domains:remove|access:|keys:|run\b|ps:exec)/,
      fly:
        /^(?:apps? destroy|destroy|machines? (?:destroy|stop|kill)|volumes? (?:destroy|delete)|secrets (?:set|unset)|postgres .*(?:detach|destroy)|ssh)\b/,
      flyctl:
        /^(?:apps? destroy|destroy|machines? (?:destroy|stop|kill)|volumes? (?:destroy|delete)|secrets (?:set|unset)|ssh)\b/,
      vercel: /^(?:rm|remove|env (?:rm|add|pull)|domains (?:rm|remove)|secrets|rollback|teams)\b/,
      netlify: /^(?:sites:delete|env:(?:set|unset)|api)\b/,
      firebase:
        /(?::delete|:disable|:clear)\b|^(?:firestore:delete|hosting:disable|database:(?:remove|set))/,
      railway: /^(?:down|delete|variables)\b/,
      ansible: {
        has: [
          /(?:^| )(?:-m|--module-name)[= ](?!(?:ping|setup|debug|gather_facts|stat)\b)|(?:^| )-a /,
        ],
        not: /(?:^| )(?:-C|--check|--list-hosts)(?: |$)/,
      },
      "ansible-playbook": {
        has: [/./],
        not: /--(?:check|syntax-check|list-\w+|help|version)\b|(?:^| )-C(?: |$)/,
      },
      "ansible-pull": /./,
      salt: /./,
      "salt-call": /./,
      puppet: { has: [/^(?:apply|agent)\b/], not: /--noop/ },
      "chef-client": { has: [/^/], not: /--why-run|-W/ },
      knife: /\b(?:delete|ssh|exec)\b/,
      fab: { has: [/./], not: /^(?:-l|--list|--help|-V)/ },
      cap: { has: [/./], not: /^-[TP]|--dry-run/ },
      pdsh: /./,
      pssh: /./,
      clush: /./,
      dsh: /./,
      "ec2-metadata": /^/,
      rclone: /^(?:purge|delete|deletefile|rmdirs?|cleanup|dedupe|obscure|config)\b/,
      s3cmd: /^(?:del|rm|rb|setacl|setpolicy)\b/,
      mc: /^(?:rm|rb|admin|policy|anonymous|mirror .*--remove)\b/,
      restic: /\b(?:forget|prune|key)\b/,
      borg: /^(?:delete|prune|compact)\b/,
      tmutil: /^(?:delete|disable|deletelocalsnapshots|removedestination)/,
      snapper: /\bdelete\b|\bundochange\b/,
      timeshift: /--(?:delete|restore)/,
    }),
    match: [
      "aws ec2 run-instances --image-id ami-1",
      "aws iam create-access-key --user-name root",
      "aws s3 rm s3://b/x",
      "gcloud projects add-iam-policy-binding p --member x",
      "terraform apply",
      "terraform state rm x",
      "ansible all -m shell -a 'rm x'",
      "ansible-playbook -i prod site.yml",
      "heroku pg:reset",
      "rclone purge remote:b",
    ],
    noMatch: [
      "aws s3 ls",
      "aws ec2 describe-instances",
      "aws sts get-caller-identity",
      "gcloud compute instances list",
      "terraform plan",
      "terraform apply plan.tfplan",
      "ansible all -m ping",
      "ansible-playbook -i inventory site.yml --check",
      "heroku logs --tail",
      "pulumi preview",
      "cdk diff",
      "az account show",
    ],
  },
  {
    key: "reset a database",
    kind: "dangerous",
    description: "drops, resets or overwrites a database",
    ...byProgram({
      dropuser: /./,
      pg_dropcluster: /./,
      pg_resetwal: /./,
      pg_restore: /(?:^| )(?:-[a-zA-Z]*c|--clean)(?: |$)/,
      rails:
        /\bdb:(?:drop|reset|purge|migrate:reset|schema:load|structure:load|truncate_all|seed:replant|rollback)(?:\s|$)/,
      rake:
        /\bdb:(?:drop|reset|purge|migrate:reset|schema:load|truncate_all|seed:replant|rollback)(?:\s|$)/,
      php:
        /\bartisan (?:migrate:(?:fresh|reset|refresh|rollback)|db:wipe)\b|\bconsole doctrine:(?:database:drop|schema:drop)/,
      artisan: /^(?:migrate:(?:fresh|reset|refresh|rollback)|db:wipe)\b/,
      python: /\bmanage\.py (?:flush|reset_db|sqlflush|clear_cache|migrate \S+ zero)\b/,
      "manage.py": /^(?:flush|reset_db|migrate \S+ zero)\b/,
      "django-admin": /^flush\b/,
      prisma: /^(?:migrate reset|db push (?:\S+ )*--(?:force-reset|accept-data-loss))/,
      sequelize: /^db:(?:drop|migrate:undo:all)/,
      "sequelize-cli": /^db:(?:drop|migrate:undo:all)/,
      knex: { has: [/migrate:rollback /, / --all\b/] },
      typeorm: /schema:drop/,
      alembic: /^downgrade base/,
      flyway: /(?:^| )clean\b/,
      liquibase: /drop-?all|rollback/i,
      mix: /^ecto\.(?:drop|reset|rollback)/,
      dotnet: /^ef database drop/,
      influx: /\bdrop\b|\bdelete\b/i,
      bq: /^(?:\S+ )*rm\b|\bdrop\s+(?:table|schema)\b|\btruncate\s+table\b/i,
      "kafka-topics.sh": /--delete/,
      "kafka-topics": /--delete/,
      "kafka-delete-records.sh": /./,
      "zkcli.sh": /\b(?:delete|deleteall|rmr)\b/i,
      rabbitmqctl:
        /^(?:reset|force_reset|delete_\w+|purge_queue|stop\w*|add_user|change_password|set_user_tags)\b/,
      "redis-cli":
        /(?:^| )(?:eval|config set|shutdown|debug|slaveof|replicaof|module load|script flush|acl setuser|cluster reset|failover|migrate|flushall|flushdb|bgrewriteaof|swapdb)\b/i,
      valkey: /\b(?:flushall|flushdb|config set)\b/i,
      "valkey-cli": /(?:^| )(?:config set|shutdown|flushall|flushdb)\b/i,
      mongorestore: /--drop/,
      mongosh:
        /\.(?:drop\w*|deleteMany|remove|renameCollection|createUser|shutdownServer|updateUser|runCommand)\s*\(/,
      mongo:
        /\.(?:drop\w*|deleteMany|remove|renameCollection|createUser|shutdownServer|updateUser)\s*\(/,
      mysqladmin: /\b(?:drop|shutdown|flush-\w+|password|kill)\b/,
      nodetool: /\b(?:clearsnapshot|decommission|removenode|truncatehints)\b/,
      curator_cli: /delete/,
      hdfs: /^dfs (?:\S+ )*-rm/,
      hadoop: /^fs (?:\S+ )*-rm/,
      "cockroach": /\b(?:decommission|quit)\b/,
    }),
    match: [
      "rails db:drop",
      "php artisan migrate:fresh",
      "npx prisma migrate reset",
      "redis-cli CONFIG SET dir /x",
      "pg_restore --clean -d p x",
      "python manage.py flush",
    ],
    noMatch: [
      "rails db:migrate",
      "php artisan migrate",
      "npx prisma migrate dev --name init",
      "redis-cli get x",
      "pg_restore -d app app.dump",
      "python manage.py migrate",
      "rake db:drop:check",
    ],
  },
  {
    key: "SQL that leaves the database",
    kind: "dangerous",
    description: "runs programs, reads or writes files, or changes accounts through a database",
    programs: CLIENTS,
    test: sqlReachesOut,
    match: [
      "psql -c '\\! rm x'",
      "sqlite3 a.db '.shell ls'",
      "mysql -e \"select 1 into outfile '/tmp/x'\"",
      "psql -c \"copy t to program 'sh x'\"",
      "psql -c 'alter user me superuser'",
    ],
    noMatch: [
      "psql -c '\\dt'",
      "sqlite3 a.db .tables",
      "mysql -e 'show tables'",
      'psql -c "select * from grants"',
    ],
  },
  {
    key: "SQL UPDATE without WHERE",
    kind: "dangerous",
    description: "changes every row of a table",
    programs: CLIENTS,
    test: updatesAll,
    match: ['psql -c "update users set admin = true"'],
    noMatch: ["psql -c \"update users set name='x' where id=1\"", "mysql -e 'select 1'"],
  },
  {
    key: "delete by web request",
    kind: "dangerous",
    description: "asks a server to delete something",
    programs: ["curl", "http", "https", "xh", "xhs"],
    test: deletesByHttp,
    match: [
      "curl -X DELETE https://api.h/items/1",
      "curl -XDELETE http://localhost:9200/_all",
      "http DELETE h.example/x",
    ],
    noMatch: [
      "curl -X DELETE http://localhost:3000/items/1",
      "curl https://h",
      "http GET h.example",
    ],
  },
];
