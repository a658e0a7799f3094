//! Who may name whom: reads the `crate::` and `super::` paths of `src` and holds them against a table.
//!
//! Unit tests may name anything: what stands under `#[cfg(test)]` or `#[cfg(doc)]` is not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module, and what it may name besides itself. A longer name wins over a shorter one on both sides: `execute::vulkan`
/// is not `execute`, and whoever may name `plan` may name all of it.
const MAY_NAME: &[(&str, &[&str])] = &[
    // Vocabulary: leaves.
    ("abi", &[]),
    ("finding", &[]),
    // What is on disk. `DumpKind` is the vocabulary of findings, which capture.toml spells.
    ("capture", &["abi", "finding::DumpKind"]),
    // Planning sees a frame without its dumps, and never a dump.
    ("plan", &["abi", "capture::Frame", "capture::frame::Frame", "capture::manifest"]),
    ("shader", &["abi"]),
    // Executors see a plan; not each other, not the record.
    ("execute", &["plan", "shader", "abi", "execute::reference", "execute::vulkan"]),
    ("execute::reference", &["plan", "shader", "abi", "execute"]),
    ("execute::vulkan", &["plan", "shader", "abi", "execute"]),
    // Pure: bytes, layouts and rules.
    ("diff", &["abi", "finding"]),
    (
        "check",
        &["abi", "finding", "plan", "shader", "capture::Frame", "capture::frame::Frame", "capture::manifest"],
    ),
    // It does not know what produced it.
    ("report", &["finding"]),
    ("card", &["abi", "finding", "plan", "report", "capture::Frame", "capture::manifest"]),
    // Game files stand apart from frames.
    ("formats", &["abi"]),
    ("pose", &["abi", "formats"]),
    ("inspect", &["abi", "formats", "pose"]),
    ("survey", &["abi", "finding", "formats", "pose", "inspect"]),
    // The edge.
    ("synth", &["abi", "capture", "plan", "shader", "execute", "execute::reference", "formats", "pose"]),
    (
        "run",
        &[
            "abi",
            "capture",
            "plan",
            "shader",
            "execute",
            "execute::reference",
            "execute::vulkan",
            "diff",
            "check",
            "finding",
            "report",
        ],
    ),
    // clap types, and what they become.
    ("cli", &["plan::Swaps", "run::Options", "run::DeviceChoice", "cli_formats"]),
    ("cli_formats", &["inspect", "survey", "synth::models"]),
    (
        "commands",
        &[
            "card",
            "check",
            "cli",
            "execute::vulkan",
            "finding",
            "inspect",
            "plan::dump",
            "report",
            "run",
            "synth",
        ],
    ),
    ("lib", &[]),
];

/// Crates that only some modules may name.
const CRATES: &[(&str, &[&str])] = &[
    ("ash", &["execute::vulkan"]),
    ("gpu_allocator", &["execute::vulkan"]),
    ("spirv_reflect", &["shader"]),
    ("clap", &["cli", "cli_formats", "inspect", "survey"]),
    ("indicatif", &["cli_formats"]),
    ("memmap2", &["capture", "formats", "inspect", "survey"]),
];

/// The modules in which `unsafe` may stand.
const UNSAFE: &[&str] = &["execute::vulkan", "shader::reflect", "capture::blob", "formats::open"];

/// A path that a file names, with the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    line: usize,
    path: String,
}

/// Blanks comments, strings, and items under `#[cfg(test)]` and `#[cfg(doc)]`; lines stay where they are.
fn code_of(text: &str) -> String {
    drop_marked_items(&drop_comments_and_strings(text))
}

fn drop_comments_and_strings(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut blank = |from: usize, to: usize| {
        for byte in &mut out[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(hashes) = raw_string(rest) {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = 2 + hashes;
            rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len())
        } else if rest.starts_with('"') {
            let mut end = 1;
            while end < rest.len() && rest.as_bytes()[end] != b'"' {
                end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
            }
            (end + 1).min(rest.len())
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            3 + usize::from(rest.starts_with("'\\"))
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        blank(at, at + length);
        at += length;
    }
    String::from_utf8(out).expect("only whole characters are blanked")
}

/// The number of hashes of a raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?.bytes().take_while(|b| *b == b'#').count();
    (rest.as_bytes().get(1 + hashes) == Some(&b'"')).then_some(hashes)
}

