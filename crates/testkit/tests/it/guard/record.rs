//! MGP §6, DESIGN 8: what leaves was admitted on record before, and what came of it is on record after; refusals are too.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use policy::Answer;
use serde_json::json;
use store::disk::{Disk, DiskFile, LocalDisk};
use testkit::{Era, Wire};

use super::{guarded, operations, rejection, until, without_hold};
use crate::{ERAS, StartWithStore as _, WAYS, assert_has, form};

#[tokio::test]
async fn row_6_3_row_6_5_a_call_is_on_record_before_and_after() {
    for (era, wire) in WAYS {
        let gateway = guarded(era).start_with_store().await;
        let client = gateway.client(era, wire).principal("local").ready().await;
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let params = json!({"name": "look", "arguments": {"token": "s3cret-value"}, "_meta": {"traceparent": format!("00-{trace}-00f067aa0ba902b7-01")}});
        assert!(!client.request("tools/call", params).await.is_error());
        let executed = until(&gateway, "TOOL_EXECUTED", 1).await.remove(0);
        let admitted = until(&gateway, "dev.chancery.call_admitted", 1).await.remove(0);
        for event in [&admitted, &executed] {
            assert_eq!(event["actor"], json!({"type": "agent", "id": "local"}), "{event}");
            assert_eq!(event["target"], json!({"server_id": "fs", "tool_name": "look"}));
            assert_eq!(event["result"], "SUCCESS");
            assert_eq!(
                event["trace_id"].as_str().map(|id| id.replace('-', "")),
                Some(trace.to_owned()),
                "{event}"
            );
            assert!(!event.to_string().contains("s3cret"), "{event}");
        }
        assert_eq!(
            admitted["details"]["arguments_sha256"].as_str().map(str::len),
            Some(64),
            "{admitted}"
        );
        assert_eq!(executed["details"]["outcome"], "result");
        assert_eq!(executed["details"]["risk_level"], "safe");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_6_4_a_refusal_and_a_decision_are_on_record() {
    let gateway = guarded(Era::Legacy).start_with_store().await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).capabilities(form()).ready().await;
    let call = client.start_call("destroy", json!({})).await;
    let question = client.question().await;
    client.answer(&question, json!({"action": "decline"})).await;
    rejection(&client.reply(&call).await);
    let asked = until(&gateway, "dev.chancery.approval_requested", 1).await.remove(0);
    let decided = until(&gateway, "dev.chancery.approval_decided", 1).await.remove(0);
    let blocked = until(&gateway, "TOOL_BLOCKED", 1).await.remove(0);
    assert_eq!(asked["result"], "PENDING");
    assert_eq!(decided["details"]["answer"], "deny");
    assert_eq!(decided["details"]["request_id"], asked["details"]["request_id"]);
    assert_has(&blocked, &json!({"result": "BLOCKED", "details": {"code": 1000}}));
    gateway.stop().await;
}

/// A person who closes the question has not decided; that the call was refused is on record all the same, in either
/// era.
#[tokio::test]
async fn a_question_that_was_closed_is_a_refusal_on_record() {
    for era in ERAS {
        let gateway = guarded(era).start_with_store().await;
        let client = gateway
            .client(era, Wire::Pipe)
            .principal("local")
            .capabilities(form())
            .ready()
            .await;
        let closed = json!({"action": "cancel"});
        let call = client.start_call("destroy", json!({})).await;
        let refused = if era == Era::Legacy {
            let question = client.question().await;
            client.answer(&question, closed).await;
            client.reply(&call).await
        } else {
            let asked = client.reply(&call).await;
            let params = json!({
                "name": "destroy", "arguments": {}, "requestState": asked.state(), "inputResponses": {"consent": closed},
            });
            client.request("tools/call", params).await
        };
        rejection(&refused);
        let blocked = until(&gateway, "TOOL_BLOCKED", 1).await.remove(0);
        assert_eq!(blocked["details"]["code"], 1000, "{era:?}: {blocked}");
        gateway.stop().await;
    }
}

/// What was decided is there after a restart.
#[tokio::test]
async fn a_grant_outlives_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..2 {
        let gateway = guarded(Era::Legacy).guarded(without_hold).remembering(folder.path()).await.start();
        let operations = operations(&gateway);
        let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
        if round == 0 {
            rejection(&client.call("destroy", json!({})).await);
            let waiting = operations.approvals();
            let always = Answer::Always { until: None };
            operations.decide(&waiting[0].approval.request, always).await.expect("it waits");
        }
        assert!(!client.call("destroy", json!({})).await.is_error());
        assert_eq!(gateway.server("fs").count_of("tools/call"), 1, "round {round}");
        gateway.stop().await;
    }
}

/// DESIGN 8: what cannot be recorded is not done.
#[tokio::test]
async fn bad_input_a_full_disk_a_call_is_not_sent_that_can_t_be_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = FullDisk::default();
    let gateway = guarded(Era::Legacy)
        .remembering_on(folder.path(), Arc::new(disk.clone()))
        .await
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    disk.fill(true);
    let told = rejection(&client.call("look", json!({})).await);
    assert_eq!(told["code"], 3001, "{told}");
    assert_eq!(gateway.server("fs").count_of("tools/call"), 0);
    disk.fill(false);
    assert!(!client.call("look", json!({})).await.is_error());
    gateway.stop().await;
}

/// A disk that is full when a test sets it so.
#[derive(Clone, Debug, Default)]
pub(super) struct FullDisk(Arc<AtomicBool>);

#[derive(Debug)]
struct FullFile(Arc<dyn DiskFile>, Arc<AtomicBool>);

impl FullDisk {
    pub(super) fn fill(&self, is_full: bool) {
        self.0.store(is_full, Ordering::Release);
    }

    fn file(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(FullFile(file, self.0.clone()))
    }
}

impl Disk for FullDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        LocalDisk.create(path).map(|file| self.file(file))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        LocalDisk.open(path).map(|file| self.file(file))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        LocalDisk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        LocalDisk.sync_folder(path)
    }
}

impl DiskFile for FullFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.1.load(Ordering::Acquire) {
            true => Err(io::Error::from(io::ErrorKind::StorageFull)),
            false => self.0.write(bytes),
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }
}
