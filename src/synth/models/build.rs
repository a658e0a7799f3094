//! Valid models of several kinds, built from records.

use std::collections::BTreeSet;

use super::random::Random;
use super::records::{LAYOUTS, Vertex, empty, member_size};
use crate::formats::flver::hierarchy::Hierarchy;
use crate::formats::flver::write::{MeshParts, Parts};
use crate::formats::flver::{Dummy, FaceSet, Mesh, Model, Node, SkeletonEntry, VertexBuffer};
use crate::pose::{Carrier, MeshVertices, Rule, Worlds, bounds};

/// What a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Static meshes on nodes: by normal W and by the mesh's node.
    Object,
    /// An object whose vertices stand below a scaled node, so that the two rules give other extents.
    ScaledObject,
    /// The same within a larger box that hides what the rules disagree on.
    HiddenScale,
    /// Dynamic meshes: direct joints, a palette, and a mesh of three buffers.
    Character,
    /// Static, on nodes that are the identity.
    MapPiece,
    /// An object named as the one whose bone the documents find scaled by 0.00937, and with such a bone.
    Cannon,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Object, Self::ScaledObject, Self::HiddenScale, Self::Character, Self::MapPiece, Self::Cannon];

    /// The name of the `i`th file of a population.
    pub fn file_name(self, i: u64) -> String {
        match self {
            Self::Object | Self::ScaledObject | Self::HiddenScale => format!("o_{i:06}.flver"),
            Self::Character => format!("c_{i:06}.flver"),
            Self::MapPiece => format!("m10_00_00_00_{i:06}.flver"),
            Self::Cannon => format!("o114670.{i:06}.flver"),
        }
    }
}

/// A model with what is known of it.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its records.
    pub parts: Parts,
    /// Exceptions that its kind brings along, by claim.
    pub exceptions: Vec<(&'static str, u64)>,
    /// Whether static vertices stand below a scaled strict ancestor.
    pub under_scaled: bool,
    /// Static vertices.
    pub static_vertices: u64,
    /// Vertices with weights.
    pub weighted_vertices: u64,
    /// Meshes of three buffers of which the third is a copy.
    pub copied_meshes: u64,
    /// What the stored extents are stretched by on X, of their diagonal; 0 for a model that keeps to them.
    pub stretch: f32,
}

impl Built {
    /// The file, with the extents of its posed vertices in the header.
    pub fn finish(&mut self) -> Vec<u8> {
        let bytes = self.parts.write();
        let Ok(model) = Model::read(bytes.clone()) else { return bytes };
        let worlds = Worlds::of(&model.nodes, &Hierarchy::of(&model.nodes));
        let extents = bounds(&model, &worlds, Rule::Full);
        self.parts.header.min = extents.min.to_array().map(|v| v as f32);
        self.parts.header.max = extents.max.to_array().map(|v| v as f32);
        self.parts.header.max[0] += self.stretch * (extents.max - extents.min).length() as f32;
        self.parts.write()
    }
}

struct Builder<'r> {
    random: &'r mut Random,
    built: Built,
}

/// Builds a model.
pub fn build_model(kind: Kind, random: &mut Random) -> Built {
    let built = Built {
        parts: empty(),
        exceptions: Vec::new(),
        under_scaled: false,
        static_vertices: 0,
        weighted_vertices: 0,
        copied_meshes: 0,
        stretch: 0.0,
    };
    let mut builder = Builder { random, built };
    builder.nodes(kind);
    match kind {
        Kind::Object | Kind::Cannon => {
            builder.static_by_w(1..5, 1.0);
            builder.static_by_node(2);
        }
        Kind::ScaledObject | Kind::HiddenScale => builder.below_scale(kind),
        Kind::Character => {
            builder.streams();
            builder.with_palette();
        }
        Kind::MapPiece => builder.static_by_w(0..3, 8.0),
    }
    if let (Kind::Cannon, Some((node, _))) = (kind, builder.built.parts.nodes.last_mut()) {
        node.scale = [0.00937; 3];
    }
    builder.dummies(kind);
    builder.flags_and_boxes();
    builder.count_faces();
    builder.built
}

