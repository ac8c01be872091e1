//! What a request says: the parameters of its query, and the fields of its body. Nothing is passed over that nobody knows.

use std::collections::BTreeMap;

use kernel::desk::Request;
use model::{GrantScope, Permission, PrincipalId, ServerId, Timestamp, ToolId};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::Problem;
use crate::routes::{Gives, Route};

/// What every page takes.
const OF_PAGES: [&str; 2] = ["limit", "cursor"];

/// The parameters of a query.
#[derive(Debug, Default)]
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    pub(crate) fn read(route: &Route, text: Option<&str>) -> Result<Self, Problem> {
        let mut found = BTreeMap::new();
        for pair in text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decode = |text: &str| {
                let text = text.replace('+', " ");
                let decoded = percent_decode_str(&text).decode_utf8().map(std::borrow::Cow::into_owned);
                decoded.map_err(|_| Problem::invalid("the query is not UTF-8, percent-encoded"))
            };
            let (name, value) = (decode(name)?, decode(value)?);
            let is_page = matches!(route.gives, Gives::Page(_)) && OF_PAGES.contains(&name.as_str());
            if !is_page && !route.query.iter().any(|parameter| parameter.name == name) {
                let mut all: Vec<_> = route.query.iter().map(|parameter| parameter.name).collect();
                if matches!(route.gives, Gives::Page(_)) {
                    all.extend(OF_PAGES);
                }
                return Err(Problem::invalid(match all[..] {
                    [] => format!("there is no parameter `{name}` here, nor any other"),
                    _ => format!("there is no parameter `{name}` here; there are {}", all.join(", ")),
                }));
            }
            if found.insert(name.clone(), value).is_some() {
                return Err(Problem::invalid(format!("the parameter `{name}` is given twice")));
            }
        }
        for parameter in route.query.iter().filter(|parameter| parameter.required) {
            if !found.contains_key(parameter.name) {
                return Err(Problem::invalid(format!("the parameter `{}` is missing", parameter.name)));
            }
        }
        Ok(Self(found))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A parameter that the route requires.
    pub(crate) fn required(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Problem> {
        let wrong = |text: &str| Problem::invalid(format!("the parameter `{name}` can't be `{text}`: it is a whole number"));
        self.get(name).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }

    pub(crate) fn instant(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        self.get(name).map(|text| instant(name, text)).transpose()
    }
}

/// The fields of a body.
#[derive(Debug)]
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// Reads an object that has no other fields than these.
    pub(crate) fn read(request: &Request, fields: &[&str]) -> Result<Self, Problem> {
        let value: Value =
            serde_json::from_slice(&request.body).map_err(|error| Problem::invalid(format!("the body is no JSON: {error}")))?;
        let Value::Object(map) = value else {
            return Err(Problem::invalid("the body must be a JSON object"));
        };
        match map.keys().find(|key| !fields.contains(&key.as_str())) {
            Some(unknown) => Err(Problem::invalid(format!(
                "there is no field `{unknown}`; there are {}",
                fields.join(", ")
            ))),
            None => Ok(Self(map)),
        }
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let wrong = || Problem::invalid(format!("the field `{name}` must be a string"));
        self.given(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    pub(crate) fn required(&self, name: &str) -> Result<&str, Problem> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| Problem::invalid(format!("the field `{name}` is missing")))
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        let wrong = || Problem::invalid(format!("the field `{name}` must be true or false"));
        self.given(name).map_or(Ok(false), |value| value.as_bool().ok_or_else(wrong))
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&str>, Problem> {
        let wrong = || Problem::invalid(format!("the field `{name}` must be a list of strings"));
        let Some(value) = self.given(name) else { return Ok(Vec::new()) };
        let list = value.as_array().ok_or_else(wrong)?;
        list.iter().map(|item| item.as_str().ok_or_else(wrong)).collect()
    }

    pub(crate) fn instant(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        self.text(name)?.map(|text| instant(name, text)).transpose()
    }

    pub(crate) fn principal(&self) -> Result<PrincipalId, Problem> {
        self.required("principal").map(PrincipalId::new)
    }

    /// What `server` and `tool` name.
    pub(crate) fn scope(&self) -> Result<GrantScope, Problem> {
        scope(self.required("server")?, self.text("tool")?)
    }

    /// One permission, under whatever name it is known.
    pub(crate) fn permission(&self) -> Result<Permission, Problem> {
        let name = self.required("permission")?;
        let said = mgp::permission::read(name).map_err(|error| Problem::invalid(error.to_string()))?;
        match &said.permissions[..] {
            [one] => Ok(one.clone()),
            several => {
                let names: Vec<_> = several.iter().map(Permission::as_str).collect();
                Err(Problem::invalid(format!(
                    "`{name}` stands for several permissions; decide about each: {}",
                    names.join(", ")
                )))
            }
        }
    }
}

/// A server, or a tool of it.
pub(crate) fn scope(server: &str, tool: Option<&str>) -> Result<GrantScope, Problem> {
    let server = self::server(server)?;
    Ok(match tool {
        Some(name) => GrantScope::Tool(ToolId { server, name: name.into() }),
        None => GrantScope::Server(server),
    })
}

pub(crate) fn server(id: &str) -> Result<ServerId, Problem> {
    ServerId::new(id).map_err(|_| Problem::invalid(format!("`{id}` can't be a server's id")))
}

fn instant(name: &str, text: &str) -> Result<Timestamp, Problem> {
    mgp::time::parse(text).ok_or_else(|| {
        Problem::invalid(format!(
            "`{name}` can't be `{text}`: write date, time and offset, such as `2099-12-31T23:59:59Z`"
        ))
    })
}
