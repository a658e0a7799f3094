//! FLVER2 models, versions 0x20005 to 0x20021; Sekiro and Elden Ring are 0x2001A.
//!
//! One file per section of the format holds its record as stored; [`Model`] reads them all and gives access to the lists
//! they point at; `check` holds the rules a readable file may still break; `write` lays a model out again.

pub mod check;
mod decode;
pub mod dummy;
pub mod face_set;
pub mod header;
pub mod hierarchy;
pub mod layout;
pub mod material;
pub mod mesh;
mod model;
pub mod node;
pub mod skeleton;
pub mod vertex_buffer;
pub mod write;

pub use decode::Decoded;
pub use dummy::Dummy;
pub use face_set::FaceSet;
pub use header::{Header, Version};
pub use layout::{Layout, Member, VertexSemantic};
pub use material::{GxItem, Material, Texture};
pub use mesh::{Mesh, MeshBox};
pub use model::{Model, Numbers, SkeletonKind, Stream};
pub use node::{Node, NodeBounds};
pub use skeleton::{SkeletonEntry, SkeletonSet};
pub use vertex_buffer::VertexBuffer;
