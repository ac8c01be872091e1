//! The paths in unparsed tokens: the arguments of macros and attributes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Returns every path with its line. A single name counts if it is capitalised or called.
pub(crate) fn paths(tokens: &TokenStream) -> Vec<(Vec<String>, usize)> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: &TokenStream, found: &mut Vec<(Vec<String>, usize)>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => collect(&group.stream(), found),
            TokenTree::Ident(first) => {
                let start = at;
                let mut path = vec![first.to_string()];
                while let (true, Some(TokenTree::Ident(next))) = (are_colons(&tokens, at + 1), tokens.get(at + 3)) {
                    path.push(next.to_string());
                    at += 3;
                }
                if is_path(&tokens, start, at, path.len()) {
                    found.push((path, first.span().start().line));
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns whether the tokens from `start` to `end` name an item, and no field, method, variable or parameter of a macro.
fn is_path(tokens: &[TokenTree], start: usize, end: usize, names: usize) -> bool {
    let TokenTree::Ident(first) = &tokens[start] else { return false };
    let first = first.to_string();
    let before = start.checked_sub(1).map(|before| &tokens[before]);
    if is_punct(before, '$') {
        return first == "crate";
    }
    let is_field = is_punct(before, '.') && !is_punct(start.checked_sub(2).map(|before| &tokens[before]), '.');
    if is_field || is_punct(before, ':') && start >= 2 && are_colons(tokens, start - 2) {
        return false;
    }
    let is_called = match tokens.get(end + 1) {
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
        after => is_punct(after, '!'),
    };
    names > 1 || is_called || first.starts_with(char::is_uppercase)
}

fn are_colons(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

fn is_punct(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}
