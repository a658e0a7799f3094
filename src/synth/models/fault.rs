//! Faults: each breaks one claim of a valid file, and says which exceptions a survey must find.

use super::build::{Built, Kind};
use super::grass::describe;
use crate::formats::flver::Dummy;
use crate::formats::grass::Grass;

/// Exceptions by claim.
type Exceptions = Vec<(&'static str, u64)>;

/// One change to a valid file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(
    missing_docs,
    reason = "named after the claim that each breaks; `apply_model` and `apply_grass` say how"
)]
pub enum Fault {
    Magic,
    Truncated,
    NodeReserved,
    Siblings,
    FirstChild,
    NodeBounds,
    NodeFlags,
    Flag1,
    Flag2,
    Skeleton,
    Bounds,
    NegativeScale,
    StrayNormalW,
    OffIdentity,
    StrayJoint,
    WeightSum,
    StreamCopy,
    CannonScale,
    DummyReserved,
    DummyColour,
    DummyFlag,
    UseUpward,
    DummyParent,
    DummyAxes,
    GrassConstant,
    GrassTail,
    GrassChild,
    GrassTile,
    GrassTypes,
    GrassDensity,
    GrassNormal,
    GrassNoNormal,
    GrassBox,
}

/// Faults of models.
pub const MODEL_FAULTS: &[Fault] = &[
    Fault::Magic,
    Fault::Truncated,
    Fault::NodeReserved,
    Fault::Siblings,
    Fault::FirstChild,
    Fault::NodeBounds,
    Fault::NodeFlags,
    Fault::Flag1,
    Fault::Flag2,
    Fault::Skeleton,
    Fault::Bounds,
    Fault::NegativeScale,
    Fault::StrayNormalW,
    Fault::OffIdentity,
    Fault::StrayJoint,
    Fault::WeightSum,
    Fault::StreamCopy,
    Fault::CannonScale,
    Fault::DummyReserved,
    Fault::DummyColour,
    Fault::DummyFlag,
    Fault::UseUpward,
    Fault::DummyParent,
    Fault::DummyAxes,
];

/// Faults of grass files.
pub const GRASS_FAULTS: &[Fault] = &[
    Fault::GrassConstant,
    Fault::GrassTail,
    Fault::GrassChild,
    Fault::GrassTile,
    Fault::GrassTypes,
    Fault::GrassDensity,
    Fault::GrassNormal,
    Fault::GrassNoNormal,
    Fault::GrassBox,
];

/// Where the weights begin in the second buffer of a mesh of three.
const WEIGHTS: usize = 4;
/// Where the normal's W stands in a static vertex.
const NORMAL_W: usize = 15;

impl Fault {
    /// The kind of model it needs.
    pub fn kind(self) -> Kind {
        match self {
            Self::StreamCopy | Self::StrayJoint | Self::WeightSum => Kind::Character,
            Self::OffIdentity => Kind::MapPiece,
            Self::CannonScale => Kind::Cannon,
            _ => Kind::Object,
        }
    }

    /// Whether the file cannot be read with it.
    pub fn is_unreadable(self) -> bool {
        matches!(self, Self::Magic | Self::Truncated | Self::GrassConstant | Self::GrassTail)
    }

