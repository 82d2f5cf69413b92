/** Every example of the behaviour specification on command approval, as a decision. */
import assert from "node:assert/strict";
import { decide } from "../../src/approval/decide.ts";

function assertDecision(decision: string, commands: readonly string[]): void {
  for (const command of commands) {
    const verdict = decide(command, { home: "/home/me", cwd: "/home/me/project" });
    assert.equal(verdict.decision, decision, `${command} (${verdict.rule})`);
  }
}

Deno.test("decide() sees through every disguise of the normalisation table", () => {
  assertDecision("forbidden", [
    "\x1b[31mrm\x1b[0m -rf /",
    "\x9b31mrm -rf /",
    "r\0m -rf /",
    "ｒｍ -ｒｆ /",
    "rm -rf \\\n/",
    "rm -rf \\\r\n/",
    "r\\m -rf /",
    "r''m -rf /",
    'r""m -rf /',
    "rm${IFS}-rf${IFS}/",
    "rm$IFS-rf$IFS/",
    "$(echo rm) -rf /",
    "`printf rm` -rf /",
    "${x:-rm} -rf /",
    "${x/a/rm} -rf /",
    "bash -c 'rm -rf /'",
    "bash -c 'bash -c \"reboot\"'",
  ]);
  assertDecision("allow", ["echo $IFSACONFIG", "ｌｓ -ｌａ /tmp", "grep -P 'rm -rf build' f"]);
});

Deno.test("decide() forbids every hardline example", () => {
  assertDecision("forbidden", [
    ..."/ /* // /. /./ /.. //*".split(" ").map((path) => `rm -rf ${path}`),
    'rm -rf "/"',
    "rm --recursive --force /",
    "rm /",
    "ls && rm -rf /",
    "(rm -rf /)",
    "{ rm -rf /; }",
    "$(rm -rf /)",
    'echo "$(rm -rf /)"',
    "env X=1 rm -rf /",
    ..."home root etc usr var bin sbin boot lib".split(" ").flatMap((name) => [
      `rm -rf /${name}`,
      `rm -rf /${name}/*`,
    ]),
    'rm -rf "/home"',
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf ~/*",
    "rm -rf $HOME",
    'rm -rf "${HOME}"',
    "rm -rf $HOME/*",
    "mkfs.ext4 /dev/sda1",
    "mkfs /dev/sdb",
    ..."sda nvme0n1 hda mmcblk0 vda xvda".split(" ").map((name) => `dd if=x of=/dev/${name}`),
    "cat x > /dev/nvme0n1",
    "> /dev/sda",
    ":(){ :|:& };:",
    ":(){:|:&};:",
    ": () { : | : & } ; :",
    "kill -9 -1",
    "kill -1",
    "shutdown -h now",
    "sudo -E reboot",
    "false || halt",
    "(poweroff)",
    "`shutdown now`",
    "nohup reboot",
    "echo hi\nsudo reboot",
    "init 0",
    "(init 0)",
    "init 6",
    ..."poweroff reboot halt kexec".split(" ").map((verb) => `systemctl ${verb}`),
    "telinit 0",
    "telinit 6",
    "echo pw | sudo -S whoami",
    "sudo -k && sudo -S x",
  ]);
});

Deno.test("decide() forbids what the reference lets slip", () => {
  assertDecision("forbidden", [
    "/bin/rm -rf /",
    "command rm -rf /",
    "sudo -u bob rm -rf /",
    "nice reboot",
    "doas reboot",
    "xargs reboot",
    "ssh h reboot",
  ]);
  assertDecision("prompt", [
    "curl u | sudo sh",
    "curl u | python3",
    "chmod 0777 f",
    "chmod -v --recursive g+r,o+w d",
    "docker rm -f x",
    "crontab -r",
    "git checkout -- .",
    "cat <<EOF | python3\nprint(1)\nEOF",
  ]);
});

Deno.test("decide() allows what the hardline table must not block", () => {
  assertDecision("allow", [
    'echo "rm -rf /"',
    'git commit -m "rm -rf /"',
    "echo '{ rm -rf /; }'",
    "mkfs_helper --version",
    "dd of=./image.bin",
    "echo x > /dev/null",
    "ls /dev/sda",
    "echo hello:world",
    "kill -9 12345",
    "kill -HUP 1234",
    "kill -1 123",
    "echo reboot",
    "grep 'shutdown' f",
    "cat rebooting.log",
    'echo "text\nsudo reboot\nmore"',
    "cat <<EOF\nsudo reboot\nEOF",
    "init 3",
    "systemctl status",
    "sudo whoami",
    "echo -S hello",
    'echo "sudo -S x"',
  ]);
  assertDecision("prompt", [
    "rm -rf /...",
    "rm -rf /.foo",
    "rm -rf /opt/foo",
    "rm -rf /tmp/*",
    "rm -rf /home/user/scratch",
    "rm -rf ~/Downloads/old",
    "rm -rf $HOME/tmp",
    "dd if=x of=./image.bin",
    "dd if=x of=/dev/loop0",
    "systemctl restart nginx",
  ]);
});

Deno.test("decide() raises none of the reference's false alarms", () => {
  assertDecision("allow", [
    "git push origin feature-f",
    "cp /etc/hosts .",
    "cat a 2>/dev/null",
    "git branch -d x",
    "xargs grep rm",
    "echo 'rm -rf /'",
    'git commit -m "rm -rf x"',
    "docker ps",
    "docker context ls",
    "docker compose up",
    "docker run x",
    "taskkill /IM a",
    "reg query HKCU",
    "del file.txt",
    "Remove-Item f",
    "vssadmin list shadows",
    "echo remember to del old notes",
    "sudo -i",
    "sudo -u root ls",
    "sudo --shell id",
    "sudo -l",
    "man sudo",
    "cp ~/.ssh/config /tmp/x",
    "sed -i s /srv/app/config.yaml",
    "truncate -s 0 f",
    "launchctl print gui/501/ai.hermes.gateway",
  ]);
});
