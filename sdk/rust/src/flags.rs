//! The command line that all servers built on the SDK share.

use crate::era::Eras;

/// The usage text.
pub(crate) const USAGE: &str = "\
usage: [--stdio | --http ADDRESS] [--era both|legacy|modern]

  --stdio           serve one client on standard input and output (the default)
  --http ADDRESS    serve over Streamable HTTP, for instance 127.0.0.1:8000; port 0 takes a free one; prints the URL
  --era ERA         speak only the legacy revisions (up to 2025-11-25), only the modern one (2026-07-28), or both (the default)";

/// Where the server serves.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Stdio,
    Http(String),
    /// Nowhere: the usage text is printed.
    Help,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) place: Place,
    pub(crate) eras: Option<Eras>,
}

/// Parses `--flag value` and `--flag=value`; the error says what is wrong.
pub(crate) fn parse(args: impl IntoIterator<Item = String>) -> Result<Flags, String> {
    let mut flags = Flags {
        place: Place::Stdio,
        eras: None,
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let (name, mut value) = match arg.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (arg, None),
        };
        let mut value = || {
            value
                .take()
                .or_else(|| args.next())
                .ok_or_else(|| format!("`{name}` needs a value"))
        };
        match &*name {
            "--stdio" => flags.place = Place::Stdio,
            "--http" => flags.place = Place::Http(value()?),
            "--era" => {
                flags.eras = Some(match &*value()? {
                    "both" => Eras::Both,
                    "legacy" => Eras::Legacy,
                    "modern" => Eras::Modern,
                    other => return Err(format!("`{other}` is no era; it is one of both, legacy, modern")),
                });
            }
            "--help" | "-h" => flags.place = Place::Help,
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Flags, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_in_both_spellings() {
        assert_eq!(
            read(""),
            Ok(Flags {
                place: Place::Stdio,
                eras: None
            })
        );
        let http = Flags {
            place: Place::Http("127.0.0.1:0".to_owned()),
            eras: Some(Eras::Modern),
        };
        assert_eq!(read("--http=127.0.0.1:0 --era modern"), Ok(http));
        assert_eq!(read("--help").map(|flags| flags.place), Ok(Place::Help));
        assert_eq!(
            read("--era old"),
            Err("`old` is no era; it is one of both, legacy, modern".to_owned())
        );
        assert_eq!(read("--http"), Err("`--http` needs a value".to_owned()));
        assert_eq!(read("--port 1"), Err("unknown argument `--port`".to_owned()));
    }
}
