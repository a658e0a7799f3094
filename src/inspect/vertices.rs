//! The vertices of a mesh as a table: every member of every stream, decoded, with positions as posed.
//!
//! A pivot stands there three times: its raw bytes, read as half floats and read as scaled shorts. Which reading the game
//! uses is not settled, so neither column is called the value. Both go where a position goes.

use std::io::{self, Write};

use glam::DVec3;
use half::f16;

use crate::formats::flver::hierarchy::Hierarchy;
use crate::formats::flver::{Decoded, Member, Model, Stream};
use crate::pose::{MeshVertices, PoseVertex, Rule, Worlds};

/// The numbers of a field.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
    U16(Vec<u16>),
    U8(Vec<u8>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::U16(v) => v.len(),
            Self::U8(v) => v.len(),
        }
    }

    /// Its type as NumPy writes it.
    fn dtype(&self) -> &'static str {
        match self {
            Self::F32(_) => "<f4",
            Self::F64(_) => "<f8",
            Self::U16(_) => "<u2",
            Self::U8(_) => "|u1",
        }
    }

    /// Every number as text; a NaN is `NaN`, a negative zero `-0`.
    fn texts(&self) -> Vec<String> {
        match self {
            Self::F32(v) => v.iter().map(ToString::to_string).collect(),
            Self::F64(v) => v.iter().map(ToString::to_string).collect(),
            Self::U16(v) => v.iter().map(ToString::to_string).collect(),
            Self::U8(v) => v.iter().map(ToString::to_string).collect(),
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::F32(v) => v.iter().try_for_each(|n| out.write_all(&n.to_le_bytes())),
            Self::F64(v) => v.iter().try_for_each(|n| out.write_all(&n.to_le_bytes())),
            Self::U16(v) => v.iter().try_for_each(|n| out.write_all(&n.to_le_bytes())),
            Self::U8(v) => out.write_all(v),
        }
    }
}

/// A field of a vertex.
type Field = (String, Values);

/// The vertices of one mesh.
pub struct VertexTable<'m> {
    streams: Vec<Stream<'m>>,
    posing: MeshVertices<'m>,
    worlds: Worlds,
    /// Vertices: of the longest stream.
    len: usize,
}

impl<'m> VertexTable<'m> {
    /// The table of a mesh; `None` past the meshes.
    pub fn of(model: &'m Model, mesh: usize) -> Option<Self> {
        let posing = MeshVertices::of(model, mesh)?;
        let worlds = Worlds::of(&model.nodes, &Hierarchy::of(&model.nodes));
        let streams = model.streams(mesh);
        let len = streams.iter().map(Stream::len).max().unwrap_or_default();
        Some(Self { streams, posing, worlds, len })
    }

