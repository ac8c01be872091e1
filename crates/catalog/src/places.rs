//! Which server has a resource: by its exact entry, then by the one matching template (DESIGN 4).

use std::collections::HashMap;
use std::sync::Arc;

use mcp::method::ListKind;
use model::ServerId;

use crate::Offer;
use crate::template::Template;

/// Where something is, as far as the catalogue knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located<'a> {
    /// With this server.
    One(&'a ServerId),
    /// With any of these, in the order of the configuration: who read it last decides, else the error names them.
    Many(Vec<&'a ServerId>),
    /// Nobody listed it.
    None,
}

/// Steps that the templates of one server may take to match one URI: under a millisecond, and two thousand usual templates.
const BUDGET: usize = 1 << 18;

/// The resources and templates of all offers. URIs are never rewritten, so two servers may have the same.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Per URI the offers that list it, once each.
    uris: HashMap<Box<str>, Vec<usize>>,
    /// Per URI template the offers that list it, once each.
    templates: HashMap<Box<str>, Vec<usize>>,
    /// The templates of each offer that can be matched.
    patterns: Vec<(usize, Vec<Template>)>,
}

impl Places {
    pub(crate) fn build(offers: &[Arc<Offer>]) -> Self {
        let mut places = Self::default();
        for (o, offer) in offers.iter().enumerate() {
            for item in &offer.list(ListKind::Resources).items {
                hold(&mut places.uris, &item.key, o);
            }
            let templates = &offer.list(ListKind::ResourceTemplates).items;
            for item in templates {
                hold(&mut places.templates, &item.key, o);
            }
            let patterns: Vec<Template> = templates.iter().filter_map(|item| Template::read(&item.key)).collect();
            if !patterns.is_empty() {
                places.patterns.push((o, patterns));
            }
        }
        places
    }

    /// The offers that may have a resource.
    pub(crate) fn resource(&self, uri: &str) -> Vec<usize> {
        if let Some(holders) = self.uris.get(uri) {
            return holders.clone();
        }
        let matching = self.patterns.iter().filter(|(_, patterns)| {
            let mut budget = BUDGET;
            patterns.iter().any(|pattern| pattern.matches(uri, &mut budget))
        });
        matching.map(|(o, _)| *o).collect()
    }

    /// The offers that may have a template; a resource may be named instead (2025-11-25 server/utilities/completion).
    pub(crate) fn template(&self, uri_template: &str) -> Vec<usize> {
        match self.templates.get(uri_template) {
            Some(holders) => holders.clone(),
            None => self.resource(uri_template),
        }
    }
}

fn hold(places: &mut HashMap<Box<str>, Vec<usize>>, key: &str, offer: usize) {
    match places.get_mut(key) {
        Some(holders) if holders.last() == Some(&offer) => {}
        Some(holders) => holders.push(offer),
        None => drop(places.insert(key.into(), vec![offer])),
    }
}
