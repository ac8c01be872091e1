//! The known commands by their names.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::dangerous::danger_of;
use super::known::ROWS;
use super::row::Row;

static TABLE: LazyLock<HashMap<&'static str, &'static Row>> = LazyLock::new(|| {
    ROWS.iter()
        .flat_map(|row| row.names.split(' ').map(move |name| (name, row)))
        .collect()
});

/// Returns the row of a command.
pub(crate) fn row_of(name: &str) -> Option<&'static Row> {
    TABLE.get(name).copied()
}

/// Returns whether the name is that of a known command, allowed or not.
pub(crate) fn is_known(name: &str) -> bool {
    row_of(name).is_some() || danger_of(name).is_some()
}
