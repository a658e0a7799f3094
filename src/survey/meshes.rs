//! Claims on meshes: which node carries a vertex, palettes, weights, copied streams.

use super::facts::{MeshFacts, ModelFacts};
use super::tally::Tallies;
use crate::formats::flver::SkeletonKind;
use crate::pose::NodeSource;

/// Models of which the documents give figures by name.
const NAMED: [&str; 2] = ["c3000", "c1010"];
/// Models of the deformed meshes of the documents.
const DEFORMED: [&str; 2] = ["fc_m_0200", "bd_m_9040"];
/// Bytes of a vertex of the position streams.
const POSITION_STRIDE: usize = 20;

pub(super) fn check(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    for (i, mesh) in facts.meshes.iter().enumerate() {
        if mesh.dynamic {
            palette(facts, i, mesh, tallies);
            weights(facts, i, mesh, tallies);
        } else {
            static_bone(facts, i, mesh, tallies);
            map_piece(facts, i, mesh, tallies);
        }
        stream_copy(facts, i, tallies);
    }
    named_palettes(facts, tallies);
    parts(facts, tallies);
}

fn static_bone(facts: &ModelFacts<'_>, i: usize, mesh: &MeshFacts, tallies: &mut Tallies) {
    let named = tallies.named;
    let tally = tallies.of("static-bone");
    tally.leave_out("left as stored: neither a normal W nor a mesh node names a bone", mesh.as_stored);
    let placed: u64 = mesh.by_source.values().sum();
    // A stray number that the mesh's node stands in for is an exception; one left as stored is left out already.
    let strays = mesh.strays.min(placed);
    tally.agreeing(placed - strays);
    tally.cases += strays;
    if let (true, Some((vertex, number))) = (strays > 0 && tally.named.len() < named, mesh.first_stray) {
        let more = if strays > 1 { format!(" (and {} more)", strays - 1) } else { String::new() };
        let place = facts.address;
        tally.named.push(format!("{place}: mesh {i} vertex {vertex}: {number} names no node{more}"));
    }
    for source in [NodeSource::NormalW, NodeSource::BoneIndex, NodeSource::MeshNode] {
        tally
            .count(format!("by {}", source.name()), mesh.by_source.get(&source).copied().unwrap_or_default());
    }
}

fn palette(facts: &ModelFacts<'_>, i: usize, mesh: &MeshFacts, tallies: &mut Tallies) {
    if mesh.largest_index.is_none() {
        return tallies.of("palette-empty").leave_out("dynamic meshes without weighted indices", 1);
    }
    tallies.case("palette-empty", mesh.strays == 0, || {
        let (vertex, number) = mesh.first_stray.unwrap_or_default();
        format!("{}: mesh {i} vertex {vertex}: joint {number} names no node", facts.address)
    });
    let tally = tallies.of("palette-empty");
    tally.count("empty", u64::from(mesh.palette_empty));
    tally.count("with entries", u64::from(!mesh.palette_empty));
}

fn named_palettes(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let stem = facts.stem();
    if !NAMED.contains(&stem.as_str()) {
        return;
    }
    let tally = tallies.of("palette-empty");
    tally.count(format!("{stem} nodes"), facts.model.nodes.len() as u64);
    tally.count(format!("{stem} meshes"), facts.meshes.len() as u64);
    tally.count(
        format!("{stem} empty palettes"),
        facts.meshes.iter().filter(|m| m.palette_empty).count() as u64,
    );
    let largest = facts.meshes.iter().filter_map(|mesh| mesh.largest_index).max();
    tally.most(format!("{stem} largest used index"), largest.map_or(-1.0, f64::from));
    let sums = facts.meshes.iter().flat_map(|mesh| &mesh.weight_sums);
    let (mut below, mut all) = (0, 0);
    for (sum, vertices) in sums {
        all += vertices;
        below += if matches!(sum, 252 | 253) { *vertices } else { 0 };
    }
    let tally = tallies.of("weight-sum");
    tally.count(format!("{stem} at 252 or 253"), below);
    tally.count(format!("{stem} vertices"), all);
}

