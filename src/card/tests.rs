//! Cards of the bundled set. Where it is not there (a package without captures), there is nothing to lay open.

use std::collections::BTreeSet;
use std::path::Path;

use super::palette::spans;
use super::*;
use crate::report::Report;
use crate::report::card::Content;
use crate::run::{self, Options, RunFrame};

fn frames(names: &[&str]) -> Option<Vec<RunFrame>> {
    let set = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/captures/ashina_gate"));
    if !set.exists() {
        println!("skipped: captures/ashina_gate is not there");
        return None;
    }
    let options = Options { frames: names.iter().map(|&n| n.to_owned()).collect(), ..Options::default() };
    Some(run::plan(set, &options).unwrap())
}

/// The first draw of a pass, of a mesh whose name begins so.
fn card(frame: &RunFrame, pass: &str, mesh: &str) -> Card {
    let wanted = |draw: &Draw| {
        let of = draw.mesh.as_ref().map(ToString::to_string).unwrap_or_default();
        frame.plan.pass_of(draw).id.0 == pass && of.starts_with(mesh)
    };
    let (index, _) = frame.plan.draws().find(|(_, draw)| wanted(draw)).unwrap();
    build(&frame.loaded.frame, &frame.plan, index, Vec::new()).unwrap()
}

#[test]
fn a_deformed_draw_is_laid_open() {
    let Some(frames) = frames(&["0001"]) else { return };
    let card = card(&frames[0], "motion_vector", "FC_M_0200/");
    insta::assert_snapshot!(anstream::adapter::strip_str(&card.text()).to_string());
}

#[test]
fn bytes_say_who_wrote_them_and_how_new_they_are() {
    let Some(frames) = frames(&["0001", "0005"]) else { return };
    let deformed = card(&frames[0], "motion_vector", "FC_M_0200/");
    let freshness = |slot: u32| {
        let stream = deformed.streams.iter().find(|s| s.slot == slot).unwrap();
        stream.range.sources.iter().map(|s| s.freshness).collect::<Vec<_>>()
    };
    assert_eq!(freshness(2), [Freshness::ThisFrame]);
    assert_eq!(freshness(1), [Freshness::Before]);
    let newer = deformed.positions.unwrap();
    assert!(newer.starts_with("POSITION1 (slot 2), written this frame by map_discard, event "), "{newer}");
    // The fifth frame's recorder copied some buffers late.
    let late = frames[1]
        .plan
        .draws()
        .filter_map(|(index, _)| build(&frames[1].loaded.frame, &frames[1].plan, index, Vec::new()));
    let late = late.flat_map(|card| card.streams).flat_map(|s| s.range.sources);
    assert!(late.map(|s| s.freshness).collect::<BTreeSet<_>>().contains(&Freshness::Late));
}

#[test]
fn palettes_show_entries_that_a_weight_uses() {
    let Some(frames) = frames(&["0001"]) else { return };
    let skinned = card(&frames[0], "shadow", "BD_M_9040/");
    let palette = skinned.buffers.iter().find(|b| b.name == "cbObjMatrix").unwrap();
    let Some(Content::Remark(used)) = palette.contents.first() else { panic!() };
    assert!(used.contains("entries used: "), "{used}");
    let matrices = palette.contents.iter().filter(|c| matches!(c, Content::Matrix { translation: true, .. }));
    assert_eq!(matrices.count(), 3);
    let rigid = card(&frames[0], "shadow", "o113100/");
    let palette = rigid.buffers.iter().find(|b| b.name == "cbObjMatrix").unwrap();
    let Some(Content::Remark(used)) = palette.contents.first() else { panic!() };
    assert!(used.starts_with("1 of ") && used.ends_with("entries used: 0"), "{used}");
}

#[test]
fn a_card_as_json_holds_what_the_text_shows() {
    let Some(frames) = frames(&["0001"]) else { return };
    let card = card(&frames[0], "motion_vector", "FC_M_0200/");
    let value: serde_json::Value = serde_json::from_str(&card.json()).unwrap();
    assert_eq!(value["stand_in"]["shader"], "skinned_motion");
    assert_eq!(value["streams"][2]["range"]["sources"][0]["freshness"], "this_frame");
    assert!(value["buffers"][0]["contents"][0]["matrix"]["rows"][0][0].is_number());
}

#[test]
fn rows_follow_the_plan_and_take_verdicts_from_the_report() {
    let Some(frames) = frames(&["0001"]) else { return };
    let plan = &frames[0].plan;
    let rows = rows([plan], &Report::new("set", ""));
    assert_eq!(rows.len(), plan.draws.len());
    assert!(rows.iter().all(|row| row.reason.is_empty() && !row.shader.is_empty()));
    assert!(rows.iter().all(|row| row.verdict == crate::finding::DumpVerdict::NotCompared));
}

#[test]
fn a_draw_is_found_by_its_event_where_only_one_frame_has_it() {
    let Some(frames) = frames(&[]) else { return };
    let plans = || frames.iter().map(|f| &f.plan);
    let event = frames[0].plan.draws[0].event.0;
    assert_eq!(find(plans().take(1), event), Ok(Found { frame: 0, draw: DrawIndex(0) }));
    let several = find(plans(), event).unwrap_err().to_string();
    assert!(several.starts_with(&format!("event {event} is a draw of the frames 0001, 0002")), "{several}");
    let none = find(plans(), u64::MAX).unwrap_err();
    assert!(matches!(none, LookUpError::None { .. }));
}

#[test]
fn numbers_are_told_as_ranges() {
    let cases: [(&[u64], &str); 4] =
        [(&[], ""), (&[7], "7"), (&[0, 1, 2, 7], "0-2, 7"), (&[1, 3, 4, 9, 10], "1, 3-4, 9-10")];
    for (numbers, text) in cases {
        assert_eq!(spans(&numbers.iter().copied().collect()), text);
    }
}
