/**
 * Keys of a repository's own settings that hold data alone: none makes git run a program or read
 * a file that it would not read anyway. What is not here may not be changed by a command.
 */

export interface DataKeys {
  /** Keys of `[section]`, lower-case, separated by spaces. */
  plain?: string;
  /** Keys of `[section "name"]`. */
  named?: string;
}

export const DATA_KEYS: Readonly<Record<string, DataKeys>> = {
  advice: {
    plain:
      "addembeddedrepo addemptypathspec addignoredfile detachedhead diverging forcedeletebranch " +
      "implicitidentity mergeconflict pushfetchfirst pushneedsforce pushnonfastforward " +
      "pushunqualifiedrefname pushupdaterejected resetnorefresh skippedcherrypicks statushints " +
      "submodulealternateerrorstrategydie updatesparsepath waitingforeditor",
  },
  author: { plain: "name email" },
  branch: {
    plain: "autosetupmerge autosetuprebase sort",
    named: "remote merge rebase pushremote description gh-merge-base github-pr-owner-number " +
      "vscode-merge-base",
  },
  color: { plain: "ui branch diff status interactive" },
  commit: { plain: "status verbose" },
  committer: { plain: "name email" },
  core: {
    plain: "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode " +
      "symlinks autocrlf eol safecrlf quotepath abbrev sparsecheckout sparsecheckoutcone " +
      "untrackedcache splitindex preloadindex compression loosecompression bigfilethreshold " +
      "commentchar whitespace trustctime checkstat multipackindex commitgraph sharedrepository " +
      "fsync fsyncmethod warnambiguousrefs hidedotfiles",
  },
  diff: {
    plain:
      "algorithm renames renamelimit mnemonicprefix noprefix colormoved colormovedws context " +
      "interhunkcontext submodule wserrorhighlight indentheuristic statgraphwidth",
  },
  extensions: {
    plain: "objectformat compatobjectformat worktreeconfig partialclone preciousobjects noop " +
      "refstorage relativeworktrees",
  },
  fetch: {
    plain: "prune prunetags parallel recursesubmodules showforcedupdates writecommitgraph output " +
      "all unpacklimit negotiationalgorithm",
  },
  gc: {
    plain: "auto autodetach autopacklimit aggressivedepth aggressivewindow bigpackthreshold " +
      "cruftpacks packrefs pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire " +
      "writecommitgraph",
  },
  index: { plain: "sparse threads version skiphash recordendofindexentries recordoffsettable" },
  init: { plain: "defaultbranch" },
  lfs: { plain: "repositoryformatversion", named: "access locksverify" },
  log: { plain: "abbrevcommit date decorate follow showroot showsignature" },
  maintenance: { plain: "auto strategy autodetach", named: "enabled schedule" },
  merge: { plain: "ff conflictstyle renames renamelimit directoryrenames stat log autostash" },
  pack: {
    plain: "threads window depth windowmemory deltacachesize deltacachelimit packsizelimit " +
      "usebitmaps writebitmaps usesparse compression writereverseindex",
  },
  pull: { plain: "ff rebase" },
  push: { plain: "default autosetupremote followtags useforceifincludes recursesubmodules" },
  rebase: {
    plain: "autosquash autostash stat updaterefs missingcommitscheck forkpoint rebasemerges",
  },
  receive: {
    plain:
      "denycurrentbranch denydeletecurrent denydeletes denynonfastforwards fsckobjects autogc " +
      "updateserverinfo advertisepushoptions",
  },
  remote: {
    plain: "pushdefault",
    named: "url pushurl fetch push mirror tagopt prune prunetags skipdefaultupdate skipfetchall " +
      "promisor partialclonefilter followremotehead gh-resolved",
  },
  rerere: { plain: "enabled autoupdate" },
  status: {
    plain: "branch short showstash showuntrackedfiles relativepaths submodulesummary aheadbehind " +
      "renames renamelimit",
  },
  submodule: {
    plain: "active recurse fetchjobs propagatebranches alternatelocation alternateerrorstrategy",
    named: "url active path branch update fetchrecursesubmodules ignore shallow",
  },
  tag: { plain: "sort" },
  user: { plain: "name email signingkey useconfigonly" },
};

/** How a submodule may be updated; any other value could be a command. */
export const SUBMODULE_UPDATES: ReadonlySet<string> = new Set([
  "checkout",
  "rebase",
  "merge",
  "none",
]);

/** Values that name a repository; `helper::address` makes git run `git-remote-helper`. */
export const ADDRESS_KEYS: ReadonlySet<string> = new Set([
  "branch.remote",
  "branch.pushremote",
  "remote.pushdefault",
  "remote.pushurl",
  "remote.url",
  "submodule.url",
]);
