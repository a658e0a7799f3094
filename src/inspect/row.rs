//! Rows of GrassTypeParam as text and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::model_json::numbers;
use super::{problems_json, write_problems};
use crate::formats::grass_type_param::GrassType;

pub(super) fn write_text(rows: &[GrassType], out: &mut dyn Write) -> io::Result<()> {
    for (i, row) in rows.iter().enumerate() {
        writeln!(out, "  row {i}")?;
        writeln!(out, "    LOD range {}", lod_range(row))?;
        writeln!(out, "    base density {}, spacing {}", row.row.base_density, row.row.spacing)?;
        for (field, name) in row.names() {
            writeln!(out, "    {field}: {}", name.as_deref().unwrap_or("none"))?;
        }
        if !row.rest.is_empty() {
            writeln!(out, "    {} bytes after the known fields", row.rest.len())?;
        }
        write_problems(&row.problems(), out)?;
    }
    Ok(())
}

/// The LOD range: in Sekiro's rows -1 is the map's own.
fn lod_range(row: &GrassType) -> String {
    match (row.model1, row.row.lod_range.cast_signed()) {
        (None, -1) => "-1 (the map's own)".to_owned(),
        (None, range) => range.to_string(),
        (Some(_), _) => row.row.lod_range.to_string(),
    }
}

pub(super) fn to_json(rows: &[GrassType]) -> Value {
    let one = |row: &GrassType| {
        let names: Map<String, Value> =
            row.names().into_iter().map(|(field, name)| (field.to_owned(), json!(name))).collect();
        json!({
            "lod_range": row.row.lod_range,
            "base_density": numbers(&[row.row.base_density]).get(0),
            "spacing": numbers(&[row.row.spacing]).get(0),
            "names": names,
            "bytes_after": row.rest.len(),
            "problems": problems_json(&row.problems()),
        })
    };
    json!({ "rows": rows.iter().map(one).collect::<Vec<_>>() })
}
