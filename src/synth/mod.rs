//! Writes synthetic capture sets with known truth.

pub mod models;
