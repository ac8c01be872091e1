//! Integration tests of the validators: their rates on data, their rules by example, and their bounds on any input.

mod arguments;
mod bounds;
mod literals;
mod rates;
mod rows;
mod rules;
