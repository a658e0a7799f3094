//! Which node carries a vertex, and where that puts it (claims `static-bone`, `palette-empty`).

use glam::DVec3;

use super::worlds::{Rule, Worlds};
use crate::formats::flver::{Decoded, Member, Mesh, Model, Numbers, Stream, VertexSemantic};

/// What names the node of a static vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeSource {
    /// The layout's bone indices, through the palette.
    BoneIndex,
    /// The stored normal's fourth number, through the palette where there is one.
    NormalW,
    /// The mesh's own node.
    MeshNode,
}

impl NodeSource {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::BoneIndex => "bone index",
            Self::NormalW => "normal W",
            Self::MeshNode => "mesh node",
        }
    }
}

/// What carries a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    /// A dynamic mesh: the vertex is in model bind space already.
    BindSpace,
    /// A node, rigidly, at weight one.
    Node(usize, NodeSource),
    /// Neither its normal nor its mesh names a node: left as stored. The game's rule is not established (claim
    /// `static-no-bone`).
    AsStored,
}

/// A vertex of a mesh, decoded as far as posing needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseVertex {
    /// Position as stored.
    pub position: [f32; 3],
    /// What carries it.
    pub carrier: Carrier,
    /// A number that should name its node and names none: the palette or the nodes have no such entry.
    pub stray: Option<i64>,
}

/// The vertices of a mesh, ready to be decoded: the first buffer with positions, and the members that name nodes wherever
/// they are.
pub struct MeshVertices<'m> {
    mesh: &'m Mesh,
    palette: Numbers<'m>,
    nodes: usize,
    position: Option<(Stream<'m>, Member)>,
    normal: Option<(Stream<'m>, Member)>,
    indices: Option<(Stream<'m>, Member)>,
    weights: Option<(Stream<'m>, Member)>,
}

impl<'m> MeshVertices<'m> {
    /// The vertices of a mesh; `None` past the table.
    pub fn of(model: &'m Model, mesh: usize) -> Option<Self> {
        let record = model.meshes.get(mesh)?;
        let streams = model.streams(mesh);
        let find = |semantic: VertexSemantic| {
            let stream = streams.iter().find(|stream| stream.layout.member(semantic).is_some())?;
            Some((stream.clone(), *stream.layout.member(semantic)?))
        };
        Some(Self {
            mesh: record,
            palette: model.palette(mesh).ok()?,
            nodes: model.nodes.len(),
            position: find(VertexSemantic::Position),
            normal: find(VertexSemantic::Normal),
            indices: find(VertexSemantic::Indices),
            weights: find(VertexSemantic::Weights),
        })
    }

    /// Vertices: as many as the buffer with positions has.
    pub fn len(&self) -> usize {
        self.position.as_ref().map_or(0, |(stream, _)| stream.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the mesh is dynamic.
    pub fn is_dynamic(&self) -> bool {
        self.mesh.is_dynamic()
    }

    /// Whether its palette is empty, so that indices name nodes directly.
    pub fn palette_is_empty(&self) -> bool {
        self.palette.is_empty()
    }

    /// The vertex at a place.
    pub fn get(&self, i: usize) -> Option<PoseVertex> {
        let (stream, member) = self.position.as_ref()?;
        let Decoded::Position(position) = decode(stream, member, i)? else { return None };
        let (carrier, stray) = self.carrier(i);
        Some(PoseVertex { position, carrier, stray })
    }

    /// The node that one of a vertex's indices names: through the palette where there is one.
    pub fn node_of(&self, index: u16) -> Result<usize, i64> {
        let named = if self.palette.is_empty() {
            i64::from(index)
        } else {
            self.palette.get(index.into()).map_or(-i64::from(index) - 1, i64::from)
        };
        usize::try_from(named).ok().filter(|node| *node < self.nodes).ok_or(i64::from(index))
    }

    /// A dynamic vertex's indices with their weights as stored; entries of weight zero name no node and are left out.
    pub fn influences(&self, i: usize) -> Option<impl Iterator<Item = (u16, f32)> + use<>> {
        let (stream, member) = self.indices.as_ref()?;
        let Decoded::Indices(indices, count) = decode(stream, member, i)? else { return None };
        let weights = self.weights(i).unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let pairs = indices.into_iter().take(count).zip(weights);
        Some(pairs.filter(|(_, weight)| *weight != 0.0))
    }

    /// A vertex's weights as stored.
    pub fn weights(&self, i: usize) -> Option<[f32; 4]> {
        let (stream, member) = self.weights.as_ref()?;
        match decode(stream, member, i)? {
            Decoded::Weights(weights) => Some(weights),
            _ => None,
        }
    }

    /// The type of the weights.
    pub fn weight_type(&self) -> Option<u32> {
        self.weights.as_ref().map(|(_, member)| member.kind)
    }

    fn carrier(&self, i: usize) -> (Carrier, Option<i64>) {
        if self.is_dynamic() {
            return (Carrier::BindSpace, None);
        }
        let mut stray = None;
        if let Some((stream, member)) = &self.indices {
            if let Some(Decoded::Indices([first, ..], _)) = decode(stream, member, i) {
                match self.node_of(first) {
                    Ok(node) => return (Carrier::Node(node, NodeSource::BoneIndex), None),
                    Err(index) => stray = Some(index),
                }
            }
        } else if let Some((stream, member)) = &self.normal
            && let Some(Decoded::Direction(_, Some(w))) = decode(stream, member, i)
        {
            match whole(w).map_or(Err(w as i64), |w| self.node_of(w)) {
                Ok(node) => return (Carrier::Node(node, NodeSource::NormalW), None),
                Err(w) => stray = Some(w),
            }
        }
        match usize::try_from(self.mesh.node).ok().filter(|node| *node < self.nodes) {
            Some(node) => (Carrier::Node(node, NodeSource::MeshNode), stray),
            None => (Carrier::AsStored, stray),
        }
    }
}

/// A number as an index where it is a whole one.
fn whole(w: f32) -> Option<u16> {
    (w.fract() == 0.0 && (0.0..=65535.0).contains(&w)).then_some(w as u16)
}

fn decode(stream: &Stream<'_>, member: &Member, i: usize) -> Option<Decoded> {
    let start = i.checked_mul(stream.stride())?;
    let vertex = stream.bytes.get(start..start.checked_add(stream.stride())?)?;
    Some(member.decode(vertex, stream.endian(), stream.version()))
}

impl PoseVertex {
    /// Where the vertex is in the model under a rule; `None` where its node has no world.
    pub fn posed(&self, worlds: &Worlds, rule: Rule) -> Option<DVec3> {
        let stored = DVec3::from(self.position.map(f64::from));
        match self.carrier {
            Carrier::BindSpace | Carrier::AsStored => Some(stored),
            Carrier::Node(node, _) => Some(worlds.world(node, rule)?.transform_point3(stored)),
        }
    }

    /// Where another point of the vertex goes: a pivot is transformed as a position (claim `pivot`).
    pub fn carry(&self, point: DVec3, worlds: &Worlds, rule: Rule) -> Option<DVec3> {
        match self.carrier {
            Carrier::BindSpace | Carrier::AsStored => Some(point),
            Carrier::Node(node, _) => Some(worlds.world(node, rule)?.transform_point3(point)),
        }
    }
}
