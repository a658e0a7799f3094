//! Lays a model out as a file.
//!
//! In: [`Parts`], the records of a model with the lists and strings they point at; counts and offsets in the records are
//! not looked at and come from the layout. Out: bytes, in the order of the community's writers: tables, skeletons, layout
//! members, boxes, palettes, lists of face sets and of buffers, GX lists, strings, node names, and the data block mesh by
//! mesh, each block and each piece of data on 16 bytes. A file laid out so comes back byte for byte.

use std::collections::BTreeSet;

use binrw::Endian;

use super::dummy::Dummy;
use super::face_set::FaceSet;
use super::header::{HEADER_SIZE, Header, Version};
use super::material::{Material, Texture, gx_items};
use super::mesh::{Mesh, MeshBox};
use super::model::{Model, SkeletonKind};
use super::node::Node;
use super::skeleton::{SkeletonEntry, SkeletonSet};
use super::vertex_buffer::{LayoutRecord, MemberRecord, VertexBuffer};
use crate::formats::FormatError;
use crate::formats::table::{self, Record};

/// A material with what it points at.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialParts {
    /// The record.
    pub record: Material,
    /// Its name.
    pub name: String,
    /// The path of its definition.
    pub definition: String,
    /// Its GX list as bytes, terminator included; empty for none.
    pub gx: Vec<u8>,
}

/// A mesh with what it points at.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshParts {
    /// The record.
    pub record: Mesh,
    /// Its box.
    pub bounds: Option<MeshBox>,
    /// Its palette.
    pub palette: Vec<i32>,
    /// Its face sets.
    pub face_sets: Vec<i32>,
    /// Its vertex buffers.
    pub buffers: Vec<i32>,
}

/// A model to be laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The header, of which counts and data block come from the layout.
    pub header: Header,
    /// Byte order.
    pub endian: Endian,
    /// Dummies.
    pub dummies: Vec<Dummy>,
    /// Materials.
    pub materials: Vec<MaterialParts>,
    /// Nodes with their names.
    pub nodes: Vec<(Node, String)>,
    /// Meshes.
    pub meshes: Vec<MeshParts>,
    /// Face sets with the bytes of their indices.
    pub face_sets: Vec<(FaceSet, Vec<u8>)>,
    /// Vertex buffers with their vertices.
    pub buffers: Vec<(VertexBuffer, Vec<u8>)>,
    /// Buffer layouts.
    pub layouts: Vec<Vec<MemberRecord>>,
    /// Textures with their paths and samplers.
    pub textures: Vec<(Texture, String, String)>,
    /// Base skeleton and skeleton of all; written from version 0x2001A.
    pub skeletons: [Vec<SkeletonEntry>; 2],
    /// The skeleton set's last 20 bytes.
    pub skeleton_reserved: [u8; 20],
}

