//! The environment variables that a child inherits from the gateway: those that programs need to run, none that may
//! hold a credential.

use std::ffi::OsString;

const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    // What Windows programs can't start without.
    "APPDATA",
    "LOCALAPPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERNAME",
    "USERPROFILE",
];
const INHERITED_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Returns the inherited variables of the gateway's environment.
pub(crate) fn inherited() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, value)| {
        let Some(name) = name.to_str() else { return false };
        // A value that starts like this is an exported shell function.
        is_inherited(name) && !value.as_encoded_bytes().starts_with(b"()")
    })
}

fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name) || INHERITED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    #[test]
    fn credentials_are_not_inherited() {
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "ANTHROPIC_API_KEY",
            "SSH_AUTH_SOCK",
            "LD_PRELOAD",
            "HTTPS_PROXY",
        ] {
            assert!(!super::is_inherited(name), "{name}");
        }
        for name in ["PATH", "HOME", "XDG_CONFIG_HOME", "LC_ALL"] {
            assert!(super::is_inherited(name), "{name}");
        }
    }
}
