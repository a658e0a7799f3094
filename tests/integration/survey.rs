//! Surveys over populations with known truth; a fault for every claim; what is posed, told and exported.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;

use replay::finding::ClaimVerdict;
use replay::formats::flver::Model;
use replay::survey::{self, CLAIMS, Game, Partition, Standing, Summary, SurveyOptions};
use replay::synth::models::{
    GRASS_FAULTS, Kind, MODEL_FAULTS, ModelsOptions, Random, Truth, build_grass, build_model, write,
};

fn options(folder: &Path) -> SurveyOptions {
    SurveyOptions { paths: vec![folder.to_owned()], named: 5, ..SurveyOptions::default() }
}

fn survey(options: &SurveyOptions) -> Summary {
    survey::run::<Infallible>(options, &|_| {}, &mut |_| Ok(())).unwrap()
}

fn population(folder: &Path, count: u64) -> Truth {
    write(&ModelsOptions { out: folder.to_owned(), count, seed: 7, fault_every: 2 }).unwrap()
}

#[test]
fn a_survey_finds_exactly_what_was_planted() {
    let folder = tempfile::tempdir().unwrap();
    let truth = population(folder.path(), 640);
    let mut by_file: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let summary = survey::run::<Infallible>(&options(folder.path()), &|_| {}, &mut |file| {
        let below = file.address.strip_prefix(folder.path().to_str().unwrap()).unwrap();
        for (claim, tally) in file.claims.iter().filter(|(_, tally)| tally.exceptions() > 0) {
            let file = by_file.entry(below.trim_start_matches('/').to_owned()).or_default();
            file.insert((*claim).to_owned(), tally.exceptions());
        }
        Ok(())
    })
    .unwrap();
    assert_eq!((summary.models, summary.grass, summary.unread), (truth.models, truth.grass, truth.unread));
    assert_eq!(by_file, truth.planted);
    for claim in CLAIMS.iter().filter(|claim| claim.standing == Standing::Survey && claim.id != "read") {
        let tally = summary.tally(claim.id);
        let planted = truth.claims.get(claim.id).cloned().unwrap_or_default();
        let known = |figure: &str| planted.get(figure).copied();
        assert_eq!(tally.exceptions(), known("exceptions").unwrap_or(0), "{}", claim.id);
        if let Some(cases) = known("cases") {
            assert_eq!(tally.cases, cases, "{}", claim.id);
        }
        assert!(tally.exceptions() > 0 && tally.agree > 0, "{} on one side only", claim.id);
    }
}

/// The exceptions of one file, by claim.
fn exceptions(bytes: Vec<u8>, name: &str) -> BTreeMap<&'static str, u64> {
    let findings = survey::check_bytes(name.to_owned(), bytes.into(), 3);
    let exceptions = findings.claims.into_iter().map(|(claim, tally)| (claim, tally.exceptions()));
    exceptions.filter(|(_, count)| *count > 0).collect()
}

#[test]
fn every_fault_breaks_its_claim_and_no_other() {
    let mut broken = BTreeSet::new();
    for seed in 0..40 {
        for fault in MODEL_FAULTS {
            let name = &fault.kind().file_name(0);
            let mut built = build_model(fault.kind(), &mut Random::new(seed));
            assert_eq!(exceptions(built.clone().finish(), name), BTreeMap::new(), "seed {seed}");
            let mut expected: BTreeMap<_, _> = fault.apply_model(&mut built).into_iter().collect();
            if fault.is_unreadable() {
                expected.insert("read", 1);
            }
            let mut bytes = built.finish();
            fault.apply_bytes(&mut bytes);
            assert_eq!(exceptions(bytes, name), expected, "{fault:?} with seed {seed}");
            broken.extend(expected.into_keys());
        }
        for fault in GRASS_FAULTS {
            let mut grass = build_grass(&mut Random::new(seed));
            assert_eq!(exceptions(grass.write(), "x.grass"), BTreeMap::new(), "seed {seed}");
            let expected: BTreeMap<_, _> = fault.apply_grass(&mut grass).into_iter().collect();
            let mut bytes = grass.write();
            fault.apply_bytes(&mut bytes);
            assert_eq!(exceptions(bytes, "x.grass"), expected, "{fault:?} with seed {seed}");
            broken.extend(expected.into_keys());
        }
        let scaled = build_model(Kind::ScaledObject, &mut Random::new(seed)).finish();
        assert_eq!(
            exceptions(scaled, "x.flver"),
            BTreeMap::from([("world-importer-rule", 1)]),
            "seed {seed}"
        );
        let hidden = build_model(Kind::HiddenScale, &mut Random::new(seed)).finish();
        assert_eq!(exceptions(hidden, "x.flver"), BTreeMap::new(), "seed {seed}");
    }
    broken.insert("world-importer-rule");
    let claims: BTreeSet<_> =
        CLAIMS.iter().filter(|claim| claim.standing == Standing::Survey).map(|claim| claim.id).collect();
    assert_eq!(
        claims.difference(&broken).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "claims that nothing breaks"
    );
}

#[test]
fn shares_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    population(folder.path(), 96);
    let whole = survey(&options(folder.path()));
    let mut together = Summary::default();
    for number in 1..=3 {
        let partition = Some(Partition { number, count: 3 });
        let share = survey(&SurveyOptions { partition, ..options(folder.path()) });
        assert!(share.models > 0 && share.models < whole.models);
        together.models += share.models;
        together.grass += share.grass;
        for (claim, tally) in share.claims {
            together.claims.entry(claim).or_default().merge(tally, 0);
        }
    }
    assert_eq!((together.models, together.grass), (whole.models, whole.grass));
    for (claim, mut tally) in whole.claims {
        tally.named.clear();
        together.claims.get_mut(claim).unwrap().named.clear();
        assert_eq!(together.claims[claim], tally, "{claim}");
    }
}

