//! Merges what the servers offer into what a client is shown: tools, resources, resource templates and prompts.
//!
//! Law: a definition is forwarded in the bytes in which it was received. Where a name must change, only the `name` is
//! spliced in (DESIGN 3); URIs never change (DESIGN 4). Equal offers in equal order make equal views, down to the byte.
//! Nothing here waits, stores or reads a clock.
//!
//! An [`Offer`] is one server's lists as they were fetched page by page ([`read_page`]); a [`View`] has many offers as they are shown to one client.
//! A view is a value: [`View::updated`] makes the next version of it, which shares with it what has not changed. [`Restricted`] is the part of a view
//! that one principal may see.

#![forbid(unsafe_code)]

mod advertise;
mod cache;
mod filter;
mod index;
mod item;
mod listing;
mod marks;
mod names;
mod naming;
mod offer;
mod owners;
mod page;
mod part;
mod parts;
mod places;
mod restricted;
mod shown;
mod template;
mod view;
mod write;

pub use advertise::Advertisement;
pub use filter::Filter;
pub use item::Item;
pub use listing::{InvalidCursor, MISSING};
pub use names::Target;
pub use offer::{List, Offer};
pub use page::{Page, PageError, read_page};
pub use part::KERNEL;
pub use places::Located;
pub use restricted::{Restricted, Visibility};
pub use view::View;
