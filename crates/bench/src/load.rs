//! What is asked of a gateway again and again, and what its answers have to be.

use clap::Args;

use crate::driver::check::{Check, Expect};
use crate::driver::message::Operation;
use crate::envelope::Era;

/// The request that is made again and again.
#[derive(Clone, Debug, Args)]
pub(crate) struct Load {
    /// The era to speak
    #[arg(long, value_enum, default_value = "legacy")]
    pub(crate) era: Era,
    /// The tool to call
    #[arg(long, default_value = "echo")]
    tool: String,
    /// The length of the canned text that each call answers with
    #[arg(long, default_value_t = 200)]
    text: usize,
    /// Read `tools/list` instead, over HTTP, and expect so many tools
    #[arg(long)]
    list: Option<usize>,
}

impl Load {
    /// Returns whether lists are read instead of calls made.
    pub(crate) fn reads_lists(&self) -> bool {
        self.list.is_some()
    }

    /// Returns the operation to repeat.
    pub(crate) fn operation(&self) -> Operation {
        match self.list {
            Some(_) => Operation::List(self.era),
            None => Operation::Call(self.era, self.tool.clone()),
        }
    }

    /// Returns the check of each answer.
    pub(crate) fn check(&self) -> Check {
        Check::new(match self.list {
            Some(tools) => Expect::Tools(tools),
            None => Expect::Text(self.text),
        })
    }
}
