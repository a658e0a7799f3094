//! A model: the file's bytes, its tables as records, and lists read where they are asked for.

use std::borrow::Cow;

use binrw::Endian;
use bytes::Bytes;

use super::dummy::Dummy;
use super::face_set::{FaceSet, Indices, triangles};
use super::header::{HEADER_SIZE, Header, Version};
use super::layout::{Layout, VertexSemantic};
use super::material::{GxItem, Material, Texture, gx_items};
use super::mesh::{Mesh, MeshBox};
use super::node::Node;
use super::skeleton::{SkeletonEntry, SkeletonSet};
use super::vertex_buffer::{LayoutRecord, MemberRecord, VertexBuffer};
use crate::formats::FormatError;
use crate::formats::table::{self, Record};

/// A FLVER2 model. Every offset its lists need has been checked; numbers that name other records may still be out of
/// range, and [`Model::problems`] tells.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) bytes: Bytes,
    pub(crate) endian: Endian,
    /// The header.
    pub header: Header,
    /// Dummies.
    pub dummies: Vec<Dummy>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Meshes.
    pub meshes: Vec<Mesh>,
    /// Face sets.
    pub face_sets: Vec<FaceSet>,
    /// Vertex buffers.
    pub buffers: Vec<VertexBuffer>,
    /// Buffer layouts, as stored; [`Model::layout`] gives their members.
    pub layouts: Vec<LayoutRecord>,
    members: Vec<Layout>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// The skeleton set, from version 0x2001A.
    pub skeletons: Option<SkeletonSet>,
}

/// One vertex buffer of a mesh.
#[derive(Clone, Debug)]
pub struct Stream<'m> {
    /// Its number in the file.
    pub buffer: usize,
    /// Its record.
    pub record: &'m VertexBuffer,
    /// Its layout.
    pub layout: &'m Layout,
    /// All its vertices.
    pub bytes: &'m [u8],
    pub(crate) endian: Endian,
    pub(crate) version: Version,
}

impl<'m> Stream<'m> {
    /// Bytes of a vertex, at least 1.
    pub fn stride(&self) -> usize {
        self.layout.size.max(1)
    }

    /// Its vertices.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = &'m [u8]> + use<'m> {
        self.bytes.chunks_exact(self.stride())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Byte order of its numbers.
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// The version, on which decoding depends.
    pub fn version(&self) -> Version {
        self.version
    }
}

/// A list of numbers in the file's bytes.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'m> {
    bytes: &'m [u8],
    endian: Endian,
}

impl<'m> Numbers<'m> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / 4
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number at a place.
    pub fn get(&self, i: usize) -> Option<i32> {
        (i < self.len()).then(|| table::i32_at(self.bytes, 4 * i, self.endian))
    }

    /// The numbers in order.
    pub fn iter(self) -> impl Iterator<Item = i32> + use<'m> {
        self.bytes.chunks_exact(4).map(move |raw| table::i32_at(raw, 0, self.endian))
    }
}

/// Which of the two skeleton lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkeletonKind {
    /// The base skeleton.
    Base,
    /// The one with control and ragdoll hierarchies.
    All,
}

impl Model {
    /// Reads a model. Edge-compressed parts, members of unknown types and anything past the end of the file are errors.
    pub fn read(bytes: impl Into<Bytes>) -> Result<Self, FormatError> {
        let bytes: Bytes = bytes.into();
        let (header, endian) = Header::read(&bytes)?;
        let version = header.version();
        let mut at = HEADER_SIZE as u64;
        let dummies = next(&bytes, &mut at, header.dummies, endian, "dummies")?;
        let materials = next(&bytes, &mut at, header.materials, endian, "materials")?;
        let nodes = next(&bytes, &mut at, header.nodes, endian, "nodes")?;
        let meshes = next(&bytes, &mut at, header.meshes, endian, "meshes")?;
        let count = table::count(header.face_sets, "face sets", at)?;
        let face_sets_at = at;
        let (face_sets, size) = FaceSet::read_table(&bytes, at, count, version, endian)?;
        at += size;
        let buffers_at = at;
        let buffers = next(&bytes, &mut at, header.vertex_buffers, endian, "vertex buffers")?;
        let layouts = next(&bytes, &mut at, header.layouts, endian, "buffer layouts")?;
        let textures = next(&bytes, &mut at, header.textures, endian, "textures")?;
        let skeletons = if version.has_skeletons() {
            let record = table::slice(&bytes, at, SkeletonSet::SIZE as u64, "the skeleton set")?;
            Some(table::one(record, at, endian, "the skeleton set")?)
        } else {
            None
        };
        let members = read_layouts(&bytes, &layouts, endian, header.is_speed_tree())?;
        let model = Self {
            bytes,
            endian,
            header,
            dummies,
            materials,
            nodes,
            meshes,
            face_sets,
            buffers,
            layouts,
            members,
            textures,
            skeletons,
        };
        model.check_face_sets(face_sets_at)?;
        model.check_buffers(buffers_at)?;
        model.check_lists()?;
        Ok(model)
    }

