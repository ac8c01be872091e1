//! Writes the part of `doctor`'s report about the harm that tools can do, so that an owner can correct it in the
//! configuration (MGP §4, §17.2).

use kernel::operator::JudgedTool;
use model::Risk;
use serde_json::{Value, json};

/// Returns the lines of the report: dangerous tools first, then moderate ones; of safe ones there is only the number.
pub(super) fn lines(judged: &[JudgedTool]) -> Vec<String> {
    let mut shown: Vec<&JudgedTool> = judged
        .iter()
        .filter(|tool| tool.facts.risk > Risk::Safe || tool.facts.confirm)
        .collect();
    shown.sort_by_key(|tool| std::cmp::Reverse(tool.facts.risk));
    let safe = judged.len() - shown.len();
    if judged.is_empty() {
        return Vec::new();
    }
    let width = shown.iter().map(|tool| tool.id.to_string().chars().count()).max().unwrap_or(0);
    let mut lines =
        vec!["what the tools can do (dangerous ones ask a person first; `[servers.tools.NAME] risk = …` corrects it):".to_owned()];
    lines.extend(shown.iter().map(|tool| line(tool, width)));
    if safe > 0 {
        lines.push(format!(
            "  and {safe} that only read{}",
            if shown.is_empty() { "" } else { ", which run without a question" }
        ));
    }
    lines.extend(judged.iter().filter(|tool| !tool.hidden.is_empty()).map(hides));
    lines
}

/// Returns the parts of a definition that a person who reads it doesn't see.
fn hides(tool: &JudgedTool) -> String {
    let places: Vec<String> = tool.hidden.iter().map(ToString::to_string).collect();
    format!(
        "  the definition of {} hides text from people that models read: {}",
        tool.id,
        places.join(", ")
    )
}

fn line(tool: &JudgedTool, width: usize) -> String {
    let because = because(tool);
    let validators = validators(tool);
    let judged_by = match validators.is_empty() {
        true => String::new(),
        false => format!("; arguments judged by {}", validators.join(", ")),
    };
    format!(
        "  {:9} {:width$}  {because}{judged_by}",
        tool.facts.risk.as_str(),
        tool.id.to_string()
    )
}

/// Returns what decided the risk.
fn because(tool: &JudgedTool) -> String {
    let reasons = tool.assessment.reasons.iter();
    let first = reasons
        .filter(|reason| reason.risk == tool.facts.risk)
        .map(|reason| format!("{} ({})", reason.text, reason.source))
        .next();
    first.unwrap_or_else(|| "a person is asked because its server or the configuration wants it".to_owned())
}

fn validators(tool: &JudgedTool) -> Vec<&'static str> {
    tool.facts.checks.validators().iter().map(|validator| validator.name()).collect()
}

pub(super) fn as_json(tool: &JudgedTool) -> Value {
    let reason =
        |reason: &mgp::tool::Reason| json!({"risk": reason.risk.as_str(), "source": reason.source.to_string(), "text": reason.text});
    json!({
        "tool": &*tool.id.name, "risk": tool.facts.risk.as_str(), "confirm": tool.facts.confirm, "validators": validators(tool),
        "hidden": tool.hidden.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "reasons": tool.assessment.reasons.iter().map(reason).collect::<Vec<_>>(),
    })
}
