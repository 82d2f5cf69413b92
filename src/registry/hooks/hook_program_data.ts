/** Which words of a hook's command run files, and which places belong to the system. */

/** Programs whose first file argument is a script, by base name. */
export const INTERPRETER =
  /^(?:(?:ba|da|z|k|mk|c|tc|fi|a)?sh|busybox|python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|tsx|ts-node|lua[\d.]*|php[\d.]*|Rscript|tclsh[\d.]*|expect|osascript|pwsh|guile|elixir|escript)$/;

/** Shells: their `-c` text is a program whose command words are looked up on the PATH. */
export const SHELL = /^(?:(?:ba|da|z|k|mk|c|tc|fi|a)?sh|busybox)$/;

export const PYTHON = /^(?:python|pypy)[\d.]*$/;

/** Programs that find their modules by where a script lies: those run in their place. */
export const PLACED = /^(?:node|nodejs|deno|bun|tsx|ts-node|java|php[\d.]*|ruby[\d.]*)$/;

/** Programs that start the program their arguments name. */
export const WRAPPER =
  /^(?:env|nice|nohup|timeout|setsid|stdbuf|ionice|chrt|taskset|sudo|doas|time|xargs|busybox|flock|script|unshare|strace|ltrace|watch|parallel|command|exec|setarch|firejail|bwrap|npx|uv|uvx|poetry|bundle)$/;

/** Variables whose value is a file that is run or loaded before anything else. */
export const RUN_BY_VARIABLE = /^(?:BASH_ENV|ENV|PYTHONSTARTUP|LD_PRELOAD|LD_AUDIT)=/;

/** Of a shell: the next word is the program itself. */
export const SHELL_TEXT = /^-[a-zA-Z]*c[a-zA-Z]*$/;

/** The same of other interpreters; after such a word no file is a script. */
export const INLINE_OPTIONS: readonly { runner: RegExp; option: RegExp }[] = [
  { runner: SHELL, option: SHELL_TEXT },
  { runner: PYTHON, option: /^-[a-zA-Z]*[cm]$/ },
  { runner: /^php[\d.]*$/, option: /^-r$/ },
  { runner: /^perl[\d.]*$/, option: /^-[a-zA-Z]*[eE]/ },
  {
    runner: /^(?:node|nodejs|bun|ruby[\d.]*|lua[\d.]*)$/,
    option: /^-(?:e|p|pe)$|^--(?:eval|print)$/,
  },
  { runner: /^deno$/, option: /^(?:eval|task)$/ },
];

/** Options of interpreters whose next word is a file that is loaded before the script. */
export const LOADING_OPTION =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--rcfile|--init-file|--config|--import-map)$/;

/** Programs that do what a file in a folder says, and the names of that file. */
export const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  npm: ["package.json"],
  npx: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  deno: ["deno.json", "deno.jsonc"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
  invoke: ["tasks.py"],
  composer: ["composer.json"],
  "pre-commit": [".pre-commit-config.yaml"],
};

/** Ends of names that are run by something, whatever their mode says. */
export const SCRIPT_NAME =
  /\.(?:sh|bash|zsh|fish|ksh|py|pyc|pyz|pl|pm|rb|[cm]?[jt]s|[jt]sx|lua|php|r|awk|sed|jar|wasm|node|mk|inc|tcl|ps1|scpt|jq|so)$/i;

/** Words of a script that ask where it lies. */
export const ASKS_WHERE =
  /\$\{?0\b|BASH_SOURCE|ZSH_ARGZERO|__file__|__path__|sys\.(?:argv|path)|FindBin|__FILE__|\$PROGRAM_NAME|readlink|realpath|\buse\s+lib\b|@INC|\brequire\b|package\.path|importlib|\bexec\s*\(/;

/** Words whose next word is a file that is loaded, whatever it is called. */
export const LOADING_WORD =
  /^(?:\.|source|require_relative|load|[-s]?include|(?:include|require)_once|dofile|loadfile)$/;

/** Words whose next word is loaded when it is a path. */
export const LOADING_WORD_OF_PATHS = /^(?:require|import|from|use)$/;

/** A script that runs text: every file it names may be that text. */
export const RUNS_TEXT = /\beval\b|\bexec\s*\(|\brunpy\b|\bexecfile\b/;

/** Folders that hold packages or compiled files, beside the files of a hook. */
export const PACKAGE_FOLDER = /^(?:\..*|node_modules|__pycache__)$/;

/**
 * Modules of Python's own library: a file of such a name in the folder where Python looks first
 * is loaded in its place, by the script or by another module of the library.
 */
export const PYTHON_MODULES: ReadonlySet<string> = new Set(
  `
  __future__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2
  _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections
  _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses
  _curses_panel _datetime _dbm _decimal _elementtree _frozen_importlib _frozen_importlib_external
  _functools _gdbm _hashlib _heapq _imp _interpchannels _interpqueues _interpreters _io
  _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing
  _opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess
  _py_abc _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _scproxy _sha1 _sha2 _sha256
  _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string
  _strptime _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize
  _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _wmi _zoneinfo abc aifc
  antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii
  binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop
  collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg
  crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email
  encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib
  functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
  http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3
  linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
  msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse
  os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix
  posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri
  random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve
  shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
  sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable
  sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time
  timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types
  typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound
  wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`.trim().split(/\s+/),
);

/**
 * Where the system keeps its programs. Hermes that runs as root can change every file that only
 * root can change, so that then only these places count as the system's.
 */
export const SYSTEM_PLACES =
  /^\/(?:usr\/)?(?:bin|sbin|lib|lib32|lib64|libx32|libexec)\/|^\/(?:System|Library\/Apple)\//;
