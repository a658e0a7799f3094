//! Claims on grass files.

use super::tally::Tallies;
use crate::formats::grass::check::tree_faults;
use crate::formats::grass::{Grass, NormalSense};

pub(super) fn check(grass: &Grass, address: &str, tallies: &mut Tallies) {
    tallies.of("grass-header").agreeing(1);
    volumes(grass, address, tallies);
    vertices(grass, address, tallies);
    faces(grass, address, tallies);
}

fn volumes(grass: &Grass, address: &str, tallies: &mut Tallies) {
    let mut faults = tree_faults(grass);
    faults.sort_by_key(|fault| fault.volume);
    let mut faults = faults.into_iter().peekable();
    for (i, volume) in grass.volumes.iter().enumerate() {
        let place = || format!("{address}: volume {i}");
        let later = volume.children().all(|c| c as usize > i && (c as usize) < grass.volumes.len());
        tallies.case("grass-volume", later, || format!("{}: children {:?}", place(), volume.children));
        let mut first = None;
        while let Some(fault) = faults.next_if(|fault| fault.volume == i) {
            first = first.or(Some(fault.text));
        }
        tallies.case("grass-tree", first.is_none(), || format!("{}: {}", place(), first.unwrap_or_default()));
        let tally = tallies.of("grass-tree");
        let children = volume.children().count();
        tally.count("two children", u64::from(children == 2));
        tally.count("one child", u64::from(children == 1));
        tally.count("leaves", u64::from(children == 0));
        let types = grass.types_under(volume);
        tallies.case("grass-types", types == volume.types, || {
            format!("{}: types {:#08b}, its faces grow {types:#08b}", place(), volume.types)
        });
        let outside = grass.vertex_outside(i, volume);
        tallies.case("grass-box", outside.is_none(), || {
            format!("{}: its box misses vertex {}", place(), outside.unwrap_or_default())
        });
    }
    // Faces without any volume.
    for fault in faults {
        tallies.case("grass-tree", false, || format!("{address}: {}", fault.text));
    }
}

fn vertices(grass: &Grass, address: &str, tallies: &mut Tallies) {
    for (i, vertex) in grass.vertices.iter().enumerate() {
        tallies.case("grass-vertex", vertex.densities_in_range(), || {
            format!("{address}: vertex {i}: densities {:?}", vertex.densities)
        });
        let sum: f64 = vertex.densities.iter().map(|density| f64::from(*density)).sum();
        let tally = tallies.of("grass-vertex");
        // Six f32 that mean a sum of one may come out a little above it: told apart, for the documents do not say.
        tally.count("sum above one", u64::from(sum > 1.0 + 1e-6));
        tally.count("sum above one by rounding alone", u64::from(sum > 1.0 && sum <= 1.0 + 1e-6));
        tally.count("no type", u64::from(vertex.densities.iter().all(|density| *density == 0.0)));
    }
}

fn faces(grass: &Grass, address: &str, tallies: &mut Tallies) {
    for (i, face) in grass.faces.iter().enumerate() {
        let sense = grass.normal_sense(face);
        let length = face.normal.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>().sqrt();
        if sense == NormalSense::None {
            // A face without a normal is an exception of the documents' sentence and has its own figure.
            tallies.of("grass-face").count("absent", 1);
        }
        tallies.case("grass-face", sense == NormalSense::Against, || match grass.corners(face) {
            None => format!("{address}: face {i}: vertices {:?} of {}", face.vertices, grass.vertices.len()),
            Some(_) => format!("{address}: face {i}: normal {:?}", face.normal),
        });
        let tally = tallies.of("grass-face");
        tally.count("unit length", u64::from((length - 1.0).abs() < 0.001));
        tally.count("index past the vertices", u64::from(grass.corners(face).is_none()));
    }
}
