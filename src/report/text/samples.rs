//! Reports built by hand: one that matches, one that fails in every way, one in which nothing was compared.

use std::collections::BTreeMap;

use crate::finding::{ClaimFindings, ClaimVerdict, Difference, DumpVerdict, Figure, RunVerdict};
use crate::report::{
    ClaimReport, Coverage, DumpOwner, DumpReport, ExecutorReport, FrameReport, InputsReport, Report,
};

fn draw(event: u64, execution: u32) -> DumpOwner {
    DumpOwner::Draw { event, execution, pass: "motion_vector".into(), mesh: Some("BD_M_9040/4".into()) }
}

fn dump(frame: &str, owner: DumpOwner, name: &str, compared: u64, rel: u64) -> DumpReport {
    let rule = match &owner {
        DumpOwner::Draw { .. } => {
            "SV_Position: abs 1e-6, rel 2e-6 (default); CURRENT_CLIP: abs 1e-6, rel 2e-6 (default); \
             PREVIOUS_CLIP: abs 1e-6, rel 2e-6 (capture.toml, tolerance 1)"
        }
        DumpOwner::Pass(_) => "abs 1e-4, 0.002 of covered pixels beside edges (default)",
        DumpOwner::Buffer(..) => "equal bits (default)",
    };
    DumpReport {
        frame: frame.into(),
        owner,
        name: name.into(),
        verdict: DumpVerdict::Match,
        reason: None,
        rule: rule.into(),
        compared,
        equal: compared - rel,
        tolerated: if rel > 0 { BTreeMap::from([("rel".into(), rel)]) } else { BTreeMap::new() },
        different: 0,
        nonfinite_one_side: 0,
        left_out: BTreeMap::new(),
        max_abs: if rel > 0 { 2.384e-7 } else { 0.0 },
        max_rel: if rel > 0 { 1.2e-7 } else { 0.0 },
        max_ulp: rel.min(2),
        worst: Vec::new(),
    }
}

fn frame(name: &str, draws: u64) -> FrameReport {
    FrameReport { name: name.into(), draws, replayed: draws, ..FrameReport::default() }
}

fn claim(id: &str, statement: &str, verdict: ClaimVerdict, counted: u64, agree: u64) -> ClaimReport {
    ClaimReport {
        id: id.into(),
        statement: statement.into(),
        verdict,
        findings: ClaimFindings { counted, agree, ..ClaimFindings::default() },
        expected: Vec::new(),
    }
}

fn pair_slot(written: u64, verdict: ClaimVerdict) -> ClaimReport {
    let mut claim = claim(
        "pair-slot",
        "the written buffer is bound at POSITION1, with exceptions",
        verdict,
        315,
        written,
    );
    claim.findings.figures = BTreeMap::from([
        ("draws".into(), Figure::Count(315)),
        ("position1_written".into(), Figure::Count(written)),
        ("position0_written".into(), Figure::Count(315 - written)),
    ]);
    claim.expected = vec![
        ("draws: expected 315, found 315".into(), true),
        (format!("position1_written: expected 282, found {written}"), written == 282),
    ];
    claim.findings.notes = vec![
        "pass           group      frames  POSITION1  POSITION0".into(),
        "shadow         FC_M_0200       5         16          4".into(),
        "motion_vector  BD_M_9040       5         85          0".into(),
    ];
    claim
}

/// Everything matches, with something left out.
pub(in crate::report) fn matching() -> Report {
    let mut report = Report::new("ashina_gate", "Ashina Castle gate");
    report.executor = Some(ExecutorReport {
        kind: "vulkan".into(),
        device: "llvmpipe (LLVM 19.1.7, 256 bits)".into(),
        driver: "Mesa 25.0.7".into(),
    });
    report.frames = vec![frame("0001", 864), frame("0002", 864)];
    report.frames[0].inputs =
        InputsReport { checked: 3190, equal: 3190, unknown: 4, ..InputsReport::default() };
    report.frames[1].replayed = 862;
    report.frames[1].not_replayed =
        vec![(12, "no stand-in for its program".into()), (14, "no stand-in for its program".into())];
    report.frames[1].warnings =
        vec!["3 streams with a stride smaller than the layout (first: event 40)".into()];
    report.coverage = Coverage { draws: 1728, compared: 1726, programs: 15, programs_compared: 14 };
    let mut late = dump("0002", DumpOwner::Buffer(101, "FC_M_0200 mesh 0 stream A".into()), "final", 0, 0);
    (late.verdict, late.reason) = (DumpVerdict::NotCompared, Some("recorded late".into()));
    let mut incomplete = dump("0002", DumpOwner::Pass("gbuffer".into()), "normal", 0, 0);
    (incomplete.verdict, incomplete.reason) = (DumpVerdict::NotCompared, Some("incomplete pass".into()));
    let velocity = dump("0001", DumpOwner::Pass("motion_vector".into()), "velocity", 259_200, 12);
    report.dumps = vec![
        dump("0001", draw(40, 0), "post_vs", 12_600, 310),
        dump("0001", draw(40, 1), "post_vs", 12_600, 311),
        velocity,
        dump("0001", DumpOwner::Pass("motion_vector".into()), "depth", 129_600, 0),
        dump("0001", DumpOwner::Buffer(101, "FC_M_0200 mesh 0 stream A".into()), "final", 5_250, 0),
        incomplete,
        late,
    ];
    report.dumps[0].left_out.insert("components of vertices that no index names".into(), 1200);
    report.dumps[1].left_out.insert("components of vertices that no index names".into(), 1200);
    let mut newest = claim("pair-newest", "the other buffer lies between", ClaimVerdict::Observed, 27, 21);
    newest.findings.figures = BTreeMap::from([("median_least".into(), Figure::Number(0.451_234))]);
    newest.findings.left_out.insert("pairs with late contents".into(), 2);
    newest.findings.counterexamples = vec!["pair 61/62: 57 vertices, members 6.8 apart".into()];
    report.claims = vec![
        pair_slot(282, ClaimVerdict::Holds),
        newest,
        claim("object-single", "one buffer", ClaimVerdict::NothingToCheck, 0, 0),
        claim("pair-role-alternates", "roles alternate", ClaimVerdict::NotEstablished, 0, 0),
        claim("grass-motion", "blades", ClaimVerdict::NotEstablished, 0, 0),
    ];
    report.timings = vec![
        ("start-up".into(), 0.1),
        ("execution".into(), 1.5),
        ("comparison".into(), 0.25),
        ("claims".into(), 0.01),
    ];
    report.repeats = vec![("5f".repeat(32), 1)];
    report.verdict = RunVerdict::Match;
    report
}

