//! `mangle-intent`: prints the latency of intents as a line of JSON. It uses the gateway's allocator.

use mangle_peer::{data::Input, intent};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let input = Input::of("tools", None).expect("it is a case");
    println!("{}", intent::run(&input));
}
