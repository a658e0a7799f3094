//! edges
