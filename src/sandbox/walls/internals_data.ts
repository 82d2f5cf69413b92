/** The runtime's built-in modules, as `internals.ts` wraps them. */

/** What Node's `builtinModules` lists, without `node:`. */
export const BUILTIN_MODULES: readonly string[] =
  `_http_agent _http_common _http_outgoing _http_server _stream_duplex _stream_passthrough
_stream_readable _stream_transform _stream_writable _tls_common _tls_wrap assert assert/strict
async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns
dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module net
os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises
repl sqlite stream stream/consumers stream/promises stream/web string_decoder sys test
test/reporters timers timers/promises tls trace_events tty url util util/types v8 vm wasi
worker_threads zlib`.split(/\s+/);

/** Modules that Node does not list; the runtime's loader finds them where there is an import map. */
export const UNLISTED_MODULES: readonly string[] = [
  "_http_client",
  "_http_incoming",
  "_http_proxy",
];

/** Modules of pure computation: what a script may import. They lead to no handle, loader or process. */
export const PURE_BUILTINS: readonly string[] =
  `assert assert/strict buffer crypto events path path/posix path/win32 querystring string_decoder
timers timers/promises url util util/types`.split(/\s+/);

/** Of these, one that loads Node's `process` for itself. */
export const LOADS_PROCESS: readonly string[] = ["crypto"];

/** Exports that must be taken from the changed module: a name of its own would keep the original. */
export const CHANGED_EXPORTS: Readonly<Record<string, string>> = {
  module:
    "Module,SourceMap,_cache,_extensions,_findPath,_initPaths,_load,_nodeModulePaths,_pathCache," +
    "_preloadModules,_resolveFilename,_resolveLookupPaths,_stat,builtinModules,createRequire," +
    "findPackageJSON,findSourceMap,getBuiltinModule,globalPaths,isBuiltin,register,registerHooks," +
    "runMain,stripTypeScriptTypes,syncBuiltinESMExports,wrap",
  process:
    "abort,allowedNodeEnvironmentFlags,arch,argv,argv0,availableMemory,chdir,constrainedMemory," +
    "cpuUsage,cwd,dlopen,emitWarning,env,execArgv,execPath,exit,getActiveResourcesInfo," +
    "getBuiltinModule,getegid,geteuid,getgid,getuid,hrtime,kill,loadEnvFile,memoryUsage,nextTick," +
    "pid,platform,ppid,removeAllListeners,removeListener,report,resourceUsage,setegid,seteuid," +
    "setgid,setuid,stderr,stdin,stdout,threadCpuUsage,umask,version,versions",
  "worker_threads":
    "BroadcastChannel,MessageChannel,MessagePort,SHARE_ENV,Worker,getEnvironmentData," +
    "isInternalThread,isMainThread,isMarkedAsUntransferable,locks,markAsUncloneable," +
    "markAsUntransferable,moveMessagePortToContext,parentPort,postMessageToThread," +
    "receiveMessageOnPort,resourceLimits,setEnvironmentData,threadId,threadName,workerData",
};
