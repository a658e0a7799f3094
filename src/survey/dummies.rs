//! Claims on dummies: colours, flags, where they are and which way they face.

use glam::DVec3;

use super::facts::ModelFacts;
use super::tally::Tallies;
use crate::formats::flver::Dummy;
use crate::formats::flver::hierarchy::index;
use crate::pose::{PlacedDummy, place_dummies};

/// Two places of a dummy further apart than this differ.
const PLACE_TOLERANCE: f64 = 1e-5;

pub(super) fn check(facts: &ModelFacts<'_>, tallies: &mut Tallies) {
    let placed = place_dummies(facts.model, &facts.worlds);
    for (i, (dummy, placed)) in facts.model.dummies.iter().zip(placed).enumerate() {
        let place = || format!("{}: dummy {i} (reference {})", facts.address, dummy.reference_id);
        tallies.case("dummy-record", dummy.reserved == [0; 8], || {
            format!("{}: bytes 0x38 to 0x3F are not zero", place())
        });
        colour(facts, dummy, tallies, &place);
        flags(facts, dummy, tallies, &place);
        where_it_is(facts, dummy, placed, tallies, &place);
        axes(dummy, tallies, &place);
    }
}

fn colour(facts: &ModelFacts<'_>, dummy: &Dummy, tallies: &mut Tallies, place: &dyn Fn() -> String) {
    let [alpha, red, green, blue] = dummy.argb(facts.model.version());
    tallies.case("dummy-colour", alpha == 255, || format!("{}: alpha {alpha}", place()));
    let rgb = [red, green, blue];
    let tally = tallies.of("dummy-colour");
    tally.count("white", u64::from(rgb == [255; 3]));
    tally.count("not white", u64::from(rgb != [255; 3]));
    let known = rgb == [128; 3] || rgb == [0, 0, 208];
    tally.count("neither white, grey 128 nor blue 208", u64::from(rgb != [255; 3] && !known));
}

fn flags(facts: &ModelFacts<'_>, dummy: &Dummy, tallies: &mut Tallies, place: &dyn Fn() -> String) {
    let attached = dummy.attach != -1;
    let agrees = dummy.flag_2e == u8::from(attached);
    if facts.model.nodes.len() > 1 {
        tallies.case("dummy-flag-2e", agrees, || {
            format!("{}: flag {} with attach bone {}", place(), dummy.flag_2e, dummy.attach)
        });
    } else {
        tallies.of("dummy-flag-2e").leave_out("models of one bone or none", 1);
    }
    let tally = tallies.of("dummy-flag-2e");
    tally.count("all points", 1);
    tally.count("all agreeing", u64::from(agrees));
    tally.count("0 with an attach bone", u64::from(dummy.flag_2e == 0 && attached));
    tally.count("1 without an attach bone", u64::from(dummy.flag_2e == 1 && !attached));
    tallies.case("dummy-use-upward", dummy.use_upward == 1, || format!("{}: {}", place(), dummy.use_upward));
}

fn where_it_is(
    facts: &ModelFacts<'_>,
    dummy: &Dummy,
    placed: Option<PlacedDummy>,
    tallies: &mut Tallies,
    place: &dyn Fn() -> String,
) {
    let parent = index(dummy.parent);
    let under_scaled = parent.is_some_and(|parent| facts.worlds.has_scaled_ancestor(parent));
    let parent_scaled = parent.and_then(|p| facts.model.nodes.get(p)).is_some_and(|node| node.is_scaled());
    let apart = placed.map(|placed| (placed.full - placed.importer).length());
    // Where no strict ancestor is scaled the rules agree; where one is they may or may not.
    let agrees = apart.is_some_and(|apart| under_scaled || apart <= PLACE_TOLERANCE);
    tallies.case("dummy-place", agrees, || match placed {
        Some(placed) => format!("{}: {} and {}", place(), placed.full, placed.importer),
        None => format!("{}: its parent {} places nothing", place(), dummy.parent),
    });
    let tally = tallies.of("dummy-place");
    tally.count("under a scaled ancestor", u64::from(under_scaled));
    tally.count("placed apart by the rules", u64::from(apart.is_some_and(|apart| apart > PLACE_TOLERANCE)));
    tally.count("with a scaled parent", u64::from(parent_scaled));
}

fn axes(dummy: &Dummy, tallies: &mut Tallies, place: &dyn Fn() -> String) {
    let vector = |v: [f32; 3]| DVec3::from(v.map(f64::from));
    let (forward, upward) = (vector(dummy.forward), vector(dummy.upward));
    let cosine = forward.dot(upward) / (forward.length() * upward.length());
    tallies.case("dummy-axes", cosine.is_finite(), || {
        format!("{}: forward {forward}, upward {upward} have no angle", place())
    });
    let along = |v: DVec3, axis: DVec3| u64::from(v.normalize_or_zero().dot(axis) > 0.9999);
    let tally = tallies.of("dummy-axes");
    tally.count("forward -Z", along(forward, DVec3::NEG_Z));
    tally.count("forward +Z", along(forward, DVec3::Z));
    tally.count("upward +Y", along(upward, DVec3::Y));
    tally.count("not perpendicular", u64::from(cosine.abs() > 0.01));
    if cosine.is_finite() {
        tally.most("largest |cos|", cosine.abs());
    }
}
