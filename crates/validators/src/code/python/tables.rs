//! Lists of Python's modules, builtins and attributes.

/// The modules that `standard` refuses: they run programs or code, reach the network, load unjudged code, or access the
/// interpreter's internals.
#[rustfmt::skip]
pub(in super::super) const BLOCKED_MODULES: &[&str] = &[
    "subprocess", "pty", "popen2", "commands", "multiprocessing", "concurrent.futures.process", "asyncio.subprocess", "posix", "nt", "_posixsubprocess", "_winapi",
    "importlib", "imp", "runpy", "code", "codeop", "pkgutil", "zipimport", "pydoc", "builtins", "__builtin__", "site", "ensurepip", "venv", "pip", "setuptools",
    "distutils", "pickle", "cPickle", "_pickle", "pickletools", "dill", "cloudpickle", "shelve", "marshal", "jsonpickle", "joblib", "dbm", "copyreg",
    "socket", "_socket", "socketserver", "ssl", "select", "selectors", "telnetlib", "ftplib", "smtplib", "smtpd", "poplib", "imaplib", "nntplib", "xmlrpc", "xmlrpclib",
    "http.server", "SimpleHTTPServer", "CGIHTTPServer", "BaseHTTPServer", "wsgiref", "paramiko", "fabric", "pexpect", "sh", "plumbum", "pyghmi", "pysnmp", "twisted",
    "ctypes", "_ctypes", "cffi", "mmap", "gc", "inspect", "sys.monitoring", "faulthandler", "tracemalloc", "trace", "bdb", "pdb", "cProfile", "profile", "timeit", "dis",
    "resource", "signal", "fcntl", "termios", "tty", "winreg", "_winreg", "msvcrt", "webbrowser", "antigravity", "shutil", "tempfile", "tarfile", "zipfile",
    "threading", "_thread", "thread", "syslog", "crypt", "spwd", "pwd", "grp", "nis", "readline", "rlcompleter", "cmd", "getpass", "idlelib", "tkinter", "turtle", "lib2to3",
    "urllib.request", "urllib2", "lxml", "xml.sax", "xml.dom", "xml.etree",
];

/// The modules that `strict` allows: they compute, and open nothing.
#[rustfmt::skip]
pub(in super::super) const ALLOWED_MODULES: &[&str] = &[
    "__future__", "abc", "argparse", "array", "ast", "asyncio", "base64", "binascii", "bisect", "calendar", "cmath", "collections", "colorsys", "contextlib", "contextvars",
    "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "errno", "fractions", "functools", "graphlib", "hashlib", "heapq", "hmac", "html", "io",
    "ipaddress", "itertools", "json", "keyword", "locale", "logging", "math", "mimetypes", "numbers", "operator", "pprint", "queue", "random", "re", "reprlib", "secrets",
    "shlex", "statistics", "string", "struct", "textwrap", "time", "token", "tomllib", "types", "typing", "typing_extensions", "unicodedata", "unittest", "urllib.parse",
    "uuid", "warnings", "weakref", "zlib", "zoneinfo",
];

/// The modules of which only some parts are allowed at `strict`.
#[rustfmt::skip]
const PARTIAL: &[(&str, &[&str])] = &[
    ("sys", &["argv", "exit", "version", "version_info", "stdout", "stderr", "stdin", "maxsize", "float_info", "int_info", "getsizeof", "byteorder", "platform",
              "getrecursionlimit", "hexversion", "maxunicode", "implementation", "intern"]),
    ("os", &["path", "sep", "linesep", "pardir", "curdir", "extsep", "altsep", "pathsep", "name", "fspath", "PathLike", "cpu_count"]),
    ("os.path", &["join", "basename", "dirname", "split", "splitext", "normpath", "normcase", "isabs", "commonpath", "commonprefix", "relpath", "sep", "splitdrive", "pardir", "curdir"]),
];

/// The builtins that run or read what is not in the program. A reference to one is as dangerous as a call.
pub(super) const BLOCKED_BUILTINS: &[&str] = &[
    "eval",
    "exec",
    "compile",
    "execfile",
    "breakpoint",
    "input",
    "raw_input",
    "reload",
    "help",
];

/// The attributes of frames, code and generators, through which a program reaches its surroundings.
#[rustfmt::skip]
pub(super) const FRAME_ATTRIBUTES: &[&str] = &[
    "gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "cr_origin", "ag_frame", "ag_code", "ag_await", "f_back", "f_locals", "f_globals",
    "f_builtins", "f_code", "f_trace", "tb_frame", "tb_next", "co_code", "co_consts", "func_globals", "func_code", "func_closure", "func_defaults", "im_func", "im_self",
    "im_class",
];

