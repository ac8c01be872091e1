//! Which files are read, in which order, and which a person must confirm first.

use std::path::{Path, PathBuf};

use crate::config::{Env, Loaded, Problems, Question, Sources, Trust, Watch, load};

/// A home, a project and a state directory.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn sources(&self) -> Sources {
        self.sources_with(&[])
    }

    fn sources_with(&self, more: &[(&str, &Path)]) -> Sources {
        let base = [("HOME", self.path("home")), ("CHANCERY_STATE_DIR", self.path("state"))];
        let all = base.into_iter().chain(more.iter().map(|(name, path)| (*name, path.to_path_buf())));
        Sources {
            env: all.map(|(name, path)| (name, path.display().to_string())).collect::<Env>(),
            cwd: self.path("project"),
            config: None,
            mcp_json: Vec::new(),
            trust: false,
        }
    }
}

const USER: &str = "home/.config/mgp/servers.toml";
const PROJECT: &str = "project/mgp.toml";

fn ids(loaded: &Result<Loaded, Problems>) -> Vec<String> {
    let loaded = loaded.as_ref().unwrap_or_else(|problems| panic!("{problems}"));
    loaded.config.servers.iter().map(|server| format!("{}", server.id)).collect()
}

fn server(id: &str, command: &str) -> String {
    format!("[[servers]]\nid = \"{id}\"\ncommand = \"{command}\"\n")
}

#[test]
fn the_first_file_wins_by_id_and_by_key() {
    let disk = Disk::new();
    disk.write(PROJECT, &format!("[gateway]\nsse = true\n{}", server("both", "project")));
    disk.write(
        USER,
        &format!(
            "[gateway]\nsse = false\nlog_level = \"debug\"\n{}{}",
            server("both", "user"),
            server("user", "user")
        ),
    );
    let loaded = load(&disk.sources(), Trust::All);
    assert_eq!(ids(&loaded), ["both", "user"]);
    let config = loaded.expect("a configuration").config;
    assert!(format!("{:?}", config.servers[0].launch).contains("project"));
    assert!(config.gateway.sse);
    assert_eq!(config.gateway.log_level, "debug");
}

#[test]
fn the_variable_stands_instead_of_both() {
    let disk = Disk::new();
    disk.write(PROJECT, &server("project", "a"));
    disk.write(USER, &server("user", "a"));
    let only = disk.write("only.toml", &server("only", "a"));
    assert_eq!(
        ids(&load(&disk.sources_with(&[("MGP_CONFIG_PATH", &only)]), Trust::Recorded)),
        ["only"]
    );
    let missing = disk.path("missing.toml");
    assert!(load(&disk.sources_with(&[("MGP_CONFIG_PATH", &missing)]), Trust::Recorded).is_err());
}

#[test]
fn options_stand_instead_of_any_lookup() {
    let disk = Disk::new();
    disk.write(USER, &server("user", "a"));
    let mut sources = disk.sources();
    sources.config = Some(disk.write("mine.toml", &server("mine", "a")));
    assert_eq!(ids(&load(&sources, Trust::Recorded)), ["mine"]);
    sources.mcp_json = vec![disk.write(
        "project/.mcp.json",
        r#"{"mcpServers": {"other": {"command": "b"}, "mine": {"command": "b"}}}"#,
    )];
    assert_eq!(ids(&load(&sources, Trust::Recorded)), ["mine", "other"]);
    sources.config = None;
    assert_eq!(ids(&load(&sources, Trust::Recorded)), ["other", "mine"]);
}

#[test]
fn without_any_file_there_are_no_servers() {
    let disk = Disk::new();
    assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), Vec::<String>::new());
}

#[test]
fn a_project_file_needs_a_person_once_and_after_each_change() {
    let disk = Disk::new();
    disk.write(USER, &server("user", "a"));
    disk.write(PROJECT, &server("project", "rm"));

    let loaded = load(&disk.sources(), Trust::Recorded);
    assert_eq!(ids(&loaded), ["user"]);
    let loaded = loaded.expect("a configuration");
    assert_eq!(loaded.untrusted, [disk.path(PROJECT)]);
    assert!(loaded.warnings.to_string().contains("chancery config trust"), "{}", loaded.warnings);

    // A no is not remembered, a yes is.
    let mut asked = Vec::new();
    let mut no = |question: &Question| {
        asked.push((question.changed, question.servers.clone()));
        false
    };
    assert_eq!(ids(&load(&disk.sources(), Trust::Ask(&mut no))), ["user"]);
    assert_eq!(asked, [(false, vec![("project".to_owned(), "rm".to_owned())])]);
    assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), ["user"]);
    assert_eq!(ids(&load(&disk.sources(), Trust::Ask(&mut |_| true))), ["project", "user"]);
    assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), ["project", "user"]);

    disk.write(PROJECT, &server("project", "rm -r"));
    assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), ["user"]);
    let mut changed = None;
    let mut yes = |question: &Question| {
        changed = Some(question.changed);
        true
    };
    assert_eq!(ids(&load(&disk.sources(), Trust::Ask(&mut yes))), ["project", "user"]);
    assert_eq!(changed, Some(true));

    // Going back to an earlier state is a change too.
    disk.write(PROJECT, &server("project", "rm"));
    assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), ["user"]);
}

#[test]
fn trust_on_the_command_line_is_not_remembered() {
    let disk = Disk::new();
    disk.write(PROJECT, &server("project", "a"));
    let mut sources = disk.sources();
    sources.trust = true;
    assert_eq!(ids(&load(&sources, Trust::Recorded)), ["project"]);
    assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), Vec::<String>::new());
}

