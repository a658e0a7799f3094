//! Fixed-function state a draw may carry, and the names the capture format gives it.

use serde::{Deserialize, Serialize};

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }
    };
}

names!(
    /// How a depth or stencil test compares the new value with the stored one.
    Compare {
        /// Fails always.
        Never,
        /// Passes when the new value is less.
        Less,
        /// Passes when equal.
        Equal,
        /// Passes when less or equal.
        LessEqual,
        /// Passes when greater.
        Greater,
        /// Passes when not equal.
        NotEqual,
        /// Passes when greater or equal.
        GreaterEqual,
        /// Passes always.
        Always,
    }
);

impl Compare {
    /// Whether `new` passes against `stored`. A NaN passes only `not_equal` and `always`, as IEEE comparison has it.
    pub fn passes(self, new: f32, stored: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => new < stored,
            Self::Equal => new == stored,
            Self::LessEqual => new <= stored,
            Self::Greater => new > stored,
            Self::NotEqual => new != stored,
            Self::GreaterEqual => new >= stored,
            Self::Always => true,
        }
    }
}

names!(
    /// Which side of a triangle is not drawn.
    Cull {
        /// Both sides are drawn.
        None,
        /// Front faces are dropped.
        Front,
        /// Back faces are dropped.
        Back,
    }
);

names!(
    /// Which winding, seen on the screen, is the front.
    Front {
        /// Clockwise.
        Cw,
        /// Counter-clockwise.
        Ccw,
    }
);

names!(
    /// A factor of the blend equation.
    BlendFactor {
        /// 0.
        Zero,
        /// 1.
        One,
        /// The new colour.
        SrcColor,
        /// 1 - the new colour.
        InvSrcColor,
        /// The new alpha.
        SrcAlpha,
        /// 1 - the new alpha.
        InvSrcAlpha,
        /// The stored alpha.
        DestAlpha,
        /// 1 - the stored alpha.
        InvDestAlpha,
        /// The stored colour.
        DestColor,
        /// 1 - the stored colour.
        InvDestColor,
    }
);

names!(
    /// How the two products of the blend equation are combined.
    BlendOp {
        /// new + stored.
        Add,
        /// new - stored.
        Subtract,
        /// stored - new.
        RevSubtract,
        /// The least, factors ignored.
        Min,
        /// The greatest, factors ignored.
        Max,
    }
);

/// One half of a blend state: `["src_alpha", "inv_src_alpha", "add"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlendEquation(pub BlendFactor, pub BlendFactor, pub BlendOp);

/// Blending of colour and alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// The colour channels.
    pub color: BlendEquation,
    /// The alpha channel.
    pub alpha: BlendEquation,
}

names!(
    /// What vertices make up. Only triangles are executed; the rest is carried.
    Topology {
        /// Points.
        PointList,
        /// Lines, two vertices each.
        LineList,
        /// A line through all vertices.
        LineStrip,
        /// Triangles, three vertices each.
        TriangleList,
        /// A band of triangles, with restarts.
        TriangleStrip,
        /// Lines with neighbours.
        LineListAdj,
        /// A line with neighbours.
        LineStripAdj,
        /// Triangles with neighbours.
        TriangleListAdj,
        /// A band of triangles with neighbours.
        TriangleStripAdj,
        /// Control points of a tessellated patch.
        PatchList,
    }
);

names!(
    /// Width of an index.
    IndexFormat {
        /// 16 bit, restart value 0xFFFF.
        U16,
        /// 32 bit, restart value 0xFFFF_FFFF.
        U32,
    }
);

impl IndexFormat {
    /// Bytes of an index.
    pub const fn size(self) -> u64 {
        match self {
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }

    /// The value that restarts a strip; in a list it is an ordinary vertex number.
    pub const fn restart(self) -> u32 {
        match self {
            Self::U16 => 0xFFFF,
            Self::U32 => 0xFFFF_FFFF,
        }
    }
}

names!(
    /// What a pass is for.
    PassKind {
        /// Depth from the light.
        Shadow,
        /// Surface properties.
        Gbuffer,
        /// Screen-space movement since the last frame.
        MotionVector,
        /// Anything else.
        Other,
    }
);

impl PassKind {
    /// The name in the capture format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Gbuffer => "gbuffer",
            Self::MotionVector => "motion_vector",
            Self::Other => "other",
        }
    }
}