/// The methods and functions that run programs, on any object.
#[rustfmt::skip]
pub(super) const RUNNERS: &[&str] = &[
    "system", "popen", "popen2", "popen3", "popen4", "Popen", "fork", "forkpty", "startfile", "posix_spawn", "posix_spawnp", "spawnl", "spawnle", "spawnlp", "spawnlpe",
    "spawnv", "spawnve", "spawnvp", "spawnvpe", "execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "check_output", "check_call", "getoutput",
    "getstatusoutput", "exec_command", "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell", "import_module", "load_module",
    "exec_module", "find_spec", "_getframe", "settrace", "setprofile", "addaudithook", "eval", "exec", "execfile", "run_code", "run_path", "run_module", "unpickle",
];

/// The dangerous functions of modules that are not dangerous themselves.
#[rustfmt::skip]
const BLOCKED_NAMES: &[&str] = &[
    "os.system", "os.popen", "os.fork", "os.forkpty", "os.kill", "os.killpg", "os.startfile", "os.putenv", "os.unsetenv", "os.setuid", "os.setgid", "os.chroot", "os.chown",
    "os.chmod", "os.lchown", "os.ptrace", "os.abort", "os._exit", "os.remove", "os.removedirs", "os.rmdir", "os.unlink", 
    "os.symlink", "os.link", "os.mknod", "os.mkfifo", "os.truncate", "os.pipe", "os.dup2", "os.execl", "os.execle", "os.execlp", "os.execlpe", "os.execv", "os.execve",
    "os.execvp", "os.execvpe", "os.spawnl", "os.spawnle", "os.spawnlp", "os.spawnlpe", "os.spawnv", "os.spawnve", "os.spawnvp", "os.spawnvpe", "os.posix_spawn",
    "os.posix_spawnp", "os.popen2", "os.popen3", "os.popen4",
    "sys.modules", "sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.meta_path", "sys.path_hooks", "sys.path",
    "sys.path_importer_cache", "sys.call_tracing", "sys.breakpointhook", "sys.displayhook", "sys.excepthook", "sys.unraisablehook",
    "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "asyncio.open_connection", "asyncio.open_unix_connection", "asyncio.start_server",
    "asyncio.start_unix_server", "io.open", "io.open_code", "io.FileIO", "codecs.open", "logging.config", "logging.handlers", "logging.FileHandler", "types.CodeType",
    "types.FunctionType", "types.LambdaType", "types.MethodType", "types.ModuleType", "types.new_class", "types.DynamicClassAttribute", "yaml.load", "yaml.unsafe_load", "yaml.full_load",
    "yaml.load_all", "yaml.unsafe_load_all", "string.Formatter", "numpy.load", "numpy.ctypeslib", "pandas.read_pickle", "torch.load", "unittest.mock", "unittest.main",
    "typing.get_type_hints", "typing_extensions.get_type_hints", "typing.ForwardRef", "ast.PyCF_ALLOW_TOP_LEVEL_AWAIT",
];

/// The functions of modules that write.
pub(super) const WRITERS: &[&str] = &[
    "os.rename",
    "os.renames",
    "os.replace",
    "os.mkdir",
    "os.makedirs",
    "os.utime",
    "os.write",
    "os.mkfifo",
    "shutil.copy",
    "shutil.move",
];

/// The methods that write, on any object.
#[rustfmt::skip]
pub(super) const WRITING_METHODS: &[&str] = &[
    "write", "writelines", "write_text", "write_bytes", "unlink", "rmdir", "mkdir", "makedirs", "touch", "symlink_to", "hardlink_to", "truncate", "chmod", "lchmod", "rename",
    "executemany", "executescript", "commit", "sendall", "sendto", "post", "put", "patch", "to_csv", "to_excel", "to_sql", "to_parquet", "savefig", "savetxt",
];

/// The modules whose name, found as an attribute, counts as the module itself.
#[rustfmt::skip]
const MODULE_NAMES: &[&str] = &[
    "os", "sys", "subprocess", "builtins", "__builtin__", "socket", "importlib", "ctypes", "pickle", "shutil", "posix", "nt", "pty", "multiprocessing", "threading",
    "posixpath", "ntpath", "linecache", "tempfile", "inspect", "gc", "code", "runpy", "_os", "_sys", "_io", "_thread", "_posixsubprocess", "_socket",
];

