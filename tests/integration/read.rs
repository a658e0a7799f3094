//! Reading capture sets: the real ones, and one row for each way a set can be wrong.

use std::path::Path;

use replay::capture::CaptureSet;

#[test]
fn recorded_sets_load() {
    for (name, frames) in [("sekiro_1", 5), ("elden_1", 3)] {
        let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/samples/gate");
        let root = Path::new(samples).join(name).join("set");
        if !root.is_dir() {
            println!("not checked: {} is not there", root.display());
            continue;
        }
        let set = CaptureSet::open(&root).unwrap();
        assert_eq!(set.frames().len(), frames);
        for frame in set.frames() {
            let loaded = set.load(frame).unwrap();
            assert!(loaded.frame.draws().count() > 20);
            assert!(!loaded.dumps.post_vs.is_empty());
            assert_eq!(loaded.dumps.depths.len(), 3);
        }
    }
}
