//! Claims on nodes: their links, bounds and flags.

use super::facts::ModelFacts;
use super::tally::Tallies;
use crate::formats::flver::NodeBounds;
use crate::formats::flver::SkeletonKind;
use crate::formats::flver::hierarchy::index;
use crate::formats::flver::node::NODE_FLAGS;

pub(super) fn check(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let nodes = &facts.model.nodes;
    let mut faults = facts.hierarchy.faults.iter().peekable();
    for (i, node) in nodes.iter().enumerate() {
        tallies.case("node-record", node.reserved == [0; 52], || {
            format!("{}: bytes 0x4C to 0x7F are not zero", facts.node_place(i))
        });
        let mut first = None;
        while let Some((_, fault)) = faults.next_if(|(node, _)| *node == i) {
            first = first.or(Some(fault));
        }
        tallies.case("node-siblings", first.is_none(), || {
            format!("{}: {}", facts.node_place(i), first.map(ToString::to_string).unwrap_or_default())
        });
        if let Some(lowest) = facts.hierarchy.children.get(i).and_then(|children| children.first()) {
            let is_lowest = index(node.first_child) == Some(*lowest as usize);
            tallies.case("node-first-child", is_lowest, || {
                format!("{}: first child {}, lowest {lowest}", facts.node_place(i), node.first_child)
            });
        }
        bounds(facts, i, tallies);
        flags(facts, i, tallies);
    }
    skeletons(facts, tallies);
}

fn bounds(facts: &ModelFacts<'_>, i: usize, tallies: &mut Tallies) {
    let Some(node) = facts.model.nodes.get(i) else { return };
    let bounds = node.bounds();
    tallies.case("node-bounds", bounds != NodeBounds::Neither, || {
        format!("{}: corners {:?} and {:?}", facts.node_place(i), node.min, node.max)
    });
    let bound = facts.vertices_of_node.get(i).is_some_and(|vertices| *vertices > 0);
    let tally = tallies.of("node-bounds");
    tally.count("boxes", u64::from(bounds == NodeBounds::Box));
    tally.count("sentinels", u64::from(bounds == NodeBounds::Sentinel));
    tally.count("sentinels with bound vertices", u64::from(bounds == NodeBounds::Sentinel && bound));
    tally.count("boxes without bound vertices", u64::from(bounds == NodeBounds::Box && !bound));
}

fn flags(facts: &ModelFacts<'_>, i: usize, tallies: &mut Tallies) {
    let Some(node) = facts.model.nodes.get(i) else { return };
    let by_dummy = facts.named_by_dummy.get(i).copied().unwrap_or(false);
    let by_mesh = facts.named_by_mesh.get(i).copied().unwrap_or(false);
    let parent = facts.hierarchy.children.get(i).is_some_and(|children| !children.is_empty());
    tallies.case("node-flags", NODE_FLAGS.contains(&node.flags), || {
        format!("{}: flags {:#x}", facts.node_place(i), node.flags)
    });
    tallies.of("node-flags").count(format!("flags {}", node.flags.min(16)), 1);
    if node.flags & 1 != 0 {
        tallies.case("node-flag-1", !(parent || by_dummy || by_mesh), || {
            let why =
                [(parent, "has children"), (by_dummy, "a dummy names it"), (by_mesh, "a mesh names it")];
            let why: Vec<_> = why.iter().filter(|(is, _)| *is).map(|(_, why)| *why).collect();
            format!("{}: {}", facts.node_place(i), why.join(", "))
        });
    }
    if node.flags & 2 != 0 {
        tallies.case("node-flag-2", by_dummy, || format!("{}: no dummy names it", facts.node_place(i)));
    }
    if by_dummy && node.flags & 2 == 0 {
        tallies.of("node-flag-2").count("named without it", 1);
    }
}

fn skeletons(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let Some(set) = &facts.model.skeletons else { return };
    tallies.case("skeleton-set", set.reserved == [0; 20], || {
        format!("{}: bytes 0x0C to 0x1F of the skeleton set are not zero", facts.address)
    });
    for (kind, name) in [(SkeletonKind::Base, "base"), (SkeletonKind::All, "all")] {
        let entries = facts.model.skeleton(kind).unwrap_or_default();
        for (i, entry) in entries.iter().enumerate() {
            let is_node = usize::try_from(entry.node).is_ok_and(|node| node < facts.model.nodes.len());
            tallies.case("skeleton-set", is_node && entry.reserved == 0, || {
                format!("{}: {name} skeleton entry {i}: {entry:?}", facts.address)
            });
        }
        tallies.of("skeleton-set").count(format!("{name} entries"), entries.len() as u64);
    }
}
