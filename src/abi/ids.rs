//! Numbers that name things. Each kind of index is a type of its own, so that a slot is never taken for a register.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A command's number, unique within its frame and increasing in recorded order.
    EventId(u64)
);
id!(
    /// A buffer of a frame's buffer table.
    BufferId(u64)
);
id!(
    /// A captured program of a frame's program table.
    ProgramId(u64)
);
id!(
    /// A command list; 0 is the immediate one.
    ListId(u64)
);
id!(
    /// An input-assembler slot: the place a vertex stream is bound to.
    InputSlot(u32)
);

impl ListId {
    /// The list whose commands run in order; the others run where an `execute` names them.
    pub const IMMEDIATE: Self = Self(0);
}

/// A pass of a frame, by the name the capture gives it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassId(pub String);

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
