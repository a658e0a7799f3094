//! Opens the executor a run asks for, and says what its results prove.

use super::{DeviceChoice, Options, RunError};
use crate::capture::manifest::{CaptureFile, SourceKind};
use crate::execute::reference::Reference;
use crate::execute::vulkan::{self, DeviceDescription, Vulkan};
use crate::execute::{ExecuteError, Executor, ExecutorInfo, ExecutorKind, Outputs};
use crate::plan::Plan;
use crate::report::ExecutorReport;

/// How to get a Vulkan driver where there is none.
pub const INSTALL_HINT: &str = "sudo apt-get install -y mesa-vulkan-drivers";

/// An opened executor.
pub(super) struct Opened {
    engine: Engine,
    pub(super) info: ExecutorInfo,
    /// Why it is not the one a user would expect.
    notice: Option<String>,
}

enum Engine {
    Reference(Reference),
    Vulkan(Box<Vulkan>),
}

impl Executor for Opened {
    fn execute(&mut self, plan: &Plan) -> Result<Outputs, ExecuteError> {
        match &mut self.engine {
            Engine::Reference(reference) => reference.execute(plan),
            Engine::Vulkan(vulkan) => vulkan.execute(plan),
        }
    }
}

impl Opened {
    /// What the validation layer said, if it is on.
    pub(super) fn validation_messages(&self) -> Vec<String> {
        match &self.engine {
            Engine::Reference(_) => Vec::new(),
            Engine::Vulkan(vulkan) => vulkan.validation_messages(),
        }
    }
}

/// Opens the executor asked for.
///
/// # Errors
/// It is not there ([`RunError::NoDevice`]), or cannot be opened.
pub(super) fn open(options: &Options) -> Result<Opened, RunError> {
    match &options.device {
        DeviceChoice::Reference => Ok(reference(None)),
        DeviceChoice::Auto => match automatic() {
            Ok(device) => open_vulkan(&device, options.validation),
            Err(why) => Ok(reference(Some(format!(
                "{why}; replayed on the CPU reference executor instead. A driver: {INSTALL_HINT}"
            )))),
        },
        DeviceChoice::Index(index) => open_vulkan(&by_index(*index)?, options.validation),
        DeviceChoice::Name(name) => open_vulkan(&by_name(name)?, options.validation),
    }
}

fn reference(notice: Option<String>) -> Opened {
    let info = ExecutorInfo {
        kind: ExecutorKind::Reference,
        device: "CPU, float64".into(),
        driver: format!("replay {}", env!("CARGO_PKG_VERSION")),
    };
    Opened { engine: Engine::Reference(Reference::default()), info, notice }
}

fn open_vulkan(device: &DeviceDescription, validation: bool) -> Result<Opened, RunError> {
    if let Err(missing) = &device.usable {
        let (name, missing) = (&device.name, missing.join(", "));
        return Err(RunError::NoDevice(format!("the device {name} cannot replay: it lacks {missing}")));
    }
    let vulkan = Vulkan::open(device.index, validation)?;
    let info = vulkan.info();
    let notice = (validation && !vulkan.validation_active())
        .then(|| "the validation layer is not installed; nothing was validated".to_owned());
    Ok(Opened { engine: Engine::Vulkan(Box::new(vulkan)), info, notice })
}

/// The first device that can replay.
fn automatic() -> Result<DeviceDescription, String> {
    let devices = vulkan::devices().map_err(|e| e.to_string())?;
    let lacking = || {
        let each = devices
            .iter()
            .filter_map(|d| Some(format!("{} lacks {}", d.name, d.usable.as_ref().err()?.join(", "))));
        format!("no Vulkan device can replay ({})", each.collect::<Vec<_>>().join("; "))
    };
    devices.iter().find(|d| d.usable.is_ok()).cloned().ok_or_else(lacking)
}

fn by_index(index: usize) -> Result<DeviceDescription, RunError> {
    let devices = vulkan::devices().map_err(|e| RunError::NoDevice(format!("device {index}: {e}")))?;
    let count = devices.len();
    let found = devices.into_iter().find(|d| d.index == index);
    found.ok_or_else(|| {
        RunError::NoDevice(format!("device {index} is not there; `replay devices` lists {count}"))
    })
}

fn by_name(name: &str) -> Result<DeviceDescription, RunError> {
    let devices = vulkan::devices().map_err(|e| RunError::NoDevice(format!("device `{name}`: {e}")))?;
    let wanted = name.to_lowercase();
    let mut found = devices.into_iter().filter(|d| d.name.to_lowercase().contains(&wanted));
    match (found.next(), found.next()) {
        (Some(device), None) => Ok(device),
        (Some(a), Some(b)) => Err(RunError::NoDevice(format!(
            "`{name}` names several devices: {} and {}; use an index of `replay devices`",
            a.name, b.name
        ))),
        (None, _) => Err(RunError::NoDevice(format!("no Vulkan device's name contains `{name}`"))),
    }
}

/// The executor, for a report.
pub(super) fn executor_report(info: &ExecutorInfo) -> ExecutorReport {
    let kind = match info.kind {
        ExecutorKind::Reference => "reference",
        ExecutorKind::Vulkan => "vulkan",
    };
    ExecutorReport { kind: kind.into(), device: info.device.clone(), driver: info.driver.clone() }
}

/// How far a run can be trusted.
pub(super) fn notices(
    manifest: &CaptureFile,
    options: &Options,
    opened: &Opened,
    distinct: usize,
) -> Vec<String> {
    let mut notices: Vec<String> = opened.notice.iter().cloned().collect();
    let ours = manifest.source.kind == SourceKind::Synthetic
        && manifest.source.made_with.as_deref().is_some_and(|made| made.starts_with("replay synth "));
    if ours && opened.info.kind == ExecutorKind::Reference {
        notices.push(
            "this set was recorded by the reference executor, which also replayed it: a match proves determinism only"
                .into(),
        );
    }
    if !options.swaps.none() {
        let s = options.swaps;
        let named = [(s.streams, "streams"), (s.palettes, "palettes"), (s.views, "views")];
        let named: Vec<_> = named.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect();
        notices.push(format!("a hypothesis is tried: {} exchanged", named.join(", ")));
    }
    if options.narrowed() {
        notices.push("only a part of the set, or a hypothesis: expectations are reported, not judged".into());
    }
    if distinct > 1 {
        notices.push(format!("repeats gave {distinct} different results"));
    }
    notices.extend(opened.validation_messages().into_iter().map(|m| format!("validation: {m}")));
    notices
}