    fn check_face_sets(&self, table: u64) -> Result<(), FormatError> {
        let record = if self.version().long_face_sets() { FaceSet::SIZE } else { FaceSet::SIZE / 2 };
        for (index, set) in self.face_sets.iter().enumerate() {
            let offset = table + (index * record) as u64;
            let bits = set.bits(self.header.index_bits);
            if set.flags & FaceSet::EDGE != 0 || bits == 8 {
                return Err(FormatError::EdgeCompressed { what: format!("face set {index}"), offset });
            }
            if bits != 16 && bits != 32 {
                return Err(FormatError::IndexSize { index, offset, bits });
            }
            self.indices(index)?;
        }
        Ok(())
    }

    fn check_buffers(&self, table: u64) -> Result<(), FormatError> {
        for (buffer, record) in self.buffers.iter().enumerate() {
            let offset = table + (buffer * VertexBuffer::SIZE) as u64;
            if record.slot & VertexBuffer::EDGE != 0 {
                return Err(FormatError::EdgeCompressed { what: format!("vertex buffer {buffer}"), offset });
            }
            let layout = usize::try_from(record.layout).ok().and_then(|layout| self.layout(layout));
            let layout = layout.ok_or_else(|| FormatError::Reference {
                what: format!("vertex buffer {buffer}"),
                offset,
                target: "layout",
                index: record.layout.into(),
                count: self.layouts.len(),
            })?;
            let expected = layout.size as u64;
            if u64::try_from(record.vertex_size) != Ok(expected) {
                return Err(FormatError::VertexSize {
                    buffer,
                    offset,
                    layout: record.layout,
                    found: record.vertex_size,
                    expected,
                });
            }
            self.buffer_bytes(buffer, record)?;
        }
        Ok(())
    }

    fn check_lists(&self) -> Result<(), FormatError> {
        for mesh in 0..self.meshes.len() {
            self.palette(mesh)?;
            self.mesh_face_sets(mesh)?;
            self.mesh_buffers(mesh)?;
            self.mesh_box(mesh)?;
        }
        self.skeleton(SkeletonKind::Base)?;
        self.skeleton(SkeletonKind::All)?;
        Ok(())
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.header.version()
    }

    /// Byte order of everything after the signature.
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// Bytes of the file.
    pub fn file_len(&self) -> usize {
        self.bytes.len()
    }

    /// A zero-terminated string of the file: UTF-16 where the header says so; else Shift-JIS, of which the ASCII part is
    /// read and any other byte shown as `\xNN`.
    pub fn text(&self, offset: u32) -> Result<String, FormatError> {
        let end = FormatError::Text { offset: offset.into() };
        let from =
            usize::try_from(offset).ok().and_then(|o| self.bytes.get(o..)).ok_or_else(|| end.clone())?;
        if self.header.unicode != 0 {
            let units = from.chunks_exact(2).map(|raw| table::u16_at(raw, 0, self.endian));
            let len = units.clone().position(|unit| unit == 0).ok_or(end)?;
            Ok(char::decode_utf16(units.take(len))
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect())
        } else {
            let len = from.iter().position(|b| *b == 0).ok_or(end)?;
            let ascii =
                |b: &u8| if b.is_ascii() { char::from(*b).to_string() } else { format!("\\x{b:02x}") };
            Ok(from.get(..len).unwrap_or_default().iter().map(ascii).collect())
        }
    }

