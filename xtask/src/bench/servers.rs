//! The servers in a gateway's configuration.

use serde_json::json;

/// A `[[servers]]` of the gateway's configuration.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    id: String,
    place: Place,
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
        }
    }

    /// A server that the gateway starts.
    pub(crate) fn command(id: &str, command: &[String]) -> Self {
        Self {
            id: id.to_owned(),
            place: Place::Command(command.to_vec()),
        }
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
        format!("\n[[servers]]\nid = {}\n{place}\n", json!(self.id))
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
        let toml = Server::command("down", &command).toml();
        assert_eq!(
            toml,
            "\n[[servers]]\nid = \"down\"\ncommand = \"/bin/a b\"\nargs = [\"--x\",\"\\\"q\\\"\"]\n"
        );
    }
}
