//! The store from outside: what it remembers, what it loses and what it does not, on disks that work and disks that do not.

mod audit;
mod backup;
mod changes;
mod clocks;
mod concurrent;
mod damage;
mod faults;
mod faulty;
mod fixture;
mod follow;
mod kill;
mod migrations;
mod notes;
mod places;
mod retained;
