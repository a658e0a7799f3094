//! The command as a user runs it: exit codes, where text goes, colour, closed pipes.

use std::process::{Command, Output, Stdio};

use crate::support::ashina_gate;

fn replay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = replay(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// Arguments after the bundled set's folder.
fn on_set(arguments: &[&str]) -> (i32, String, String) {
    let set = ashina_gate();
    let mut all = vec![set.to_str().unwrap()];
    all.extend(arguments);
    run(&all)
}

/// A command on the bundled set.
fn command_on_set(command: &str, arguments: &[&str]) -> (i32, String, String) {
    let set = ashina_gate();
    let mut all = vec![command, set.to_str().unwrap()];
    all.extend(arguments);
    run(&all)
}

#[test]
fn a_matching_frame_exits_0_and_says_its_coverage_first() {
    let (code, out, err) = on_set(&["--frame", "0001", "--device", "reference"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("ashina_gate: compared 95 of 95 draws, "), "{out}");
    assert!(out.contains("a match proves determinism only") || out.contains("proves\n"), "{out}");
    assert!(out.lines().last().unwrap().starts_with("match: "), "{out}");
    assert!(!out.contains('\u{1b}'), "no colour where nobody looks");
}

#[test]
fn a_hypothesis_that_does_not_hold_exits_1_and_fills_the_csv() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.csv");
    let arguments =
        ["--frame", "0001", "--device", "reference", "--swap", "streams", "--csv", file.to_str().unwrap()];
    let (code, out, _) = on_set(&arguments);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("worst places\n") && out.contains("a hypothesis is tried: streams exchanged"),
        "{out}"
    );
    let rows = std::fs::read_to_string(file).unwrap();
    assert!(rows.starts_with("frame,owner,event,execution,pass,mesh,"), "{rows}");
    assert!(rows.lines().count() > 100);
}

#[test]
fn json_is_json_and_of_its_format() {
    let (code, out, _) = on_set(&["--frame", "0001", "--device", "reference", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    assert_eq!(report["format"], "replay-report/1");
    assert_eq!(report["executor"]["kind"], "reference");
    assert_eq!(report["coverage"]["draws"], 95);
    assert_eq!(report["verdict"], "match");
}

#[test]
fn bad_input_and_bad_use_exit_2_and_say_so_on_standard_error() {
    let cases: [(&[&str], &str); 8] = [
        (&["no/such/set"], "could not replay no/such/set: "),
        (&[], "required"),
        (&["check"], "required"),
        (&["set", "--require-coverage", "200"], "expected a share between 0 and 100"),
        (&["explain", "pair-slto"], "could not explain `pair-slto`: no claim has that id; perhaps pair-"),
        (&["draws", "set", "--where", "pass>1"], "could not read --where: column 5: found `>`"),
        (&["draw", "set", "0001:x"], "is no event"),
        (&["draw", "set", "0001:1", "--frame", "0002"], "--frame says 0002"),
    ];
    for (arguments, message) in cases {
        let (code, out, err) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(out.is_empty() && err.contains(message), "{arguments:?}: {err}");
    }
    for (arguments, message) in [
        (["--frame", "9999"], "frame `9999` is not in the set; it has the frames 0001, "),
        (["--pass", "sky"], "pass `sky` is not in the set"),
        (["--draw", "0001:999999"], "draw `0001:999999` is not in the set"),
    ] {
        let (code, _, err) = on_set(&[arguments[0], arguments[1], "--device", "reference"]);
        assert!(code == 2 && err.contains(message), "{err}");
    }
}

#[test]
fn a_device_that_is_not_there_exits_3() {
    for device in ["4711", "no such device"] {
        let (code, out, err) = on_set(&["--device", device]);
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
        assert!(err.starts_with("replay: could not replay "), "{err}");
    }
}

#[test]
fn colour_is_asked_for_or_not() {
    let (_, out, _) = run(&["explain", "--color", "always"]);
    assert!(out.contains('\u{1b}'));
    let (_, out, _) = run(&["explain", "--color", "never"]);
    assert!(!out.contains('\u{1b}') && !out.is_empty());
    let forced = replay(&["explain"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!forced.stdout.is_empty());
}

#[test]
fn a_closed_pipe_is_no_error() {
    let set = ashina_gate();
    let mut child = replay(&["plan", set.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!((status.code(), String::from_utf8(stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn draws_are_listed_filtered_and_laid_open() {
    let arguments =
        ["--frame", "0001", "--device", "reference", "--where", "pass=motion_vector and mesh~FC_*"];
    let (code, out, _) = command_on_set("draws", &arguments);
    assert_eq!(code, 0);
    assert!(out.ends_with("4 of 95 draws\n"), "{out}");
    let row: Vec<&str> = out.lines().nth(1).unwrap().split_whitespace().collect();
    let (code, card, err) = command_on_set("draw", &[&format!("0001:{}", row[1]), "--device", "reference"]);
    assert_eq!(code, 0, "{err}");
    for part in
        ["FC_MotionVector_Skin", "written this frame by map_discard", "left from before the frame", "match"]
    {
        assert!(card.contains(part), "{part}: {card}");
    }
    let (code, _, err) = command_on_set("draw", &[row[1], "--device", "reference"]);
    assert!(code == 2 && err.contains("say which with --frame"), "{err}");
}

#[test]
fn claims_are_checked_without_execution() {
    let (code, out, err) = command_on_set("check", &[]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("ashina_gate: nothing executed; checked "), "{out}");
    let (code, tables, _) = command_on_set("check", &["--write-expect"]);
    let parsed: toml::Table = toml::from_str(&tables).unwrap();
    assert!(code == 0 && parsed["expect"].as_array().is_some_and(|a| !a.is_empty()), "{tables}");
}

#[test]
fn devices_are_listed_with_the_reference_at_the_end() {
    let (code, out, _) = run(&["devices"]);
    assert_eq!(code, 0);
    assert!(out.lines().any(|line| line.starts_with("reference  ")), "{out}");
    let (_, json, _) = run(&["devices", "--format", "json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["vulkan"].is_array());
}
