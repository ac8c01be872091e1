//! The product's Rust files as syntax trees, for the rules that single words cannot decide.

use std::collections::BTreeMap;

use anyhow::Context;
use syn::punctuated::Punctuated;
use syn::{Attribute, ImplItem, Item, Meta, Token, TraitItem};

use super::tree::{self, File};

/// The syntax trees of files, by path.
pub(crate) type Trees<'a> = BTreeMap<&'a str, syn::File>;

/// Parses every Rust file of the product.
pub(crate) fn trees(files: &[File]) -> anyhow::Result<Trees<'_>> {
    files
        .iter()
        .filter(|file| file.path.ends_with(".rs") && !tree::is_test(&file.path))
        .map(|file| {
            let parsed = syn::parse_file(&file.text).with_context(|| format!("{} is not Rust", file.path))?;
            Ok((file.path.as_str(), parsed))
        })
        .collect()
}

/// Returns whether an item with these attributes is compiled for tests only.
pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg") && attribute.parse_args::<Meta>().is_ok_and(|condition| implies_test(&condition)))
    })
}

/// Returns whether a condition of `#[cfg]` can hold in tests only.
fn implies_test(condition: &Meta) -> bool {
    let Meta::List(list) = condition else {
        return condition.path().is_ident("test");
    };
    let parts = list
        .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .unwrap_or_default();
    if list.path.is_ident("all") {
        parts.iter().any(implies_test)
    } else {
        list.path.is_ident("any") && parts.iter().all(implies_test)
    }
}

/// Returns the attributes of an item.
pub(crate) fn of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the attributes of an item in an `impl` block.
pub(crate) fn of_impl_item(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the attributes of an item in a trait.
pub(crate) fn of_trait_item(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}
