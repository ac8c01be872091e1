//! The judgement of a tool, as operators see it.

use mgp::tool::{Assessment, Hidden};
use model::ToolId;
use policy::{PinState, ToolFacts};

/// The judgement of a tool, as operators see it.
#[derive(Clone, Debug)]
pub struct JudgedTool {
    /// The tool.
    pub id: ToolId,
    /// The facts about it that policy uses.
    pub facts: ToolFacts,
    /// The reasons for its risk.
    pub assessment: Assessment,
    /// The parts of its definition that people do not see: invisible characters, and characters that change the direction of text.
    pub hidden: Vec<Hidden>,
    /// The relation of its definition to the approved one.
    pub pin: Option<PinState>,
}
