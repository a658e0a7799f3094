//! Blobs: content-addressed bytes, memory-mapped or decompressed, always hash-checked.
