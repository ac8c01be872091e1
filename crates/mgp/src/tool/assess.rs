//! The assessment of a tool: its effective risk, with the reasons (§4.4, D6, D33, DESIGN 7).

use std::fmt;

use model::{Permission, Risk, TrustLevel};

use super::{CodeSafety, SideEffect, ToolSecurity, Validator};
use crate::json::shown;
use crate::permission;

/// The facts about a tool apart from its definition.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The trust of its server; see [`crate::trust::effective`].
    pub trust: TrustLevel,
    /// Its configuration.
    pub configured: &'a Override,
    /// The inference from its name and its schema.
    pub inferred: Option<&'a Inference>,
}

/// An operator's settings for a tool. They replace the gateway's inference, and a server can only raise them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// Its risk.
    pub risk: Option<Risk>,
    /// The permissions that it needs in any case.
    pub permissions: Vec<Permission>,
    /// Whether a person has to confirm each call, whatever the risk.
    pub confirmation_required: bool,
}

/// The gateway's inference from a name or a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// The least risk.
    pub risk: Risk,
    /// The ground of the inference, as a sentence without a subject: ``takes a command in `cmd` ``.
    pub because: String,
}

/// The assessment of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// Its effective risk.
    pub risk: Risk,
    /// All reasons for a risk; those for the effective risk decided.
    pub reasons: Vec<Reason>,
    /// Whether a person has to confirm a call, or all calls in advance (§4.4).
    pub confirmation: bool,
    /// The permissions that it needs, by canonical names; none if no carrier and no operator names any: then those that its server wants count (D4).
    pub permissions: Option<Vec<Permission>>,
    /// Its side effects.
    pub side_effects: Vec<SideEffect>,
    /// The known validators that it asks for, each once. All apply, in addition to inferred ones.
    pub validators: Vec<Validator>,
    /// Its declarations about code. All apply.
    pub code_safety: Vec<CodeSafety>,
    /// Whether its effects can be undone: only if every carrier that says something says yes.
    pub reversible: Option<bool>,
    /// Whether it declares that it only reads, and its server is trusted to declare that.
    pub reads_only: bool,
}

/// A reason for a risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The risk.
    pub risk: Risk,
    /// The source of the reason.
    pub source: Source,
    /// The text of the reason.
    pub text: String,
}

/// The source of a reason for a risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The operator.
    Configuration,
    /// The server, by MGP's `security`.
    Security,
    /// The server, by MCP's annotations.
    Annotation,
    /// The gateway, from name and schema.
    Inference,
    /// The default, in the absence of other sources.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Configuration => "configuration",
            Self::Security => "security",
            Self::Annotation => "annotation",
            Self::Inference => "inference",
            Self::Default => "default",
        })
    }
}

/// Formats the reason on one line for `doctor`: `dangerous (annotation): it says that it destroys`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.risk, self.source, self.text)
    }
}

/// Assesses a tool.
#[must_use]
pub fn assess(tool: &ToolSecurity, circumstances: &Circumstances<'_>) -> Assessment {
    let configured = circumstances.configured;
    let permissions = permissions(tool, configured);
    let mut reasons = guess(tool, circumstances);
    reasons.extend(raises(tool, permissions.as_deref().unwrap_or_default()));
    let risk = reasons.iter().map(|reason| reason.risk).max().unwrap_or(Risk::Dangerous);
    let asks = configured.confirmation_required || tool.declared.iter().any(|declared| declared.confirmation_required);
    let reversible: Vec<bool> = tool.declared.iter().filter_map(|declared| declared.reversible).collect();
    Assessment {
        risk,
        reasons,
        confirmation: risk == Risk::Dangerous || asks,
        permissions,
        side_effects: distinct(tool.declared.iter().flat_map(|declared| declared.side_effects.clone())),
        validators: distinct(
            tool.declared
                .iter()
                .filter_map(|declared| declared.validator.clone())
                .filter(applies),
        ),
        code_safety: distinct(tool.declared.iter().filter_map(|declared| declared.code_safety.clone())),
        reversible: (!reversible.is_empty()).then(|| reversible.iter().all(|yes| *yes)),
        reads_only: tool.hints.read_only == Some(true)
            && tool.hints.destructive != Some(true)
            && circumstances.trust >= TrustLevel::Standard,
    }
}

