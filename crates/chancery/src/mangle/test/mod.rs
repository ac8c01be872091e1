//! `mangle test`: runs cases in the language's own terms, and reports which rules they reach, and which changes of
//! rules they notice.

mod case;
mod command;
mod compare;
mod coverage;
mod files;
mod junit;
mod marked;
mod mutate;
mod problem;
mod read;
mod render;
mod report;
mod rules;
mod run;
mod suite;
mod watch;
mod yaml;

pub(super) use command::test;
