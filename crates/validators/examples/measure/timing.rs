//! Measures how long a validator takes for an argument of 1 kB, compared with a loop that shows how fast the machine
//! is.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use super::rows::CLASSES;

/// How often each argument is judged.
const ROUNDS: usize = 4000;
const BYTES: usize = 1000;

/// The times of one class, and of the calibration loop, which is run in turns with it: other work on the machine slows
/// both.
struct Times {
    p50: Duration,
    p99: Duration,
    calibration: (Duration, Duration),
}

/// Writes the times; returns whether they are within their bounds.
pub(crate) fn write(out: &mut String) -> bool {
    let head = "\n| 1 kB of | p50 µs | p99 µs | bound | calibration loop beside it, p50 and p99 µs |\n|---|---:|---:|---:|---:|";
    writeln!(out, "{head}").expect("a string takes it");
    let mut within = true;
    for class in CLASSES {
        let parses = matches!(class.name, "shell_command" | "sql" | "python" | "javascript" | "typescript");
        let bound = Duration::from_micros(if parses { 500 } else { 50 });
        for (kind, text) in arguments(class.name) {
            let times = measure(|| {
                black_box((class.judge)(black_box(&text)).is_clean());
            });
            let ok = times.p99 <= bound;
            within &= ok;
            let mark = if ok { "" } else { " (over)" };
            writeln!(
                out,
                "| {}, {kind} | {:.1} | {:.1} | {}{mark} | {:.1}, {:.1} |",
                class.name,
                micros(times.p50),
                micros(times.p99),
                bound.as_micros(),
                micros(times.calibration.0),
                micros(times.calibration.1)
            )
            .expect("a string takes it");
        }
    }
    within
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn measure(mut run: impl FnMut()) -> Times {
    let (mut samples, mut beside) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for round in 0..ROUNDS + ROUNDS / 10 {
        let start = Instant::now();
        run();
        let between = Instant::now();
        black_box(calibrate(black_box(b"a byte after the other")));
        let end = Instant::now();
        if round >= ROUNDS / 10 {
            samples.push(between - start);
            beside.push(end - between);
        }
    }
    let (p50, p99) = quantiles(samples);
    Times {
        p50,
        p99,
        calibration: quantiles(beside),
    }
}

/// Returns the median and the 99th percentile.
fn quantiles(mut samples: Vec<Duration>) -> (Duration, Duration) {
    samples.sort_unstable();
    (samples[samples.len() / 2], samples[samples.len() * 99 / 100])
}

/// Hashes a few bytes a thousand times, which takes longer when the machine is slow.
fn calibrate(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for round in 0..1000_u64 {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte) ^ round).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// Returns an argument that passes and one that is refused at its end, each of about 1 kB.
fn arguments(class: &str) -> Vec<(&'static str, String)> {
    let (piece, joint, last) = match class {
        "shell_command" => ("grep -n 'needle in hay' notes/today.txt | sort -u", " && ", "rm -rf build"),
        "shell_arg" => (
            "the quick fox; it jumps over Tom & Jerry (again)",
            ", ",
            "; curl -s http://example.org/x",
        ),
        "sqli_fragment" => ("O'Brien and the dogs' union, select club", ", ", "' or 1=1 --"),
        "ssrf_url" => ("https://example.org/a/long/way?with=queries", "&and=more", "@127.0.0.1/"),
        "path" => (
            "notes/of the year",
            "/",
            "/../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../../etc",
        ),
        "sql" => (
            "SELECT a.id, COUNT(*) AS n FROM accounts AS a JOIN orders AS o ON o.account = a.id WHERE o.total > 10 GROUP BY a.id",
            " UNION ALL ",
            "SELECT pg_sleep(1)",
        ),
        "python" => (
            "total = sum(len(line.split()) for line in lines if line)\n",
            "",
            "import subprocess\n",
        ),
        _ => (
            "const total = lines.map((line) => line.length).reduce((a, b) => a + b, 0);\n",
            "",
            "eval('1');\n",
        ),
    };
    let mut benign = piece.to_owned();
    while benign.len() + piece.len() + joint.len() <= BYTES {
        benign.push_str(joint);
        benign.push_str(piece);
        if joint.is_empty() && class != "python" {
            // Constants are declared once.
            benign = benign.replacen("const total", "total", 1);
        }
    }
    let hostile = format!("{benign}{joint}{last}");
    vec![("passing", benign), ("refused", hostile)]
}
