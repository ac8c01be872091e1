//! The servers in a gateway's configuration.

use serde_json::json;

/// A `[[servers]]` of the gateway's configuration.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    id: String,
    place: Place,
    /// Further lines of its table.
    more: Vec<&'static str>,
}

#[derive(Debug, Clone)]
enum Place {
    Url(String),
    Command(Vec<String>),
}

impl Server {
    /// A server behind an endpoint.
    pub(crate) fn url(id: &str, url: &str) -> Self {
        Self {
            id: id.to_owned(),
            place: Place::Url(url.to_owned()),
            more: Vec::new(),
        }
    }

    /// A server that the gateway starts.
    pub(crate) fn command(id: &str, command: &[String]) -> Self {
        Self {
            id: id.to_owned(),
            place: Place::Command(command.to_vec()),
            more: Vec::new(),
        }
    }

    /// The server, declared to keep nothing between calls: all clients share one process or connection.
    pub(crate) fn shared(self) -> Self {
        self.with("share = \"all\"")
    }

    /// The server, started with the first call of it.
    pub(crate) fn on_use(self) -> Self {
        self.with("start = \"on-use\"")
    }

    fn with(mut self, line: &'static str) -> Self {
        self.more.push(line);
        self
    }

    /// The table in TOML. JSON strings and arrays of strings are TOML as well.
    pub(crate) fn toml(&self) -> String {
        let place = match &self.place {
            Place::Url(url) => format!("url = {}", json!(url)),
            Place::Command(words) => match words.split_first() {
                Some((command, args)) => format!("command = {}\nargs = {}", json!(command), json!(args)),
                None => "command = \"\"".to_owned(),
            },
        };
        let more: String = self.more.iter().map(|line| format!("{line}\n")).collect();
        format!("\n[[servers]]\nid = {}\n{place}\n{more}", json!(self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_tables() {
        assert_eq!(
            Server::url("up", "http://h/mcp").toml(),
            "\n[[servers]]\nid = \"up\"\nurl = \"http://h/mcp\"\n"
        );
        let command = ["/bin/a b", "--x", "\"q\""].map(str::to_owned);
        let toml = Server::command("down", &command).shared().on_use().toml();
        assert_eq!(
            toml,
            "\n[[servers]]\nid = \"down\"\ncommand = \"/bin/a b\"\nargs = [\"--x\",\"\\\"q\\\"\"]\nshare = \"all\"\nstart = \"on-use\"\n"
        );
    }
}