    /// Vertices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn fields(&self, i: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        let pose = self.posing.get(i);
        let posed = pose.and_then(|vertex| vertex.posed(&self.worlds, Rule::Full));
        fields.push(("posed".to_owned(), Values::F64(posed.unwrap_or(DVec3::NAN).to_array().to_vec())));
        for stream in &self.streams {
            let start = i.saturating_mul(stream.stride());
            let vertex = stream.bytes.get(start..start.saturating_add(stream.stride()));
            // A stream shorter than another has vertices of zeros, so that the table stays one.
            let zeros = vec![0; stream.stride()];
            let vertex = vertex.unwrap_or(&zeros);
            for member in stream.layout.members.iter().filter(|member| member.size > 0) {
                let name = format!("slot{}_{}{}", stream.record.slot, member.semantic, member.index);
                self.member(&name, stream, member, vertex, pose, &mut fields);
            }
        }
        unique(&mut fields);
        fields
    }

    fn member(
        &self,
        name: &str,
        stream: &Stream<'_>,
        member: &Member,
        vertex: &[u8],
        pose: Option<PoseVertex>,
        fields: &mut Vec<Field>,
    ) {
        let mut add = |end: &str, values: Values| fields.push((format!("{name}{end}"), values));
        let raw = member.bytes(vertex);
        let decoded = member.decode(vertex, stream.endian(), stream.version());
        if member.is_pivot() {
            add("_pivot_raw", Values::U8(raw.to_vec()));
            let half = |i: usize| {
                let raw =
                    raw.get(2 * i..2 * i + 2).and_then(|raw| raw.first_chunk()).copied().unwrap_or_default();
                let big = stream.endian() == binrw::Endian::Big;
                if big { f16::from_be_bytes(raw) } else { f16::from_le_bytes(raw) }.to_f32()
            };
            let halves = [half(0), half(1), half(2), half(3)];
            add("_pivot_as_half", Values::F32(halves.to_vec()));
            add("_pivot_as_half_posed", self.carried(pose, halves));
            if let Decoded::Uv(scaled, _) = decoded {
                add("_pivot_as_scaled_short", Values::F32(scaled.to_vec()));
                add("_pivot_as_scaled_short_posed", self.carried(pose, scaled));
            }
            return;
        }
        match decoded {
            Decoded::Position(p) => add("", Values::F32(p.to_vec())),
            Decoded::Weights(w) => add("", Values::F32(w.to_vec())),
            Decoded::Indices(indices, count) => {
                add("", Values::U16(indices.into_iter().take(count).collect()))
            }
            Decoded::Direction(d, None) => add("", Values::F32(d.to_vec())),
            Decoded::Direction([x, y, z], Some(w)) => add("", Values::F32(vec![x, y, z, w])),
            Decoded::Uv(uv, count) => add("", Values::F32(uv.into_iter().take(count).collect())),
            Decoded::Colour(c) => add("", Values::F32(c.to_vec())),
            Decoded::Bytes => add("_bytes", Values::U8(raw.to_vec())),
        }
    }

    /// A pivot where its vertex's node takes it.
    fn carried(&self, pose: Option<PoseVertex>, pivot: [f32; 4]) -> Values {
        let [x, y, z, _] = pivot.map(f64::from);
        let point = pose.and_then(|pose| pose.carry(DVec3::new(x, y, z), &self.worlds, Rule::Full));
        Values::F64(point.unwrap_or(DVec3::NAN).to_array().to_vec())
    }

    /// Writes the table as CSV: a column a number, named `slot0_position0.x` or, beyond four, `.0`, `.1`.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        let component = |len: usize, i: usize| match (len, i) {
            (..=4, 0) => "x".to_owned(),
            (..=4, 1) => "y".to_owned(),
            (..=4, 2) => "z".to_owned(),
            (..=4, 3) => "w".to_owned(),
            (_, i) => i.to_string(),
        };
        let mut header = vec!["vertex".to_owned()];
        for (name, values) in self.fields(0) {
            header.extend((0..values.len()).map(|i| format!("{name}.{}", component(values.len(), i))));
        }
        writer.write_record(&header)?;
        for i in 0..self.len {
            let numbers = self.fields(i).into_iter().flat_map(|(_, values)| values.texts());
            writer.write_record(std::iter::once(i.to_string()).chain(numbers))?;
        }
        writer.flush()
    }

    /// Writes the table as a structured NumPy array (format 1.0). Numbers go by bit for bit: a NaN keeps its payload.
    pub fn write_npy(&self, out: &mut dyn Write) -> io::Result<()> {
        let fields: Vec<String> = self
            .fields(0)
            .iter()
            .map(|(name, values)| format!("('{name}', '{}', ({},))", values.dtype(), values.len()))
            .collect();
        let mut header = format!(
            "{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}",
            fields.join(", "),
            self.len
        );
        // Magic, version and length take ten bytes; the data begins on 64.
        let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
        header.push_str(&" ".repeat(padded - header.len() - 1));
        header.push('\n');
        let len =
            u16::try_from(header.len()).map_err(|_| io::Error::other("too many fields for a .npy header"))?;
        out.write_all(b"\x93NUMPY\x01\x00")?;
        out.write_all(&len.to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        for i in 0..self.len {
            self.fields(i).iter().try_for_each(|(_, values)| values.write(out))?;
        }
        Ok(())
    }
}

/// Layouts may repeat a semantic and its index: the later ones get a number of their own.
fn unique(fields: &mut [Field]) {
    for i in 1..fields.len() {
        let (before, rest) = fields.split_at_mut(i);
        let Some((name, _)) = rest.first_mut() else { continue };
        let same = before.iter().filter(|(other, _)| other == name).count();
        if same > 0 {
            *name = format!("{name}_again{i}");
        }
    }
}
