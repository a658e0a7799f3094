//! The devices that can replay here, and what the others lack.

use serde::Serialize;

use super::json::pretty;
use super::number::wrap;
use super::style::{BAD, FAINT, GOOD, HEADING, NOTE, PLAIN, paint};
use super::table::{Cell, Table};

/// What there is to replay on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Devices {
    /// The reference executor's description.
    pub reference: String,
    /// Vulkan devices, by index.
    pub vulkan: Vec<Device>,
    /// Why Vulkan is not there at all.
    pub no_vulkan: Option<String>,
    /// The command that installs a driver, where no device can replay.
    pub install: Option<String>,
}

/// A Vulkan device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Device {
    /// What `--device` takes.
    pub index: usize,
    /// Name.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `cpu`, `other`.
    pub kind: String,
    /// Name and version.
    pub driver: String,
    /// Vulkan version.
    pub api: String,
    /// Whether it can replay.
    pub usable: bool,
    /// What it lacks.
    pub lacks: Vec<String>,
}

impl Devices {
    /// As text: a line a device, then what the unusable ones lack.
    pub fn text(&self) -> String {
        let mut table = Table::default();
        table.headings(&[
            ("--device", false),
            ("name", false),
            ("kind", false),
            ("Vulkan", false),
            ("driver", false),
        ]);
        // The first that can replay is what `auto` takes.
        let automatic = self.vulkan.iter().find(|d| d.usable).map(|d| d.index);
        for device in &self.vulkan {
            let style = if device.usable { PLAIN } else { FAINT };
            table.row(vec![
                Cell::left(device.index.to_string()).styled(if device.usable { GOOD } else { BAD }),
                Cell::left(&device.name).styled(style),
                Cell::left(&device.kind).styled(style),
                Cell::left(&device.api).styled(style),
                Cell::left(&device.driver).styled(style),
            ]);
        }
        table.row(vec![Cell::left("reference").styled(GOOD), Cell::left(&self.reference), Cell::left("cpu")]);
        let mut out = table.render(0);
        for device in self.vulkan.iter().filter(|d| !d.usable) {
            let text = format!(
                "{} {} cannot replay: it lacks {}",
                device.index,
                device.name,
                device.lacks.join(", ")
            );
            out += &format!("{}\n", wrap(&text, 0, 2));
        }
        if let Some(why) = &self.no_vulkan {
            out += &format!("{} {}\n", paint(NOTE, "note:"), wrap(why, 6, 6));
        }
        match automatic {
            Some(index) => out += &format!("{}\n", paint(FAINT, format!("auto is {index}"))),
            None => out += &format!("{}\n", paint(FAINT, "auto is reference")),
        }
        if let Some(install) = &self.install {
            out += &format!("a driver for any machine: {}\n", paint(HEADING, install));
        }
        out
    }

    /// As JSON.
    pub fn json(&self) -> String {
        pretty(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, lacks: &[&str]) -> Device {
        Device {
            index,
            name: format!("Device {index}"),
            kind: "cpu".into(),
            driver: "llvmpipe 25.0".into(),
            api: "1.4.305".into(),
            usable: lacks.is_empty(),
            lacks: lacks.iter().map(|l| (*l).to_owned()).collect(),
        }
    }

    fn devices(vulkan: Vec<Device>) -> Devices {
        Devices { reference: "float64 on the CPU".into(), vulkan, no_vulkan: None, install: None }
    }

    #[test]
    fn devices_say_what_they_lack() {
        let devices = devices(vec![device(0, &["dynamicRendering", "synchronization2"]), device(1, &[])]);
        let text = anstream::adapter::strip_str(&devices.text()).to_string();
        insta::assert_snapshot!(text, @"
        --device   name                kind  Vulkan   driver
        0          Device 0            cpu   1.4.305  llvmpipe 25.0
        1          Device 1            cpu   1.4.305  llvmpipe 25.0
        reference  float64 on the CPU  cpu
        0 Device 0 cannot replay: it lacks dynamicRendering, synchronization2
        auto is 1
        ");
    }

    #[test]
    fn without_a_driver_there_is_a_way_to_one() {
        let none = Devices {
            no_vulkan: Some("no Vulkan loader: libvulkan.so.1 is not there".into()),
            install: Some("sudo apt-get install -y mesa-vulkan-drivers".into()),
            ..devices(Vec::new())
        };
        let text = anstream::adapter::strip_str(&none.text()).to_string();
        assert!(text.contains("auto is reference\n"), "{text}");
        assert!(
            text.contains("a driver for any machine: sudo apt-get install -y mesa-vulkan-drivers\n"),
            "{text}"
        );
    }
}