fn weights(facts: &ModelFacts<'_>, i: usize, mesh: &MeshFacts, tallies: &mut Tallies) {
    let named = tallies.named;
    let tally = tallies.of("weight-sum");
    for (sum, vertices) in &mesh.weight_sums {
        if *sum == 0 {
            tally.leave_out("vertices without a weight", *vertices);
            continue;
        }
        tally.cases += vertices;
        tally.agree += if MeshFacts::is_usual_sum(*sum) { *vertices } else { 0 };
        // Beyond what was seen, sums go by in two figures and not one each.
        let figure = match sum {
            ..240 => "below 240/255".to_owned(),
            256.. => "above 255/255".to_owned(),
            sum => format!("{sum}/255"),
        };
        tally.count(figure, *vertices);
    }
    if let Some((vertex, sum)) = mesh.first_odd_sum.filter(|(_, sum)| *sum != 0 && tally.named.len() < named)
    {
        tally.named.push(format!("{}: mesh {i} vertex {vertex}: weights sum to {sum}/255", facts.address));
    }
}

/// Whether a file is a map piece, by its folder or its name: in a .mapbnd, or `m10_00_...`.
fn is_map_piece(facts: &ModelFacts<'_>) -> bool {
    let stem = facts.stem();
    let mut chars = stem.chars();
    let by_name = chars.next() == Some('m') && chars.next().is_some_and(|c| c.is_ascii_digit());
    by_name || facts.address.to_ascii_lowercase().contains(".mapbnd")
}

fn map_piece(facts: &ModelFacts<'_>, i: usize, mesh: &MeshFacts, tallies: &mut Tallies) {
    if !is_map_piece(facts) {
        return;
    }
    let named = tallies.named;
    let tally = tallies.of("map-piece-identity");
    let vertices: u64 = mesh.by_source.values().sum();
    tally.cases += vertices;
    tally.agree += vertices.saturating_sub(mesh.off_identity);
    if let Some((vertex, node)) = mesh.first_off_identity.filter(|_| tally.named.len() < named) {
        tally.named.push(format!("mesh {i} vertex {vertex} is on {}", facts.node_place(node)));
    }
}

/// A mesh of three buffers whose first and third are position streams: the third is a copy of the first.
fn stream_copy(facts: &ModelFacts<'_>, i: usize, tallies: &mut Tallies) {
    let streams = facts.model.streams(i);
    let [first, second, third] = streams.as_slice() else { return };
    if first.stride() != POSITION_STRIDE || third.stride() != POSITION_STRIDE {
        return tallies.of("stream-copy").leave_out("three buffers of other strides", 1);
    }
    tallies.case("stream-copy", first.bytes == third.bytes, || {
        let place = match first.bytes.iter().zip(third.bytes).position(|(a, b)| a != b) {
            Some(byte) => format!("vertex {} byte {}", byte / POSITION_STRIDE, byte % POSITION_STRIDE),
            None => format!("{} and {} vertices", first.len(), third.len()),
        };
        format!("{}: mesh {i}: first and third buffer differ at {place}", facts.address)
    });
    let deformed = DEFORMED.contains(&facts.stem().as_str());
    let tally = tallies.of("stream-copy");
    tally.count("meshes of FC_M_0200 and BD_M_9040", u64::from(deformed));
    tally.count("their copies", u64::from(deformed && first.bytes == third.bytes));
    tally.count("second buffers of as many vertices", u64::from(second.len() == first.len()));
}

/// Equipment parts with empty palettes: the documents name five of one costume, and not their numbers.
fn parts(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let stem = facts.stem();
    let part = stem.split('_').collect::<Vec<_>>();
    let is_part = matches!(part.as_slice(), [kind, body, number, ..]
        if kind.len() == 2 && body.len() == 1 && number.chars().all(|c| c.is_ascii_digit()));
    let dynamic: Vec<_> = facts.meshes.iter().filter(|mesh| mesh.dynamic).collect();
    if !is_part || dynamic.is_empty() {
        return;
    }
    let empty = dynamic.iter().all(|mesh| mesh.palette_empty);
    let tally = tallies.of("costume-palette");
    tally.count("equipment parts", 1);
    tally.count("parts with empty palettes throughout", u64::from(empty));
    let joints = facts.model.skeleton(SkeletonKind::All).unwrap_or_default().len();
    tally.most("most joints of a part's skeleton", joints as f64);
}
