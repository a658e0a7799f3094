//! Claims on scale in the hierarchy: which rule reproduces the stored extents, and which nodes are scaled.

use super::facts::ModelFacts;
use super::tally::Tallies;
use crate::pose::Extents;

/// A scale component this close to 0.00937 is the documented one of o114670.
const CANNON_SCALE: f64 = 0.00937;

pub(super) fn check(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    bounds(facts, tallies);
    census(facts, tallies);
    cannon(facts, tallies);
}

fn bounds(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let header = &facts.model.header;
    if facts.vertices() == 0 {
        return tallies.of("world-full-product").leave_out("models without vertices", 1);
    }
    if header.is_speed_tree() {
        let reason = "SpeedTree models, whose bounds are the instance's";
        return tallies.of("world-full-product").leave_out(reason, 1);
    }
    let full = facts.full.error(header.min, header.max);
    tallies.case("world-full-product", full <= Extents::TOLERANCE, || {
        let unplaced = match facts.full.unplaced {
            0 => String::new(),
            n => format!("; {n} vertices are no numbers or have no place"),
        };
        format!(
            "{}: posed vertices are off the stored bounds by {:.4} % of the diagonal{unplaced}",
            facts.address,
            100.0 * full
        )
    });
    let under: u64 = facts.meshes.iter().map(|mesh| mesh.under_scaled).sum();
    if under == 0 {
        return;
    }
    let importer = facts.importer.error(header.min, header.max);
    tallies.case("world-importer-rule", importer <= Extents::TOLERANCE, || {
        format!(
            "{}: importer's rule off by {:.4} %, full product by {:.4} % of the diagonal",
            facts.address,
            100.0 * importer,
            100.0 * full
        )
    });
    let nodes = facts.vertices_of_node.iter().enumerate();
    let nodes = nodes.filter(|(i, n)| **n > 0 && facts.worlds.has_scaled_ancestor(*i)).count();
    let tally = tallies.of("world-importer-rule");
    tally.count("full product agrees", u64::from(full <= Extents::TOLERANCE));
    tally.count("nodes", nodes as u64);
    tally.count("vertices", under);
}

fn census(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let mut scaled = 0;
    for (i, node) in facts.model.nodes.iter().enumerate() {
        let negative = node.scale.iter().any(|s| *s < 0.0);
        let zero = node.scale.contains(&0.0);
        let carries = facts.vertices_of_node.get(i).is_some_and(|vertices| *vertices > 0);
        let carries = carries || facts.named_by_dummy.get(i).copied().unwrap_or(false);
        let number = node.scale.iter().all(|s| s.is_finite());
        tallies.case("node-scale-census", number && !negative && !(zero && carries), || {
            let carried = if zero && carries { ", and it carries a vertex or a dummy" } else { "" };
            format!("{}: scale {:?}{carried}", facts.node_place(i), node.scale)
        });
        let tally = tallies.of("node-scale-census");
        let is_scaled = node.is_scaled();
        scaled += u64::from(is_scaled);
        tally.count("scaled", u64::from(is_scaled));
        tally.count("scaled roots", u64::from(is_scaled && node.parent == -1));
        tally.count("scaled others", u64::from(is_scaled && node.parent != -1));
        let [x, y, z] = node.scale;
        tally.count("unequal", u64::from(is_scaled && ((x - y).abs() > 0.001 || (y - z).abs() > 0.001)));
        tally.count("under a scaled ancestor", u64::from(facts.worlds.has_scaled_ancestor(i)));
        tally.count("negative", u64::from(negative));
        tally.count("zero", u64::from(zero));
    }
    let zero = facts.model.nodes.iter().any(|node| node.scale.contains(&0.0));
    let tally = tallies.of("node-scale-census");
    tally.count("models with scaled nodes", u64::from(scaled > 0));
    tally.count("models with zero components", u64::from(zero));
}

fn cannon(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    if facts.stem() != "o114670" {
        return;
    }
    let near = |s: &f32| (f64::from(*s) - CANNON_SCALE).abs() < 5e-6;
    let found = facts.model.nodes.iter().any(|node| node.scale.iter().any(near));
    tallies
        .case("costume-palette", found, || format!("{}: no node is scaled by {CANNON_SCALE}", facts.address));
    tallies.of("costume-palette").count("o114670 scaled by 0.00937", u64::from(found));
}
