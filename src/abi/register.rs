//! Shader registers: what a program declares and a draw binds.

use std::fmt;

/// The register classes of HLSL that hold buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterClass {
    /// `b`: constant buffers.
    Constant,
    /// `t`: shader resources.
    Resource,
}

impl RegisterClass {
    /// The letter HLSL writes the class with.
    pub const fn letter(self) -> char {
        match self {
            Self::Constant => 'b',
            Self::Resource => 't',
        }
    }
}

/// A register such as `b5` or `t3, space1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// The class letter.
    pub class: RegisterClass,
    /// The number within its class and space.
    pub index: u32,
    /// The register space; 0 in Direct3D 11.
    pub space: u32,
}

impl Register {
    /// A constant-buffer register.
    pub const fn constant(index: u32, space: u32) -> Self {
        Self { class: RegisterClass::Constant, index, space }
    }

    /// A shader-resource register.
    pub const fn resource(index: u32, space: u32) -> Self {
        Self { class: RegisterClass::Resource, index, space }
    }

    /// Reads `b5` or `t3`, as the `constants` table of `capture.toml` writes them.
    pub fn parse(text: &str) -> Option<Self> {
        let (class, digits) = match text.split_at_checked(1)? {
            ("b", digits) => (RegisterClass::Constant, digits),
            ("t", digits) => (RegisterClass::Resource, digits),
            _ => return None,
        };
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?.map(|index| Self {
            class,
            index,
            space: 0,
        })
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.space == 0 { String::new() } else { format!(",space{}", self.space) };
        f.pad(&format!("{}{}{space}", self.class.letter(), self.index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_read_as_hlsl_writes_them() {
        assert_eq!(Register::parse("b5"), Some(Register::constant(5, 0)));
        assert_eq!(Register::parse("t20").map(|r| r.to_string()).as_deref(), Some("t20"));
        for bad in ["", "b", "u1", "b-1", "b+1", "5", "b99999999999"] {
            assert_eq!(Register::parse(bad), None, "{bad}");
        }
    }
}
