//! The figures of the documents that the set must show, as `[[expect]]` tables.
//!
//! These are the documents' figures, written down by hand; what a check finds is computed from the frames. Where the
//! documents round, a range holds every number that rounds so; bounds are ranges on the side they leave open.

use std::collections::BTreeMap;

use crate::capture::manifest::{Expectation, Expected};

/// The tables.
pub(crate) fn expectations() -> Vec<Expectation> {
    [cloth(), palettes(), grass(), placement(), forces()].concat()
}

fn cloth() -> Vec<Expectation> {
    vec![
        table("cloth-slot")
            .number("draws", 190.0)
            .number("position0_copied", 190.0)
            .number("position1_copied", 0.0)
            .number("from_upload", 190.0)
            .number("untouched", 9.0)
            .expect(),
        table("cloth-delta")
            .range("greatest", 0.002_15, 0.002_2)
            .range("mean_older", 0.000_35, 0.000_45)
            .expect(),
    ]
}

fn palettes() -> Vec<Expectation> {
    vec![
        table("palette-extent")
            .number("c3000_draws", 20.0)
            .number("c3000_whole", 20.0)
            .number("declared_rows_least", 6.0)
            .number("declared_rows_greatest", 6.0)
            .number("past_declared", 20.0)
            .number("entry_used_greatest", 101.0)
            .expect(),
        table("affine-record").number("palettes", 20.0).number("whole_records", 20.0).expect(),
    ]
}

fn grass() -> Vec<Expectation> {
    let mut batches = table("grass-batches").number("batches", 5.0);
    let bands = [(61.0, 91.0), (91.0, 108.0), (105.0, 129.0), (142.0, 164.0), (175.0, 210.0)];
    for (n, (near, far)) in (1..).zip(bands) {
        for way in ["", "space_"] {
            batches = batches.range(&format!("batch_{n}_{way}least"), near - 0.5, near + 0.5).range(
                &format!("batch_{n}_{way}greatest"),
                far - 0.5,
                far + 0.5,
            );
        }
    }
    vec![
        table("instance-record")
            .number("draws", 5.0)
            .number("record_bytes", 208.0)
            .number("range_bytes", 65_536.0)
            .number("capacity", 315.0)
            .expect(),
        table("instance-index-identity").number("tables", 1.0).number("identity", 1.0).expect(),
        table("grass-placed").number("indices_least", 534.0).number("indices_greatest", 68_871.0).expect(),
        table("grass-draws")
            .number("draws", 5.0)
            .number("meshes", 2.0)
            .number("triangles_least", 4.0)
            .number("triangles_greatest", 14.0)
            .number("instances_least", 160.0)
            .number("instances_greatest", 315.0)
            .number("cpu_written", 5.0)
            .expect(),
        batches.expect(),
        table("grass-force-index")
            .text("batch_1", "2/1283")
            .text("batch_2", "2/1283")
            .text("batch_3", "2/1283")
            .text("batch_4", "1/5")
            .text("batch_5", "1/1")
            .expect(),
    ]
}

fn placement() -> Vec<Expectation> {
    vec![
        table("grass-placement")
            .number("clumps", 825.0)
            .range("nearest_least", 0.145, 0.155)
            .range("nearest_median_least", 0.835, 0.845)
            .range("nearest_median_greatest", 0.835, 0.845)
            .range("nearest_greatest", 3.5, 3.65)
            .number("square_least", 1.0)
            .number("square_greatest", 83.0)
            // The 99th percentile of chi-square with 35 degrees of freedom.
            .range("heading_chi_square_greatest", 0.0, 57.342)
            .range("horizontal_scale_least", 0.9, 0.91)
            .range("horizontal_scale_greatest", 1.09, 1.1)
            .range("vertical_scale_least", 0.55, 0.56)
            .range("vertical_scale_greatest", 1.19, 1.2)
            .range("smaller_horizontal_scale_least", 0.6, 0.61)
            .range("smaller_horizontal_scale_greatest", 1.09, 1.1)
            .range("scale_correlation_greatest", 0.0, 0.1)
            .expect(),
    ]
}

fn forces() -> Vec<Expectation> {
    let mut tables = vec![
        table("force-record")
            .number("tables", 5.0)
            .number("stride", 96.0)
            .number("records", 256.0)
            .number("copied", 5.0)
            .expect(),
        table("force-census")
            .number("nonzero_least", 8.0)
            .number("nonzero_greatest", 9.0)
            .number("steady_least", 6.0)
            .number("steady_greatest", 6.0)
            .number("same_in_all", 6.0)
            .number("extras_least", 1.0)
            .number("extras_greatest", 3.0)
            .range("wind_y_least", 123.75, 123.85)
            .range("wind_y_greatest", 179.55, 179.65)
            .number("wind_z_values", 1.0)
            .expect(),
        table("force-clock")
            .number("frames", 5.0)
            .number("shared", 5.0)
            .range("ratio_least", 1.696, 1.698)
            .range("ratio_greatest", 1.696, 1.698)
            .expect(),
        table("force-shared-word")
            .number("frames", 5.0)
            .number("shared", 5.0)
            .range("word_least", 12.65, 12.75)
            .range("word_greatest", 14.15, 14.25)
            .range("extra_word_least", 12.05, 12.15)
            .range("extra_word_greatest", 12.05, 12.15)
            .range("near_eye_word_least", 7.25, 7.35)
            .range("near_eye_word_greatest", 7.25, 7.35)
            .expect(),
        table("force-near-eye")
            .number("frames", 5.0)
            .number("frames_with", 2.0)
            .number("records", 2.0)
            .range("x_least", 3.65, 3.75)
            .range("x_greatest", 3.65, 3.75)
            .range("y_least", 7.25, 7.35)
            .range("y_greatest", 7.25, 7.35)
            .range("z_least", 9.95, 10.05)
            .range("z_greatest", 9.95, 10.05)
            .expect(),
    ];
    for (frame, z) in [("0001", 155.07), ("0002", 161.5), ("0003", 167.91), ("0004", 169.35), ("0005", 169.8)]
    {
        let census = table("force-census").range("wind_z_least", z - 0.005, z + 0.005).range(
            "wind_z_greatest",
            z - 0.005,
            z + 0.005,
        );
        tables.push(census.of_frame(frame));
    }
    tables
}

/// A table being filled.
struct Table {
    claim: &'static str,
    figures: BTreeMap<String, Expected>,
}

fn table(claim: &'static str) -> Table {
    Table { claim, figures: BTreeMap::new() }
}

impl Table {
    fn with(mut self, name: &str, value: Expected) -> Self {
        self.figures.insert(name.to_owned(), value);
        self
    }

    fn number(self, name: &str, value: f64) -> Self {
        self.with(name, Expected::Number(value))
    }

    fn range(self, name: &str, least: f64, greatest: f64) -> Self {
        self.with(name, Expected::Range([least, greatest]))
    }

    fn text(self, name: &str, value: &str) -> Self {
        self.with(name, Expected::Text(value.to_owned()))
    }

    fn expect(self) -> Expectation {
        Expectation { claim: self.claim.to_owned(), frame: None, figures: self.figures }
    }

    fn of_frame(self, frame: &str) -> Expectation {
        Expectation { frame: Some(frame.to_owned()), ..self.expect() }
    }
}
