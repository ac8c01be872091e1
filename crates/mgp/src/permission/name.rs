//! The names of permissions: the eleven of §3.2, the short forms that peers use (D5), and custom names.

use std::fmt;

use model::{Permission, Risk};

use crate::json::shown;

/// A permission of §3.2.
#[derive(Clone, Copy, Debug)]
pub struct Standard {
    /// Its name.
    pub name: &'static str,
    /// The description of what it allows a server to do.
    pub description: &'static str,
    /// Its risk.
    pub risk: Risk,
}

use Risk::{Dangerous, Moderate, Safe};

/// The table of §3.2.
#[rustfmt::skip]
pub const STANDARD: [Standard; 11] = [
    Standard { name: "filesystem.read",  description: "Read files from the host filesystem",     risk: Moderate },
    Standard { name: "filesystem.write", description: "Write/create/delete files",               risk: Dangerous },
    Standard { name: "network.outbound", description: "Make outbound network requests",          risk: Moderate },
    Standard { name: "network.listen",   description: "Bind to a network port",                  risk: Dangerous },
    Standard { name: "shell.execute",    description: "Execute shell commands",                  risk: Dangerous },
    Standard { name: "code_execution",   description: "Execute arbitrary code",                  risk: Dangerous },
    Standard { name: "memory.read",      description: "Read from memory/knowledge stores",       risk: Safe },
    Standard { name: "memory.write",     description: "Write to memory/knowledge stores",        risk: Moderate },
    Standard { name: "system.info",      description: "Read system information (OS, CPU, etc.)", risk: Safe },
    Standard { name: "camera",           description: "Access camera/vision devices",            risk: Dangerous },
    Standard { name: "notification",     description: "Send notifications to the user",          risk: Safe },
];

/// The short names, each with the permissions that it stands for (D5).
const SHORT: [(&str, &[&str]); 3] = [
    ("shell", &["shell.execute"]),
    ("network", &["network.outbound"]),
    ("filesystem", &["filesystem.read", "filesystem.write"]),
];

/// The length of the longest name.
const LONGEST: usize = 128;

/// The meaning of a name that a peer uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The permissions, by canonical names.
    pub permissions: Vec<Permission>,
    /// The remark on the name, if any.
    pub remark: Option<Remark>,
}

/// A remark on a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// D5: it is short for others.
    Short(String),
    /// §3.2: it is neither one of the eleven nor a reverse-domain name.
    Undotted(String),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(name) => write!(
                f,
                "the permission `{name}` is not in MGP's table: it is read as `{}`",
                meant(name).join("` and `")
            ),
            Self::Undotted(name) => write!(f, "the permission `{name}` is neither one of MGP's nor a reverse-domain name"),
        }
    }
}

/// The error for a text that is not the name of a permission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots")]
pub struct NameError(String);

/// Reads a name of a permission, as peers, operators and configuration write it.
///
/// # Errors
/// When it is not a valid name.
pub fn read(name: &str) -> Result<Said, NameError> {
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if name.len() > LONGEST || !name.split('.').all(is_label) {
        return Err(NameError(shown(name)));
    }
    let short = meant(name);
    if !short.is_empty() {
        return Ok(Said {
            permissions: short.iter().map(|name| Permission::new(name)).collect(),
            remark: Some(Remark::Short(name.to_owned())),
        });
    }
    let remark = (standard(name).is_none() && !name.contains('.')).then(|| Remark::Undotted(name.to_owned()));
    Ok(Said {
        permissions: vec![Permission::new(name)],
        remark,
    })
}

/// Returns the risk of a permission: that of §3.2; a custom permission is unknown, which counts as moderate.
#[must_use]
pub fn risk(permission: &Permission) -> Risk {
    standard(permission.as_str()).map_or(Moderate, |standard| standard.risk)
}

/// Returns the description of a permission of §3.2.
#[must_use]
pub fn description(permission: &Permission) -> Option<&'static str> {
    standard(permission.as_str()).map(|standard| standard.description)
}

fn standard(name: &str) -> Option<&'static Standard> {
    STANDARD.iter().find(|standard| standard.name == name)
}

fn meant(name: &str) -> &'static [&'static str] {
    SHORT.iter().find(|(short, _)| *short == name).map_or(&[], |(_, meant)| meant)
}
