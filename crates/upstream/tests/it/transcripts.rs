//! The transcripts of `data`. `UPDATE_EXPECT=1` rewrites the results of their lines.

use transcripts::transcripts;

use crate::stage::Stage;

impl transcripts::Stage for Stage {
    async fn begin(heading: &str) -> Self {
        let server = heading.split_once(": ").expect("a case says which server").1;
        Self::new(&server.split_whitespace().collect::<Vec<_>>())
    }

    async fn line(&mut self, line: &str) -> Vec<String> {
        self.carry_out(line).await
    }
}

transcripts! {
    transcripts::play::<Stage>;
    calls handshake http legacy_probe lines lists mgp notifications permits questions restart
}
