//! The filter of a modern client's subscription stream.

use jsonrpc::{ErrorObject, Raw};

/// The filter of a `subscriptions/listen` (2026-07-28 basic/patterns/subscriptions).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `toolsListChanged`
    pub tools: bool,
    /// `promptsListChanged`
    pub prompts: bool,
    /// `resourcesListChanged`
    pub resources: bool,
    /// `resourceSubscriptions`
    pub uris: Vec<String>,
    /// `taskIds` of the tasks extension.
    pub tasks: Vec<String>,
}

impl Filter {
    /// The most URIs that one client may be subscribed to at the same time.
    pub const MAX_URIS: usize = 1024;
    /// The most bytes of one subscribed URI.
    pub const MAX_URI: usize = 64 * 1024;

    /// Refuses a filter that is too large to be held for as long as its stream is open.
    ///
    /// # Errors
    /// -32602 with the bound that it exceeds.
    pub fn check(&self) -> Result<(), ErrorObject> {
        if self.uris.len() > Self::MAX_URIS {
            return Err(ErrorObject::invalid_params(format!(
                "`resourceSubscriptions` has {} entries; at most {} are allowed",
                self.uris.len(),
                Self::MAX_URIS
            )));
        }
        self.uris.iter().try_for_each(|uri| Self::check_uri(uri))
    }

    /// Refuses a URI that is too long to be subscribed to.
    ///
    /// # Errors
    /// -32602 with its length.
    pub fn check_uri(uri: &str) -> Result<(), ErrorObject> {
        if uri.len() <= Self::MAX_URI {
            return Ok(());
        }
        Err(ErrorObject::invalid_params(format!(
            "a URI of {} bytes can't be subscribed to; at most {} are allowed",
            uri.len(),
            Self::MAX_URI
        )))
    }

    /// Reads the filter of a request's params.
    #[must_use]
    pub fn read(params: Option<&Raw>) -> Self {
        let Some(filter) = params.and_then(|p| p.get("notifications")) else {
            return Self::default();
        };
        let flag = |key: &str| filter.get(key).and_then(|v| v.as_bool()).unwrap_or(false);
        let texts = |key: &str| {
            let items = filter.get(key).map(|v| v.items()).unwrap_or_default();
            items.iter().filter_map(|v| v.as_str().map(std::borrow::Cow::into_owned)).collect()
        };
        Self {
            tools: flag("toolsListChanged"),
            prompts: flag("promptsListChanged"),
            resources: flag("resourcesListChanged"),
            uris: texts("resourceSubscriptions"),
            tasks: texts("taskIds"),
        }
    }

    /// Returns the filter as a `notifications` object, with only what is honoured.
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        let mut edit = Raw::object_empty().edit();
        for (key, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                edit = edit.set(&[key], &Raw::boolean(true));
            }
        }
        for (key, texts) in [("resourceSubscriptions", &self.uris), ("taskIds", &self.tasks)] {
            if !texts.is_empty() {
                edit = edit.set(&[key], &Raw::of(texts));
            }
        }
        edit.finish()
    }
}
