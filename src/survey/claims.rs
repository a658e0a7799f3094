//! The file-level claims: what each says, where it stands, and how its tally reads as a sentence of the documents.

use super::run::Summary;
use super::tally::Tally;

/// Whether a survey settles a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A survey counts its cases.
    Survey,
    /// The documents do not establish it, and neither does a survey.
    NotEstablished,
}

/// A claim about files.
pub struct SurveyClaim {
    /// Its id.
    pub id: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// What a case is, in the plural.
    pub cases: &'static str,
    /// Whether a survey settles it.
    pub standing: Standing,
    /// Its tally as a sentence.
    pub sentence: fn(&Tally, &Summary) -> String,
}

const fn claim(
    id: &'static str,
    cases: &'static str,
    statement: &'static str,
    sentence: fn(&Tally, &Summary) -> String,
) -> SurveyClaim {
    SurveyClaim { id, statement, cases, standing: Standing::Survey, sentence }
}

const fn unknown(id: &'static str, statement: &'static str) -> SurveyClaim {
    SurveyClaim {
        id,
        statement,
        cases: "",
        standing: Standing::NotEstablished,
        sentence: |_, _| "Not established.".to_owned(),
    }
}

/// A count with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count of a tally's figure with commas.
fn n(tally: &Tally, figure: &str) -> String {
    grouped(tally.sum(figure))
}

