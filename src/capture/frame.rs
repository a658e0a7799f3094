//! A loaded frame, parted in two: what a replay may know, and what was recorded of its outcome.
//!
//! Planning and execution are handed a [`Frame`], which holds no dump, so that no executor can see the answer. The
//! [`Dumps`] go to the comparison alone.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use bytes::Bytes;

use super::manifest::{
    BlobHash, BufferEntry, Command, Draw, FrameFile, ListEntry, PassEntry, PostVsRecord, ProgramEntry, Taken,
};
use crate::abi::{BufferId, EventId, ListId, PassId, ProgramId};

/// A frame without its dumps, with every blob its commands name.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The frame's folder name.
    pub name: String,
    file: FrameFile,
    blobs: BTreeMap<BlobHash, Bytes>,
    places: Places,
}

/// Where the tables hold what: frames have tens of thousands of draws, each with several look-ups. Nothing iterates
/// over these maps, so that their order reaches no output.
#[derive(Clone, Debug)]
struct Places {
    buffers: HashMap<BufferId, usize>,
    programs: HashMap<ProgramId, usize>,
    passes: HashMap<PassId, usize>,
    lists: HashMap<ListId, usize>,
}

impl Places {
    fn of(file: &FrameFile) -> Self {
        fn by_id<K: Eq + Hash>(ids: impl Iterator<Item = K>) -> HashMap<K, usize> {
            ids.enumerate().map(|(place, id)| (id, place)).collect()
        }
        Self {
            buffers: by_id(file.buffers.iter().map(|b| b.id)),
            programs: by_id(file.programs.iter().map(|p| p.id)),
            passes: by_id(file.passes.iter().map(|p| p.id.clone())),
            lists: by_id(file.lists.iter().map(|l| l.id)),
        }
    }
}

impl Frame {
    /// The tables and lists. No `recorded` and no `final` is left in them.
    pub fn file(&self) -> &FrameFile {
        &self.file
    }

    /// The bytes of a blob that the frame's tables or commands name. Reading a frame checks that all are there, so
    /// that an absent one is a fault of this program; it reads as empty.
    pub fn blob(&self, hash: &BlobHash) -> Bytes {
        debug_assert!(self.blobs.contains_key(hash), "blob {hash} was not loaded with its frame");
        self.blobs.get(hash).cloned().unwrap_or_default()
    }

    /// The buffer of that id.
    pub fn buffer(&self, id: BufferId) -> Option<&BufferEntry> {
        self.file.buffers.get(*self.places.buffers.get(&id)?)
    }

    /// The program of that id.
    pub fn program(&self, id: ProgramId) -> Option<&ProgramEntry> {
        self.file.programs.get(*self.places.programs.get(&id)?)
    }

    /// The pass of that id.
    pub fn pass(&self, id: &PassId) -> Option<&PassEntry> {
        self.file.passes.get(*self.places.passes.get(id)?)
    }

    /// The list of that id.
    pub fn list(&self, id: ListId) -> Option<&ListEntry> {
        self.file.lists.get(*self.places.lists.get(&id)?)
    }

    /// Every recorded draw command with its list, in recorded order.
    pub fn draws(&self) -> impl Iterator<Item = (&ListEntry, &Draw)> {
        self.file.lists.iter().flat_map(|list| {
            list.commands.iter().filter_map(move |command| match command {
                Command::Draw(draw) => Some((list, draw.as_ref())),
                _ => None,
            })
        })
    }
}

/// Recorded bytes and when they were taken.
#[derive(Clone, Debug)]
pub struct Dump {
    /// The bytes.
    pub bytes: Bytes,
    /// When the recorder copied them; `late` ones are compared with nothing.
    pub taken: Taken,
}

/// Recorded outputs of a draw's vertex stage.
#[derive(Clone, Debug)]
pub struct PostVsDump {
    /// Order and layout.
    pub record: PostVsRecord,
    /// The bytes.
    pub bytes: Bytes,
}

/// What was recorded of a frame's outcome.
#[derive(Clone, Debug, Default)]
pub struct Dumps {
    /// By draw command; it holds for each execution of the draw.
    pub post_vs: BTreeMap<EventId, PostVsDump>,
    /// By pass and place among its targets.
    pub targets: BTreeMap<(PassId, usize), Dump>,
    /// By pass.
    pub depths: BTreeMap<PassId, Dump>,
    /// By buffer.
    pub finals: BTreeMap<BufferId, Dump>,
}

/// A frame as read and checked.
#[derive(Clone, Debug)]
pub struct LoadedFrame {
    /// For planning and execution.
    pub frame: Frame,
    /// For the comparison.
    pub dumps: Dumps,
}

impl LoadedFrame {
    /// Parts a checked frame file. `blobs` holds every blob the file names.
    pub fn part(name: String, mut file: FrameFile, mut blobs: BTreeMap<BlobHash, Bytes>) -> Self {
        let mut dumps = Dumps::default();
        let bytes = |hash: &BlobHash| blobs.get(hash).cloned().unwrap_or_default();
        for buffer in &mut file.buffers {
            if let Some(content) = buffer.final_.take() {
                dumps.finals.insert(buffer.id, Dump { bytes: bytes(&content.blob), taken: content.taken });
            }
        }
        for pass in &mut file.passes {
            for (index, target) in pass.targets.iter_mut().enumerate() {
                if let Some(content) = target.recorded.take() {
                    let dump = Dump { bytes: bytes(&content.blob), taken: content.taken };
                    dumps.targets.insert((pass.id.clone(), index), dump);
                }
            }
            if let Some(content) = pass.depth.as_mut().and_then(|d| d.recorded.take()) {
                let dump = Dump { bytes: bytes(&content.blob), taken: content.taken };
                dumps.depths.insert(pass.id.clone(), dump);
            }
        }
        for command in file.lists.iter_mut().flat_map(|l| &mut l.commands) {
            let Command::Draw(draw) = command else { continue };
            if let Some(record) = draw.recorded.take().and_then(|r| r.post_vs) {
                let bytes = bytes(&record.blob);
                dumps.post_vs.insert(draw.event, PostVsDump { record, bytes });
            }
        }
        let inputs = named_blobs(&file);
        blobs.retain(|hash, _| inputs.contains_key(hash));
        let places = Places::of(&file);
        Self { frame: Frame { name, file, blobs, places }, dumps }
    }
}

/// Every blob a frame file names, with the number of times.
pub fn named_blobs(file: &FrameFile) -> BTreeMap<BlobHash, usize> {
    let mut named = BTreeMap::new();
    let mut name = |hash: BlobHash| *named.entry(hash).or_insert(0) += 1;
    for buffer in &file.buffers {
        buffer.initial.iter().chain(&buffer.final_).for_each(|c| name(c.blob));
    }
    file.programs.iter().filter_map(|p| p.code).for_each(&mut name);
    for pass in &file.passes {
        for target in &pass.targets {
            target.initial.iter().chain(&target.recorded).for_each(|c| name(c.blob));
        }
        if let Some(depth) = &pass.depth {
            depth.initial.iter().chain(&depth.recorded).for_each(|c| name(c.blob));
        }
    }
    for command in file.lists.iter().flat_map(|l| &l.commands) {
        match command {
            Command::MapDiscard(c) => name(c.blob),
            Command::Write(c) => name(c.blob),
            Command::Observe(c) => name(c.blob),
            Command::Draw(c) => {
                c.recorded.iter().flat_map(|r| &r.post_vs).for_each(|r| name(r.blob));
            }
            Command::Copy(_) | Command::Execute(_) | Command::Opaque(_) => {}
        }
    }
    named
}
