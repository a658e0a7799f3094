//! The rules a model that can be read may still break. All of them are told, not the first alone: models edited by
//! hand are common and break several.

use std::collections::BTreeMap;

use super::hierarchy::Hierarchy;
use super::model::{Model, SkeletonKind};
use super::node::{NODE_FLAGS, NodeBounds};
use crate::formats::Problem;
use crate::formats::error::Problems;

impl Model {
    /// What is odd in the model, in the order of the tables.
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Problems::default();
        self.dummy_problems(&mut found);
        self.material_problems(&mut found);
        self.node_problems(&mut found);
        self.mesh_problems(&mut found);
        self.shared_problems(&mut found);
        self.skeleton_problems(&mut found);
        found.told()
    }

    fn dummy_problems(&self, found: &mut Problems) {
        for (i, dummy) in self.dummies.iter().enumerate() {
            let place = || format!("dummy {i}");
            let alpha = dummy.argb(self.version())[0];
            if alpha != 255 {
                let text = if self.version().0 == 0x20010 { "byte 15" } else { "byte 12" };
                found.add("dummy byte 12 not 255", place, || format!("colour {text} is {alpha}"));
            }
            for (what, link) in [("parent", dummy.parent), ("attach", dummy.attach)] {
                if !self.is_node(link.into()) {
                    found.add("dummy node out of range", place, || format!("{what} node {link}"));
                }
            }
            if dummy.reserved != [0; 8] {
                found.add("reserved bytes not zero", place, || "bytes 0x38 to 0x3F".into());
            }
        }
    }

    fn material_problems(&self, found: &mut Problems) {
        for (i, material) in self.materials.iter().enumerate() {
            let place = || format!("material {i}");
            let end = i64::from(material.first_texture) + i64::from(material.texture_count);
            if material.texture_count < 0 || material.first_texture < 0 || end > self.textures.len() as i64 {
                found.add("texture out of range", place, || {
                    format!("textures {}..{end} of {}", material.first_texture, self.textures.len())
                });
            }
            if self.text(material.name_offset).is_err() || self.text(material.definition_offset).is_err() {
                found.add("string without end", place, || "its name or its definition".into());
            }
        }
        for (i, texture) in self.textures.iter().enumerate() {
            if self.text(texture.path_offset).is_err() || self.text(texture.sampler_offset).is_err() {
                found.add(
                    "string without end",
                    || format!("texture {i}"),
                    || "its path or its sampler".into(),
                );
            }
        }
    }

    fn node_problems(&self, found: &mut Problems) {
        for (i, fault) in Hierarchy::of(&self.nodes).faults {
            found.add(fault.rule(), || format!("node {i}"), || fault.to_string());
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let place = || format!("node {i}");
            if node.bounds() == NodeBounds::Neither {
                found.add("bounds neither box nor sentinel", place, || {
                    format!("corners {:?} and {:?}", node.min, node.max)
                });
            }
            if node.flags > 15 {
                found.add("flag above the low four bits", place, || format!("flags {:#x}", node.flags));
            } else if !NODE_FLAGS.contains(&node.flags) {
                found.add("flags never seen together", place, || format!("flags {:#x}", node.flags));
            }
            if node.reserved != [0; 52] {
                found.add("reserved bytes not zero", place, || "bytes 0x4C to 0x7F".into());
            }
            if self.text(node.name_offset).is_err() {
                found.add("string without end", place, || "its name".into());
            }
        }
    }

    fn mesh_problems(&self, found: &mut Problems) {
        for (i, mesh) in self.meshes.iter().enumerate() {
            let place = || format!("mesh {i}");
            if !in_table(mesh.material.into(), self.materials.len()) {
                found.add("material out of range", place, || format!("material {}", mesh.material));
            }
            if !self.is_node(mesh.node.into()) {
                found.add("mesh node out of range", place, || format!("node {}", mesh.node));
            }
            if mesh.dynamic > 1 {
                found.add("dynamic neither 0 nor 1", place, || format!("dynamic {}", mesh.dynamic));
            }
            let lists = [
                ("palette node out of range", self.palette(i), self.nodes.len()),
                ("face set out of range", self.mesh_face_sets(i), self.face_sets.len()),
                ("vertex buffer out of range", self.mesh_buffers(i), self.buffers.len()),
            ];
            for (rule, list, count) in lists {
                let wrong = list.ok().and_then(|list| list.iter().find(|n| !in_table((*n).into(), count)));
                if let Some(number) = wrong {
                    found.add(rule, place, || format!("{number} of {count}"));
                }
            }
            let counts: Vec<usize> = self.streams(i).iter().map(|stream| stream.len()).collect();
            if counts.windows(2).any(|pair| pair.first() != pair.last()) {
                found.add("vertex counts differ among buffers", place, || format!("{counts:?}"));
            }
        }
    }

    /// Face sets and buffers that several meshes name: allowed, and worth knowing.
    fn shared_problems(&self, found: &mut Problems) {
        let mut face_sets = BTreeMap::new();
        let mut buffers = BTreeMap::new();
        for mesh in 0..self.meshes.len() {
            for (rule, list, owners) in [
                ("face set of two meshes", self.mesh_face_sets(mesh), &mut face_sets),
                ("vertex buffer of two meshes", self.mesh_buffers(mesh), &mut buffers),
            ] {
                for number in list.into_iter().flat_map(|list| list.iter()) {
                    let owner = *owners.entry(number).or_insert(mesh);
                    if owner != mesh {
                        found.add(
                            rule,
                            || format!("mesh {mesh}"),
                            || format!("{number}, also of mesh {owner}"),
                        );
                    }
                }
            }
        }
    }

    fn skeleton_problems(&self, found: &mut Problems) {
        if self.skeletons.as_ref().is_some_and(|set| set.reserved != [0; 20]) {
            found.add("reserved bytes not zero", || "skeleton set".into(), || "bytes 0x0C to 0x1F".into());
        }
        for (kind, name) in [(SkeletonKind::Base, "base skeleton"), (SkeletonKind::All, "skeleton of all")] {
            for (i, entry) in self.skeleton(kind).unwrap_or_default().iter().enumerate() {
                let place = || format!("{name} entry {i}");
                if !in_table(entry.node.into(), self.nodes.len()) {
                    found.add("skeleton node out of range", place, || format!("node {}", entry.node));
                }
                if entry.reserved != 0 {
                    found.add("reserved bytes not zero", place, || "bytes 0x0C to 0x0F".into());
                }
            }
        }
    }

    /// Whether a link is -1 or a node.
    fn is_node(&self, link: i64) -> bool {
        link == -1 || in_table(link, self.nodes.len())
    }
}

fn in_table(number: i64, count: usize) -> bool {
    usize::try_from(number).is_ok_and(|number| number < count)
}
