//! Tests of what a client sees of many servers' offers.

mod advertised;
mod cached;
mod fixture;
mod names;
mod naming;
mod pages;
mod places;
mod plain;
mod properties;
mod reading;
mod updates;