    /// Changes a file's bytes, for faults that records cannot hold.
    pub fn apply_bytes(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Magic => {
                if let Some(first) = bytes.first_mut() {
                    *first = b'X';
                }
            }
            Self::Truncated => bytes.truncate(bytes.len() / 2),
            Self::GrassConstant => {
                if let Some(first) = bytes.first_mut() {
                    *first = 2;
                }
            }
            Self::GrassTail => bytes.extend_from_slice(&[0; 4]),
            _ => {}
        }
    }

    /// Changes a model of its kind; gives the exceptions it makes.
    pub fn apply_model(self, built: &mut Built) -> Exceptions {
        let parts = &mut built.parts;
        match self {
            Self::NodeReserved => {
                if let Some((node, _)) = parts.nodes.get_mut(1) {
                    node.reserved[7] = 1;
                }
                vec![("node-record", 1)]
            }
            // A node after its sibling forgets it: the sibling's next is not undone.
            Self::Siblings => {
                let later = parts.nodes.iter_mut().find(|(node, _)| node.previous_sibling != -1);
                later.map_or_else(Vec::new, |(node, _)| {
                    node.previous_sibling = -1;
                    vec![("node-siblings", 1)]
                })
            }
            Self::FirstChild => first_child(built),
            Self::NodeBounds => {
                if let Some((node, _)) = parts.nodes.last_mut() {
                    (node.min, node.max) = ([1.0; 3], [2.0, 0.5, 2.0]);
                }
                vec![("node-bounds", 1)]
            }
            Self::NodeFlags => {
                if let Some((node, _)) = parts.nodes.first_mut() {
                    node.flags |= 0x10;
                }
                vec![("node-flags", 1)]
            }
            // The root has children.
            Self::Flag1 => {
                if let Some((node, _)) = parts.nodes.first_mut() {
                    node.flags = 1;
                }
                vec![("node-flag-1", 1)]
            }
            Self::Flag2 => unnamed(built),
            Self::Skeleton => {
                if let Some(entry) = parts.skeletons.iter_mut().flatten().next() {
                    entry.reserved = 1;
                }
                vec![("skeleton-set", 1)]
            }
            Self::Bounds => {
                built.stretch = 0.01;
                vec![("world-full-product", 1)]
            }
            Self::NegativeScale => {
                if let Some((node, _)) = parts.nodes.last_mut() {
                    node.scale[1] = -1.0;
                }
                vec![("node-scale-census", 1)]
            }
            Self::StrayNormalW => {
                // With no node of the mesh to stand in, the vertex would be left out; so the mesh gets one.
                if let Some(mesh) = parts.meshes.first_mut() {
                    mesh.record.node = 2;
                }
                if let Some(w) = parts.buffers.first_mut().and_then(|(_, bytes)| bytes.get_mut(NORMAL_W)) {
                    *w = 250;
                }
                vec![("static-bone", 1)]
            }
            Self::OffIdentity => {
                // Node 2 carries a third of the vertices, and nothing is below it that carries any.
                if let Some((node, _)) = parts.nodes.get_mut(2) {
                    node.translation = [0.0, 1.0, 0.0];
                }
                vec![("map-piece-identity", built.static_vertices / 3)]
            }
            Self::StrayJoint => {
                if let Some(joint) = parts.buffers.get_mut(1).and_then(|(_, bytes)| bytes.first_mut()) {
                    *joint = 250;
                }
                vec![("palette-empty", 1)]
            }
            Self::WeightSum => {
                if let Some(weights) =
                    parts.buffers.get_mut(1).and_then(|(_, bytes)| bytes.get_mut(WEIGHTS..WEIGHTS + 4))
                {
                    weights.copy_from_slice(&[100, 0, 0, 0]);
                }
                vec![("weight-sum", 1)]
            }
            Self::StreamCopy => {
                if let Some(byte) = parts.buffers.get_mut(2).and_then(|(_, bytes)| bytes.last_mut()) {
                    *byte ^= 1;
                }
                vec![("stream-copy", 1)]
            }
            // The file is named as the object whose bone is scaled, and no bone is.
            Self::CannonScale => {
                if let Some((node, _)) = parts.nodes.last_mut() {
                    node.scale = [0.01; 3];
                }
                vec![("costume-palette", 1)]
            }
            _ => self.apply_dummy(&mut parts.dummies),
        }
    }

    fn apply_dummy(self, dummies: &mut [Dummy]) -> Exceptions {
        let Some(dummy) = dummies.first_mut() else { return Vec::new() };
        match self {
            Self::DummyReserved => {
                dummy.reserved[3] = 1;
                vec![("dummy-record", 1)]
            }
            Self::DummyColour => {
                dummy.colour[0] = 254;
                vec![("dummy-colour", 1)]
            }
            Self::DummyFlag => {
                dummy.flag_2e ^= 1;
                vec![("dummy-flag-2e", 1)]
            }
            Self::UseUpward => {
                dummy.use_upward = 0;
                vec![("dummy-use-upward", 1)]
            }
            Self::DummyParent => {
                // The node keeps the flag of a named node where nothing else names it.
                dummy.attach = if dummy.attach == -1 { dummy.parent } else { dummy.attach };
                let lost = (dummy.attach != dummy.parent).then_some(dummy.parent);
                dummy.flag_2e = 1;
                dummy.parent = 999;
                let lost =
                    lost.filter(|node| !dummies.iter().any(|d| d.parent == *node || d.attach == *node));
                let mut exceptions = vec![("dummy-place", 1)];
                exceptions.extend(lost.map(|_| ("node-flag-2", 1)));
                exceptions
            }
            Self::DummyAxes => {
                dummy.forward = [0.0; 3];
                vec![("dummy-axes", 1)]
            }
            _ => Vec::new(),
        }
    }

    /// Changes a grass file; gives the exceptions it makes.
    pub fn apply_grass(self, grass: &mut Grass) -> Exceptions {
        let leaf = grass.volumes.iter().position(|volume| volume.children == [0; 2]).unwrap_or_default();
        match self {
            Self::GrassConstant | Self::GrassTail => vec![("read", 1), ("grass-header", 1)],
            Self::GrassChild => {
                if let Some(volume) = grass.volumes.get_mut(leaf) {
                    volume.children[0] = leaf as u32;
                }
                vec![("grass-volume", 1), ("grass-tree", 1)]
            }
            Self::GrassTile => {
                // A leaf that is one of two children takes a face of its sibling, within its parent's.
                let pair = grass.volumes.iter().map(|volume| volume.children).find(|[a, b]| {
                    let is_leaf =
                        |i: u32| grass.volumes.get(i as usize).is_some_and(|v| v.children == [0; 2]);
                    *a != 0 && *b != 0 && is_leaf(*a)
                });
                let Some([first, _]) = pair else { return Vec::new() };
                if let Some(volume) = grass.volumes.get_mut(first as usize) {
                    volume.end_face += 1;
                }
                describe(grass);
                vec![("grass-tree", 1)]
            }
            Self::GrassTypes => {
                if let Some(volume) = grass.volumes.get_mut(leaf) {
                    volume.types ^= 1 << 5;
                }
                vec![("grass-types", 1)]
            }
            Self::GrassDensity => {
                if let Some(vertex) = grass.vertices.first_mut() {
                    vertex.densities[0] = 1.5;
                }
                vec![("grass-vertex", 1)]
            }
            Self::GrassNormal => {
                if let Some(face) = grass.faces.first_mut() {
                    face.normal = face.normal.map(|n| -n);
                }
                vec![("grass-face", 1)]
            }
            Self::GrassNoNormal => {
                if let Some(face) = grass.faces.first_mut() {
                    face.normal = [0.0; 3];
                }
                vec![("grass-face", 1)]
            }
            Self::GrassBox => {
                if let Some(bounds) = grass.boxes.get_mut(leaf) {
                    bounds.max[0] = bounds.min[0];
                }
                vec![("grass-box", 1)]
            }
            _ => Vec::new(),
        }
    }
}

