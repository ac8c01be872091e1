//! `cargo xtask NAME`: the project's own tools.

mod bench;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((name, rest)) if name == "bench" => bench::run(rest),
        _ => anyhow::bail!("say what to do: `cargo xtask bench proxy`"),
    }
}
