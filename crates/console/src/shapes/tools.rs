//! The shapes of servers and tools.

use kernel::operator::JudgedTool;
use kernel::{Health, ServerStatus};
use policy::PinState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{Instant, Risk, Text};
use crate::page::{Cursor, Limit, lists};

/// The state of a server
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum State {
    Configured,
    Known,
    Connected,
    Error,
}

/// A server and its state
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Server {
    pub(crate) id: String,
    state: State,
    /// What is wrong, where the state is `error`
    why: Option<String>,
    /// The revision of MCP that is spoken with it
    revision: Option<String>,
    /// How many tools it offers
    tools: usize,
    resources: usize,
    resource_templates: usize,
    prompts: usize,
    /// The processes that were started for it
    pids: Vec<u32>,
}

impl From<&ServerStatus> for Server {
    fn from(status: &ServerStatus) -> Self {
        let (state, why) = match &status.health {
            Health::Configured => (State::Configured, None),
            Health::Known => (State::Known, None),
            Health::Started => (State::Connected, None),
            Health::Error(why) => (State::Error, Some(why.to_string())),
        };
        let [tools, resources, resource_templates, prompts] = status.counts;
        Self {
            id: status.id.to_string(),
            state,
            why,
            revision: status.revision.map(|revision| revision.to_string()),
            tools,
            resources,
            resource_templates,
            prompts,
            pids: status.pids.clone(),
        }
    }
}

/// Which servers are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ServerFilter {
    /// `configured`, `known`, `connected` or `error`
    state: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

lists!(ServerFilter => Server: state);

/// Whether the definition of a tool is the one that was approved
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Definition {
    Unpinned,
    Approved,
    Changed,
}

/// A tool, its risk and why
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tool {
    /// The server
    server: String,
    /// The tool
    tool: String,
    risk: Risk,
    /// Why its risk is what it is
    because: Vec<String>,
    /// Whether a person is asked before it is called
    confirm: bool,
    /// The permissions that its server needs for it
    permissions: Vec<String>,
    definition: Definition,
    definition_sha256: String,
    /// Characters of the definition that people don't see and models read, each with its place.
    hidden: Vec<String>,
}

impl From<&JudgedTool> for Tool {
    fn from(tool: &JudgedTool) -> Self {
        let definition = match &tool.pin {
            None | Some(PinState::Unpinned) => Definition::Unpinned,
            Some(PinState::Same) => Definition::Approved,
            Some(PinState::Changed { .. }) => Definition::Changed,
        };
        Self {
            server: tool.id.server.to_string(),
            tool: tool.id.name.to_string(),
            risk: tool.facts.risk.into(),
            because: tool.assessment.reasons.iter().map(ToString::to_string).collect(),
            confirm: tool.facts.confirm,
            permissions: tool.facts.permissions.iter().map(ToString::to_string).collect(),
            definition,
            definition_sha256: tool.facts.digest.to_string(),
            hidden: tool.hidden.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Which tools are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ToolFilter {
    /// The server
    server: Option<String>,
    /// `safe`, `moderate` or `dangerous`
    risk: Option<String>,
    /// `unpinned`, `approved` or `changed`
    definition: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

lists!(ToolFilter => Tool: server, risk, definition);

/// A tool by its name
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolName {
    /// The server
    pub(crate) server: Text,
    /// The tool
    pub(crate) tool: Text,
}

/// The definition of a tool that was approved
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pin {
    /// The server
    server: String,
    /// The tool
    tool: String,
    definition_sha256: String,
    /// The operator who approved it, or the gateway at first sight
    approved_by: String,
    approved_at: Instant,
}

impl From<&model::Pin> for Pin {
    fn from(pin: &model::Pin) -> Self {
        Self {
            server: pin.tool.server.to_string(),
            tool: pin.tool.name.to_string(),
            definition_sha256: pin.digest.to_string(),
            approved_by: pin.pinned.principal.to_string(),
            approved_at: Instant(pin.pinned.at),
        }
    }
}