#[test]
fn rows_are_one_a_file_and_claim() {
    let folder = tempfile::tempdir().unwrap();
    population(folder.path(), 16);
    let (mut jsonl, mut rows, mut csv) = (Vec::new(), 0, Vec::new());
    let mut table = survey::CsvRows::new(&mut csv).unwrap();
    survey::run::<std::io::Error>(&options(folder.path()), &|_| {}, &mut |file| {
        rows += file.claims.len();
        table.rows(file)?;
        survey::jsonl_rows(file, &mut jsonl)
    })
    .unwrap();
    table.finish().unwrap();
    let lines: Vec<serde_json::Value> = jsonl
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), rows);
    assert!(
        lines.iter().all(|row| row["cases"].as_u64() >= row["agree"].as_u64() && row["file"].is_string())
    );
    assert!(lines.iter().any(|row| row["file"].as_str().unwrap().contains(".mapbnd.dcx!")));
    assert_eq!(csv::Reader::from_reader(&csv[..]).records().map(Result::unwrap).count(), rows);
}

#[test]
fn documented_figures_are_judged_only_over_a_whole_game() {
    let folder = tempfile::tempdir().unwrap();
    population(folder.path(), 32);
    let claim = |id: &str| CLAIMS.iter().find(|claim| claim.id == id).unwrap();
    let plain = survey(&options(folder.path()));
    assert_eq!(plain.verdict(claim("node-siblings")), ClaimVerdict::Observed);
    assert!(!plain.fails());
    let sekiro = survey(&SurveyOptions { game: Some(Game::Sekiro), ..options(folder.path()) });
    assert_eq!(sekiro.verdict(claim("node-siblings")), ClaimVerdict::Fails);
    assert_eq!(sekiro.verdict(claim("node-flag-4-8")), ClaimVerdict::NotEstablished);
    assert!(sekiro.fails());
    let text = survey::render_text(&sekiro);
    assert!(text.contains("Sekiro: cases 129,270, found "), "{text}");
    let share = Some(Partition { number: 1, count: 2 });
    let share =
        survey(&SurveyOptions { game: Some(Game::Sekiro), partition: share, ..options(folder.path()) });
    assert!(!share.fails());
    let mut whole = Summary { game: Some(Game::Sekiro), ..Summary::default() };
    assert!(whole.fails(), "nothing to check where figures are documented is a failure");
    let tally = survey::Tally { cases: 129_270, agree: 129_270, ..survey::Tally::default() };
    whole.claims.insert("node-siblings", tally);
    assert_eq!(whole.verdict(claim("node-siblings")), ClaimVerdict::Holds);
}

#[test]
fn a_file_that_cannot_be_read_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.flver"), b"FLVER").unwrap();
    std::fs::write(folder.path().join("b.mapbnd.dcx"), b"DCX\0nothing").unwrap();
    std::fs::write(folder.path().join("c.flver"), build_model(Kind::Object, &mut Random::new(1)).finish())
        .unwrap();
    std::fs::write(folder.path().join("d.txt"), b"not looked at").unwrap();
    let mut options = options(folder.path());
    options.paths.push(folder.path().join("missing.flver"));
    let summary = survey(&options);
    assert_eq!((summary.models, summary.unread), (1, 3));
    let named = &summary.tally("read").named;
    assert!(named.iter().any(|name| name.contains("missing.flver")), "{named:?}");
    assert!(survey::render_text(&summary).contains("3 that could not be read"));
}

#[test]
fn the_sample_model_gives_the_independent_figures() {
    let Some(folder) = crate::formats::samples() else { return };
    let paths = ["synthetic.flver", "synthetic.grass"].map(|name| folder.join(name)).to_vec();
    let summary = survey(&SurveyOptions { paths, named: 3, ..SurveyOptions::default() });
    let figures = |claim: &str| {
        let tally = summary.tally(claim);
        (tally.cases, tally.agree)
    };
    assert_eq!(figures("world-full-product"), (1, 1));
    assert_eq!(figures("world-importer-rule"), (1, 0));
    assert_eq!(figures("stream-copy"), (1, 1));
    assert_eq!(figures("grass-face"), (96, 95));
    let grass = summary.tally("grass-vertex");
    assert_eq!((grass.sum("sum above one"), grass.sum("no type")), (34, 6));
    let tree = summary.tally("grass-tree");
    assert_eq!([tree.sum("leaves"), tree.sum("one child"), tree.sum("two children")], [8, 8, 7]);
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(population(a.path(), 20), population(b.path(), 20));
    for entry in std::fs::read_dir(a.path().join("0000")).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |folder: &Path| std::fs::read(folder.join("0000").join(&name)).unwrap();
        assert!(read(a.path()) == read(b.path()), "{name:?}");
    }
}

#[test]
fn built_models_come_back_byte_for_byte() {
    for kind in Kind::ALL {
        let bytes = build_model(kind, &mut Random::new(3)).finish();
        let model = Model::read(bytes.clone()).unwrap();
        assert_eq!(model.problems(), [], "{kind:?}");
        assert!(model.to_parts().unwrap().write() == bytes, "{kind:?}");
    }
}
