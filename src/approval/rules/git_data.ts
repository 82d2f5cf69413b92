/** Git commands that lose work or rewrite what others have. */
import { hasFlag, type Invocation, parseOptions } from "../shell/invocation.ts";
import type { Rule } from "./rule.ts";
import { subcommand } from "../shell/unwrap.ts";

const VALUE_OPTIONS = { values: "om", longValues: ["push-option", "receive-pack", "repo"] };

function git(command: Invocation, name: string) {
  const found = subcommand(command.args, "git");
  return found.name === name ? parseOptions(found.args, VALUE_OPTIONS) : undefined;
}

/** `.`, `:/`, `*`: everything at once rather than a named file. */
function isWholeTree(path: string): boolean {
  return /^(?:\.|\.\/|:\/|:|\*|--)$/.test(path);
}

export const GIT_RULES: readonly Rule[] = [
  {
    key: "git reset --hard",
    kind: "dangerous",
    description: "throws away uncommitted changes",
    programs: ["git"],
    test: (command) => {
      const options = git(command, "reset");
      return options !== undefined && hasFlag(options, "hard");
    },
    match: ["git reset --hard HEAD~3", "git reset --h", "git -C d reset --hard"],
    noMatch: ["git reset --soft HEAD~1", "git reset HEAD f"],
  },
  {
    key: "git force push",
    aliases: ["git force push (short flag)"],
    kind: "dangerous",
    description: "overwrites history on the remote",
    programs: ["git"],
    test: (command) => {
      const options = git(command, "push");
      if (options === undefined) return false;
      return hasFlag(options, "f", "force", "force-with-lease", "mirror", "prune") ||
        options.operands.some((ref) => ref.startsWith("+"));
    },
    match: [
      "git push --force",
      "git push --force-with-lease",
      "git push -f",
      "git push origin +main",
      "git -c a.b=c push -uf origin main",
    ],
    noMatch: ["git push origin main", "git push origin feature-f", "git push -u origin fix/force"],
  },
  {
    key: "git delete on the remote",
    kind: "dangerous",
    description: "deletes a branch or tag that others may use",
    programs: ["git"],
    test: (command) => {
      const options = git(command, "push");
      return options !== undefined && !hasFlag(options, "dry-run", "n") &&
        (hasFlag(options, "d", "delete") ||
          options.operands.slice(1).some((ref) => /^:./.test(ref)));
    },
    match: ["git push origin --delete main", "git push origin :main", "git push -d origin v1"],
    noMatch: ["git push origin main", "git push origin main:main", "git push origin :"],
  },
  {
    key: "git clean with force",
    kind: "dangerous",
    description: "deletes untracked files",
    programs: ["git"],
    test: (command) => {
      const options = git(command, "clean");
      return options !== undefined && hasFlag(options, "f", "force") &&
        !hasFlag(options, "n", "dry-run");
    },
    match: ["git clean -fd", "git clean --force"],
    noMatch: ["git clean -n", "git clean -nfd"],
  },
  {
    key: "git branch force delete",
    aliases: ["git branch force delete (long flags)"],
    kind: "dangerous",
    description: "deletes or moves a branch that may not be merged",
    programs: ["git"],
    test: (command) => {
      const options = git(command, "branch");
      if (options === undefined) return false;
      return options.flags.has("D") || options.flags.has("M") || options.flags.has("C") ||
        (hasFlag(options, "f", "force") && options.operands.length > 0) ||
        (hasFlag(options, "d", "delete") && hasFlag(options, "f", "force"));
    },
    match: ["git branch -D x", "git branch --delete --force x", "git branch -f main HEAD~10"],
    noMatch: ["git branch --list", "git branch -d x"],
  },
  {
    key: "git discard all changes",
    kind: "dangerous",
    description: "throws away uncommitted changes of the whole tree",
    programs: ["git"],
    test: (command) => {
      const checkout = git(command, "checkout");
      if (checkout !== undefined) {
        return hasFlag(checkout, "f", "force") || checkout.operands.some(isWholeTree);
      }
      const changed = git(command, "switch") ?? git(command, "worktree") ??
        git(command, "submodule");
      if (changed !== undefined) {
        return hasFlag(changed, "f", "force", "discard-changes") && changed.operands[0] !== "add";
      }
      const restore = git(command, "restore");
      if (restore === undefined || !restore.operands.some(isWholeTree)) return false;
      return !hasFlag(restore, "S", "staged") || hasFlag(restore, "W", "worktree");
    },
    match: [
      "git checkout -- .",
      "git checkout .",
      "git checkout -f main",
      "git restore .",
      "git switch --discard-changes main",
      "git worktree remove -f ../x",
    ],
    noMatch: ["git checkout main", "git checkout -b x", "git restore --staged .", "git restore f"],
  },
  {
    key: "git rewrite or prune history",
    kind: "dangerous",
    description: "rewrites commits, or deletes those nothing points at",
    programs: ["git", "git-filter-repo", "bfg"],
    test: (command) => {
      if (command.program !== "git") return !hasFlag(parseOptions(command.args), "help", "version");
      const { name, args } = subcommand(command.args, "git");
      if (name === "filter-branch" || name === "filter-repo") return true;
      if (name === "reflog") return /^(?:expire|delete)$/.test(args[0] ?? "");
      const options = parseOptions(args);
      if (/^(?:update-ref|replace|fast-import)$/.test(name)) {
        return args.length > 0 && !hasFlag(options, "l", "list");
      }
      if (name === "symbolic-ref") return hasFlag(options, "d") || options.operands.length > 1;
      if (name === "read-tree") return hasFlag(options, "reset", "u");
      if (name === "prune") return !hasFlag(options, "n", "dry-run");
      if (name === "rm") {
        return hasFlag(options, "r") && options.operands.some(isWholeTree) &&
          !hasFlag(options, "cached", "n");
      }
      return name === "gc" && options.values.get("prune")?.[0] === "now";
    },
    match: [
      "git filter-branch --tree-filter x HEAD",
      "git reflog expire --expire=now --all",
      "git update-ref -d refs/heads/x",
      "git gc --prune=now",
      "git rm -rf .",
      "git prune --expire=now",
      "git replace -f a b",
    ],
    noMatch: [
      "git reflog -10",
      "git gc",
      "git log --all",
      "git rm old.txt",
      "git symbolic-ref HEAD",
    ],
  },
  {
    key: "git stash clear",
    kind: "dangerous",
    description: "deletes every stashed change",
    programs: ["git"],
    test: (command) => git(command, "stash")?.operands[0] === "clear",
    match: ["git stash clear"],
    noMatch: ["git stash", "git stash pop"],
  },
];