fn difference(place: &str, recorded: f64, replayed: f64, ulp: Option<u64>) -> Difference {
    let abs =
        if recorded.is_nan() || replayed.is_nan() { f64::INFINITY } else { (recorded - replayed).abs() };
    let rel = abs / recorded.abs().max(replayed.abs());
    let rel = if rel.is_nan() { f64::INFINITY } else { rel };
    Difference {
        place: place.into(),
        field: "CURRENT_CLIP".into(),
        component: 0,
        recorded,
        replayed,
        abs,
        rel,
        ulp,
        differs: true,
    }
}

/// Dumps, an input, claims, the coverage and repeats fail.
pub(in crate::report) fn failing() -> Report {
    let mut report = matching();
    report.notices = vec!["a hypothesis is tried: streams exchanged".into()];
    let vertex = "frame 0001 event 40 (motion_vector, BD_M_9040/4) vertex";
    let first = &mut report.dumps[0];
    (first.verdict, first.different, first.equal, first.nonfinite_one_side) =
        (DumpVerdict::Differ, 12, 12_278, 1);
    first.max_abs = 0.25;
    first.worst = vec![
        difference(&format!("{vertex} 737 SV_Position.y"), f64::NAN, 1.25, None),
        difference(&format!("{vertex} 17 CURRENT_CLIP.x"), 1.25, 1.5, Some(2_097_152)),
    ];
    let velocity = &mut report.dumps[2];
    (velocity.verdict, velocity.different, velocity.equal) = (DumpVerdict::Differ, 7, 259_181);
    velocity.worst =
        vec![difference("frame 0001 motion_vector velocity x 240 y 101 r", 0.031_25, 0.0, Some(10_240))];
    let buffer = &mut report.dumps[4];
    (buffer.verdict, buffer.reason) =
        (DumpVerdict::Differ, Some("recorded 21000 bytes, replayed 20980".into()));
    report.frames[0].inputs.equal = 3189;
    report.frames[0].inputs.different = vec![
        "event 51: buffer 7 \"palette\" byte 256: planned 0x3f (by map_discard, event 12, list 3 \"deform face\"), \
         observed 0x00; 16 bytes differ"
            .into(),
    ];
    report.claims[0] = pair_slot(281, ClaimVerdict::Fails);
    report.claims[0].findings.counterexamples =
        (0..8).map(|i| format!("frame 0003 event {} (gbuffer, BD_M_9040/{i})", 300 + i)).collect();
    report.claims[2].expected = vec![("objects: expected 3, nothing to check".into(), false)];
    report.required_coverage = Some((100.0, false));
    report.repeats =
        vec![("0001 ".to_owned() + &"5f".repeat(32), 9), ("0001 ".to_owned() + &"60".repeat(32), 1)];
    report.verdict = RunVerdict::Differ;
    report
}

/// `replay check` of a set without a case, on frames whose draws have no stand-in.
pub(in crate::report) fn nothing_compared() -> Report {
    let mut report = Report::new("empty_hall", "");
    report.frames = vec![FrameReport { replayed: 0, ..frame("0001", 3) }];
    report.frames[0].not_replayed = vec![(7, "no stand-in for its program".into())];
    report.coverage = Coverage { draws: 3, compared: 0, programs: 1, programs_compared: 0 };
    report.claims = vec![
        claim("pair-slot", "slots", ClaimVerdict::NothingToCheck, 0, 0),
        claim("motion-program", "pairing", ClaimVerdict::NeedsExecution, 0, 0),
    ];
    report
}