/// The double-underscored names that do no harm, as operators and in definitions.
#[rustfmt::skip]
const DUNDERS: &[&str] = &[
    "__init__", "__new__", "__del__", "__repr__", "__str__", "__bytes__", "__format__", "__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__", "__hash__", "__bool__",
    "__len__", "__length_hint__", "__getitem__", "__setitem__", "__delitem__", "__missing__", "__iter__", "__next__", "__reversed__", "__contains__", "__call__",
    "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__aiter__", "__anext__", "__add__", "__sub__", "__mul__", "__matmul__", "__truediv__",
    "__floordiv__", "__mod__", "__divmod__", "__pow__", "__lshift__", "__rshift__", "__and__", "__xor__", "__or__", "__radd__", "__rsub__", "__rmul__", "__rmatmul__",
    "__rtruediv__", "__rfloordiv__", "__rmod__", "__rpow__", "__rlshift__", "__rrshift__", "__rand__", "__rxor__", "__ror__", "__iadd__", "__isub__", "__imul__",
    "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__", "__ilshift__", "__irshift__", "__iand__", "__ixor__", "__ior__", "__neg__", "__pos__", "__abs__",
    "__invert__", "__complex__", "__int__", "__float__", "__index__", "__round__", "__trunc__", "__floor__", "__ceil__", "__name__", "__qualname__", "__doc__",
    "__version__", "__author__", "__all__", "__slots__", "__annotations__", "__future__", "__post_init__", "__set_name__", "__match_args__", "__get__", "__set__",
    "__copy__", "__deepcopy__", "__fspath__", "__sizeof__", "__class_getitem__", "__debug__", "__main__", "__file__", "__license__", "__copyright__", "__email__",
    "__metaclass__", "__nonzero__", "__unicode__", "__cmp__", "__div__", "__hex__", "__oct__", "__long__", "__iterator__",
    // Information about types and errors.
    "__args__", "__origin__", "__parameters__", "__constraints__", "__bound__", "__covariant__", "__contravariant__", "__metadata__", "__required_keys__",
    "__optional_keys__", "__total__", "__type_params__", "__members__", "__module__", "__notes__", "__cause__", "__suppress_context__", "__path__",
];

/// The double-underscored names that classes may define, although a program that calls them by name bypasses the
/// operators they implement.
#[rustfmt::skip]
const DEFINABLE: &[&str] = &[
    "__getattr__", "__setattr__", "__delattr__", "__dir__", "__init_subclass__", "__instancecheck__", "__subclasscheck__", "__subclasshook__", "__getstate__", "__setstate__",
    "__prepare__", "__delete__", "__getnewargs__", "__rich_repr__", "__html__", "__json__", "__clause_element__", "__array__",
];

/// The modules that count as imported even where the program does not import them: a host may have done it.
#[rustfmt::skip]
pub(super) const AMBIENT: &[&str] = &[
    "os", "sys", "subprocess", "socket", "pickle", "cPickle", "marshal", "shelve", "ctypes", "pty", "shutil", "importlib", "builtins", "multiprocessing", "tempfile", "posix",
    "runpy", "dill", "ftplib", "telnetlib", "smtplib", "paramiko", "yaml", "jsonpickle",
];

/// Returns whether a name has double underscores on both sides and is not a harmless one.
pub(super) fn is_forbidden_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__") && !DUNDERS.contains(&name)
}

/// Returns whether a class may define a method of that name.
pub(super) fn is_definable(name: &str) -> bool {
    DEFINABLE.contains(&name)
}

/// Returns whether a dotted name is a dangerous function, or inside of one.
pub(super) fn is_blocked_name(dotted: &str) -> bool {
    BLOCKED_NAMES
        .iter()
        .any(|one| dotted == *one || dotted.strip_prefix(one).is_some_and(|rest| rest.starts_with('.')))
}

pub(super) fn is_module(name: &str) -> bool {
    MODULE_NAMES.contains(&name)
}

/// Returns the allowed parts of a module, if it is one of which only some are.
pub(super) fn parts_of(module: &str) -> Option<&'static [&'static str]> {
    PARTIAL.iter().find(|(name, _)| *name == module).map(|(_, parts)| *parts)
}

/// Returns whether a dotted name leads into such a module.
pub(super) fn is_in_partial(dotted: &str) -> bool {
    PARTIAL
        .iter()
        .any(|(name, _)| dotted.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// Returns whether a dotted name is one of the allowed parts, or belongs to a part that is not a module.
pub(super) fn is_part(dotted: &str) -> bool {
    let Some((parent, name)) = dotted.rsplit_once('.') else {
        return false;
    };
    match parts_of(parent) {
        Some(parts) => parts.contains(&name),
        None => is_part(parent) && parts_of(parent).is_none(),
    }
}
