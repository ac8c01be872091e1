//! The transcripts of `data`. `UPDATE_EXPECT=1` rewrites the results of their lines.

use transcripts::{Stage, transcripts};

use crate::room::Room;

impl Stage for Room {
    async fn begin(_: &str) -> Self {
        Self::new()
    }

    async fn line(&mut self, line: &str) -> Vec<String> {
        self.carry_out(line).await
    }
}

transcripts! {
    transcripts::play::<Room>;
    access admission_of_others approvals arguments alerts configuration consent_continues expiry in_flight open permissions pins rates record
    reports tokens
}
