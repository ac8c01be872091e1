//! One test for each transcript.

use chancery_sdk::Eras;
use example_everything::server;

use crate::transcript::play;

macro_rules! transcripts {
    ($($name:ident: $file:literal, $eras:expr;)*) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            play($file, server().eras($eras)).await;
        })*
    };
}

transcripts! {
    legacy_lifecycle: "legacy_lifecycle.txt", Eras::Both;
    legacy_revisions: "legacy_revisions.txt", Eras::Both;
    legacy_questions: "legacy_questions.txt", Eras::Both;
    legacy_tasks: "legacy_tasks.txt", Eras::Both;
    legacy_batch: "legacy_batch.txt", Eras::Both;
    modern_lifecycle: "modern_lifecycle.txt", Eras::Both;
    modern_questions: "modern_questions.txt", Eras::Both;
    modern_tasks: "modern_tasks.txt", Eras::Both;
    modern_listen: "modern_listen.txt", Eras::Both;
    modern_only: "modern_only.txt", Eras::Modern;
    legacy_only: "legacy_only.txt", Eras::Legacy;
    failures: "failures.txt", Eras::Both;
    malformed: "malformed.txt", Eras::Both;
    cancellation: "cancellation.txt", Eras::Both;
    progress_and_logs: "progress_and_logs.txt", Eras::Both;
    completion_and_pages: "completion_and_pages.txt", Eras::Both;
}
