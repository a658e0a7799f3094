//! Every difference as a row of CSV, written as it is found: a run may have millions.
//!
//! Numbers have every digit. A NaN is the word `NaN`, which would lose its payload, so that the column `nan_bits`
//! then holds the 64 bits of the value in hexadecimal; an f32 NaN was widened, so that its 23 payload bits are the
//! upper ones of the 52.

use std::io::{self, Write};

use super::DumpOwner;
use super::number::plain;
use crate::finding::Difference;

/// The columns.
pub const COLUMNS: [&str; 17] = [
    "frame",
    "owner",
    "event",
    "execution",
    "pass",
    "mesh",
    "buffer",
    "dump",
    "field",
    "component",
    "place",
    "recorded",
    "replayed",
    "abs",
    "rel",
    "ulp",
    "nan_bits",
];

/// Writes rows to a file or whatever takes bytes.
pub struct CsvWriter<W: Write> {
    inner: csv::Writer<W>,
}

impl<W: Write> CsvWriter<W> {
    /// Begins with the row of headings.
    ///
    /// # Errors
    /// `writer` said no.
    pub fn new(writer: W) -> io::Result<Self> {
        let mut inner = csv::Writer::from_writer(writer);
        inner.write_record(COLUMNS)?;
        Ok(Self { inner })
    }

    /// Writes one difference of the dump `name`.
    ///
    /// # Errors
    /// The writer said no.
    pub fn row(
        &mut self,
        frame: &str,
        owner: &DumpOwner,
        name: &str,
        difference: &Difference,
    ) -> io::Result<()> {
        let mut draw = (String::new(), String::new());
        let (mut pass, mut mesh, mut buffer) = ("", "", String::new());
        let kind = match owner {
            DumpOwner::Draw { event, execution, pass: of, mesh: drawn } => {
                draw = (event.to_string(), (execution + 1).to_string());
                (pass, mesh) = (of, drawn.as_deref().unwrap_or(""));
                "draw"
            }
            DumpOwner::Pass(of) => {
                pass = of;
                "pass"
            }
            DumpOwner::Buffer(id, _) => {
                buffer = id.to_string();
                "buffer"
            }
        };
        let Difference { place, field, component, recorded, replayed, abs, rel, ulp, .. } = difference;
        self.inner.write_record([
            frame,
            kind,
            &draw.0,
            &draw.1,
            pass,
            mesh,
            &buffer,
            name,
            field,
            &component.to_string(),
            place,
            &plain(*recorded),
            &plain(*replayed),
            &plain(*abs),
            &plain(*rel),
            &ulp.map(|ulp| ulp.to_string()).unwrap_or_default(),
            &nan_bits(*recorded, *replayed),
        ])?;
        Ok(())
    }

    /// Hands what is buffered to the writer.
    ///
    /// # Errors
    /// The writer said no.
    pub fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The bits of whichever sides are NaN: `recorded:0x7ff8000000000000`.
fn nan_bits(recorded: f64, replayed: f64) -> String {
    let sides = [("recorded", recorded), ("replayed", replayed)];
    let bits = sides.into_iter().filter(|(_, value)| value.is_nan());
    bits.map(|(side, value)| format!("{side}:{:#018x}", value.to_bits())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(recorded: f64, replayed: f64) -> Difference {
        Difference {
            place: "frame 0001 event 41 (shadow, \"odd, name\"/0) vertex 2 SV_Position.x".into(),
            field: "SV_Position".into(),
            component: 0,
            recorded,
            replayed,
            abs: (recorded - replayed).abs(),
            rel: 0.5,
            ulp: None,
            differs: true,
        }
    }

    fn written(rows: &[(DumpOwner, Difference)]) -> Vec<Vec<String>> {
        let mut bytes = Vec::new();
        let mut writer = CsvWriter::new(&mut bytes).unwrap();
        for (owner, difference) in rows {
            writer.row("0001", owner, "post_vs", difference).unwrap();
        }
        writer.flush().unwrap();
        drop(writer);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
        reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn rows_keep_their_columns_whatever_is_in_them() {
        let draw = DumpOwner::Draw {
            event: 41,
            execution: 1,
            pass: "shadow".into(),
            mesh: Some("a,\"b\"/0".into()),
        };
        let rows = written(&[
            (draw, difference(1.0, 0.1)),
            (DumpOwner::Pass("gbuffer".into()), difference(1e-20, f64::INFINITY)),
            (DumpOwner::Buffer(7, "x\ny".into()), difference(0.0, -0.0)),
        ]);
        assert_eq!(rows[0], COLUMNS);
        assert!(rows.iter().all(|row| row.len() == COLUMNS.len()));
        assert_eq!(rows[1][..8], ["0001", "draw", "41", "2", "shadow", "a,\"b\"/0", "", "post_vs"]);
        assert_eq!((rows[1][11].as_str(), rows[1][12].as_str()), ("1", "0.1"));
        assert_eq!(
            (rows[2][4].as_str(), rows[2][11].as_str(), rows[2][12].as_str()),
            ("gbuffer", "1e-20", "inf")
        );
        assert_eq!((rows[3][6].as_str(), rows[3][12].as_str(), rows[3][16].as_str()), ("7", "-0", ""));
    }

    #[test]
    fn a_nan_keeps_its_bits() {
        let payload = f64::from(f32::from_bits(0x7FC0_1234));
        let rows = written(&[(DumpOwner::Pass("p".into()), difference(payload, 1.0))]);
        assert_eq!(rows[1][11], "NaN");
        let bits = rows[1][16].strip_prefix("recorded:0x").unwrap();
        let wide = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        assert_eq!((wide as f32).to_bits(), 0x7FC0_1234);
    }

    #[test]
    fn a_writer_that_is_full_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut writer = CsvWriter::new(Full).unwrap();
        writer.row("0001", &DumpOwner::Pass("p".into()), "depth", &difference(1.0, 2.0)).unwrap();
        assert_eq!(writer.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
