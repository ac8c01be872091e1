//! Tests of the policy's public interface: its rules by transcript, and the whole against naive models.

mod bounds;
mod decisions;
mod model_of_access;
mod model_of_approvals;
mod model_of_limits;
mod parse;
mod rows;
mod stage;
