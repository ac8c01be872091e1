//! `chancery example NAME`: the built-in example servers, as processes of their own.

use std::process::ExitCode;

use anyhow::anyhow;

use crate::cli;

/// Runs `chancery example NAME`.
///
/// # Errors
/// When its arguments are not understood, or its address can't be listened on.
pub fn example(args: &cli::Example) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let arguments = args.args.clone();
    let run = match args.name {
        cli::ExampleName::Minimal => runtime
            .block_on(example_minimal::main(arguments))
            .map_err(|error| anyhow!("{error}")),
        cli::ExampleName::Everything => runtime
            .block_on(example_everything::main(arguments))
            .map_err(|error| anyhow!("{error}")),
    };
    // A thread may still be reading stdin.
    runtime.shutdown_background();
    run.map(|()| ExitCode::SUCCESS)
}