fn drop_marked_items(code: &str) -> String {
    let mut out = code.to_owned();
    for marker in ["#[cfg(test)]", "#[cfg(doc)]"] {
        while let Some(from) = out.find(marker) {
            let body = from + marker.len();
            let end = match out[body..].find([';', '{']).map(|i| body + i) {
                Some(at) if out.as_bytes()[at] == b'{' && !out[body..at].trim_start().starts_with("use ") => {
                    closing(&out, at)
                }
                Some(_) => out[body..].find(';').map_or(out.len(), |i| body + i + 1),
                None => out.len(),
            };
            let blanked: String =
                out[from..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
            out.replace_range(from..end, &blanked);
        }
    }
    out
}

/// Just past the brace that closes the one at `open`.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// Every path that begins with `crate::` or reaches the crate's root by `super::`, written out from the root.
fn named(code: &str, module: &str) -> BTreeSet<Named> {
    let depth = module.split("::").filter(|s| *s != "lib").count();
    let mut found = BTreeSet::new();
    for text in ["crate::".to_owned(), "super::".repeat(depth)].iter().filter(|text| !text.is_empty()) {
        let mut from = 0;
        while let Some(at) = code[from..].find(text).map(|i| from + i) {
            from = at + text.len();
            let before = code[..at].chars().next_back();
            let whole = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':');
            // `super::super::` found inside a longer chain is that chain's to judge.
            if !whole || code[from..].starts_with("super::") {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            for path in tree(&code[from..]).0 {
                found.insert(Named { line, path });
            }
        }
    }
    found
}

/// The paths of a `use` tree, or of a path in an expression, and how many bytes it takes.
fn tree(text: &str) -> (Vec<String>, usize) {
    let mut at = text.len() - text.trim_start().len();
    if text[at..].starts_with('{') {
        let mut paths = Vec::new();
        at += 1;
        loop {
            at += text[at..].len() - text[at..].trim_start_matches([',', ' ', '\n', '\t']).len();
            if at >= text.len() || text[at..].starts_with('}') {
                return (paths, at + 1);
            }
            let (inner, length) = tree(&text[at..]);
            paths.extend(inner);
            let rest = &text[at + length..];
            let next = rest.find([',', '}']).unwrap_or(rest.len());
            at += (length + next).max(1);
        }
    }
    let end = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |i| at + i);
    let name = &text[at..end];
    if let Some(rest) = text[end..].strip_prefix("::")
        && rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{')
    {
        let (inner, length) = tree(rest);
        let joined = inner.iter().map(|path| format!("{name}::{path}"));
        return (joined.collect(), end + 2 + length);
    }
    (vec![name.to_owned()], end)
}

/// Whether `path` is `prefix` or lies below it.
fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The row of the table that `path` falls under.
fn layer(path: &str) -> Option<(&'static str, &'static [&'static str])> {
    MAY_NAME.iter().filter(|(name, _)| is_below(path, name)).max_by_key(|(name, _)| name.len()).copied()
}

/// What a file may not name.
fn offences(module: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let Some((own, allowed)) = layer(module) else {
        return vec![format!("{module}: the table of tests/layering.rs has no row for it")];
    };
    let mut offences = Vec::new();
    for Named { line, path } in named(&code, module) {
        let Some((target, _)) = layer(&path) else {
            // A macro, or an item of the crate's root.
            offences.push(format!("{module}:{line}: crate::{path} is in no module of the table"));
            continue;
        };
        // `self` and the parents' own items are the module's.
        let fine = target == own
            || allowed.iter().any(|may| {
                if MAY_NAME.iter().any(|(name, _)| name == may) {
                    *may == target
                } else {
                    is_below(&path, may)
                }
            });
        if !fine {
            offences.push(format!("{module}:{line}: {own} must not name {path}"));
        }
    }
    for (name, holders) in CRATES {
        let uses = code.match_indices(&format!("{name}::")).any(|(at, _)| {
            code[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
        });
        if uses && !holders.iter().any(|holder| is_below(module, holder)) {
            offences.push(format!("{module}: only {} may name the crate {name}", holders.join(", ")));
        }
    }
    let unsafe_block =
        code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl");
    if unsafe_block && !UNSAFE.iter().any(|holder| is_below(module, holder)) {
        offences.push(format!("{module}: only {} may hold unsafe code", UNSAFE.join(", ")));
    }
    offences
}

/// The module path of a file under `src`.
fn module_of(file: &Path) -> String {
    let mut parts: Vec<_> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts.join("::")
}

/// Modules that a file declares for tests alone, by name.
fn test_modules(text: &str) -> Vec<String> {
    let code = drop_comments_and_strings(text);
    let after = code.match_indices("#[cfg(test)]").map(|(at, marker)| &code[at + marker.len()..]);
    after
        .filter_map(|rest| {
            let item = &rest[..rest.find([';', '{'])?];
            let name = item.split_whitespace().last()?;
            item.contains("mod ").then(|| name.to_owned())
        })
        .collect()
}

fn sources(folder: &Path, below: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            sources(folder, &path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.insert(path.clone(), fs::read_to_string(folder.join(&path)).unwrap());
        }
    }
}

#[test]
fn every_file_keeps_to_its_layer() {
    let mut files = BTreeMap::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), Path::new(""), &mut files);
    let tests: BTreeSet<String> = files
        .iter()
        .flat_map(|(path, text)| {
            let module = module_of(path);
            test_modules(text).into_iter().map(move |name| format!("{module}::{name}"))
        })
        .collect();
    let mut all = Vec::new();
    for (path, text) in &files {
        let module = module_of(path);
        // The command itself uses the library as any other crate would.
        let of_binary = ["main", "progress"].contains(&module.as_str());
        if !of_binary && !tests.iter().any(|test| is_below(&module, test)) {
            all.extend(offences(&module, text));
        }
    }
    assert!(all.is_empty(), "{} offences:\n{}", all.len(), all.join("\n"));
    assert!(files.len() > 50, "the sources were found");
}

