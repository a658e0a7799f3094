//! The rules of a grass file beyond its header: the tree, its face ranges, its types, its boxes, its densities.

use super::{Grass, GrassVolume};
use crate::formats::Problem;
use crate::formats::error::Problems;

pub(super) fn problems(grass: &Grass) -> Vec<Problem> {
    let mut found = Problems::default();
    for fault in tree_faults(grass) {
        found.add(fault.rule, || format!("volume {}", fault.volume), || fault.text);
    }
    for (i, volume) in grass.volumes.iter().enumerate() {
        let expected = grass.types_under(volume);
        if volume.types != expected {
            let text = || format!("types {:#08b}, its faces grow {expected:#08b}", volume.types);
            found.add("type bits", || format!("volume {i}"), text);
        }
        if let Some(vertex) = grass.vertex_outside(i, volume) {
            let text = || format!("vertex {vertex} is outside its box");
            found.add("box misses a vertex", || format!("volume {i}"), text);
        }
    }
    for (i, vertex) in grass.vertices.iter().enumerate() {
        if !vertex.densities_in_range() {
            let text = || format!("densities {:?}", vertex.densities);
            found.add("density outside 0 to 1", || format!("vertex {i}"), text);
        }
    }
    for (i, face) in grass.faces.iter().enumerate() {
        if grass.corners(face).is_none() {
            let text = || format!("vertices {:?} of {}", face.vertices, grass.vertices.len());
            found.add("vertex index", || format!("face {i}"), text);
        }
    }
    found.told()
}

/// What a volume breaks of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFault {
    /// The volume.
    pub volume: usize,
    /// The rule, in words that stay the same.
    pub rule: &'static str,
    /// What is there.
    pub text: String,
}

/// Everything that keeps the volumes from being one tree over the faces (claim `grass-tree`), in no more than a few
/// faults a volume.
pub fn tree_faults(grass: &Grass) -> Vec<TreeFault> {
    let mut found = Vec::new();
    tree(grass, &mut found);
    found
}

fn tree(grass: &Grass, found: &mut Vec<TreeFault>) {
    let mut add = |rule, volume: usize, text: String| found.push(TreeFault { volume, rule, text });
    let count = grass.volumes.len();
    match grass.volumes.first() {
        None if grass.faces.is_empty() => {}
        None => add("no root", 0, "there is no volume over the faces".into()),
        Some(root) if (root.first_face, root.end_face as usize) != (0, grass.faces.len()) => {
            let text = format!(
                "the root holds faces {}..{} of {}",
                root.first_face,
                root.end_face,
                grass.faces.len()
            );
            add("face range", 0, text);
        }
        Some(_) => {}
    }
    let mut parents = vec![0u32; count];
    for (i, volume) in grass.volumes.iter().enumerate() {
        if volume.first_face > volume.end_face || volume.end_face as usize > grass.faces.len() {
            let text = format!("faces {}..{} of {}", volume.first_face, volume.end_face, grass.faces.len());
            add("face range", i, text);
        }
        for child in volume.children() {
            if child as usize <= i || child as usize >= count {
                add("child not after its volume", i, format!("child {child} of {count} volumes"));
            }
            if let Some(parents) = parents.get_mut(child as usize) {
                *parents += 1;
            }
            if let Some(below) = grass.volumes.get(child as usize)
                && (below.first_face < volume.first_face || below.end_face > volume.end_face)
            {
                let text = format!("child {child} has faces outside its own");
                add("face range", i, text);
            }
        }
        if let Some((rule, text)) = children_fault(grass, volume) {
            add(rule, i, text);
        }
    }
    for (i, parents) in parents.iter().enumerate() {
        match (i, parents) {
            (0, 0) | (1.., 1) => {}
            (0, _) => add("child of two volumes", 0, "the root is a child".into()),
            (_, 0) => add("unreachable volume", i, "no volume names it".into()),
            (_, n) => add("child of two volumes", i, format!("{n} volumes name it")),
        }
    }
}

/// Two children tile their volume exactly; an only child leaves faces over.
fn children_fault(grass: &Grass, volume: &GrassVolume) -> Option<(&'static str, String)> {
    let range = |child: u32| grass.volumes.get(child as usize).map(|v| (v.first_face, v.end_face));
    let own = (volume.first_face, volume.end_face);
    match volume.children {
        [0, 0] => None,
        [0, only] | [only, 0] => (range(only)? == own)
            .then(|| ("child holds all", format!("its only child {only} holds all of {}..{}", own.0, own.1))),
        [a, b] => {
            let mut ranges = [range(a)?, range(b)?];
            ranges.sort_unstable();
            let [(start, middle), (begin, end)] = ranges;
            let tiles = (start, end) == own && middle == begin;
            (!tiles).then(|| {
                ("children do not tile", format!("children {ranges:?} do not tile {}..{}", own.0, own.1))
            })
        }
    }
}

impl Grass {
    /// The types that vertices of a volume's faces grow: a density above zero.
    pub fn types_under(&self, volume: &GrassVolume) -> u32 {
        let mut types = 0;
        for vertex in self.faces_of(volume).iter().filter_map(|face| self.corners(face)).flatten() {
            for (k, _) in vertex.densities.iter().enumerate().filter(|(_, density)| **density > 0.0) {
                types |= 1 << k;
            }
        }
        types
    }

    /// The first vertex of a volume's faces that its box does not hold; a NaN in either is outside.
    pub fn vertex_outside(&self, i: usize, volume: &GrassVolume) -> Option<u32> {
        let bounds = self.boxes.get(i)?;
        let inside = |p: [f32; 3]| {
            p.iter().zip(bounds.min).zip(bounds.max).all(|((p, min), max)| min <= *p && *p <= max)
        };
        let mut indices = self.faces_of(volume).iter().flat_map(|face| face.vertices);
        indices.find(|i| self.vertices.get(*i as usize).is_some_and(|vertex| !inside(vertex.position)))
    }
}

impl super::GrassVertex {
    /// Whether every density is a number from 0 to 1.
    pub fn densities_in_range(&self) -> bool {
        self.densities.iter().all(|density| (0.0..=1.0).contains(density))
    }
}
