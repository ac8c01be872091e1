//! `cargo xtask NAME`: the project's own tools.

mod bench;
mod codegen;
mod fuzz;
mod soak;
mod tidy;
mod workspace;

use std::io::Write;

const HELP: &str = "\
The project's own tools.

Usage: cargo xtask NAME [OPTIONS]

  tidy                 check the invariants of ARCHITECTURE.md, dependencies, and that the documents are true
  tidy cycles [CRATE]  print the import cycles among the files of a crate, with the names that make them
  codegen [--check]    write the generated parts of the documents; --check only says whether they are up to date
  bench proxy          measure the gateway beside its peers; `--help` after it lists its options
  bench proxy --against COMMIT
                       measure the gateway beside what it was at a commit, each in two lanes, so that noise shows
  bench views          measure what one server's change of its tools costs among 100 servers with 10,000 tools
  bench validators [--data DIR]
                       judge rows of attack and benign strings, print the rates with every miss, and the times
  bench policy         measure questions to a policy of 10,000 principals and 100,000 grants
  bench store [--folder DIR] [--seconds N]
                       measure how many events and changes the store takes, in both sync modes, and how long queries take
  bench mangle         measure the rule engine beside ascent, datafrog and clingo; `--help` after it lists its options
  bench mangle-corpus --data DIR
                       run the rule programs of a folder and compare with what stands beside them
  fuzz --seconds N     let libFuzzer look for input that breaks the parsers, N seconds each
  soak [NAME]          run the long tests, or those whose name holds NAME, with a seed that is printed

Everything the tests need is in ./test.
";

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        anyhow::bail!("no tool was named\n\n{HELP}");
    };
    match name.as_str() {
        "tidy" => tidy::run(rest),
        "codegen" => codegen::run(rest),
        "bench" => bench::run(rest),
        "fuzz" => fuzz::run(rest),
        "soak" => soak::run(rest),
        "help" | "--help" | "-h" => Ok(std::io::stdout().write_all(HELP.as_bytes())?),
        other => anyhow::bail!("there is no tool `{other}`\n\n{HELP}"),
    }
}
