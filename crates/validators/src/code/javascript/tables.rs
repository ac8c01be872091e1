//! Lists of JavaScript's globals, modules and properties.

/// The modules that `standard` refuses.
#[rustfmt::skip]
pub(in super::super) const BLOCKED_MODULES: &[&str] = &[
    "child_process", "cluster", "worker_threads", "vm", "vm2", "isolated-vm", "net", "tls", "dgram", "dns", "repl", "inspector", "module", "v8", "wasi", "trace_events", "process",
    "async_hooks", "diagnostics_channel", "test", "sea", "sqlite", "execa", "shelljs", "cross-spawn", "node-pty", "ffi-napi", "koffi", "edge-js", "puppeteer", "playwright",
];

/// The modules that `strict` allows: they compute, and open nothing.
pub(in super::super) const ALLOWED_MODULES: &[&str] = &[
    "assert",
    "buffer",
    "events",
    "path",
    "querystring",
    "string_decoder",
    "url",
    "util",
    "punycode",
    "timers",
];

/// The globals that run code, wherever they are named.
pub(super) const BLOCKED_GLOBALS: &[&str] = &[
    "eval",
    "Function",
    "GeneratorFunction",
    "AsyncFunction",
    "importScripts",
    "WebAssembly",
    "execScript",
];

/// The globals that `strict` refuses: the host, the network, other threads, and ways around names.
#[rustfmt::skip]
pub(super) const HOST_GLOBALS: &[&str] = &[
    "process", "global", "globalThis", "window", "self", "frames", "parent", "top", "opener", "document", "module", "Deno", "Bun", "Worker", "SharedWorker",
    "ServiceWorker", "navigator", "location", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "RTCPeerConnection", "localStorage", "sessionStorage", "indexedDB",
    "caches", "Reflect", "Proxy", "ShadowRealm", "SharedArrayBuffer", "Atomics", "postMessage", "MessageChannel", "BroadcastChannel", "chrome", "browser", "Java", "ActiveXObject",
    "WScript", "std",
];

/// The parts of `process` that `strict` allows.
#[rustfmt::skip]
pub(super) const PROCESS_PARTS: &[&str] = &[
    "version", "versions", "platform", "arch", "uptime", "hrtime", "memoryUsage", "cpuUsage", "nextTick", "exit", "exitCode", "argv", "stdout", "stderr", "release", "pid", "emitWarning",
];

/// The properties through which a program reaches constructors, prototypes and the host.
#[rustfmt::skip]
pub(super) const BLOCKED_PROPERTIES: &[&str] = &[
    "constructor", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "mainModule", "getBuiltinModule", "dlopen", "_load", "_linkedBinding",
    "setPrototypeOf", "getPrototypeOf", "callee", "caller", "prepareStackTrace", "captureStackTrace", "createRequire", "runInThisContext", "runInNewContext", "runInContext",
    "runMain",
];

/// The methods that run programs, on any object.
pub(super) const RUNNERS: &[&str] = &[
    "execSync",
    "execFile",
    "execFileSync",
    "spawn",
    "spawnSync",
    "fork",
    "compileFunction",
    "Function",
    "eval",
];

/// The methods that write, on any object.
#[rustfmt::skip]
pub(super) const WRITERS: &[&str] = &[
    "writeFile", "writeFileSync", "appendFile", "appendFileSync", "createWriteStream", "write", "writeSync", "unlink", "unlinkSync", "rm", "rmSync", "rmdir", "rmdirSync", "mkdir",
    "mkdirSync", "rename", "renameSync", "copyFile", "copyFileSync", "truncate", "truncateSync", "chmod", "chmodSync", "symlink", "symlinkSync", "setItem", "removeItem", "put", "post",
];

/// The functions whose result is a number, and so not a property name.
pub(super) const NUMERIC: &[&str] = &[
    "parseInt",
    "Number",
    "indexOf",
    "lastIndexOf",
    "findIndex",
    "findLastIndex",
    "charCodeAt",
    "codePointAt",
    "getDay",
    "getMonth",
    "getDate",
    "getHours",
    "search",
];