impl Model {
    /// Takes the model apart, so that it can be changed and laid out again.
    pub fn to_parts(&self) -> Result<Parts, FormatError> {
        let list = |numbers: super::model::Numbers<'_>| numbers.iter().collect();
        let gx = |material: &Material| {
            if material.gx_offset == 0 {
                return Ok(Vec::new());
            }
            let (_, len) = gx_items(&self.bytes, material.gx_offset, self.version(), self.endian())?;
            Ok(table::slice(&self.bytes, material.gx_offset.into(), len, "a GX list")?.to_vec())
        };
        let material = |record: &Material| {
            Ok(MaterialParts {
                record: record.clone(),
                name: self.text(record.name_offset)?,
                definition: self.text(record.definition_offset)?,
                gx: gx(record)?,
            })
        };
        let mesh = |(i, record): (usize, &Mesh)| {
            Ok(MeshParts {
                record: record.clone(),
                bounds: self.mesh_box(i)?,
                palette: list(self.palette(i)?),
                face_sets: list(self.mesh_face_sets(i)?),
                buffers: list(self.mesh_buffers(i)?),
            })
        };
        let buffer = |(i, record): (usize, &VertexBuffer)| {
            (record.clone(), self.stream(i).map(|stream| stream.bytes.to_vec()).unwrap_or_default())
        };
        let members = |record: &LayoutRecord| {
            let count = table::count(record.member_count, "a layout", record.members_offset.into())?;
            table::read(&self.bytes, record.members_offset.into(), count, self.endian(), "a layout")
        };
        let texture = |t: &Texture| Ok((t.clone(), self.text(t.path_offset)?, self.text(t.sampler_offset)?));
        Ok(Parts {
            header: self.header.clone(),
            endian: self.endian(),
            dummies: self.dummies.clone(),
            materials: self.materials.iter().map(material).collect::<Result<_, FormatError>>()?,
            nodes: self
                .nodes
                .iter()
                .map(|node| Ok((node.clone(), self.text(node.name_offset)?)))
                .collect::<Result<_, FormatError>>()?,
            meshes: self.meshes.iter().enumerate().map(mesh).collect::<Result<_, FormatError>>()?,
            face_sets: (0..self.face_sets.len())
                .zip(&self.face_sets)
                .map(|(i, set)| Ok((set.clone(), self.indices(i)?.bytes.to_vec())))
                .collect::<Result<_, FormatError>>()?,
            buffers: self.buffers.iter().enumerate().map(buffer).collect(),
            layouts: self.layouts.iter().map(members).collect::<Result<_, FormatError>>()?,
            textures: self.textures.iter().map(texture).collect::<Result<_, FormatError>>()?,
            skeletons: [self.skeleton(SkeletonKind::Base)?, self.skeleton(SkeletonKind::All)?],
            skeleton_reserved: self.skeletons.as_ref().map(|set| set.reserved).unwrap_or_default(),
        })
    }
}

/// The growing file.
struct Out {
    bytes: Vec<u8>,
    endian: Endian,
    unicode: bool,
}

impl Out {
    fn at(&self) -> u32 {
        self.bytes.len() as u32
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
    }

    fn numbers(&mut self, list: &[i32]) -> u32 {
        let at = self.at();
        for number in list {
            let raw = if self.endian == Endian::Big { number.to_be_bytes() } else { number.to_le_bytes() };
            self.bytes.extend_from_slice(&raw);
        }
        at
    }

    fn floats(&mut self, list: &[f32]) {
        for number in list {
            let raw = if self.endian == Endian::Big { number.to_be_bytes() } else { number.to_le_bytes() };
            self.bytes.extend_from_slice(&raw);
        }
    }

    fn text(&mut self, text: &str) -> u32 {
        let at = self.at();
        if self.unicode {
            for unit in text.encode_utf16().chain([0]) {
                let raw = if self.endian == Endian::Big { unit.to_be_bytes() } else { unit.to_le_bytes() };
                self.bytes.extend_from_slice(&raw);
            }
        } else {
            self.bytes.extend_from_slice(&encode_escaped(text));
            self.bytes.push(0);
        }
        at
    }
}