/// Returns the permissions that any carrier or the operator names.
fn permissions(tool: &ToolSecurity, configured: &Override) -> Option<Vec<Permission>> {
    let said = tool.declared.iter().filter_map(|declared| declared.permissions.as_ref());
    let said: Vec<&Vec<Permission>> = said.chain(Some(&configured.permissions).filter(|own| !own.is_empty())).collect();
    let mut all: Vec<Permission> = said.iter().flat_map(|list| list.iter().cloned()).collect();
    all.sort();
    all.dedup();
    (!said.is_empty()).then_some(all)
}

fn applies(validator: &Validator) -> bool {
    !matches!(validator, Validator::None | Validator::Unknown(_))
}

/// Returns the risk before a server raises it: the operator's setting, or the gateway's inference.
fn guess(tool: &ToolSecurity, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    if let Some(risk) = circumstances.configured.risk {
        return vec![reason(risk, Source::Configuration, "the configuration says so")];
    }
    let read_only = tool.hints.read_only == Some(true);
    let claims_safe = read_only || tool.declared.iter().any(|declared| declared.risk == Some(Risk::Safe));
    let source = if read_only { Source::Annotation } else { Source::Security };
    let first = match (claims_safe, circumstances.trust >= TrustLevel::Standard) {
        (true, true) => reason(Risk::Safe, source, "its server says that it only reads"),
        (true, false) => {
            let text = format!("its server says that it only reads, but is only `{}`", circumstances.trust);
            reason(Risk::Moderate, source, text)
        }
        (false, _) => reason(Risk::Moderate, Source::Default, "no annotation says that it only reads"),
    };
    let inferred = circumstances
        .inferred
        .map(|inferred| reason(inferred.risk, Source::Inference, inferred.because.clone()));
    std::iter::once(first).chain(inferred).collect()
}

/// Returns the reasons by which the server's declarations raise the risk.
fn raises(tool: &ToolSecurity, permissions: &[Permission]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for declared in &tool.declared {
        let place = declared.place;
        if let Some(risk) = declared.risk.filter(|risk| *risk > Risk::Safe) {
            reasons.push(reason(risk, Source::Security, format!("`{place}.risk_level` says so")));
        }
        if declared.risk == Some(Risk::Safe) && !declared.side_effects.is_empty() {
            let text = format!("`{place}` says `safe`, and names side effects");
            reasons.push(reason(Risk::Moderate, Source::Security, text));
        }
        if declared.risk == Some(Risk::Safe) && tool.hints.read_only == Some(false) {
            let text = format!("`{place}` says `safe`, and `readOnlyHint` that it writes");
            reasons.push(reason(Risk::Moderate, Source::Annotation, text));
        }
        if let Some(Validator::Unknown(name)) = &declared.validator {
            // D33: an unknown validator is not skipped.
            let text = format!("it wants the validator `{}`, which is unknown", shown(name));
            reasons.push(reason(Risk::Dangerous, Source::Security, text));
        }
    }
    if tool.hints.destructive == Some(true) {
        reasons.push(reason(Risk::Dangerous, Source::Annotation, "its server says that it destroys"));
    }
    let needs = permissions.iter().map(|permission| (permission, permission::risk(permission)));
    for (permission, risk) in needs.filter(|(_, risk)| *risk > Risk::Safe) {
        reasons.push(reason(risk, Source::Security, format!("it needs the permission `{permission}`")));
    }
    let faults = tool.faults.iter();
    reasons.extend(faults.map(|fault| reason(Risk::Dangerous, Source::Security, fault.clone())));
    reasons
}

fn reason(risk: Risk, source: Source, text: impl Into<String>) -> Reason {
    Reason {
        risk,
        source,
        text: text.into(),
    }
}

/// Returns each value once, in the order of first occurrence. There are few.
fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
