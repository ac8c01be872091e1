//! Plays the transcripts of `data`. `UPDATE_EXPECT=1` rewrites the results of their lines.

use std::path::PathBuf;

use expect_test::expect_file;

use crate::room::Room;

async fn play(script: &str) -> String {
    let mut room = Room::new();
    let mut played = String::new();
    for line in script.lines() {
        if line.starts_with('>') {
            continue;
        }
        played.push_str(line);
        played.push('\n');
        match line {
            case if case.starts_with("==") => room = Room::new(),
            "" => {}
            comment if comment.starts_with("# ") => {}
            line => {
                for said in room.line(line).await {
                    played.push_str(&format!("> {said}\n"));
                }
            }
        }
    }
    played
}

fn check(file: &str) {
    let path = data().join(file);
    let script = std::fs::read_to_string(&path).expect("the transcript can be read");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    let played = runtime.expect("a runtime").block_on(play(&script));
    expect_file![path].assert_eq(&played);
}

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/data")
}

macro_rules! transcripts {
    ($($name:ident)*) => {
        const FILES: &[&str] = &[$(concat!(stringify!($name), ".txt")),*];
        $(#[test]
        fn $name() {
            check(concat!(stringify!($name), ".txt"));
        })*
    };
}

transcripts! {
    access admission_of_others approvals arguments alerts configuration consent_continues expiry in_flight open permissions pins rates record
    reports tokens
}

#[test]
fn every_transcript_is_played() {
    for entry in std::fs::read_dir(data()).expect("the folder of transcripts") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        assert!(FILES.contains(&name.as_str()), "`{name}` is not in the list");
    }
}