/// Takes the `\xNN` of [`Model::text`] back to their bytes.
fn encode_escaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let escaped = rest
            .strip_prefix("\\x")
            .and_then(|hex| u8::from_str_radix(hex.get(..2)?, 16).ok())
            .filter(|byte| !byte.is_ascii());
        match escaped {
            Some(byte) => {
                out.push(byte);
                rest = rest.get(4..).unwrap_or_default();
            }
            None => {
                out.extend_from_slice(first.to_string().as_bytes());
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

impl Parts {
    /// The version.
    pub fn version(&self) -> Version {
        self.header.version()
    }

    /// The file's bytes.
    pub fn write(&self) -> Vec<u8> {
        // The tables' sizes are known beforehand, so lists are laid out behind a hole and the tables put in last.
        let tables = self.tables_size();
        let unicode = self.header.unicode != 0;
        let mut out = Out { bytes: vec![0; tables], endian: self.endian, unicode };
        out.align();
        let mut laid = self.clone();
        laid.lay_lists(&mut out);
        out.align();
        let data = out.at();
        laid.lay_data(&mut out, data);
        laid.header.data_offset = data;
        laid.header.data_size = out.at() - data;
        laid.count();
        let written = laid.write_tables();
        if let Some(hole) = out.bytes.get_mut(..written.len()) {
            hole.copy_from_slice(&written);
        }
        out.bytes
    }

    fn tables_size(&self) -> usize {
        let face_set = if self.version().long_face_sets() { FaceSet::SIZE } else { FaceSet::SIZE / 2 };
        HEADER_SIZE
            + self.dummies.len() * Dummy::SIZE
            + self.materials.len() * Material::SIZE
            + self.nodes.len() * Node::SIZE
            + self.meshes.len() * Mesh::SIZE
            + self.face_sets.len() * face_set
            + self.buffers.len() * VertexBuffer::SIZE
            + self.layouts.len() * LayoutRecord::SIZE
            + self.textures.len() * Texture::SIZE
            + if self.version().has_skeletons() { SkeletonSet::SIZE } else { 0 }
    }

    fn count(&mut self) {
        self.header.dummies = self.dummies.len() as i32;
        self.header.materials = self.materials.len() as i32;
        self.header.nodes = self.nodes.len() as i32;
        self.header.meshes = self.meshes.len() as i32;
        self.header.vertex_buffers = self.buffers.len() as i32;
        self.header.face_sets = self.face_sets.len() as i32;
        self.header.layouts = self.layouts.len() as i32;
        self.header.textures = self.textures.len() as i32;
    }

    /// Everything between the tables and the data; layouts and skeletons are found again by [`Parts::write_tables`], which
    /// repeats their arithmetic.
    fn lay_lists(&mut self, out: &mut Out) {
        for entries in self.skeletons.iter().filter(|_| self.header.version().has_skeletons()) {
            table::write_all(&mut out.bytes, entries, out.endian);
        }
        out.align();
        self.layouts.iter().for_each(|members| table::write_all(&mut out.bytes, members, out.endian));
        out.align();
        for mesh in &mut self.meshes {
            mesh.record.box_offset = if mesh.bounds.is_some() { out.at() } else { 0 };
            match mesh.bounds {
                Some(MeshBox::Corners { min, max }) => out.floats(&[min, max].concat()),
                Some(MeshBox::Oriented { half, angles, centre }) => {
                    out.floats(&[half, angles, centre].concat());
                }
                None => {}
            }
        }
        out.align();
        for mesh in &mut self.meshes {
            mesh.record.palette_count = mesh.palette.len() as i32;
            mesh.record.palette_offset = out.numbers(&mesh.palette);
        }
        out.align();
        for mesh in &mut self.meshes {
            mesh.record.face_set_count = mesh.face_sets.len() as i32;
            mesh.record.face_sets_offset = out.numbers(&mesh.face_sets);
        }
        out.align();
        for mesh in &mut self.meshes {
            mesh.record.buffer_count = mesh.buffers.len() as i32;
            mesh.record.buffers_offset = out.numbers(&mesh.buffers);
        }
        out.align();
        for material in &mut self.materials {
            material.record.gx_offset = if material.gx.is_empty() { 0 } else { out.at() };
            out.bytes.extend_from_slice(&material.gx);
        }
        out.align();
        self.lay_strings(out);
    }

    fn lay_strings(&mut self, out: &mut Out) {
        let mut laid = BTreeSet::new();
        for material in &mut self.materials {
            material.record.name_offset = out.text(&material.name);
            material.record.definition_offset = out.text(&material.definition);
            let first = usize::try_from(material.record.first_texture).unwrap_or(usize::MAX);
            let count = usize::try_from(material.record.texture_count).unwrap_or_default();
            let own = self.textures.iter_mut().enumerate().skip(first).take(count);
            for (i, (record, path, sampler)) in own {
                if laid.insert(i) {
                    record.path_offset = out.text(path);
                    record.sampler_offset = out.text(sampler);
                }
            }
        }
        for (_, (record, path, sampler)) in
            self.textures.iter_mut().enumerate().filter(|(i, _)| !laid.contains(i))
        {
            record.path_offset = out.text(path);
            record.sampler_offset = out.text(sampler);
        }
        out.align();
        for (node, name) in &mut self.nodes {
            node.name_offset = out.text(name);
        }
    }

    /// The data block: each mesh's indices, then its vertices; what no mesh names comes last.
    fn lay_data(&mut self, out: &mut Out, data: u32) {
        let mut order: Vec<(bool, usize)> = Vec::new();
        for mesh in &self.meshes {
            order.extend(mesh.face_sets.iter().filter_map(|i| Some((false, usize::try_from(*i).ok()?))));
            order.extend(mesh.buffers.iter().filter_map(|i| Some((true, usize::try_from(*i).ok()?))));
        }
        order.extend((0..self.face_sets.len()).map(|i| (false, i)));
        order.extend((0..self.buffers.len()).map(|i| (true, i)));
        let mut laid = BTreeSet::new();
        for (is_buffer, i) in order.into_iter().filter(|piece| laid.insert(*piece)) {
            out.align();
            let at = out.at() - data;
            if is_buffer {
                let Some((record, bytes)) = self.buffers.get_mut(i) else { continue };
                record.offset = at;
                out.bytes.extend_from_slice(bytes);
            } else {
                let Some((record, bytes)) = self.face_sets.get_mut(i) else { continue };
                record.index_offset = at;
                out.bytes.extend_from_slice(bytes);
            }
        }
        out.align();
    }

    fn write_tables(&self) -> Vec<u8> {
        let (endian, mut to) = (self.endian, Vec::with_capacity(self.tables_size()));
        self.header.write(&mut to, endian);
        table::write_all(&mut to, &self.dummies, endian);
        self.materials.iter().for_each(|material| table::write(&mut to, &material.record, endian));
        self.nodes.iter().for_each(|(node, _)| table::write(&mut to, node, endian));
        self.meshes.iter().for_each(|mesh| table::write(&mut to, &mesh.record, endian));
        let face_sets: Vec<FaceSet> = self.face_sets.iter().map(|(set, _)| set.clone()).collect();
        FaceSet::write_table(&mut to, &face_sets, self.version(), endian);
        self.buffers.iter().for_each(|(buffer, _)| table::write(&mut to, buffer, endian));
        let mut at = self.tables_size().next_multiple_of(16);
        let mut skeletons = SkeletonSet {
            base_count: 0,
            all_count: 0,
            base_offset: 0,
            all_offset: 0,
            reserved: self.skeleton_reserved,
        };
        if self.version().has_skeletons() {
            let [base, all] = &self.skeletons;
            skeletons.base_count = base.len() as i16;
            skeletons.base_offset = at as u32;
            at += base.len() * SkeletonEntry::SIZE;
            skeletons.all_count = all.len() as i16;
            skeletons.all_offset = at as u32;
            at += all.len() * SkeletonEntry::SIZE;
        }
        at = at.next_multiple_of(16);
        for members in &self.layouts {
            let record = LayoutRecord {
                member_count: members.len() as i32,
                reserved: [0; 2],
                members_offset: at as u32,
            };
            table::write(&mut to, &record, endian);
            at += members.len() * MemberRecord::SIZE;
        }
        self.textures.iter().for_each(|(texture, ..)| table::write(&mut to, texture, endian));
        if self.version().has_skeletons() {
            table::write(&mut to, &skeletons, endian);
        }
        to
    }
}
