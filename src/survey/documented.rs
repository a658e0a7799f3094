//! The figures the documents give for the two games' whole installs.

use super::tally::Tally;

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Game {
    /// Sekiro.
    Sekiro,
    /// Elden Ring.
    EldenRing,
}

impl Game {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sekiro => "Sekiro",
            Self::EldenRing => "Elden Ring",
        }
    }
}

/// A figure of the documents.
#[derive(Clone, Copy, Debug)]
pub struct Documented {
    /// The claim.
    pub claim: &'static str,
    /// The figure of its tally.
    pub figure: &'static str,
    /// In Sekiro.
    pub sekiro: Option<u64>,
    /// In Elden Ring.
    pub elden_ring: Option<u64>,
}

impl Documented {
    /// The figure for a game.
    pub fn of(&self, game: Game) -> Option<u64> {
        match game {
            Game::Sekiro => self.sekiro,
            Game::EldenRing => self.elden_ring,
        }
    }

    /// Whether a tally has it.
    pub fn is_met(&self, game: Game, tally: &Tally) -> Option<bool> {
        Some(self.of(game)? as f64 == tally.figure(self.figure).unwrap_or_default())
    }
}

const fn both(claim: &'static str, figure: &'static str, sekiro: u64, elden_ring: u64) -> Documented {
    Documented { claim, figure, sekiro: Some(sekiro), elden_ring: Some(elden_ring) }
}

const fn sekiro(claim: &'static str, figure: &'static str, count: u64) -> Documented {
    Documented { claim, figure, sekiro: Some(count), elden_ring: None }
}

const fn elden_ring(claim: &'static str, figure: &'static str, count: u64) -> Documented {
    Documented { claim, figure, sekiro: None, elden_ring: Some(count) }
}

/// Every figure of the documents about files.
pub const DOCUMENTED: &[Documented] = &[
    both("node-siblings", "cases", 129_270, 535_503),
    both("node-siblings", "exceptions", 0, 0),
    both("node-first-child", "exceptions", 75, 37),
    both("node-bounds", "boxes", 66_485, 139_011),
    both("node-bounds", "sentinels", 62_785, 396_492),
    both("node-bounds", "exceptions", 0, 0),
    both("node-flags", "exceptions", 0, 0),
    both("node-flag-1", "cases", 50_370, 363_132),
    both("node-flag-1", "exceptions", 0, 0),
    both("node-flag-2", "agree", 8_377, 24_493),
    both("node-flag-2", "exceptions", 1_964, 0),
    both("node-flag-2", "named without it", 27, 771),
    both("world-full-product", "cases", 14_272, 21_938),
    both("world-full-product", "agree", 14_250, 21_935),
    both("world-importer-rule", "cases", 158, 9),
    both("world-importer-rule", "agree", 9, 1),
    both("world-importer-rule", "full product agrees", 158, 9),
    both("world-importer-rule", "nodes", 2_248, 33),
    both("world-importer-rule", "vertices", 478_300, 18_229),
    both("node-scale-census", "scaled", 10_713, 5_901),
    both("node-scale-census", "models with scaled nodes", 1_220, 778),
    both("node-scale-census", "scaled roots", 7_078, 4_943),
    both("node-scale-census", "scaled others", 3_635, 958),
    both("node-scale-census", "unequal", 3_507, 2_291),
    both("node-scale-census", "under a scaled ancestor", 2_337, 806),
    both("node-scale-census", "negative", 0, 0),
    elden_ring("node-scale-census", "zero", 544),
    elden_ring("node-scale-census", "models with zero components", 272),
    sekiro("map-piece-identity", "exceptions", 0),
    elden_ring("palette-empty", "c3000 nodes", 368),
    elden_ring("palette-empty", "c3000 meshes", 49),
    elden_ring("palette-empty", "c3000 empty palettes", 49),
    elden_ring("palette-empty", "c3000 largest used index", 101),
    sekiro("palette-empty", "c1010 nodes", 400),
    sekiro("palette-empty", "c1010 meshes", 81),
    sekiro("palette-empty", "c1010 empty palettes", 81),
    sekiro("palette-empty", "c1010 largest used index", 109),
    sekiro("weight-sum", "c1010 at 252 or 253", 31_544),
    sekiro("weight-sum", "c1010 vertices", 140_330),
    sekiro("stream-copy", "meshes of FC_M_0200 and BD_M_9040", 21),
    sekiro("stream-copy", "their copies", 21),
    sekiro("costume-palette", "o114670 scaled by 0.00937", 1),
    both("dummy-colour", "cases", 20_268, 88_340),
    both("dummy-colour", "exceptions", 0, 0),
    both("dummy-colour", "not white", 34, 3_239),
    both("dummy-flag-2e", "all points", 20_268, 88_340),
    both("dummy-flag-2e", "all agreeing", 20_232, 86_081),
    both("dummy-flag-2e", "0 with an attach bone", 8, 2_157),
    both("dummy-flag-2e", "1 without an attach bone", 28, 102),
    both("dummy-flag-2e", "cases", 20_136, 86_135),
    both("dummy-flag-2e", "agree", 20_108, 86_033),
    both("dummy-use-upward", "cases", 20_268, 88_340),
    both("dummy-use-upward", "exceptions", 0, 0),
    both("dummy-place", "cases", 20_268, 88_340),
    both("dummy-place", "under a scaled ancestor", 16, 2),
    both("dummy-place", "with a scaled parent", 885, 10),
    both("dummy-axes", "forward -Z", 11_458, 46_718),
    both("dummy-axes", "forward +Z", 3_372, 2_228),
    both("dummy-axes", "not perpendicular", 164, 4_216),
    both("grass-header", "cases", 772, 1_925),
    both("grass-header", "exceptions", 0, 0),
    both("grass-tree", "two children", 7_165, 43_954),
    both("grass-tree", "one child", 242, 19),
    both("grass-tree", "exceptions", 0, 0),
    both("grass-types", "exceptions", 0, 0),
    both("grass-vertex", "cases", 723_967, 4_490_801),
    both("grass-vertex", "exceptions", 0, 0),
    both("grass-vertex", "sum above one", 284_661, 1_169_828),
    both("grass-vertex", "no type", 133_503, 574_942),
    both("grass-face", "cases", 1_065_442, 7_799_267),
    both("grass-face", "agree", 1_064_757, 7_797_867),
    both("grass-face", "absent", 532, 674),
    both("grass-box", "exceptions", 0, 0),
];
