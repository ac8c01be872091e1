//! `[store]`

use super::section::section;
use super::setting::{Setting, template};

section! {
    /// The store, in which the gateway keeps tokens, grants, approvals and the audit. Read at the start.
    Table "store";

    /// The folder; `~/` is the home directory, a relative path is relative to the file that names it. One gateway at a
    /// time uses it. Default: a folder of its own for each set of configuration files, below the state directory.
    FOLDER: Setting<String> = template("folder").example(r#""~/chancery/store""#).also(&["path", "dir", "directory"]);
}