#[test]
fn an_untrusted_file_with_errors_is_only_left_out() {
    let disk = Disk::new();
    for text in ["[[servers]]\nid = \"a\"\nnonsense = 1\n", "[[servers\n"] {
        disk.write(PROJECT, text);
        assert_eq!(ids(&load(&disk.sources(), Trust::Recorded)), Vec::<String>::new());
    }
}

#[test]
fn the_identity_is_where_a_configuration_comes_from() {
    let disk = Disk::new();
    disk.write(USER, &server("a", "a"));
    let identity = |sources: &Sources| load(sources, Trust::All).expect("a configuration").config.identity;
    let recorded = |sources: &Sources| {
        let known = sources.identity();
        assert_eq!(known, load(sources, Trust::Recorded).expect("a configuration").config.identity);
        known
    };
    let before = identity(&disk.sources());
    disk.write(USER, &server("b", "b"));
    assert_eq!(before, identity(&disk.sources()));
    let mut elsewhere = disk.sources();
    elsewhere.cwd = disk.path("elsewhere");
    assert_eq!(before, identity(&elsewhere));
    disk.write(PROJECT, "");
    assert_ne!(before, identity(&disk.sources()));
    // A file that is not confirmed does not count, and the contents of a file change nothing.
    assert_eq!(before, recorded(&disk.sources()));
    load(&disk.sources(), Trust::Ask(&mut |_| true)).expect("a configuration");
    assert_ne!(before, recorded(&disk.sources()));
    disk.write(PROJECT, "changed = ");
    disk.write(USER, "broken = ");
    assert_eq!(before, disk.sources().identity());
}

#[cfg(unix)]
#[test]
fn a_secret_that_everybody_can_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let disk = Disk::new();
    let warned = |text: &str, mode: u32| {
        let path = disk.write(USER, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a mode");
        let loaded = load(&disk.sources(), Trust::Recorded).expect("a configuration");
        loaded.warnings.to_string().contains("chmod 600")
    };
    let literal = format!("{}env = {{ API_KEY = \"sk-123\" }}\n", server("a", "a"));
    assert!(warned(&literal, 0o644));
    assert!(!warned(&literal, 0o640));
    assert!(!warned(
        &format!("{}env = {{ API_KEY = \"${{HOME}}\" }}\n", server("a", "a")),
        0o644
    ));
    assert!(!warned(&format!("{}env = {{ MODE = \"fast\" }}\n", server("a", "a")), 0o644));
    assert!(warned("[gateway]\ntoken = \"sk-123\"\n", 0o644));
}

#[test]
fn watching_sees_contents_not_times() {
    let disk = Disk::new();
    let (a, b) = (disk.write("a", "one"), disk.path("b"));
    let mut watch = Watch::new([a.clone(), b.clone()]);
    assert!(watch.changed().is_empty());
    disk.write("a", "two!");
    assert_eq!(watch.changed(), std::slice::from_ref(&a));
    assert!(watch.changed().is_empty());
    // Written again with the same contents, at another time.
    disk.write("a", "two!");
    let later = std::fs::metadata(&a).and_then(|metadata| metadata.modified()).expect("a time") + std::time::Duration::from_secs(5);
    std::fs::File::options()
        .write(true)
        .open(&a)
        .and_then(|file| file.set_modified(later))
        .expect("a time");
    assert!(watch.changed().is_empty());
    disk.write("b", "new");
    assert_eq!(watch.changed(), std::slice::from_ref(&b));
    std::fs::remove_file(&b).expect("removed");
    assert_eq!(watch.changed(), [b]);
}

#[test]
fn what_cannot_be_read_says_why() {
    let disk = Disk::new();
    let mut sources = disk.sources();
    sources.config = Some(disk.path("absent.toml"));
    assert!(
        load(&sources, Trust::All)
            .expect_err("absent")
            .to_string()
            .contains("can't be read")
    );
    std::fs::write(disk.path("binary.toml"), b"id = \"\xff\"").expect("a file");
    sources.config = Some(disk.path("binary.toml"));
    assert!(load(&sources, Trust::All).expect_err("binary").to_string().contains("not UTF-8"));
}

#[test]
fn a_certificate_that_is_not_there() {
    let disk = Disk::new();
    let tls = "[gateway.tls]\ncert = \"a.pem\"\nkey = \"b.pem\"\n";
    let file = disk.write(USER, tls);
    let said = || match load(&disk.sources(), Trust::Recorded) {
        Ok(loaded) => format!("loaded; {}", loaded.warnings),
        Err(problems) => problems.to_string(),
    };
    let missing = said();
    for (place, key) in [("2:8", "cert"), ("3:7", "key")] {
        let line = format!("{}:{place}: `{key}` names `", file.display());
        assert!(missing.contains(&line), "{missing}");
    }
    disk.write("home/.config/mgp/a.pem", "");
    std::fs::create_dir(disk.path("home/.config/mgp/b.pem")).expect("a directory");
    let directory = said();
    assert!(
        directory.contains("3:7: `key` names `") && !directory.contains("`cert`"),
        "{directory}"
    );
    std::fs::remove_dir(disk.path("home/.config/mgp/b.pem")).expect("removed");
    disk.write("home/.config/mgp/b.pem", "");
    assert_eq!(said(), "loaded; ");
}
