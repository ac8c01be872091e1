//! Tests of the texts of refused requests: they are for people, and must not change.

use expect_test::expect_file;
use kernel::http_api::Verb;

use crate::live::{Live, olga};

/// Compares with `refusals.txt`, which has a line for each request, and under it the status, the title and the detail of its problem.
#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_in_the_same_words() {
    let transcript = expect_file!["../data/refusals.txt"];
    let live = Live::start().await;
    let mut told = String::new();
    for line in transcript.data().lines().filter(|line| !line.starts_with(' ')) {
        let mut words = line.splitn(3, ' ');
        let verb = words.next().and_then(Verb::parse).expect("a verb");
        let target = words.next().expect("a path");
        let (status, _, problem) = live.answer(olga(), verb, target, words.next().unwrap_or_default().to_owned()).await;
        let text = |field: &str| problem[field].as_str().unwrap_or("nothing").to_owned();
        told += &format!("{line}\n  {status} {}: {}\n", text("title"), text("detail"));
    }
    transcript.assert_eq(&told);
    live.gateway.stop().await;
}