impl Builder<'_> {
    /// A tree of nodes: each below an earlier one, children linked in the order of their indices. Node 1 is below node 0,
    /// and node 2 below node 1.
    fn nodes(&mut self, kind: Kind) {
        let count = 6 + self.random.below(7);
        let identity = kind == Kind::MapPiece;
        for i in 0..count {
            let parent = match i {
                0 => -1,
                1 | 2 => i as i16 - 1,
                _ => self.random.below(i) as i16,
            };
            let node = Node {
                translation: if identity { [0.0; 3] } else { self.random.vector(-0.5, 0.5) },
                name_offset: 0,
                rotation: if identity { [0.0; 3] } else { self.random.vector(-1.0, 1.0) },
                parent,
                first_child: -1,
                scale: [1.0; 3],
                next_sibling: -1,
                previous_sibling: -1,
                min: [Node::SENTINEL_MIN; 3],
                flags: 0,
                max: [Node::SENTINEL_MAX; 3],
                reserved: [0; 52],
            };
            self.built.parts.nodes.push((node, format!("node_{i}")));
        }
        link(&mut self.built.parts.nodes);
    }

    fn position(&mut self, size: f32) -> [f32; 3] {
        self.random.vector(-size, size)
    }

    fn direction(&mut self, w: u8) -> [u8; 4] {
        let byte = |random: &mut Random| (127 + random.below(240)) as u8;
        [byte(self.random), byte(self.random), byte(self.random), w]
    }

    /// A static mesh whose vertices name nodes by their normals' W.
    fn static_by_w(&mut self, nodes: std::ops::Range<u8>, size: f32) {
        let per_node = 4 + self.random.below(8);
        let mut bytes = Vec::new();
        for node in nodes {
            for _ in 0..per_node {
                let position = self.position(size);
                let (normal, tangent) = (self.direction(node), self.direction(254));
                let vertex = Vertex(Vec::new()).floats(&position).bytes(&normal).bytes(&tangent);
                bytes.extend(vertex.bytes(&[255; 4]).shorts(&[100, 200]).0);
            }
        }
        self.mesh(0, -1, &[], vec![(0, bytes)]);
    }

    /// A static mesh without a normal's W, on a node of its own.
    fn static_by_node(&mut self, node: i32) {
        let mut bytes = Vec::new();
        for _ in 0..6 + self.random.below(10) {
            let position = self.position(0.5);
            bytes.extend(Vertex(Vec::new()).floats(&position).floats(&[0.0, 1.0, 0.0]).shorts(&[0, 0]).0);
        }
        self.mesh(0, node, &[], vec![(1, bytes)]);
    }

    /// Vertices on node 1 below a scaled node 0: five units up, so that no rotation hides them, unless a larger mesh on
    /// node 0 does.
    fn below_scale(&mut self, kind: Kind) {
        if let [(root, _), (child, _), ..] = self.built.parts.nodes.as_mut_slice() {
            root.scale = [1.25; 3];
            root.rotation = [0.0; 3];
            child.translation = [0.0, 5.0, 0.0];
            child.rotation = [0.0; 3];
        }
        self.static_by_w(1..2, 0.5);
        self.built.under_scaled = true;
        if kind == Kind::HiddenScale {
            // Corners of a box that holds both readings.
            let mut bytes = Vec::new();
            for corner in [[-20.0f32; 3], [20.0; 3], [-20.0, 20.0, 0.0]] {
                let vertex = Vertex(Vec::new()).floats(&corner).floats(&[0.0, 1.0, 0.0]);
                bytes.extend(vertex.shorts(&[0, 0]).0);
            }
            self.mesh(0, 0, &[], vec![(1, bytes)]);
        } else {
            self.built.exceptions.push(("world-importer-rule", 1));
        }
    }

    /// Weights that sum to 252 to 255, the last slot unused.
    fn weights(&mut self) -> [u8; 4] {
        let sum = 252 + self.random.below(4);
        let first = 1 + self.random.below(sum - 2);
        let second = self.random.below(sum - first);
        [first as u8, second as u8, (sum - first - second) as u8, 0]
    }

    /// A mesh of three buffers of 20 bytes: positions, what skins them, and the positions again.
    fn streams(&mut self) {
        let joints = self.built.parts.nodes.len().min(200);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let count = 8 + self.random.below(24);
        for _ in 0..count {
            let position = self.position(1.0);
            let (normal, tangent) = (self.direction(0), self.direction(0));
            first.extend(Vertex(Vec::new()).floats(&position).bytes(&normal).bytes(&tangent).0);
            let indices = [0, 1, 2].map(|_| self.random.below(joints) as u8);
            let weights = self.weights();
            let [a, b, c] = indices;
            let vertex = Vertex(Vec::new()).bytes(&[a, b, c, 0]).bytes(&weights).bytes(&[255; 4]);
            second.extend(vertex.shorts(&[1, 2, 3, 4]).0);
        }
        self.built.weighted_vertices += count as u64;
        self.built.copied_meshes += 1;
        self.mesh(1, 0, &[], vec![(2, first.clone()), (3, second), (4, first)]);
    }

    /// A dynamic mesh in one buffer whose indices go through a palette.
    fn with_palette(&mut self) {
        let nodes = self.built.parts.nodes.len();
        let palette: Vec<i32> = (0..3).map(|_| self.random.below(nodes) as i32).collect();
        let count = 6 + self.random.below(10);
        let mut bytes = Vec::new();
        for _ in 0..count {
            let position = self.position(1.0);
            let (normal, tangent) = (self.direction(0), self.direction(254));
            let vertex = Vertex(Vec::new()).floats(&position).bytes(&normal).bytes(&tangent);
            let indices = [0, 1, 2].map(|_| self.random.below(3) as u16);
            let weights = self.weights();
            let [a, b, c] = indices;
            bytes.extend(vertex.shorts(&[a, b, c, 0]).bytes(&weights).shorts(&[0, 0]).0);
        }
        self.built.weighted_vertices += count as u64;
        self.mesh(1, 0, &palette, vec![(5, bytes)]);
    }

    /// Adds a mesh over buffers, with a list of triangles and the same for motion blur.
    fn mesh(&mut self, dynamic: u8, node: i32, palette: &[i32], streams: Vec<(usize, Vec<u8>)>) {
        let parts = &mut self.built.parts;
        let mut buffers = Vec::new();
        let mut count = 0;
        for (slot, (layout, bytes)) in streams.into_iter().enumerate() {
            let size: i32 =
                LAYOUTS.get(layout).map_or(0, |(_, _, m)| m.iter().map(|(kind, _)| member_size(*kind)).sum());
            count = bytes.len() / size.max(1) as usize;
            buffers.push(parts.buffers.len() as i32);
            let record = VertexBuffer {
                slot: slot as i32,
                layout: layout as i32,
                vertex_size: size,
                vertex_count: count as i32,
                reserved: [0; 2],
                byte_length: bytes.len() as i32,
                offset: 0,
            };
            parts.buffers.push((record, bytes));
        }
        let indices: Vec<u16> = (0..count.saturating_sub(2) as u16).flat_map(|i| [i, i + 1, i + 2]).collect();
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        let mut face_sets = Vec::new();
        for flags in [0, FaceSet::MOTION_BLUR] {
            face_sets.push(parts.face_sets.len() as i32);
            let record = FaceSet {
                flags,
                strip: 0,
                cull_back: 1,
                unknown_06: 1,
                index_count: indices.len() as i32,
                index_offset: 0,
                index_bytes: bytes.len() as i32,
                reserved_14: 0,
                index_bits: 16,
                reserved_1c: 0,
            };
            parts.face_sets.push((record, bytes.clone()));
        }
        self.built.static_vertices += if dynamic == 0 { count as u64 } else { 0 };
        let record = Mesh {
            dynamic,
            reserved_01: [0; 3],
            material: 0,
            reserved_08: [0; 2],
            node,
            palette_count: 0,
            box_offset: 0,
            palette_offset: 0,
            face_set_count: 0,
            face_sets_offset: 0,
            buffer_count: 0,
            buffers_offset: 0,
        };
        let palette = palette.to_vec();
        parts.meshes.push(MeshParts { record, bounds: None, palette, face_sets, buffers });
    }

    fn dummies(&mut self, kind: Kind) {
        if kind == Kind::MapPiece {
            return;
        }
        let nodes = self.built.parts.nodes.len();
        for i in 0..1 + self.random.below(4) {
            let attach = if self.random.one_in(2) { self.random.below(nodes) as i16 } else { -1 };
            let dummy = Dummy {
                position: self.random.vector(-1.0, 1.0),
                colour: if self.random.one_in(20) { [255, 128, 128, 128] } else { [255; 4] },
                forward: if self.random.one_in(4) { [0.0, 0.0, 1.0] } else { [0.0, 0.0, -1.0] },
                reference_id: 100 + i as i16,
                parent: self.random.below(nodes) as i16,
                upward: if self.random.one_in(10) { [0.0, 0.8, 0.6] } else { [0.0, 1.0, 0.0] },
                attach,
                flag_2e: u8::from(attach != -1),
                use_upward: 1,
                unknown_30: 7,
                unknown_34: self.random.bits() as i32,
                reserved: [0; 8],
            };
            self.built.parts.dummies.push(dummy);
        }
    }

    /// Flags as the documents describe them, and a box on nodes that carry vertices.
    fn flags_and_boxes(&mut self) {
        let parts = &mut self.built.parts;
        let Ok(model) = Model::read(parts.write()) else { return };
        let carrying = carrying_nodes(&model);
        for (i, (node, _)) in parts.nodes.iter_mut().enumerate() {
            let number = i as i16;
            let dummy = parts.dummies.iter().any(|dummy| [dummy.parent, dummy.attach].contains(&number));
            let mesh = parts.meshes.iter().any(|mesh| mesh.record.node == i32::from(number));
            let carries = carrying.contains(&i);
            node.flags = 2 * u32::from(dummy) + 4 * u32::from(mesh) + 8 * u32::from(carries);
            if node.flags == 0 && node.first_child == -1 {
                node.flags = 1;
            }
            if carries {
                (node.min, node.max) = ([-1.0; 3], [1.0; 3]);
            }
        }
        let entry = |(i, (node, _)): (usize, &(Node, String))| SkeletonEntry {
            parent: node.parent,
            first_child: node.first_child,
            next_sibling: node.next_sibling,
            previous_sibling: node.previous_sibling,
            node: i as i32,
            reserved: 0,
        };
        let entries: Vec<_> = parts.nodes.iter().enumerate().map(entry).collect();
        parts.skeletons = [entries.clone(), entries];
    }

    fn count_faces(&mut self) {
        let parts = &mut self.built.parts;
        let faces = |blur: bool| {
            let sets =
                parts.face_sets.iter().filter(|(set, _)| blur || set.flags & FaceSet::MOTION_BLUR == 0);
            sets.map(|(set, _)| set.index_count / 3).sum()
        };
        (parts.header.true_faces, parts.header.total_faces) = (faces(false), faces(true));
    }
}

