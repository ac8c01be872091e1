//! The list methods, which differ between the eras only in the caching hints.

use serde_json::{Map, Value};

use super::{Machine, Refusal, Request};
use crate::era::Era;

impl Machine {
    pub(super) fn list(&self, request: &Request, era: Era) -> Result<Map<String, Value>, Refusal> {
        let catalog = self.core.catalog();
        let cursor = match request.params.get("cursor").map(|raw| raw.to_value()) {
            None | Some(Value::Null) => None,
            Some(_) => Some(request.text("cursor")?),
        };
        let declared = match &*request.method {
            "tools/list" => self.offers("tools", era),
            "prompts/list" => self.offers("prompts", era),
            _ => self.offers("resources", era),
        };
        let page = declared
            .then(|| catalog.list(&request.method, cursor.as_deref(), self.core.page, era))
            .flatten();
        // A feature that was not declared does not exist (2026-07-28 schema, MethodNotFoundError).
        let mut page = page.ok_or_else(|| jsonrpc::ErrorObject::method_not_found(&request.method))??;
        if era == Era::Modern {
            self.core.lists.write(&mut page);
        }
        Ok(page)
    }

    /// Returns whether the server declares `capability`.
    pub(super) fn offers(&self, capability: &str, era: Era) -> bool {
        let revision = self.revision().unwrap_or(crate::era::MODERN[0]);
        !self.core.capabilities(era, revision)[capability].is_null()
    }
}
