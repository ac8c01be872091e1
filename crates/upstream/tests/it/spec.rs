//! The configuration of the one server, from the words behind the title of a case.

use std::collections::BTreeMap;
use std::time::Duration;

use model::ServerId;
use upstream::spec::{EraChoice, HttpKind, Launch, ServerSpec, Share, Start};

pub(crate) fn id() -> ServerId {
    ServerId::new("s").expect("a good id")
}

pub(crate) fn spec(words: &[&str]) -> ServerSpec {
    let has = |word: &str| words.contains(&word);
    ServerSpec {
        id: id(),
        launch: Ok(match has("over-http") {
            true => Launch::Http {
                url: "http://127.0.0.1:1/mcp".to_owned(),
                headers: BTreeMap::new(),
                kind: HttpKind::Streamable,
            },
            false => Launch::Stdio {
                command: "scripted".to_owned(),
                args: Vec::new(),
                env: BTreeMap::new(),
                cwd: None,
            },
        }),
        era: match words[0] {
            "legacy" => EraChoice::Legacy,
            "modern" => EraChoice::Modern,
            _ => EraChoice::Auto,
        },
        share: if has("shared-by-all") { Share::All } else { Share::Session },
        start: if has("on-use") { Start::OnUse } else { Start::Eager },
        prefix: false,
        include: Vec::new(),
        exclude: if has("without-change") {
            vec!["change".to_owned()]
        } else {
            Vec::new()
        },
        request_timeout: Duration::from_secs(20),
        startup_timeout: Duration::from_secs(30),
        digest: "s".to_owned(),
    }
}
