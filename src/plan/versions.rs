//! versions
