//! Explains why a program can't be started, and what to do about it.

use std::io;
use std::path::Path;

/// Explains the system's error for this command, run in `cwd` with `path` as its `PATH`.
pub(crate) fn explain(error: &io::Error, command: &str, cwd: Option<&Path>, path: &str) -> String {
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_dir()) {
        return format!(
            "its working directory `{}` does not exist; create it or change `cwd`",
            cwd.display()
        );
    }
    match error.kind() {
        io::ErrorKind::NotFound if command.contains('/') => missing_file(Path::new(command), cwd),
        io::ErrorKind::NotFound => format!("no such program in PATH; {}; PATH is `{path}`", advice(command)),
        io::ErrorKind::PermissionDenied => {
            format!("it is not executable ({error}); check its permissions, or start it through its interpreter")
        }
        _ => error.to_string(),
    }
}

fn missing_file(file: &Path, cwd: Option<&Path>) -> String {
    let full = cwd.map_or_else(|| file.to_owned(), |cwd| cwd.join(file));
    if full.exists() {
        "the file exists, but the interpreter that its first line names does not; install it, or start the file through another".to_owned()
    } else {
        format!("there is no file `{}`; correct `command`", full.display())
    }
}

fn advice(command: &str) -> String {
    let install = match command {
        "npx" | "npm" | "node" | "pnpm" | "yarn" => "install Node.js (https://nodejs.org)",
        "bunx" | "bun" => "install Bun (https://bun.sh)",
        "uvx" | "uv" => "install uv (https://docs.astral.sh/uv)",
        "python" | "python3" | "pip" | "pipx" => "install Python 3",
        "docker" | "podman" => "install a container engine, or start it",
        _ => "install it",
    };
    format!("{install}, or give the full path as `command` (a shell prints it with `command -v {command}`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_says_what_to_do() {
        let not_found = io::Error::from(io::ErrorKind::NotFound);
        let text = explain(&not_found, "npx", None, "/bin:/usr/bin");
        assert!(text.contains("/bin:/usr/bin") && text.contains("install Node.js"), "{text}");
        let text = explain(&not_found, "/no/such/file", None, "");
        assert!(text.contains("`/no/such/file`"), "{text}");
        let text = explain(&not_found, "sh", Some(Path::new("/no/such/dir")), "/bin");
        assert!(text.contains("`/no/such/dir` does not exist"), "{text}");
    }
}
