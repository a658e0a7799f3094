//! What places are called, in the words of whoever reads a frame.

use std::fmt;

use crate::abi::{BufferId, EventId, PassId};

/// A component of a vertex's output.
#[derive(Clone, Debug)]
pub struct VertexPlace<'a> {
    /// The frame.
    pub frame: &'a str,
    /// The draw.
    pub event: EventId,
    /// Its pass.
    pub pass: &'a PassId,
    /// Its mesh, where recorded.
    pub mesh: Option<String>,
    /// Which execution of its list; 0 for the first.
    pub execution: u32,
    /// The place in draw order, where records stand for indices.
    pub index: Option<usize>,
    /// The instance, where there are several.
    pub instance: Option<u32>,
    /// The vertex number, after `base_vertex`.
    pub vertex: i64,
    /// The output.
    pub field: &'a str,
    /// The component.
    pub component: usize,
}

impl fmt::Display for VertexPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} event {} ({}", self.frame, self.event, self.pass)?;
        if let Some(mesh) = &self.mesh {
            write!(f, ", {mesh}")?;
        }
        if self.execution > 0 {
            write!(f, ", execution {}", self.execution + 1)?;
        }
        f.write_str(")")?;
        if let Some(index) = self.index {
            write!(f, " index {index}")?;
        }
        if let Some(instance) = self.instance {
            write!(f, " instance {instance}")?;
        }
        write!(f, " vertex {} {}.{}", self.vertex, self.field, component("xyzw", self.component))
    }
}

/// A channel of a pixel.
#[derive(Clone, Debug)]
pub struct PixelPlace<'a> {
    /// The frame.
    pub frame: &'a str,
    /// The pass.
    pub pass: &'a PassId,
    /// The attachment.
    pub name: &'a str,
    /// Column, from the left.
    pub x: usize,
    /// Row, from the top.
    pub y: usize,
    /// The channel; `None` where there is only one.
    pub channel: Option<usize>,
}

impl fmt::Display for PixelPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} {} {} x {} y {}", self.frame, self.pass, self.name, self.x, self.y)?;
        self.channel.map_or(Ok(()), |channel| write!(f, " {}", component("rgba", channel)))
    }
}

/// An element of a buffer.
#[derive(Clone, Debug)]
pub struct BufferPlace<'a> {
    /// The frame.
    pub frame: &'a str,
    /// The buffer.
    pub buffer: BufferId,
    /// Its name.
    pub name: &'a str,
    /// Byte offset.
    pub offset: u64,
    /// Number of the record of its layout.
    pub record: usize,
    /// Field of the record.
    pub field: &'a str,
    /// The component.
    pub component: usize,
}

impl fmt::Display for BufferPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "frame {} buffer {} \"{}\" byte {} (record {} {}.{})",
            self.frame,
            self.buffer,
            self.name,
            self.offset,
            self.record,
            self.field,
            component("xyzw", self.component)
        )
    }
}

fn component(letters: &str, index: usize) -> char {
    letters.chars().nth(index).unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_is_named_with_everything_that_finds_it_again() {
        let pass = PassId("motion_vector".into());
        let place = VertexPlace {
            frame: "0003",
            event: EventId(41),
            pass: &pass,
            mesh: Some("BD_M_9040/4".into()),
            execution: 1,
            index: Some(7),
            instance: Some(2),
            vertex: -3,
            field: "CURRENT_CLIP",
            component: 3,
        };
        assert_eq!(
            place.to_string(),
            "frame 0003 event 41 (motion_vector, BD_M_9040/4, execution 2) index 7 instance 2 vertex -3 CURRENT_CLIP.w"
        );
    }
}
