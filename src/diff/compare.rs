//! Records against records, in parallel, with the worst places kept.

use rayon::prelude::*;

use super::element::{Judged, Outcome, Why, judge};
use super::{Comparison, FieldLayout, Layout, Recorded, Replayed};
use crate::finding::Difference;

/// Records judged by one task.
const CHUNK: usize = 8192;
/// Tasks whose findings are held at a time: where everything differs, this bounds what waits for the sink.
const BATCH: usize = 64;

/// What a comparison is asked.
pub struct Request<'a> {
    /// The record.
    pub layout: &'a Layout,
    /// The name of a place: record, field of the layout, component.
    pub place: &'a (dyn Fn(usize, usize, usize) -> String + Sync),
    /// Why a record is left out, if it is. The reason is worded for a count: "elements of unknown bytes".
    pub skip: &'a (dyn Fn(usize) -> Option<&'static str> + Sync),
    /// How many of the worst places to keep.
    pub keep_worst: usize,
}

/// The two sides are not of one size, or no whole number of records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("recorded {recorded} bytes, replayed {replayed}, of records of {stride}")]
pub struct SizeMismatch {
    /// Bytes.
    pub recorded: usize,
    /// Bytes.
    pub replayed: usize,
    /// Bytes of a record.
    pub stride: usize,
}

/// Compares every field of every record. Each difference also goes to `sink`, in order.
///
/// # Errors
/// The sides' sizes differ, or are no multiple of the record: nothing is then compared.
pub fn compare(
    recorded: Recorded<'_>,
    replayed: Replayed<'_>,
    request: &Request<'_>,
    sink: &mut dyn FnMut(Difference),
) -> Result<Comparison, SizeMismatch> {
    run(recorded, replayed, request, Some(sink))
}

/// As [`compare`], for a caller who wants the counts and the worst places alone: the others are not named, which takes
/// most of the time where much differs.
///
/// # Errors
/// As [`compare`].
pub fn count(
    recorded: Recorded<'_>,
    replayed: Replayed<'_>,
    request: &Request<'_>,
) -> Result<Comparison, SizeMismatch> {
    run(recorded, replayed, request, None)
}

fn run(
    recorded: Recorded<'_>,
    replayed: Replayed<'_>,
    request: &Request<'_>,
    mut sink: Option<&mut dyn FnMut(Difference)>,
) -> Result<Comparison, SizeMismatch> {
    let stride = request.layout.stride;
    if recorded.0.len() != replayed.0.len() || stride == 0 || !recorded.0.len().is_multiple_of(stride) {
        return Err(SizeMismatch { recorded: recorded.0.len(), replayed: replayed.0.len(), stride });
    }
    let mut comparison = Comparison::default();
    let mut worst = Worst::new(request.keep_worst);
    let batches = recorded.0.chunks(BATCH * CHUNK * stride).zip(replayed.0.chunks(BATCH * CHUNK * stride));
    for (batch, (recorded, replayed)) in batches.enumerate() {
        let chunks = recorded.par_chunks(CHUNK * stride).zip(replayed.par_chunks(CHUNK * stride));
        let first = |chunk: usize| (batch * BATCH + chunk) * CHUNK;
        let parts: Vec<Part> =
            chunks.enumerate().map(|(chunk, (a, b))| Part::of(request, first(chunk), a, b)).collect();
        for part in parts {
            comparison.merge(part.comparison);
            if let Some(sink) = &mut sink {
                part.differing.iter().for_each(|found| sink(found.difference(request)));
            }
            part.worst.kept.into_iter().for_each(|found| worst.offer(found));
        }
    }
    comparison.worst = worst.kept.iter().map(|found| found.difference(request)).collect();
    let padding = request.layout.padding() as u64 * (recorded.0.len() / stride) as u64;
    if padding > 0 {
        comparison.left_out.insert("padding bytes".into(), padding);
    }
    Ok(comparison)
}

/// A judged element and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) record: usize,
    pub(super) field: usize,
    pub(super) component: usize,
    pub(super) judged: Judged,
}

