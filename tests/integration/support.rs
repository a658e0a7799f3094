//! What several topics need: sets, executors, edits.
