//! The stable text of a plan: what reviews and snapshots read.
//!
//! No address, no time, no device: equal plans give equal text. Bytes are named by the first 8 hex digits of their
//! SHA-256.

use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

pub use super::reach::word as unknown_word;
use super::{
    Binding, BoundRange, Command, Draw, ListInstance, Piece, PieceSource, Plan, Start, WriteKind, Writer,
};
use crate::capture::manifest::ListKind;

/// A plan, to be printed.
pub struct PlanText<'a>(pub &'a Plan);

impl fmt::Display for PlanText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.0;
        writeln!(f, "plan of frame {}", plan.frame)?;
        writeln!(f, "\nbuffers")?;
        for (id, buffer) in &plan.buffers {
            let usage = format!("{:?}", buffer.usage).to_lowercase();
            let versions = buffer.versions;
            writeln!(f, "  {id:>5} {usage:<8} {:>8} B  {versions:>3} v  {}", buffer.size, buffer.name)?;
        }
        writeln!(f, "\npasses")?;
        for pass in &plan.passes {
            writeln!(f, "  {} ({}) {} x {}", pass.id, pass.kind.name(), pass.width, pass.height)?;
            for target in &pass.targets {
                writeln!(f, "    {} {} {}", target.name, target.format.name(), start(&target.start))?;
            }
            if let Some(depth) = &pass.depth {
                let owner = &plan.passes[depth.owner.0].id;
                let shared = if *owner == pass.id { String::new() } else { format!(" of {owner}") };
                writeln!(f, "    depth{shared} {} {}", depth.format.name(), start(&depth.start))?;
            }
        }
        writeln!(f, "\ncommands")?;
        for command in &plan.commands {
            self.command(f, command)?;
        }
        Ok(())
    }
}

impl PlanText<'_> {
    fn command(&self, f: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
        match command {
            Command::Discard { buffer, version, writer, bytes } => {
                let by = self.writer(writer);
                writeln!(f, "  fill  {buffer} v{version} with {} B {} by {by}", bytes.len(), digest(bytes))
            }
            Command::Write { buffer, version, writer, offset, bytes } => {
                let (by, len) = (self.writer(writer), bytes.len());
                writeln!(f, "  write {buffer} v{version} at {offset}, {len} B {} by {by}", digest(bytes))
            }
            Command::Copy { event, src, src_offset, dst, version, dst_offset, size, .. } => writeln!(
                f,
                "  copy  {src} at {src_offset} -> {dst} v{version} at {dst_offset}, {size} B by event {event}"
            ),
            Command::BeginPass(pass) => writeln!(f, "  begin {}", self.0.passes[pass.0].id),
            Command::Draw(index) => self.draw(f, &self.0.draws[index.0]),
        }
    }

    fn draw(&self, f: &mut fmt::Formatter<'_>, draw: &Draw) -> fmt::Result {
        let list = instance_name(self.0.instance_of(draw));
        write!(f, "  draw  event {} in {list}, pass {}", draw.event, self.0.pass_of(draw).id)?;
        write!(f, ", {}", draw.program_name)?;
        if let Some(mesh) = &draw.mesh {
            write!(f, ", {mesh}")?;
        }
        writeln!(f)?;
        let base = if draw.base_vertex == 0 { String::new() } else { format!(" base {}", draw.base_vertex) };
        let what = if draw.indices.is_some() { "indices" } else { "vertices" };
        let instances = match (draw.instance_count, draw.first_instance) {
            (1, 0) => String::new(),
            (count, 0) => format!(", {count} instances"),
            (count, first) => format!(", {count} instances from {first}"),
        };
        writeln!(
            f,
            "          {:?}: {} {what} from {}{base}{instances}",
            draw.topology, draw.count, draw.first
        )?;
        if let Some(indices) = &draw.indices {
            writeln!(f, "          indices {:?} {}", indices.format, self.range(&indices.range))?;
        }
        for (slot, stream) in &draw.streams {
            writeln!(f, "          slot {slot} stride {} {}", stream.stride, self.range(&stream.range))?;
        }
        for (register, range) in &draw.buffers {
            writeln!(f, "          {register} {}", self.range(range))?;
        }
        match &draw.replay {
            Ok(binding) => writeln!(f, "          replayed by {}", stand_in(binding)),
            Err(why) => writeln!(f, "          not replayed: {why}"),
        }
    }

    fn range(&self, range: &BoundRange) -> String {
        let mut text = format!("{} v{} at {} size {}", range.buffer, range.version, range.offset, range.size);
        for piece in &range.pieces {
            let _ = write!(text, " [{}]", self.piece(piece));
        }
        text
    }

    fn piece(&self, piece: &Piece) -> String {
        match &piece.source {
            PieceSource::Known { bytes, writer, .. } => {
                format!("{} B {} by {}", piece.len, digest(bytes), self.writer(writer))
            }
            PieceSource::Unknown(why) => format!("{} B unknown: {}", piece.len, super::reach::word(*why)),
        }
    }

    fn writer(&self, writer: &Writer) -> String {
        writer_name(self.0, writer)
    }
}

/// Who wrote, for a reader: `initial contents`, `map_discard, event 12, list 3 "deform face"`.
pub fn writer_name(plan: &Plan, writer: &Writer) -> String {
    use crate::capture::manifest::Taken;
    match writer {
        Writer::Initial(Taken::Late) => "initial contents, taken late".into(),
        Writer::Initial(_) => "initial contents".into(),
        Writer::Command { event, instance, kind } => {
            let kind: &WriteKind = kind;
            format!("{}, event {event}, {}", kind.name(), instance_name(&plan.instances[instance.0]))
        }
    }
}

/// A list's execution, for a reader: `list 3 "deform face"`, the second time with `(execution 2)`.
pub fn instance_name(instance: &ListInstance) -> String {
    if instance.kind == ListKind::Immediate {
        return "the immediate list".into();
    }
    let name = instance.name.as_ref().map_or(String::new(), |name| format!(" \"{name}\""));
    let ordinal =
        if instance.ordinal == 0 { String::new() } else { format!(" (execution {})", instance.ordinal + 1) };
    format!("list {}{name}{ordinal}", instance.list)
}

fn stand_in(binding: &Binding) -> String {
    let mut text = binding.shader.clone();
    for input in &binding.inputs {
        let _ = write!(text, ", {} = slot {} + {}", input.need.semantic, input.slot, input.offset);
        let _ = write!(text, " {}", input.format.name());
    }
    for (name, register) in binding.buffers.iter().filter_map(|b| Some((&b.need.name, b.register?))) {
        let _ = write!(text, ", {name} = {register}");
    }
    text
}

fn start<T: fmt::Debug>(start: &Start<T>) -> String {
    match start {
        Start::Clear(value) => format!("cleared to {value:?}"),
        Start::Keep(Some(bytes)) => format!("kept, {}", digest(bytes)),
        Start::Keep(None) => "kept".into(),
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(4).map(|b| format!("{b:02x}")).collect()
}
