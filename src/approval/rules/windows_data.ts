/** The same dangers spelled for cmd and PowerShell; they may be reached through WSL or `cmd /c`. */
import type { Invocation } from "../shell/invocation.ts";
import { byProgram, type Rule } from "./rule.ts";

function slash(command: Invocation, ...letters: string[]): boolean {
  return command.args.some((arg) => letters.some((letter) => arg.toLowerCase() === `/${letter}`));
}

/** A PowerShell switch, abbreviated as far as three letters. */
function dash(command: Invocation, name: string): boolean {
  return command.args.some((arg) => {
    const text = arg.toLowerCase();
    return text.length >= 4 && text.startsWith("-") &&
      `-${name}`.startsWith(text.split(":", 1)[0]!);
  });
}

function first(command: Invocation): string {
  return command.args[0]?.toLowerCase() ?? "";
}

function isFetch({ program }: Invocation): boolean {
  return /^(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod)$/.test(program);
}

/** Paths as they were written: a POSIX reading drops the backslashes. */
function mentions({ program, raw }: Invocation, pattern: RegExp): boolean {
  return program !== "echo" && program !== "git" && raw.some((word) => pattern.test(word));
}

export const WINDOWS_RULES: readonly Rule[] = [
  {
    key: "Windows recursive or forced delete",
    aliases: ["cmd destructive delete"],
    kind: "dangerous",
    description: "deletes files or directories without asking",
    programs: ["del", "erase", "rd", "rmdir"],
    test: (command) => slash(command, "s", "q", "f"),
    match: ["cmd /c del /f x", "del /s /q dir", "rd /s /q dir", "cmd.exe /C rmdir /S d"],
    noMatch: ["del file.txt", "rmdir empty", "echo remember to del old notes"],
  },
  {
    key: "PowerShell destructive delete",
    aliases: ["Remove-Item -Recurse/-Force"],
    kind: "dangerous",
    description: "deletes files or directories without asking",
    programs: ["remove-item", "ri", "del", "rd", "rm", "rmdir", "erase"],
    test: (command) => dash(command, "recurse") || dash(command, "force"),
    match: ["powershell ri -Recurse x", "Remove-Item -Recurse -Force x", 'pwsh -c "del -Force x"'],
    noMatch: ["Remove-Item f", "rm -f readme.txt"],
  },
  {
    key: "PowerShell encoded command",
    kind: "dangerous",
    description: "runs text that was hidden by an encoding",
    programs: ["powershell", "pwsh"],
    test: ({ args }) => args.some((arg) => /^-(?:e|ec|en[a-z]*)$/i.test(arg)),
    match: ["powershell -EncodedCommand aQBlAHgA", "powershell -enc aQBlAHgA"],
    noMatch: ["pwsh -NoProfile -Version"],
  },
  {
    key: "pipe remote content to Invoke-Expression",
    aliases: ["iwr | iex", "iex (iwr)"],
    kind: "dangerous",
    description: "runs whatever a server sends",
    programs: ["iex", "invoke-expression"],
    test: ({ upstream, args, raw }) =>
      upstream.some(isFetch) ||
      [...args, ...raw].some((word) =>
        /\b(?:iwr|irm|downloadstring|invoke-(?:web|rest))/i.test(word)
      ),
    match: ["iwr u | iex", 'pwsh -c "iex (iwr u)"', "powershell 'irm u | iex'"],
    noMatch: ["iwr u -OutFile f"],
  },
  {
    key: "forced process or service stop",
    aliases: ["taskkill /F", "Stop-Process -Force", "Stop-Service -Force", "sc stop|delete"],
    kind: "dangerous",
    description: "ends processes or services without letting them clean up",
    programs: ["taskkill", "stop-process", "spps", "stop-service", "sc"],
    test: (command) =>
      command.program === "taskkill"
        ? slash(command, "f")
        : command.program === "sc"
        ? /^(?:stop|delete)$/.test(first(command))
        : dash(command, "force"),
    match: [
      "taskkill /F /IM a",
      "Stop-Process -Name a -Force",
      "Stop-Service x -Force",
      "sc stop x",
      "sc delete x",
    ],
    noMatch: ["taskkill /IM a", "sc query x"],
  },
  {
    key: "Windows disk or boot change",
    aliases: ["Format-Volume", "Clear-Disk", "diskpart", "format X:", "cipher /w", "bcdedit /set"],
    kind: "dangerous",
    description: "formats, wipes or changes how the machine starts",
    programs: [
      "format-volume",
      "clear-disk",
      "initialize-disk",
      "diskpart",
      "format",
      "cipher",
      "bcdedit",
    ],
    test: (command) => {
      switch (command.program) {
        case "format":
          return /^[a-z]:/i.test(first(command));
        case "cipher":
          return command.args.some((arg) => /^\/w/i.test(arg));
        case "bcdedit":
          return command.args.some((arg) => /^\/(?:set|delete|import)/i.test(arg));
        default:
          return true;
      }
    },
    match: [
      "Format-Volume -DriveLetter D",
      "Clear-Disk -Number 1",
      "diskpart /s x",
      "format C: /q",
      "cipher /w:C",
      "bcdedit /set x y",
    ],
    noMatch: ["format README.md", "bcdedit /enum"],
  },
  {
    key: "Windows permission change",
    aliases: ["icacls grant Everyone / reset"],
    kind: "dangerous",
    description: "opens or resets the permissions of files",
    programs: ["icacls", "takeown"],
    test: (command) =>
      command.program === "takeown" || slash(command, "reset") ||
      /\/grant(?::r)? +(?:everyone|\*s-1-1-0):/i.test(command.args.join(" ")),
    match: ["icacls d /grant Everyone:F", "icacls d /reset"],
    noMatch: ["icacls d", "icacls d /grant me:R"],
  },
  {
    key: "Windows backup deletion",
    aliases: ["vssadmin delete shadows", "wbadmin delete"],
    kind: "dangerous",
    description: "deletes backups",
    programs: ["vssadmin", "wbadmin"],
    test: (command) => first(command) === "delete",
    match: ["vssadmin delete shadows /all", "wbadmin delete catalog"],
    noMatch: ["vssadmin list shadows"],
  },
  {
    key: "Windows registry deletion",
    aliases: ["reg delete", "Remove-ItemProperty -Force"],
    kind: "dangerous",
    description: "deletes registry entries",
    programs: ["reg", "remove-itemproperty", "rp"],
    test: (command) =>
      command.program === "reg" ? first(command) === "delete" : dash(command, "force"),
    match: ["reg delete HKCU\\\\x", "Remove-ItemProperty -Path x -Name y -Force"],
    noMatch: ["reg query HKCU\\\\x"],
  },
  {
    key: "Windows download or foreign code",
    kind: "dangerous",
    description: "fetches or runs code through a tool of the system",
    ...byProgram({
      certutil: /-(?:urlcache|decode|decodehex|encode|verifyctl|addstore)/i,
      bitsadmin: /\/(?:transfer|addfile|create|setnotifycmdline)/i,
      mshta: /./,
      rundll32: /./,
      regsvr32: /./,
      wmic: /\b(?:call|delete|create)\b/i,
      msiexec: /\/(?:i|q|a|package|x)\b/i,
      installutil: /./,
      msbuild: /https?:|\\\\/i,
      cscript: /./,
      wscript: /./,
      forfiles: /\/c\b/i,
      "invoke-expression": /./,
      iex: /[$(]|https?:|\0/i,
      "invoke-command": /./,
      "start-process": /-verb\s+runas/i,
      "new-object": /Net\.WebClient|Net\.Sockets/i,
      runas: /./,
      psexec: /./,
      winrs: /./,
    }),
    match: [
      "certutil -urlcache -f http://h/x x.exe",
      "mshta http://h/x.hta",
      "wmic process call create x.exe",
      "Start-Process x -Verb RunAs",
    ],
    noMatch: ["certutil -hashfile x", "Get-Process", "wmic os get version", "iex -S mix"],
  },
  {
    key: "Windows credential access",
    aliases: ["Users\\x\\.ssh access", "AppData hermes .env access"],
    kind: "dangerous",
    description: "reaches for keys or secrets in a Windows profile",
    mentions: /users|appdata/i,
    test: (command) =>
      command.raw.length > 0 &&
      mentions(
        command,
        /users[\\/]+[^\\/]+[\\/]+\.ssh\b|appdata[\\/]+(?:[^\\/]{1,60}[\\/]+){0,4}hermes[\\/]+(?:[^\\/]{1,60}[\\/]+){0,4}\.env\b/i,
      ) &&
      command.raw.some((word) => /[a-z]:|%|\\/i.test(word)),
    match: ["type C:\\Users\\me\\.ssh\\id_rsa", "type %USERPROFILE%\\AppData\\Local\\hermes\\.env"],
    noMatch: ["type C:\\Users\\me\\notes.txt"],
  },
];
