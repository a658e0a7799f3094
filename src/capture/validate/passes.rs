//! Passes and their attachments.

use std::collections::HashSet;

use super::tables::{initial, outcome};
use super::{At, Checked};
use crate::abi::{DxgiFormat, PassId};
use crate::capture::blob::Length;
use crate::capture::error::Fault;
use crate::capture::manifest::{DepthEntry, PassEntry, TargetEntry};

/// Pixels of an image's side, as Direct3D 11 and 12 have it.
pub(crate) const SIDE_MOST: u32 = 16_384;
/// Colour attachments, as Direct3D has it.
const TARGETS_MOST: usize = 8;
/// Direct3D's bounds of a viewport's edges (`D3D11_VIEWPORT_BOUNDS_MIN` and `_MAX`).
const VIEWPORT: std::ops::RangeInclusive<f32> = -32_768.0..=32_767.0;
/// Bytes of the largest texel DXGI has.
const TEXEL_MOST: u64 = 16;

pub(super) fn check<'a>(
    at: &At<'_>,
    passes: &'a [PassEntry],
    checked: &mut Checked<'a>,
) -> Result<(), Fault> {
    for (index, pass) in passes.iter().enumerate() {
        if checked.passes.insert(&pass.id, pass).is_some() {
            let at = at.index(index);
            return Err(at.key("id").fault(format!("`{}` again", pass.id), "an id unique in the frame"));
        }
    }
    for (index, pass) in passes.iter().enumerate() {
        let at = &at.index(index);
        for (key, side) in [("width", pass.width), ("height", pass.height)] {
            let right = (1..=SIDE_MOST).contains(&side);
            at.key(key).expect(right, || format!("{side} pixels"), "1 to 16384 pixels")?;
        }
        viewport(&at.key("viewport"), pass.viewport)?;
        let right = pass.targets.len() <= TARGETS_MOST;
        at.key("targets").expect(right, || format!("{} targets", pass.targets.len()), "at most 8")?;
        let mut names = HashSet::new();
        for (index, entry) in pass.targets.iter().enumerate() {
            let at = &at.item("targets", index);
            let right = names.insert(entry.name.as_str());
            at.key("name").expect(
                right,
                || format!("`{}` again", entry.name),
                "a name unique in the pass",
            )?;
            target(at, pass, entry, checked)?;
        }
        if let Some(entry) = &pass.depth {
            depth(&at.key("depth"), pass, entry, checked)?;
        }
    }
    Ok(())
}

fn viewport(at: &At<'_>, viewport: [f32; 6]) -> Result<(), Fault> {
    let [x, y, width, height, least, greatest] = viewport;
    let found = || format!("{viewport:?}");
    at.expect(viewport.iter().all(|n| n.is_finite()), found, "finite numbers")?;
    let edges = [x, y, x + width, y + height].iter().all(|edge| VIEWPORT.contains(edge));
    let right = edges && width >= 0.0 && height >= 0.0;
    at.expect(right, found, "an area of no negative size within -32768 to 32767")?;
    let right = [least, greatest].iter().all(|depth| (0.0..=1.0).contains(depth));
    at.expect(right, found, "depths within 0 to 1")
}

/// Bytes of an image, as far as its format is known here.
fn image(pass: &PassEntry, format: DxgiFormat) -> Length {
    let pixels = u64::from(pass.width) * u64::from(pass.height);
    let why = format!("{} by {} texels of {}", pass.width, pass.height, format.name());
    match format.executable() {
        Some(format) => Length::Exactly { bytes: pixels * format.size() as u64, why },
        None => Length::AtMost { bytes: pixels * TEXEL_MOST, why },
    }
}

fn target(
    at: &At<'_>,
    pass: &PassEntry,
    entry: &TargetEntry,
    checked: &mut Checked<'_>,
) -> Result<(), Fault> {
    let finite = entry.clear.is_none_or(|clear| clear.iter().all(|c| c.is_finite()));
    at.key("clear").expect(finite, || format!("{:?}", entry.clear), "finite numbers")?;
    if let Some(content) = &entry.initial {
        initial(&at.key("initial"), content)?;
        checked.uses(&at.key("initial"), content.blob, image(pass, entry.format));
    }
    if let Some(content) = &entry.recorded {
        outcome(&at.key("recorded"), content.taken)?;
        checked.uses(&at.key("recorded"), content.blob, image(pass, entry.format));
    }
    Ok(())
}

fn depth(at: &At<'_>, pass: &PassEntry, entry: &DepthEntry, checked: &mut Checked<'_>) -> Result<(), Fault> {
    let right = entry.clear.is_none_or(|clear| (0.0..=1.0).contains(&clear));
    at.key("clear").expect(
        right,
        || format!("{:?}", entry.clear.unwrap_or_default()),
        "a depth within 0 to 1",
    )?;
    let format = match &entry.shared_with {
        Some(owner) => shared(at, pass, entry, owner, checked)?,
        None => entry.format.ok_or_else(|| at.fault("neither `format` nor `shared_with`", "one of them"))?,
    };
    if let Some(content) = &entry.initial {
        initial(&at.key("initial"), content)?;
        checked.uses(&at.key("initial"), content.blob, image(pass, format));
    }
    if let Some(content) = &entry.recorded {
        outcome(&at.key("recorded"), content.taken)?;
        checked.uses(&at.key("recorded"), content.blob, image(pass, format));
    }
    Ok(())
}

/// The format of a depth buffer that another pass has. That pass must have it itself, so that there are neither
/// chains nor circles.
fn shared(
    at: &At<'_>,
    pass: &PassEntry,
    entry: &DepthEntry,
    owner: &PassId,
    checked: &Checked<'_>,
) -> Result<DxgiFormat, Fault> {
    let place = &at.key("shared_with");
    let named = || format!("`{owner}`");
    let Some(owner) = checked.passes.get(owner) else {
        return Err(place.fault(named(), "the id of a pass of this frame"));
    };
    place.expect(owner.id != pass.id, named, "another pass")?;
    let own = owner.depth.as_ref().filter(|depth| depth.shared_with.is_none());
    let Some(format) = own.and_then(|depth| depth.format) else {
        return Err(place.fault(named(), "a pass with a depth buffer of its own"));
    };
    let size = |pass: &PassEntry| format!("{} by {} pixels", pass.width, pass.height);
    let right = (owner.width, owner.height) == (pass.width, pass.height);
    place.expect(
        right,
        || format!("`{}` of {}", owner.id, size(owner)),
        &format!("a pass of {}", size(pass)),
    )?;
    let right = entry.format.is_none_or(|own| own == format);
    at.key("format").expect(
        right,
        || entry.format.map_or("none", DxgiFormat::name).to_owned(),
        &format!("{}, that of `{}`", format.name(), owner.id),
    )?;
    Ok(format)
}
