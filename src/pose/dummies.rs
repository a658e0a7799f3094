//! Where dummies are: in their parent node's space (claim `dummy-place`).

use glam::{DAffine3, DVec3};

use super::worlds::{Rule, Worlds};
use crate::formats::flver::Model;
use crate::formats::flver::hierarchy::index;

/// A dummy in the model's space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedDummy {
    /// Position under the full product.
    pub full: DVec3,
    /// Position under the importer's rule, with the parent node's own scale on the point.
    pub importer: DVec3,
    /// Position under the importer's rule, without the parent node's own scale.
    pub importer_unscaled: DVec3,
    /// Forward under the full product, its length kept.
    pub forward: DVec3,
    /// Upward under the full product, its length kept.
    pub upward: DVec3,
}

/// Places every dummy; `None` where its parent is no node or has no world.
pub fn place_dummies(model: &Model, worlds: &Worlds) -> Vec<Option<PlacedDummy>> {
    let identity = DAffine3::IDENTITY;
    let place = |dummy: &crate::formats::flver::Dummy| {
        let (full, importer, unscaled) = match dummy.parent {
            -1 => (&identity, &identity, &identity),
            parent => {
                let node = index(parent)?;
                (
                    worlds.world(node, Rule::Full)?,
                    worlds.world(node, Rule::Importer)?,
                    worlds.importer_unscaled(node)?,
                )
            }
        };
        let vector = |v: [f32; 3]| DVec3::from(v.map(f64::from));
        Some(PlacedDummy {
            full: full.transform_point3(vector(dummy.position)),
            importer: importer.transform_point3(vector(dummy.position)),
            importer_unscaled: unscaled.transform_point3(vector(dummy.position)),
            forward: full.transform_vector3(vector(dummy.forward)),
            upward: full.transform_vector3(vector(dummy.upward)),
        })
    };
    model.dummies.iter().map(place).collect()
}