    /// A node's name, or a mark where the string has no end.
    pub fn node_name(&self, node: usize) -> Cow<'static, str> {
        match self.nodes.get(node).map(|node| self.text(node.name_offset)) {
            Some(Ok(name)) => Cow::Owned(name),
            _ => Cow::Borrowed("?"),
        }
    }

    /// A layout's members; `None` past the table.
    pub fn layout(&self, layout: usize) -> Option<&Layout> {
        self.members.get(layout)
    }

    /// The indices of a face set.
    pub fn indices(&self, face_set: usize) -> Result<Indices<'_>, FormatError> {
        let Some(set) = self.face_sets.get(face_set) else {
            return Ok(Indices { bytes: &[], wide: false, endian: self.endian });
        };
        let offset = u64::from(self.header.data_offset) + u64::from(set.index_offset);
        let what = format!("the indices of face set {face_set}");
        let wide = set.bits(self.header.index_bits) == 32;
        let len = table::count(set.index_count, &what, offset)? * if wide { 4 } else { 2 };
        Ok(Indices { bytes: table::slice(&self.bytes, offset, len, &what)?, wide, endian: self.endian })
    }

    /// The triangles of a face set of a mesh of `vertex_count` vertices.
    pub fn triangles(
        &self,
        face_set: usize,
        vertex_count: usize,
    ) -> Result<impl Iterator<Item = [u32; 3]> + '_, FormatError> {
        let strip = self.face_sets.get(face_set).is_some_and(|set| set.strip != 0);
        Ok(triangles(self.indices(face_set)?.iter(), strip, vertex_count))
    }

    fn buffer_bytes(&self, buffer: usize, record: &VertexBuffer) -> Result<&[u8], FormatError> {
        let offset = u64::from(self.header.data_offset) + u64::from(record.offset);
        let what = format!("the vertices of buffer {buffer}");
        let count = table::count(record.vertex_count, &what, offset)?;
        let size = table::count(record.vertex_size, &what, offset)?;
        table::slice(&self.bytes, offset, count * size, &what)
    }

    /// A vertex buffer with its layout and bytes; `None` past the table.
    pub fn stream(&self, buffer: usize) -> Option<Stream<'_>> {
        let record = self.buffers.get(buffer)?;
        let layout = self.layout(usize::try_from(record.layout).ok()?)?;
        let bytes = self.buffer_bytes(buffer, record).ok()?;
        Some(Stream { buffer, record, layout, bytes, endian: self.endian, version: self.version() })
    }

    /// The buffers of a mesh by the slot their records name; numbers past the table are left out.
    pub fn streams(&self, mesh: usize) -> Vec<Stream<'_>> {
        let Ok(numbers) = self.mesh_buffers(mesh) else { return Vec::new() };
        // A list may name a buffer again and again; a mesh has no more buffers than the file.
        let numbers = numbers.iter().filter_map(|n| usize::try_from(n).ok()).take(self.buffers.len());
        let mut streams: Vec<_> = numbers.filter_map(|buffer| self.stream(buffer)).collect();
        streams.sort_by_key(|stream| stream.record.slot);
        streams
    }

    /// Vertices of a mesh: those of its first buffer with positions, else of its first.
    pub fn vertex_count(&self, mesh: usize) -> usize {
        let streams = self.streams(mesh);
        let positions = streams.iter().find(|s| s.layout.member(VertexSemantic::Position).is_some());
        positions.or(streams.first()).map_or(0, Stream::len)
    }

    /// A mesh's palette: nodes that its vertices' indices go through. Empty where they name nodes directly (claim
    /// `palette-empty`).
    pub fn palette(&self, mesh: usize) -> Result<Numbers<'_>, FormatError> {
        let list = self.meshes.get(mesh).map(|m| (m.palette_count, m.palette_offset));
        self.numbers(list, || format!("the palette of mesh {mesh}"))
    }

    /// The numbers of a mesh's face sets.
    pub fn mesh_face_sets(&self, mesh: usize) -> Result<Numbers<'_>, FormatError> {
        let list = self.meshes.get(mesh).map(|m| (m.face_set_count, m.face_sets_offset));
        self.numbers(list, || format!("the face sets of mesh {mesh}"))
    }

    /// The numbers of a mesh's vertex buffers.
    pub fn mesh_buffers(&self, mesh: usize) -> Result<Numbers<'_>, FormatError> {
        let list = self.meshes.get(mesh).map(|m| (m.buffer_count, m.buffers_offset));
        self.numbers(list, || format!("the vertex buffers of mesh {mesh}"))
    }

    fn numbers(
        &self,
        list: Option<(i32, u32)>,
        what: impl Fn() -> String,
    ) -> Result<Numbers<'_>, FormatError> {
        let endian = self.endian;
        // With a count of 0 the offset points at unrelated bytes.
        let Some((count, offset)) = list.filter(|(count, _)| *count != 0) else {
            return Ok(Numbers { bytes: &[], endian });
        };
        let what = what();
        let len = table::count(count, &what, offset.into())? * 4;
        Ok(Numbers { bytes: table::slice(&self.bytes, offset.into(), len, &what)?, endian })
    }

    /// A mesh's box; `None` where it has none.
    pub fn mesh_box(&self, mesh: usize) -> Result<Option<MeshBox>, FormatError> {
        let Some(record) = self.meshes.get(mesh).filter(|mesh| mesh.box_offset != 0) else { return Ok(None) };
        let floats = self.version().box_floats();
        let what = format!("the box of mesh {mesh}");
        let raw = table::slice(&self.bytes, record.box_offset.into(), 4 * floats as u64, &what)?;
        let vector = |i: usize| [0, 1, 2].map(|k| table::f32_at(raw, 4 * (3 * i + k), self.endian));
        Ok(Some(if floats == 9 {
            MeshBox::Oriented { half: vector(0), angles: vector(1), centre: vector(2) }
        } else {
            MeshBox::Corners { min: vector(0), max: vector(1) }
        }))
    }

    /// The entries of one of the two skeletons; none below version 0x2001A.
    pub fn skeleton(&self, kind: SkeletonKind) -> Result<Vec<SkeletonEntry>, FormatError> {
        let Some(set) = &self.skeletons else { return Ok(Vec::new()) };
        let (count, offset, what) = match kind {
            SkeletonKind::Base => (set.base_count, set.base_offset, "the base skeleton"),
            SkeletonKind::All => (set.all_count, set.all_offset, "the skeleton of all"),
        };
        let count = table::count(count.into(), what, offset.into())?;
        table::read(&self.bytes, offset.into(), count, self.endian, what)
    }

    /// The items of a material's GX list; none where it has no list.
    pub fn gx_list(&self, material: usize) -> Result<Vec<GxItem>, FormatError> {
        match self.materials.get(material) {
            Some(material) if material.gx_offset != 0 => {
                Ok(gx_items(&self.bytes, material.gx_offset, self.version(), self.endian)?.0)
            }
            _ => Ok(Vec::new()),
        }
    }
}

fn next<T: Record>(
    bytes: &[u8],
    at: &mut u64,
    count: i32,
    endian: Endian,
    what: &str,
) -> Result<Vec<T>, FormatError> {
    let count = table::count(count, what, *at)?;
    let records = table::read(bytes, *at, count, endian, what)?;
    *at += count * T::SIZE as u64;
    Ok(records)
}

/// Reads the members of every layout. Layouts that share members are known from no file; a table of them that together
/// takes more bytes than there are is refused before it is read.
fn read_layouts(
    bytes: &[u8],
    records: &[LayoutRecord],
    endian: Endian,
    speed_tree: bool,
) -> Result<Vec<Layout>, FormatError> {
    let members: i64 = records.iter().map(|record| i64::from(record.member_count.max(0))).sum();
    if usize::try_from(members).is_ok_and(|members| members * MemberRecord::SIZE > bytes.len()) {
        return Err(FormatError::Count { what: "members of all layouts".into(), offset: 0, count: members });
    }
    records.iter().enumerate().map(|(i, record)| Layout::read(bytes, i, record, endian, speed_tree)).collect()
}
