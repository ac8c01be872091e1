//! Tests the laws of everything that reads peers' messages, on any bytes: nothing panics, what is written is JSON, and no declaration makes a tool
//! less dangerous than it would be without.

use jsonrpc::{ErrorObject, Limits, Raw};
use mgp::audit::{Event, Redactor};
use mgp::error::{Code, Refusal, Reported};
use mgp::kernel_tool::{KernelTool, parse};
use mgp::negotiation::{Carrier, ExtensionSet, Offer};
use mgp::retry::{Caps, Plan};
use mgp::tool::{Circumstances, Override, ToolSecurity, assess, strip, with_security};
use mgp::trace::TraceId;
use model::{Principal, Role, ServerId, Timestamp, TrustLevel};

const UNLIMITED: Limits = Limits {
    max_bytes: usize::MAX,
    max_depth: jsonrpc::MAX_DEPTH,
};

/// Runs every reader on bytes.
pub(crate) fn reading(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(at) = mgp::time::parse(&text) {
        assert_eq!(mgp::time::parse(&mgp::time::format(at)), Some(at), "{text}");
    }
    if let Ok(said) = mgp::permission::read(&text) {
        assert!(!said.permissions.is_empty());
    }
    drop(Redactor::default().text(&text));
    let Ok(value) = Raw::parse(bytes.to_vec(), &Limits::default()) else {
        return;
    };
    negotiation(&value);
    tool(&value);
    audit(&value);
    error(&value);
    kernel_tool(&value);
    written(&TraceId::random(1).write(Some(&value), 1, true));
    drop(TraceId::read(Some(&value)));
}

/// Checks that what we write is one JSON value.
fn written(value: &Raw) {
    assert_eq!(Raw::parse(value.bytes().clone(), &UNLIMITED).as_ref().ok(), Some(value));
}

fn negotiation(value: &Raw) {
    let all = Offer {
        extensions: ExtensionSet::all(),
    };
    for outcome in [all.with_server(value), all.with_client(value)] {
        let told = all.towards_client(value, outcome.agreement.as_ref());
        written(&told);
        if outcome.agreement.is_none() {
            // §2.4.3
            assert!(Carrier::ALL.iter().all(|carrier| told.at(carrier.path()).is_none()), "{told:?}");
        }
    }
    written(&all.in_request(value));
}

fn tool(value: &Raw) {
    let read = ToolSecurity::read(value);
    let silent = ToolSecurity::default();
    for trust in [TrustLevel::Sandboxed, TrustLevel::Standard] {
        let circumstances = Circumstances {
            trust,
            configured: &Override::default(),
            inferred: None,
        };
        let judged = assess(&read, &circumstances);
        if trust < TrustLevel::Standard {
            assert!(judged.risk >= assess(&silent, &circumstances).risk, "{value:?}");
        }
        written(&with_security(value, &judged));
    }
    assert!(mgp::tool::hidden(value).len() <= 32);
    let pinned = Raw::parse(mgp::tool::pinned(value), &UNLIMITED);
    assert!(pinned.is_ok_and(|pinned| pinned.kind() == jsonrpc::RawKind::Object));
    let stripped = strip(value);
    written(&stripped);
    assert!(stripped.get("security").is_none() && stripped.at(&["_meta", "dev.cloto/mgp"]).is_none());
}

fn audit(value: &Raw) {
    let redacted = Redactor::default().redact(value);
    written(&redacted);
    assert!(redacted.len() < 48 * 1024);
    if let Ok(event) = Event::read(value) {
        assert_eq!(Event::read(&event.to_raw()).ok(), Some(event));
    }
    let server = ServerId::new("s").expect("an id");
    let reported = Event::reported(&server, Some(value), Timestamp(0), TraceId::random(0), &Redactor::default());
    written(&reported.to_raw());
}

fn error(value: &Raw) {
    let error = ErrorObject::new(3000, "x").with_data(value.clone());
    let reported = Reported::read(&error);
    let step = Plan::new(Caps::default()).failed(&reported, std::time::Duration::from_secs(60), 7);
    written(&mgp::retry::details(&Plan::new(Caps::default()), &reported, &step));
    let refusal = Refusal::new(Code::ValidationBlocked, value.text()).with_details(value.clone());
    written(&refusal.to_error().to_raw());
    written(&refusal.to_result());
}

fn kernel_tool(value: &Raw) {
    for role in [Role::Agent, Role::Operator] {
        let caller = Principal {
            role,
            ..Principal::named("ada")
        };
        for tool in KernelTool::ALL {
            if let Err(refusal) = parse(tool, &caller, Some(value), Timestamp(0)) {
                written(&refusal.to_rejection());
            }
        }
    }
}
