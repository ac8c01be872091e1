//! The transcripts of `data`. `UPDATE_EXPECT=1` rewrites the results of their lines.

use transcripts::transcripts;

use crate::stage::Stage;

impl transcripts::Stage for Stage {
    async fn begin(heading: &str) -> Self {
        Self::new(heading.split_once(": ").expect("a case says which kernel").1).await
    }

    async fn line(&mut self, line: &str) -> Vec<String> {
        self.carry_out(line).await
    }
}

transcripts! {
    transcripts::play::<Stage>;
    answers cancellation consent modern_callers modern_servers questions revocation routes tasks
}
