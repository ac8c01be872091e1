//! Tests of a question that is withdrawn while it is being put.

use std::sync::atomic::{AtomicUsize, Ordering};

use guard::{NoResolver, OwnTools};
use jsonrpc::{Id, Raw};
use model::{Principal, ServerId};
use runtime::{BoxFuture, Runtime};
use store::Clock;
use tokio::sync::Notify;
use upstream::Asking;

use super::*;

/// A server that does not care how its question ends.
struct Silent;

impl Asking for Silent {
    fn answer_under(self: Arc<Self>, _: Ticket, _: Message, _: &SendPermit) {}
    fn refuse(self: Arc<Self>, _: Ticket, _: ErrorObject) {}
    fn progress(self: Arc<Self>, _: &Message, _: &SendPermit) {}
}

/// A caller during whose `ask` the server withdraws its question.
struct Overtaken {
    questions: Arc<Questions>,
    withdrawn: AtomicUsize,
}

impl Port for Overtaken {
    fn peer(&self) -> Option<Arc<Peer>> {
        None
    }

    fn cancellation(&self, _: Ticket) -> Option<Arc<Notify>> {
        None
    }

    fn interim(&self, _: Ticket, _: Message) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn interim_now(&self, _: Ticket, _: Message) {}

    fn ask(&self, _: Option<Ticket>, _: Message, _: Box<dyn Asker>) -> Ticket {
        self.questions.withdraw(&(1, Ticket(7)), None);
        Ticket(3)
    }

    fn withdraw(&self, ask: Ticket, _: Option<String>) {
        assert_eq!(ask, Ticket(3));
        self.withdrawn.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_question_that_is_withdrawn_while_it_is_put_does_not_stay_with_the_caller() {
    let own_tools = OwnTools {
        server: ServerId::new("kernel").expect("a good id"),
        facts: Vec::new(),
    };
    let guard = Guard::new(None, None, own_tools, Arc::new(NoResolver), Clock::system(), Runtime::new());
    let questions = Questions::new(guard);
    let caller = Arc::new(Overtaken {
        questions: questions.clone(),
        withdrawn: AtomicUsize::new(0),
    });
    let message = Message::request(&Id::number(7), "elicitation/create", Some(&Raw::object_empty()));
    let server = ServerId::new("fs").expect("a good id");
    let question = Question::new(server, Revision::LATEST_LEGACY, message, (1, Ticket(7)), Arc::new(Silent));
    let port: Arc<dyn Port> = caller.clone();
    questions.put(&Subject::new(Principal::named("alice")), &port, None, question);
    assert_eq!(caller.withdrawn.load(Ordering::Relaxed), 1);
    assert!(questions.open().is_empty());
}