/// `all 129,270 nodes` or `129,195 of 129,270 nodes`.
fn of_all(tally: &Tally, what: &str) -> String {
    if tally.agree == tally.cases {
        format!("all {} {what}", grouped(tally.cases))
    } else {
        format!("{} of {} {what}", grouped(tally.agree), grouped(tally.cases))
    }
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// Every claim about files, in the order of the documents.
pub const CLAIMS: &[SurveyClaim] = &[
    claim("read", "files", "every file reads", |t, _| {
        format!("{} could be read.", capital(&of_all(t, "files")))
    }),
    claim("node-record", "nodes", "the last 52 bytes of a node are zero", |t, _| {
        format!("The 52 reserved bytes are zero on {}.", of_all(t, "nodes"))
    }),
    claim(
        "node-siblings",
        "nodes",
        "walking next siblings from the first child visits exactly a node's children, and previous undoes next",
        |t, s| {
            format!(
                "On {} in {} models, following the next-sibling indices from a node's first child index visits exactly \
                 the nodes whose parent index is that node, and the previous-sibling index undoes the next-sibling one.",
                of_all(t, "nodes"),
                grouped(s.models)
            )
        },
    ),
    claim("node-first-child", "nodes with children", "the first child is the lowest-index child", |t, _| {
        format!(
            "The first child is the lowest-index child in all but {} of {} nodes with children.",
            grouped(t.exceptions()),
            grouped(t.cases)
        )
    }),
    claim("node-bounds", "nodes", "bounds are a box or the inverted sentinel", |t, _| {
        format!(
            "The two bounds are either a box ({} nodes) or the inverted sentinel ({}); {} anything else.",
            n(t, "boxes"),
            n(t, "sentinels"),
            match t.exceptions() {
                0 => "no node has".to_owned(),
                1 => "one node has".to_owned(),
                more => format!("{} nodes have", grouped(more)),
            }
        )
    }),
    claim("node-flags", "nodes", "flags take only the values 0, 1, 2, 4, 6, 8, 10, 12 and 14", |t, _| {
        format!(
            "The flags word takes only the values 0, 1, 2, 4, 6, 8, 10, 12 and 14 on {}.",
            of_all(t, "nodes")
        )
    }),
    claim("node-flag-1", "nodes with bit 1", "bit 1 only where no child, mesh or dummy", |t, _| {
        format!(
            "Bit 1 is set on {} nodes; {} have no children and are named by no mesh and no dummy point.",
            grouped(t.cases),
            if t.agree == t.cases { "all of them".to_owned() } else { grouped(t.agree) }
        )
    }),
    claim("node-flag-2", "nodes with bit 2", "bit 2 only on nodes a dummy names", |t, _| {
        format!(
            "Bit 2 is set on {} nodes a dummy point names as parent or attach bone and {} unnamed ones ({} named nodes lack it).",
            grouped(t.agree),
            grouped(t.exceptions()),
            n(t, "named without it")
        )
    }),
    unknown("node-flag-4-8", "what bits 4 and 8 of a node's flags select"),
    claim("skeleton-set", "sets and entries", "reserved words are zero and entries name nodes", |t, _| {
        format!(
            "The reserved words are zero and the node index is a node in {} ({} base, {} all).",
            of_all(t, "skeleton sets and entries"),
            n(t, "base entries"),
            n(t, "all entries")
        )
    }),
    claim(
        "world-full-product",
        "models with vertices",
        "posing every vertex through the full product reproduces the stored bounds within 0.1 %",
        |t, _| {
            format!(
                "Posing every vertex of a model through the full product of affine maps reproduces the stored bounds within 0.1 % in {} that hold vertices.",
                of_all(t, "models")
            )
        },
    ),
    claim(
        "world-importer-rule",
        "models with static vertices under a scaled ancestor",
        "the importer's rule reproduces the stored bounds",
        |t, _| {
            format!(
                "{} models have static vertices below a scaled ancestor ({} nodes and {} vertices); the full product matches the stored bounds in {}, the importer's rule in {}.",
                grouped(t.cases),
                n(t, "nodes"),
                n(t, "vertices"),
                n(t, "full product agrees"),
                grouped(t.agree)
            )
        },
    ),
    claim(
        "node-scale-census",
        "nodes",
        "no negative component, and nothing on a node with a zero one",
        |t, s| {
            format!(
                "{} nodes have a scale component off 1 by more than 0.001 in {} of {} models ({} roots, {} others; {} with unequal components); {} have a scaled strict ancestor, {} a negative component, {} in {} models a zero one.",
                n(t, "scaled"),
                n(t, "models with scaled nodes"),
                grouped(s.models),
                n(t, "scaled roots"),
                n(t, "scaled others"),
                n(t, "unequal"),
                n(t, "under a scaled ancestor"),
                n(t, "negative"),
                n(t, "zero"),
                n(t, "models with zero components")
            )
        },
    ),
    claim(
        "static-bone",
        "static vertices",
        "the normal's W, or the mesh's node, is the rigid bone",
        |t, _| {
            format!(
                "Of {} static vertices {} take their bone from the normal's W, {} from bone indices and {} from the mesh's node; {} name a bone that is not there.",
                grouped(t.cases),
                n(t, "by normal W"),
                n(t, "by bone index"),
                n(t, "by mesh node"),
                grouped(t.exceptions())
            )
        },
    ),
    unknown("static-no-bone", "the game's rule for a static mesh without a usable bone reference"),
    claim(
        "map-piece-identity",
        "map-piece vertices",
        "no map-piece vertex is on a non-identity bone",
        |t, _| {
            format!(
                "{} of {} map-piece vertices are bound to a non-identity bone.",
                grouped(t.exceptions()),
                grouped(t.cases)
            )
        },
    ),
    claim(
        "palette-empty",
        "dynamic meshes",
        "indices name joints directly or through the palette",
        |t, _| {
            format!(
                "Of {} dynamic meshes {} have an empty bone palette, so that their indices name joints directly; every index with nonzero weight names a node on {}.",
                grouped(t.cases),
                n(t, "empty"),
                of_all(t, "meshes")
            )
        },
    ),
    claim("weight-sum", "weighted vertices", "weights sum to 252 to 255 of 255, as stored", |t, _| {
        let below: u64 = [252, 253, 254].iter().map(|sum| t.sum(&format!("{sum}/255"))).sum();
        format!(
            "Stored weights sum to 255/255 on {} of {} vertices, to 252 to 254 on {} and to anything else on {}: stored data, not a fault.",
            n(t, "255/255"),
            grouped(t.cases),
            grouped(below),
            grouped(t.exceptions())
        )
    }),
    claim("stream-copy", "meshes of three buffers", "the third buffer is a copy of the first", |t, _| {
        format!(
            "The third buffer is a byte-for-byte copy of the first, both 20 bytes a vertex, in {} of three buffers.",
            of_all(t, "meshes")
        )
    }),
    claim(
        "costume-palette",
        "models",
        "o114670 has a bone scaled by 0.00937; parts have empty palettes",
        |t, _| {
            format!(
                "o114670 has a bone scaled by 0.00937 in {} of {} files; {} of {} equipment parts have empty palettes throughout.",
                grouped(t.agree),
                grouped(t.cases),
                n(t, "parts with empty palettes throughout"),
                n(t, "equipment parts")
            )
        },
    ),
    claim("dummy-record", "dummy points", "the last 8 bytes of a dummy are zero", |t, _| {
        format!("The 8 reserved bytes are zero on {}.", of_all(t, "dummy points"))
    }),
    claim("dummy-colour", "dummy points", "the first colour byte is 255", |t, _| {
        format!(
            "The first colour byte is 255 on {}, and the other three are 255 (white) on all but {}.",
            of_all(t, "dummy points"),
            n(t, "not white")
        )
    }),
    claim(
        "dummy-flag-2e",
        "dummy points of models of more than one bone",
        "the flag at 46 is 1 exactly when the attach bone is set",
        |t, _| {
            format!(
                "The flag at 46 is 1 when the attach bone is set and 0 when it is -1 on {} of {} dummy points (0 with an attach bone on {}, 1 without one on {}); in models of more than one bone on {} of {}.",
                n(t, "all agreeing"),
                n(t, "all points"),
                n(t, "0 with an attach bone"),
                n(t, "1 without an attach bone"),
                grouped(t.agree),
                grouped(t.cases)
            )
        },
    ),
    claim("dummy-use-upward", "dummy points", "the use-upward flag is 1", |t, _| {
        format!("The use-upward flag at 47 is 1 on {}.", of_all(t, "dummy points"))
    }),
    claim(
        "dummy-place",
        "dummy points",
        "a point is placed by its parent's world, and the two rules differ only under a scaled strict ancestor",
        |t, _| {
            format!(
                "The two scale rules place a dummy point differently only when the parent has a scaled strict ancestor: {} of {} points ({} placed apart); {} have a scaled parent.",
                n(t, "under a scaled ancestor"),
                grouped(t.cases),
                n(t, "placed apart by the rules"),
                n(t, "with a scaled parent")
            )
        },
    ),
    claim("dummy-axes", "dummy points", "forward and upward are directions", |t, _| {
        format!(
            "The forward vector points along -Z on {} points ({}) and along +Z on {} ({}); {} have |cos| to the upward vector above 0.01, up to {:.2}.",
            n(t, "forward -Z"),
            percent(t.sum("forward -Z"), t.cases),
            n(t, "forward +Z"),
            percent(t.sum("forward +Z"), t.cases),
            n(t, "not perpendicular"),
            t.figure("largest |cos|").unwrap_or_default()
        )
    }),
    unknown(
        "dummy-socket-axis",
        "which local axis of a socket a consumer takes as forward; what the words at 0x30 and 0x34 are",
    ),
    claim(
        "grass-header",
        "grass files",
        "the header's constants hold and the tables fill the file",
        |t, _| format!("The tables fill {} exactly.", of_all(t, "grass files")),
    ),
    claim("grass-volume", "volumes", "a child is 0 or a later volume", |t, _| {
        format!("Each child is 0 or the index of a later volume on {}.", of_all(t, "volumes"))
    }),
    claim("grass-tree", "volumes", "the volumes form one tree over the faces", |t, s| {
        format!(
            "In {} files the volumes form one tree from volume 0: {} keep its rules; {} have two children, which hold exactly their faces, {} one child, which holds fewer, and {} none.",
            grouped(s.grass),
            of_all(t, "volumes"),
            n(t, "two children"),
            n(t, "one child"),
            n(t, "leaves")
        )
    }),
    claim("grass-types", "volumes", "the fifth word is the set of types its faces grow", |t, _| {
        format!(
            "The fifth word is the set of types a vertex of one of its faces grows on {}.",
            of_all(t, "volumes")
        )
    }),
    claim("grass-vertex", "vertices", "densities are in 0 to 1", |t, _| {
        format!(
            "The densities are in 0 to 1 on {} and do not sum to one: {} sum to more than one, and {} have no type at all.",
            of_all(t, "vertices"),
            n(t, "sum above one"),
            n(t, "no type")
        )
    }),
    claim("grass-face", "faces", "the normal points against the cross product of the edges", |t, _| {
        format!(
            "The stored face normal points against the right-hand cross product of the face's edges (cosine below -0.999) on {} of {} faces; {} store none; it has unit length on {}.",
            grouped(t.agree),
            grouped(t.cases),
            n(t, "absent"),
            percent(t.sum("unit length"), t.cases)
        )
    }),
    unknown("face-normal-length", "what the length of a grass face normal stands for"),
    claim("grass-box", "volumes", "the box of a volume holds every vertex of the faces under it", |t, _| {
        format!("The box holds every vertex of the faces under it on {}.", of_all(t, "volumes"))
    }),
];

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