impl Found {
    fn differs(&self) -> bool {
        matches!(self.judged.outcome, Outcome::Different(_))
    }

    pub(super) fn difference(&self, request: &Request<'_>) -> Difference {
        let field = request.layout.fields.get(self.field).map_or("", |field| field.name.as_str());
        self.as_difference((request.place)(self.record, self.field, self.component), field)
    }

    pub(super) fn as_difference(&self, place: String, field: &str) -> Difference {
        let Judged { recorded, replayed, abs, rel, ulp, .. } = self.judged;
        let (field, component, differs) = (field.to_owned(), self.component, self.differs());
        Difference { place, field, component, recorded, replayed, abs, rel, ulp, differs }
    }
}

/// The worst elements: those that differ before those that are tolerated, then by absolute difference, then by place.
#[derive(Clone, Debug)]
pub(super) struct Worst {
    pub(super) kept: Vec<Found>,
    room: usize,
}

impl Worst {
    pub(super) fn new(room: usize) -> Self {
        Self { kept: Vec::with_capacity(room + 1), room }
    }

    /// Keeps an element if it is among the worst. Elements come in the order of their places.
    pub(super) fn offer(&mut self, found: Found) {
        let rank = |f: &Found| (f.differs(), f.judged.abs);
        let before = |f: &Found| {
            let (a, b) = (rank(f), rank(&found));
            (a.0, b.0) == (true, false) || (a.0 == b.0 && a.1 >= b.1)
        };
        let at = self.kept.partition_point(before);
        if at < self.room {
            self.kept.insert(at, found);
            self.kept.truncate(self.room);
        }
    }
}

/// What one task found.
struct Part {
    comparison: Comparison,
    differing: Vec<Found>,
    worst: Worst,
}

impl Part {
    fn of(request: &Request<'_>, first: usize, recorded: &[u8], replayed: &[u8]) -> Self {
        let stride = request.layout.stride;
        let components: usize = request.layout.fields.iter().map(|f| f.format.components()).sum();
        let mut part = Self {
            comparison: Comparison::default(),
            differing: Vec::new(),
            worst: Worst::new(request.keep_worst),
        };
        if recorded == replayed {
            part.equal_records(request, first, recorded.len() / stride, components as u64);
            return part;
        }
        for (i, (a, b)) in recorded.chunks_exact(stride).zip(replayed.chunks_exact(stride)).enumerate() {
            if let Some(why) = (request.skip)(first + i) {
                *part.comparison.left_out.entry(why.to_owned()).or_insert(0) += components as u64;
            } else if a == b {
                part.comparison.compared += components as u64;
                part.comparison.equal += components as u64;
                part.comparison.count_ulp(Some(0), components as u64);
            } else {
                for (number, field) in request.layout.fields.iter().enumerate() {
                    part.field(first + i, number, field, a, b);
                }
            }
        }
        part
    }

    /// Counts a run of records of equal bytes: all that is left to ask is which of them are left out.
    fn equal_records(&mut self, request: &Request<'_>, first: usize, records: usize, components: u64) {
        let mut equal = 0;
        for record in first..first + records {
            match (request.skip)(record) {
                Some(why) => *self.comparison.left_out.entry(why.to_owned()).or_insert(0) += components,
                None => equal += components,
            }
        }
        self.comparison.compared = equal;
        self.comparison.equal = equal;
        if equal > 0 {
            self.comparison.count_ulp(Some(0), equal);
        }
    }

    fn field(&mut self, record: usize, number: usize, field: &FieldLayout, a: &[u8], b: &[u8]) {
        let (a, b) = (a.get(field.offset..).unwrap_or_default(), b.get(field.offset..).unwrap_or_default());
        let scale = field.vector_relative.then(|| largest(field, a).max(largest(field, b)));
        for component in 0..field.format.components() {
            let judged = judge(field.format, a, b, component, &field.rule, scale);
            self.comparison.count(&judged);
            let found = Found { record, field: number, component, judged };
            if found.differs() {
                self.differing.push(found);
            }
            if judged.abs > 0.0 || found.differs() {
                self.worst.offer(found);
            }
        }
    }
}

