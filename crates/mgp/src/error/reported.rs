//! Reads servers' errors, in all forms that servers use (D32).

use jsonrpc::{ErrorObject, Raw, RawKind};

use super::{Category, Code, Recovery, Strategy};
use crate::carrier::{EXTENSION, META, MGP};

/// The length of the longest name of a fallback tool that is followed.
const LONGEST_NAME: usize = 256;

/// The error of a server, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The number, whatever it is.
    pub number: i64,
    /// The code of §14.3, if the number is one.
    pub code: Option<Code>,
    /// The recovery fields. Without the data of §14.4 nothing is retried, because the code alone does not make a request safe to repeat.
    pub recovery: Recovery,
}

impl Reported {
    /// Reads an error. The data of §14.4 is searched for in `data._mgp`, in what a later draft nests there (`recovery`), and in `_meta`.
    #[must_use]
    pub fn read(error: &ErrorObject) -> Self {
        let code = Code::of(error.code);
        let category = Category::of(error.code).unwrap_or(Category::External);
        let recovery = match error.data.as_ref().and_then(recovery_of) {
            Some(said) => read(&said, category),
            None => Recovery::never(category),
        };
        Self {
            number: error.code,
            code,
            recovery,
        }
    }
}

/// Returns the object with the recovery fields. One that repeats a key is ignored.
fn recovery_of(data: &Raw) -> Option<Raw> {
    const PLACES: [&[&str]; 5] = [&[MGP, "recovery"], &[MGP], &[META, EXTENSION], &[EXTENSION], &["recovery"]];
    let found = PLACES.into_iter().find_map(|path| data.at(path));
    found.filter(|said| said.object().is_ok())
}

fn read(said: &Raw, category: Category) -> Recovery {
    let text = |key: &str| said.get(key).and_then(|value| value.as_str().map(std::borrow::Cow::into_owned));
    let number = |key: &str| said.get(key).as_ref().and_then(whole);
    Recovery {
        category: text("category").and_then(|word| Category::parse(&word)).unwrap_or(category),
        retryable: said.get("retryable").and_then(|value| value.as_bool()).unwrap_or(false),
        retry_after_ms: number("retry_after_ms"),
        strategy: text("retry_strategy").map(|word| Strategy::read(&word)),
        max_retries: number("max_retries").map(|times| u32::try_from(times).unwrap_or(u32::MAX)),
        fallback_tool: text("fallback_tool").filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME),
        details: said.get("details").filter(|details| details.kind() == RawKind::Object),
    }
}

/// Returns a whole number that is not negative, also from a double or a text of digits. A number that is too large becomes the largest one.
fn whole(value: &Raw) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    if let Some(text) = value.as_str() {
        return text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    }
    let double = value.as_f64().filter(|double| *double >= 0.0)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded up and not negative; a larger one saturates"
    )]
    Some(double.ceil() as u64)
}