#[test]
fn an_offence_is_found_however_it_is_spelled() {
    let cases = [
        ("report::text", "use crate::plan::Plan;", "report must not name plan::Plan"),
        ("report::text", "use crate::{finding::Figure, capture::Frame};", "must not name capture::Frame"),
        ("report::text", "fn f(p: &crate::plan::Plan) {}", "must not name plan::Plan"),
        ("report::text", "use super::super::plan::Plan;", "must not name plan::Plan"),
        ("report::text::compared", "use super::super::super::run::Run;", "must not name run::Run"),
        ("plan::lower", "use crate::capture::{Frame, Dumps};", "plan must not name capture::Dumps"),
        (
            "plan",
            "use crate::capture::frame::{Frame, PostVsDump};",
            "plan must not name capture::frame::PostVsDump",
        ),
        (
            "execute::vulkan::gpu",
            "use crate::execute::reference::Reference;",
            "must not name execute::reference",
        ),
        ("execute::reference", "use crate::diff::{\n  Rule,\n  compare,\n};", "must not name diff::compare"),
        ("diff", "use ash::vk;", "only execute::vulkan may name the crate ash"),
        ("abi", "fn f() { unsafe { g() } }", "may hold unsafe code"),
        ("helpers", "", "has no row for it"),
    ];
    for (module, source, message) in cases {
        let found = offences(module, source);
        assert!(found.iter().any(|f| f.contains(message)), "{module}: {source}: {found:?}");
    }
}

#[test]
fn what_is_allowed_is_no_offence() {
    let cases = [
        ("report::text", "use super::number;\nuse crate::finding::{Figure, Figures};"),
        ("report::text", "// use crate::plan::Plan;\nconst A: &str = \"crate::plan\";"),
        ("report::text", "#[cfg(test)]\nmod tests {\n  use crate::plan::Plan;\n  fn f() { {} }\n}"),
        ("report::text", "#[cfg(test)]\nuse crate::{plan, run};\n#[cfg(doc)]\nuse crate::check::CLAIMS;"),
        ("report::text", "const Q: char = '\"'; /* crate::plan */ const R: &str = r#\"crate::\"run\"#;"),
        ("plan::lower", "use crate::capture::Frame;\nuse crate::capture::manifest::{self, Taken};"),
        (
            "execute::vulkan",
            "use crate::execute::{Executor, Outputs};\nuse ash::vk;\nfn f() { unsafe { g() } }",
        ),
        ("lib", "pub mod abi;"),
    ];
    for (module, source) in cases {
        assert_eq!(offences(module, source), Vec::<String>::new(), "{module}: {source}");
    }
}

#[test]
fn paths_are_read_whole() {
    let paths = |text: &str| named(text, "x::y").into_iter().map(|n| n.path).collect::<Vec<_>>();
    assert_eq!(paths("use crate::a::{self, b::{C, D as E}, f};"), ["a::b::C", "a::b::D", "a::f", "a::self"]);
    assert_eq!(paths("let x = crate::a::B::new(crate::c::D);"), ["a::B::new", "c::D"]);
    assert_eq!(paths("use super::z; use super::super::q::R;"), ["q::R"]);
    assert_eq!(paths("use other_crate::a;"), Vec::<String>::new());
    assert_eq!(named("\n\nuse crate::a;", "x").first().unwrap().line, 3);
}