/// The largest finite magnitude of a field's components.
fn largest(field: &FieldLayout, bytes: &[u8]) -> f64 {
    let components = (0..field.format.components()).map(|i| field.format.component(bytes, i).abs());
    components.filter(|v| v.is_finite()).fold(0.0, f64::max)
}

impl Comparison {
    /// Counts one judged element.
    pub(super) fn count(&mut self, judged: &Judged) {
        self.compared += 1;
        match judged.outcome {
            Outcome::Equal => self.equal += 1,
            Outcome::Abs => self.tolerated.abs += 1,
            Outcome::Rel => self.tolerated.rel += 1,
            Outcome::Ulp => self.tolerated.ulp += 1,
            Outcome::Different(why) => {
                self.different += 1;
                self.nonfinite_one_side += u64::from(why == Why::OneSide);
                self.nan_both += u64::from(why == Why::BothNan);
            }
        }
        if judged.abs.is_finite() {
            self.max_abs = self.max_abs.max(judged.abs);
            self.max_rel = self.max_rel.max(judged.rel);
            self.max_ulp = self.max_ulp.max(judged.ulp.unwrap_or(0));
        }
        self.count_ulp(judged.ulp, 1);
    }

    /// Puts `count` elements at one distance into the histogram: 0, 1, 2-3, 4-7, ...
    pub(super) fn count_ulp(&mut self, ulp: Option<u64>, count: u64) {
        let Some(ulp) = ulp else { return };
        let bucket = (u64::BITS - ulp.leading_zeros()) as usize;
        if self.ulp_histogram.len() <= bucket {
            self.ulp_histogram.resize(bucket + 1, 0);
        }
        if let Some(held) = self.ulp_histogram.get_mut(bucket) {
            *held += count;
        }
    }

