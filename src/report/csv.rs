//! csv