/// Puts the second child of a node before its first.
fn first_child(built: &mut Built) -> Exceptions {
    let nodes = &mut built.parts.nodes;
    let second = nodes.iter().position(|(node, _)| {
        node.previous_sibling != -1 && node.parent != -1 && {
            let before = nodes.get(node.previous_sibling as usize);
            before.is_some_and(|(before, _)| before.previous_sibling == -1)
        }
    });
    let Some(second) = second else { return Vec::new() };
    let Some((first, parent, third)) =
        nodes.get(second).map(|(node, _)| (node.previous_sibling, node.parent, node.next_sibling))
    else {
        return Vec::new();
    };
    let mut set = |i: i16, change: &dyn Fn(&mut crate::formats::flver::Node)| {
        if let Some((node, _)) = usize::try_from(i).ok().and_then(|i| nodes.get_mut(i)) {
            change(node);
        }
    };
    let second = second as i16;
    set(parent, &|node| node.first_child = second);
    set(second, &|node| (node.previous_sibling, node.next_sibling) = (-1, first));
    set(first, &|node| (node.previous_sibling, node.next_sibling) = (second, third));
    set(third, &|node| node.previous_sibling = first);
    vec![("node-first-child", 1)]
}

/// Sets the flag of a node that dummies name on one that none does.
fn unnamed(built: &mut Built) -> Exceptions {
    let parts = &mut built.parts;
    let named = |i: usize| parts.dummies.iter().any(|d| [d.parent, d.attach].contains(&(i as i16)));
    let unnamed = (0..parts.nodes.len()).find(|i| !named(*i));
    let Some((node, _)) = unnamed.and_then(|i| parts.nodes.get_mut(i)) else { return Vec::new() };
    node.flags = (node.flags & !1) | 2;
    vec![("node-flag-2", 1)]
}