    fn merge(&mut self, other: Self) {
        self.compared += other.compared;
        self.equal += other.equal;
        self.tolerated.abs += other.tolerated.abs;
        self.tolerated.rel += other.tolerated.rel;
        self.tolerated.ulp += other.tolerated.ulp;
        self.tolerated.outliers += other.tolerated.outliers;
        self.different += other.different;
        self.nonfinite_one_side += other.nonfinite_one_side;
        self.nan_both += other.nan_both;
        for (why, count) in other.left_out {
            *self.left_out.entry(why).or_insert(0) += count;
        }
        self.max_abs = self.max_abs.max(other.max_abs);
        self.max_rel = self.max_rel.max(other.max_rel);
        self.max_ulp = self.max_ulp.max(other.max_ulp);
        for (bucket, count) in other.ulp_histogram.into_iter().enumerate().filter(|(_, n)| *n > 0) {
            let ulp = if bucket == 0 { 0 } else { 1 << (bucket - 1) };
            self.count_ulp(Some(ulp), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::abi::Format;
    use crate::diff::{Rule, RuleSource};

    fn layout(abs: f64, rel: f64) -> Layout {
        let rule = Rule { abs, rel, ulp: 0, outliers: 0.0, source: RuleSource::Default("test") };
        let field = |name: &str, format, offset| FieldLayout {
            name: name.into(),
            format,
            offset,
            rule: rule.clone(),
            vector_relative: false,
        };
        // Bytes 4..8 are padding.
        Layout {
            fields: vec![field("A", Format::R32Float, 0), field("B", Format::R16G16Float, 8)],
            stride: 12,
        }
    }

    fn run(a: &[u8], b: &[u8], layout: &Layout) -> (Result<Comparison, SizeMismatch>, Vec<Difference>) {
        let mut all = Vec::new();
        let request = Request {
            layout,
            place: &|r, f, c| format!("{r}/{f}/{c}"),
            skip: &|r| (r == 2).then_some("elements of record 2"),
            keep_worst: 2,
        };
        let found = compare(Recorded(a), Replayed(b), &request, &mut |d| all.push(d));
        (found, all)
    }

    fn record(a: f32, padding: u32, b: u32) -> Vec<u8> {
        [a.to_le_bytes(), padding.to_le_bytes(), b.to_le_bytes()].concat()
    }

    #[test]
    fn every_difference_is_counted_placed_and_ranked() {
        let a = [record(1.0, 1, 0), record(2.0, 0, 0), record(9.0, 0, 0), record(4.0, 0, 0)].concat();
        let b =
            [record(1.0, 2, 0), record(2.5, 0, 0x3C00), record(0.0, 0, 0), record(f32::NAN, 0, 0)].concat();
        let (found, all) = run(&a, &b, &layout(0.1, 0.0));
        let found = found.unwrap();
        assert_eq!((found.compared, found.equal, found.different), (9, 6, 3));
        assert_eq!(found.nonfinite_one_side, 1);
        assert_eq!(found.left_out["elements of record 2"], 3);
        assert_eq!(found.left_out["padding bytes"], 16);
        let places: Vec<_> = all.iter().map(|d| d.place.as_str()).collect();
        assert_eq!(places, ["1/0/0", "1/1/0", "3/0/0"]);
        let worst: Vec<_> = found.worst.iter().map(|d| d.place.as_str()).collect();
        assert_eq!(worst, ["3/0/0", "1/1/0"], "NaN is worst, and only two are kept");
        assert_eq!(found.max_abs, 1.0, "a NaN is no largest difference");
    }

    #[test]
    fn sides_of_other_sizes_are_an_error_and_empty_ones_compare_nothing() {
        let (found, _) = run(&[0; 12], &[0; 24], &layout(1.0, 1.0));
        assert!(found.is_err());
        assert!(run(&[0; 5], &[0; 5], &layout(1.0, 1.0)).0.is_err(), "no whole record");
        assert_eq!(run(&[], &[], &layout(1.0, 1.0)).0.unwrap().compared, 0);
    }

    #[test]
    fn a_difference_past_the_first_chunk_or_batch_is_found_at_its_place() {
        let records = CHUNK * (BATCH + 1) + 5;
        let b = vec![0u8; 12 * records];
        for record in [CHUNK * 2 + 7, CHUNK * BATCH, records - 1] {
            let mut a = b.clone();
            a[record * 12 + 8] = 1;
            let (found, all) = run(&a, &b, &layout(0.0, 0.0));
            let found = found.unwrap();
            assert_eq!((found.different, found.compared), (1, 3 * (records as u64 - 1)));
            assert_eq!(found.left_out["elements of record 2"], 3, "in a run of equal records too");
            assert_eq!(all[0].place, format!("{record}/1/0"));
        }
    }

    #[test]
    fn nothing_but_left_out_records_compares_nothing() {
        let bytes = [record(1.0, 0, 0), record(2.0, 0, 0)].concat();
        let layout = layout(0.0, 0.0);
        let place = |_: usize, _: usize, _: usize| String::new();
        let request =
            Request { layout: &layout, place: &place, skip: &|_| Some("all of them"), keep_worst: 1 };
        let found = compare(Recorded(&bytes), Replayed(&bytes), &request, &mut |_| {}).unwrap();
        assert_eq!((found.compared, found.left_out["all of them"]), (0, 6));
        assert!(found.ulp_histogram.is_empty());
    }

    proptest! {
        #[test]
        fn comparison_is_symmetric_and_a_side_equals_itself(
            a in proptest::collection::vec(any::<u8>(), 48),
            b in proptest::collection::vec(any::<u8>(), 48),
        ) {
            let layout = layout(1e-3, 1e-3);
            let (there, back) = (run(&a, &b, &layout).0.unwrap(), run(&b, &a, &layout).0.unwrap());
            prop_assert_eq!(there.different, back.different);
            prop_assert_eq!(there.tolerated, back.tolerated);
            prop_assert_eq!(there.max_ulp, back.max_ulp);
            let same = run(&a, &a, &layout).0.unwrap();
            prop_assert_eq!(same.equal, same.compared);
        }
    }
}
