//! What several claims need to know of a model, found in one pass over its vertices.

use std::collections::BTreeMap;

use crate::formats::flver::Model;
use crate::formats::flver::hierarchy::{Hierarchy, index};
use crate::pose::{Carrier, Extents, MeshVertices, NodeSource, Rule, Worlds};

/// A model with what its claims need.
pub struct ModelFacts<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its address, for exceptions.
    pub address: &'m str,
    /// The links of its nodes.
    pub hierarchy: Hierarchy,
    /// The worlds of its nodes.
    pub worlds: Worlds,
    /// Nodes that a dummy names as parent or to follow.
    pub named_by_dummy: Vec<bool>,
    /// Nodes that a mesh names as its own.
    pub named_by_mesh: Vec<bool>,
    /// Vertices that each node carries rigidly or has a weight on.
    pub vertices_of_node: Vec<u64>,
    /// Extents under the full product.
    pub full: Extents,
    /// Extents under the importer's rule.
    pub importer: Extents,
    /// Each mesh.
    pub meshes: Vec<MeshFacts>,
}

/// What was found of a mesh's vertices.
#[derive(Clone, Debug, Default)]
pub struct MeshFacts {
    /// Vertices.
    pub vertices: u64,
    /// Whether it is dynamic.
    pub dynamic: bool,
    /// Whether its palette is empty.
    pub palette_empty: bool,
    /// The largest index with a weight other than zero.
    pub largest_index: Option<u16>,
    /// Static vertices by what names their node.
    pub by_source: BTreeMap<NodeSource, u64>,
    /// Static vertices left as stored.
    pub as_stored: u64,
    /// Vertices with a number that should name a node and names none, and the first of them.
    pub strays: u64,
    /// The first stray: vertex and number.
    pub first_stray: Option<(usize, i64)>,
    /// Static vertices on a node with a scaled strict ancestor.
    pub under_scaled: u64,
    /// Static vertices on a node whose world is not the identity, and the first of them.
    pub off_identity: u64,
    /// The first vertex off the identity: vertex and node.
    pub first_off_identity: Option<(usize, usize)>,
    /// Vertices by the sum of their weights in 255ths, rounded.
    pub weight_sums: BTreeMap<i64, u64>,
    /// The first vertex whose weights sum to fewer than 252 or more than 255 of 255.
    pub first_odd_sum: Option<(usize, i64)>,
}

impl MeshFacts {
    /// The sums of weights that the documents saw: 252 to 255 of 255.
    pub fn is_usual_sum(sum: i64) -> bool {
        (252..=255).contains(&sum)
    }
}

/// How far a world may be from the identity, entry by entry, and count as it.
const IDENTITY_TOLERANCE: f64 = 1e-5;

impl<'m> ModelFacts<'m> {
    /// Looks at a model.
    pub fn of(model: &'m Model, address: &'m str) -> Self {
        let nodes = model.nodes.len();
        let hierarchy = Hierarchy::of(&model.nodes);
        let worlds = Worlds::of(&model.nodes, &hierarchy);
        let mut facts = Self {
            model,
            address,
            hierarchy,
            worlds,
            named_by_dummy: vec![false; nodes],
            named_by_mesh: vec![false; nodes],
            vertices_of_node: vec![0; nodes],
            full: Extents::default(),
            importer: Extents::default(),
            meshes: Vec::with_capacity(model.meshes.len()),
        };
        for dummy in &model.dummies {
            for link in [dummy.parent, dummy.attach] {
                mark(&mut facts.named_by_dummy, index(link));
            }
        }
        for mesh in &model.meshes {
            mark(&mut facts.named_by_mesh, usize::try_from(mesh.node).ok());
        }
        for mesh in 0..model.meshes.len() {
            let found =
                MeshVertices::of(model, mesh).map(|vertices| facts.mesh(&vertices)).unwrap_or_default();
            facts.meshes.push(found);
        }
        facts
    }

    /// The name of the file without folders and extensions, lower case.
    pub fn stem(&self) -> String {
        stem(self.address)
    }

    /// Vertices of all meshes.
    pub fn vertices(&self) -> u64 {
        self.meshes.iter().map(|mesh| mesh.vertices).sum()
    }

    /// `address: node 3 "name"`.
    pub fn node_place(&self, node: usize) -> String {
        format!("{}: node {node} \"{}\"", self.address, self.model.node_name(node))
    }

    fn mesh(&mut self, vertices: &MeshVertices<'_>) -> MeshFacts {
        let mut found = MeshFacts {
            vertices: vertices.len() as u64,
            dynamic: vertices.is_dynamic(),
            palette_empty: vertices.palette_is_empty(),
            ..MeshFacts::default()
        };
        for i in 0..vertices.len() {
            let Some(vertex) = vertices.get(i) else { continue };
            self.full.add(vertex.posed(&self.worlds, Rule::Full));
            self.importer.add(vertex.posed(&self.worlds, Rule::Importer));
            let mut stray = vertex.stray;
            match vertex.carrier {
                Carrier::BindSpace => stray = self.influences(vertices, i, &mut found),
                Carrier::AsStored => found.as_stored += 1,
                Carrier::Node(node, source) => {
                    *found.by_source.entry(source).or_default() += 1;
                    self.bind(node);
                    found.under_scaled += u64::from(self.worlds.has_scaled_ancestor(node));
                    if !self.is_identity(node) {
                        found.off_identity += 1;
                        found.first_off_identity = found.first_off_identity.or(Some((i, node)));
                    }
                }
            }
            if let Some(number) = stray {
                found.strays += 1;
                found.first_stray = found.first_stray.or(Some((i, number)));
            }
        }
        found
    }

    /// A dynamic vertex: its indices and its weights. Gives the first index that names no node.
    fn influences(&mut self, vertices: &MeshVertices<'_>, i: usize, found: &mut MeshFacts) -> Option<i64> {
        let mut stray = None;
        for (joint, _) in vertices.influences(i)? {
            found.largest_index = found.largest_index.max(Some(joint));
            match vertices.node_of(joint) {
                Ok(node) => self.bind(node),
                Err(number) => stray = stray.or(Some(number)),
            }
        }
        if let Some(weights) = vertices.weights(i) {
            let sum = weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() * 255.0;
            let sum = sum.round() as i64;
            *found.weight_sums.entry(sum).or_default() += 1;
            if !MeshFacts::is_usual_sum(sum) {
                found.first_odd_sum = found.first_odd_sum.or(Some((i, sum)));
            }
        }
        stray
    }

    fn bind(&mut self, node: usize) {
        if let Some(count) = self.vertices_of_node.get_mut(node) {
            *count += 1;
        }
    }

    fn is_identity(&self, node: usize) -> bool {
        let identity = glam::DAffine3::IDENTITY;
        self.worlds
            .world(node, Rule::Full)
            .is_some_and(|world| world.abs_diff_eq(identity, IDENTITY_TOLERANCE))
    }
}

/// The last part of an address without its extensions, lower case.
pub(super) fn stem(address: &str) -> String {
    let name = address.rsplit(['/', '\\', '!']).next().unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_ascii_lowercase()
}

fn mark(marks: &mut [bool], i: Option<usize>) {
    if let Some(mark) = i.and_then(|i| marks.get_mut(i)) {
        *mark = true;
    }
}
