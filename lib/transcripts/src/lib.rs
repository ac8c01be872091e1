//! Plays transcripts in tests: files of cases whose lines are carried out one after the other, each with its results below it.
//!
//! A case begins with a line `==TITLE`, results stand behind `> `, and lines that begin with `# ` are comments. A test crate implements [`Stage`] and lists
//! its files in [`transcripts!`], which makes a test of each. `UPDATE_EXPECT=1` rewrites the results.

use std::path::Path;

/// What the lines of a case act on.
pub trait Stage: Sized {
    /// Begins a case. `heading` is the line that begins it, without `==`.
    fn begin(heading: &str) -> impl Future<Output = Self>;
    /// Carries out one line, and returns its results.
    fn line(&mut self, line: &str) -> impl Future<Output = Vec<String>>;
}

/// Plays a script on one thread, in time that stands still until a line moves it, and returns it with its present results.
///
/// # Panics
/// When a line stands before the first case.
#[must_use]
pub fn play<S: Stage>(script: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(played::<S>(script))
}

async fn played<S: Stage>(script: &str) -> String {
    let mut stage: Option<S> = None;
    let mut played = String::new();
    for line in script.lines().filter(|line| !line.starts_with('>')) {
        played.push_str(line);
        played.push('\n');
        if let Some(heading) = line.strip_prefix("==") {
            stage = Some(S::begin(heading).await);
        } else if !line.is_empty() && !line.starts_with("# ") {
            let stage = stage.as_mut().expect("a case begins with `==`");
            for result in stage.line(line).await {
                played.push_str(&format!("> {result}\n"));
            }
        }
    }
    played
}

/// Plays one file and compares it with what stands there.
///
/// # Panics
/// When the file cannot be read, or its results are others.
pub fn check(path: &Path, play: impl FnOnce(&str) -> String) {
    let script = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    expect_test::expect_file![path].assert_eq(&play(&script));
}

/// Checks that each file of a folder is in the list of those that are played.
///
/// # Panics
/// When one is not.
pub fn all_are_listed(folder: &Path, listed: &[&str]) {
    for entry in std::fs::read_dir(folder).expect("the folder of transcripts") {
        let name = entry.expect("an entry").file_name();
        assert!(
            listed.iter().any(|file| name == **file),
            "`{}` is not in the list of transcripts",
            name.display()
        );
    }
}

/// Makes a test of each transcript in `tests/it/data`, given the function that plays a script and the files' names without `.txt`.
#[macro_export]
macro_rules! transcripts {
    ($play:expr; $($name:ident)*) => {
        fn data() -> ::std::path::PathBuf {
            ::std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data")
        }

        $(#[test]
        fn $name() {
            $crate::check(&data().join(concat!(stringify!($name), ".txt")), $play);
        })*

        #[test]
        fn every_transcript_is_played() {
            $crate::all_are_listed(&data(), &[$(concat!(stringify!($name), ".txt")),*]);
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{Stage, play};

    /// A stage that repeats each line as often as its heading says.
    struct Repeats(usize);

    impl Stage for Repeats {
        async fn begin(heading: &str) -> Self {
            Self(heading.len())
        }

        async fn line(&mut self, line: &str) -> Vec<String> {
            vec![line.to_owned(); self.0]
        }
    }

    #[test]
    fn results_are_written_anew_and_all_else_stays() {
        let script = "# Two cases.\n\n==II\nx\n> stale\n# said\n\n==I\ny\n";
        let played = "# Two cases.\n\n==II\nx\n> x\n> x\n# said\n\n==I\ny\n> y\n";
        assert_eq!(play::<Repeats>(script), played);
    }
}
