//! Offers as bytes, so that a server that was seen before answers from its cached catalogue at once (DESIGN 5).

use jsonrpc::{Limits, ObjectBuilder, Raw};
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

use crate::{Item, List, Offer};

/// The version of the byte layout. A cache of another version is ignored, and the server is asked again.
const LAYOUT: u64 = 1;

impl Offer {
    /// Returns the offer as one JSON document, without the server's id and prefix, which belong to the configuration.
    #[must_use]
    pub fn to_cache(&self) -> Vec<u8> {
        let instructions = self.advertised.instructions.as_deref();
        let cached = ObjectBuilder::with_capacity(self.len() + 1024)
            .uint("layout", LAYOUT)
            .text("revision", self.revision.as_str())
            .raw("capabilities", &self.advertised.capabilities)
            .raw("info", &self.advertised.info)
            .text_or_null("instructions", instructions);
        let lists = ListKind::ALL.into_iter();
        lists
            .fold(cached, |cached, kind| cached.object(kind.key(), |list| self.list(kind).write(list)))
            .bytes()
    }

    /// Reads the offer of a server from what [`Offer::to_cache`] wrote. Returns `None` for anything else: another
    /// layout, a truncated or altered file.
    #[must_use]
    pub fn from_cache(bytes: &[u8], server: ServerId, prefix: bool) -> Option<Self> {
        let cached = Raw::parse(bytes.to_vec(), &Limits::OWN).ok()?.object().ok()?;
        if cached.get("layout")?.as_u64() != Some(LAYOUT) {
            return None;
        }
        let revision = Revision::parse(&cached.get("revision")?.as_str()?)?;
        let instructions = cached.get("instructions")?;
        let instructions = match instructions.kind() {
            jsonrpc::RawKind::Null => None,
            _ => Some(instructions.as_str()?.into_owned()),
        };
        let (capabilities, info) = (cached.get("capabilities")?.clone(), cached.get("info")?.clone());
        let mut offer = Self::new(
            server,
            prefix,
            revision,
            Advertised {
                capabilities,
                info,
                instructions,
            },
        );
        for kind in ListKind::ALL {
            *offer.list_mut(kind) = List::read(kind, cached.get(kind.key())?)?;
        }
        Some(offer)
    }

    /// Returns the number of bytes of all definitions.
    fn len(&self) -> usize {
        let lists = ListKind::ALL.into_iter().flat_map(|kind| &self.list(kind).items);
        lists.map(|item| item.raw.len() + 1).sum()
    }
}

impl List {
    fn write(&self, list: ObjectBuilder) -> ObjectBuilder {
        list.array("items", self.items.iter().map(|item| &item.raw))
            .object("extras", |extras| {
                extras.members(self.extras.iter().map(|(key, value)| (key, value)))
            })
    }

    fn read(kind: ListKind, raw: &Raw) -> Option<Self> {
        let list = raw.object().ok()?;
        let items = list.get("items")?;
        if items.kind() != jsonrpc::RawKind::Array {
            return None;
        }
        let items = items.items().iter().map(|item| Item::read(kind, item)).collect::<Option<_>>()?;
        let extras = list.get("extras")?.object().ok()?;
        let extras = extras.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
        Some(Self { items, extras })
    }
}
