//! Example server with every feature.
