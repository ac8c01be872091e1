//! `cargo xtask bench proxy --against COMMIT`: the gateway of the present tree beside that of a commit.

mod callgrind;
mod compare;
mod measure;
pub(crate) mod options;
mod report;
mod rounds;
mod source;

use options::{Options, Part};

/// Builds both gateways, measures them in turns, and reports. It fails where a measurement did, or where the present tree is over
/// the bound.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.parts.contains(&Part::Instructions) {
        // Before anything is built: the answer to a missing program should not take minutes.
        callgrind::find()?;
    }
    let commit = source::Commit::resolve(&options.commit)?;
    let gateways = source::build(&commit)?;
    let measured = rounds::measure(options, &gateways)?;
    report::write(options, &commit, &measured)?;
    measured.complete()?;
    report::verdict(options, &measured)
}
