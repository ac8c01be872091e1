//! The interface to the gateway's own tools. The operator's module implements it.

use guard::Subject;
use jsonrpc::Raw;
use mgp::error::Refusal;
use mgp::kernel_tool::KernelTool;
use runtime::BoxFuture;

/// Answers calls of the gateway's own tools.
pub(crate) trait OwnTools: Send + Sync {
    /// Answers an admitted call with its structured result.
    fn call<'a>(&'a self, subject: &'a Subject, tool: KernelTool, arguments: Option<&'a Raw>) -> BoxFuture<'a, Result<Raw, Refusal>>;
}
