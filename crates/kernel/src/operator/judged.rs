//! A tool as it is judged.

use mgp::tool::{Assessment, Hidden};
use model::ToolId;
use policy::{PinState, ToolFacts};

/// A tool as it is judged.
#[derive(Clone, Debug)]
pub struct JudgedTool {
    /// Which one.
    pub id: ToolId,
    /// What policy knows of it.
    pub facts: ToolFacts,
    /// Why its risk is what it is.
    pub assessment: Assessment,
    /// What its definition hides from people: invisible characters, and such that change the direction of text.
    pub hidden: Vec<Hidden>,
    /// How it stands to what was approved.
    pub pin: Option<PinState>,
}
