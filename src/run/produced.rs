//! `--dump DIR`: what was produced, as raw bytes and, for images, as PNG to look at.
//!
//! The folder appears when it is complete, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use super::RunError;
use crate::abi::NumberKind;
use crate::execute::{Image, Outputs};
use crate::plan::Plan;

/// A folder being filled.
pub(super) struct Produced {
    folder: tempfile::TempDir,
    dest: PathBuf,
}

impl Produced {
    /// Begins a folder that will appear at `dest`.
    ///
    /// # Errors
    /// `dest` exists and is not empty, or its parent cannot be written.
    pub(super) fn begin(dest: &Path) -> Result<Self, RunError> {
        let full = fs::read_dir(dest).is_ok_and(|mut entries| entries.next().is_some());
        if full || dest.is_file() {
            return Err(RunError::DumpExists(dest.to_owned()));
        }
        let parent = dest.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = fs::create_dir_all(parent)
            .and_then(|()| tempfile::Builder::new().prefix(".replay-dump-").tempdir_in(parent))
            .map_err(|source| RunError::Write { file: dest.to_owned(), source })?;
        Ok(Self { folder, dest: dest.to_owned() })
    }

    /// Adds a frame's products.
    ///
    /// # Errors
    /// The file system said no.
    pub(super) fn frame(&self, plan: &Plan, outputs: &Outputs) -> Result<(), RunError> {
        let frame = self.folder.path().join(&plan.frame);
        for (index, post_vs) in &outputs.post_vs {
            let draw = &plan.draws[index.0];
            let instance = plan.instance_of(draw);
            let execution =
                if instance.ordinal == 0 { String::new() } else { format!(".{}", instance.ordinal + 1) };
            let name = format!(
                "event_{}{execution}.from_{}.{}x{}x{}.f32",
                draw.event,
                post_vs.first_vertex,
                post_vs.instance_count,
                post_vs.vertex_count,
                post_vs.components
            );
            let bytes: Vec<u8> = post_vs.data.iter().flat_map(|v| v.to_le_bytes()).collect();
            write(&frame.join("post_vs").join(name), &bytes)?;
        }
        for (pass, output) in plan.passes.iter().zip(&outputs.passes) {
            let targets = pass.targets.iter().zip(&output.targets);
            let named = targets.filter_map(|(target, image)| Some((target.name.as_str(), image.as_ref()?)));
            for (name, image) in named.chain(output.depth.iter().map(|image| ("depth", image))) {
                let stem = format!("{}.{}", plain(&pass.id.0), plain(name));
                let raw = format!("{stem}.{}x{}.{}", image.width, image.height, image.format.name());
                write(&frame.join("passes").join(raw), &image.bytes)?;
                write(&frame.join("passes").join(format!("{stem}.png")), &png(image)?)?;
            }
        }
        for (id, bytes) in &outputs.buffers {
            write(&frame.join("buffers").join(format!("{id}.bin")), bytes)?;
        }
        Ok(())
    }

    /// Moves the folder to its place.
    ///
    /// # Errors
    /// The file system said no.
    pub(super) fn finish(self) -> Result<(), RunError> {
        // An empty folder may stand there; a rename replaces it on Unix, elsewhere it has to go first.
        let _ = fs::remove_dir(&self.dest);
        let from = self.folder.keep();
        fs::rename(&from, &self.dest).map_err(|source| RunError::Write { file: self.dest.clone(), source })
    }
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let parent = file.parent().unwrap_or(file);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(file, bytes))
        .map_err(|source| RunError::Write { file: file.to_owned(), source })
}

/// A name from a capture as a file name: whatever might lead elsewhere becomes `_`.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect()
}

/// An image to look at: signed channels around mid-grey, each channel's range stretched over its finite values;
/// non-finite values are magenta. The raw file beside it holds the numbers.
fn png(image: &Image) -> Result<Vec<u8>, RunError> {
    let components = image.format.components();
    let pixels: Vec<[f64; 4]> =
        image.bytes.chunks_exact(image.format.size()).map(|texel| image.format.decode(texel)).collect();
    let finite = pixels.iter().flat_map(|p| p.iter().take(components)).copied().filter(|v| v.is_finite());
    let (least, greatest) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), v| (l.min(v), g.max(v)));
    let signed = least < 0.0 || image.format.kind() == NumberKind::Snorm;
    let reach = least.abs().max(greatest.abs()).max(f64::MIN_POSITIVE);
    let (from, span) =
        if signed { (-reach, 2.0 * reach) } else { (least, (greatest - least).max(f64::MIN_POSITIVE)) };
    let shade = |v: f64| (((v - from) / span).clamp(0.0, 1.0) * 255.0).round() as u8;
    let mut rgb = Vec::with_capacity(pixels.len() * 3);
    for pixel in &pixels {
        let channels = &pixel[..components.min(3)];
        if channels.iter().any(|v| !v.is_finite()) {
            rgb.extend([255, 0, 255]);
        } else if components == 1 {
            rgb.extend([shade(pixel[0]); 3]);
        } else {
            let third = if components == 2 { 128 } else { shade(pixel[2]) };
            rgb.extend([shade(pixel[0]), shade(pixel[1]), third]);
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&rgb));
    written.map_err(|e| RunError::Png(e.to_string()))?;
    Ok(out)
}
