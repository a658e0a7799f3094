//! Writes synthetic capture sets with known truth.
