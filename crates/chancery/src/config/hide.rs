//! Hides the secrets in a program's arguments, so that they can be shown.

use super::expand::{Piece, pieces};
use super::mask::names_secret;

/// The text that replaces a secret.
const HIDDEN: &str = "***";

/// Returns the arguments, with `***` where one's name, or the option before it, says that a secret follows. Variables
/// stay: their names are no secret.
#[must_use]
pub fn arguments<'a>(args: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut after = false;
    let show = |text: &'a str| {
        let option = text.starts_with('-');
        let shown = match secret_start(text) {
            Some(start) if !is_reference(&text[start..]) => format!("{}{HIDDEN}", &text[..start]),
            None if after && !option && !is_reference(text) => HIDDEN.to_owned(),
            _ => text.to_owned(),
        };
        after = option && !text.contains('=') && names_secret(text);
        shown
    };
    args.into_iter().map(show).collect()
}

/// Returns where the secret of one argument begins: `--token=…`, `API_KEY=…`, `Authorization: …`, or a URL's query or password.
fn secret_start(text: &str) -> Option<usize> {
    if let Some(authority) = text.find("://").map(|at| at + 3) {
        let rest = &text[authority..];
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        return match rest[..end].rfind('@') {
            Some(_) => Some(authority),
            None => rest.find('?').map(|query| authority + query + 1),
        };
    }
    let sign = text.find(['=', ':'])?;
    let value = text[sign + 1..].trim_start();
    names_secret(&text[..sign]).then_some(text.len() - value.len())
}

/// Returns whether the text is nothing but variables, perhaps after the name of a scheme.
fn is_reference(text: &str) -> bool {
    let harmless = |piece: &Piece<'_>| match piece {
        Piece::Variable { default, .. } => default.is_none(),
        Piece::Text(text) => matches!(text.trim(), "" | "Bearer" | "Basic" | "Token"),
    };
    pieces(text).is_ok_and(|pieces| !pieces.is_empty() && pieces.iter().all(harmless))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_secret_hides_it() {
        let shown = |args: &[&str]| arguments(args.iter().copied()).join(" ");
        assert_eq!(
            shown(&["--api-key", "s3", "--port", "80", "--token=s3", "a=b"]),
            "--api-key *** --port 80 --token=*** a=b"
        );
        assert_eq!(shown(&["--header", "Authorization: Bearer s3"]), "--header Authorization: ***");
        assert_eq!(
            shown(&["-e", "GITHUB_TOKEN=s3", "-e", "GITHUB_TOKEN"]),
            "-e GITHUB_TOKEN=*** -e GITHUB_TOKEN"
        );
        assert_eq!(
            shown(&[
                "https://a.example/mcp?key=s3",
                "https://me:s3@a.example/mcp",
                "https://a.example:1/a@b"
            ]),
            "https://a.example/mcp?*** https://*** https://a.example:1/a@b"
        );
        // The name of a variable contains no secret, nor does an option that merely follows one.
        assert_eq!(
            shown(&["--token=${TOKEN}", "--token", "${TOKEN}", "--auth", "--verbose"]),
            "--token=${TOKEN} --token ${TOKEN} --auth --verbose"
        );
        assert_eq!(
            shown(&["--token=s3${X}", "--token=${X:-s3}", "K_AUTH=Bearer ${X}"]),
            "--token=*** --token=*** K_AUTH=Bearer ${X}"
        );
    }
}
