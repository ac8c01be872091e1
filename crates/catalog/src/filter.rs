//! The operator's choice of which tools of a server are offered.

/// Patterns over the names that a server gives its own tools. A trailing `*` matches any rest; everything else matches itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The tools to offer; an empty list means all.
    pub include: Vec<String>,
    /// The tools to leave out, even if included.
    pub exclude: Vec<String>,
}

impl Filter {
    /// Returns whether a tool is offered.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        let among = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        (self.include.is_empty() || among(&self.include)) && !among(&self.exclude)
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters() {
        let cases: [(&[&str], &[&str], &str, bool); 12] = [
            (&[], &[], "read", true),
            (&["read"], &[], "read", true),
            (&["read"], &[], "read_file", false),
            (&["read*"], &[], "read_file", true),
            (&["read*"], &[], "rea", false),
            (&["*"], &[], "anything", true),
            (&["r*d"], &[], "read", false),
            (&["r*d"], &[], "r*d", true),
            (&[], &["write*"], "write_file", false),
            (&[], &["write*"], "read_file", true),
            (&["write*"], &["write_file"], "write_file", false),
            (&["write*"], &["write_file"], "write_line", true),
        ];
        let owned = |patterns: &[&str]| patterns.iter().map(|&p| p.to_owned()).collect();
        for (include, exclude, name, allowed) in cases {
            let filter = Filter {
                include: owned(include),
                exclude: owned(exclude),
            };
            assert_eq!(filter.allows(name), allowed, "{filter:?} on `{name}`");
        }
    }
}