/// Links first children and siblings in the order of the indices.
pub(super) fn link(nodes: &mut [(Node, String)]) {
    let parents: Vec<i16> = nodes.iter().map(|(node, _)| node.parent).collect();
    let mut last: std::collections::BTreeMap<i16, usize> = std::collections::BTreeMap::new();
    for (i, parent) in parents.iter().enumerate() {
        let previous = last.insert(*parent, i);
        if let Some((node, _)) = nodes.get_mut(i) {
            node.previous_sibling = previous.map_or(-1, |previous| previous as i16);
        }
        match previous {
            Some(previous) => {
                if let Some((node, _)) = nodes.get_mut(previous) {
                    node.next_sibling = i as i16;
                }
            }
            None => {
                let parent = usize::try_from(*parent).ok().and_then(|parent| nodes.get_mut(parent));
                if let Some((node, _)) = parent {
                    node.first_child = i as i16;
                }
            }
        }
    }
}

/// The nodes that some vertex is rigid on or has a weight on.
fn carrying_nodes(model: &Model) -> BTreeSet<usize> {
    let mut nodes = BTreeSet::new();
    for vertices in (0..model.meshes.len()).filter_map(|mesh| MeshVertices::of(model, mesh)) {
        for i in 0..vertices.len() {
            match vertices.get(i).map(|vertex| vertex.carrier) {
                Some(Carrier::Node(node, _)) => {
                    nodes.insert(node);
                }
                Some(Carrier::BindSpace) => {
                    let influences = vertices.influences(i).into_iter().flatten();
                    nodes.extend(influences.filter_map(|(joint, _)| vertices.node_of(joint).ok()));
                }
                _ => {}
            }
        }
    }
    nodes
}
