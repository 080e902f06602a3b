//! File formats by name, by extension and by first bytes.

use std::path::Path;
use std::str::FromStr;

/// A table format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Delimited text; a comma unless the file or recipe says otherwise.
    Csv,
    /// Delimited by tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC file, also called Feather.
    Arrow,
    /// One JSON object per line.
    Ndjson,
}

/// How a file is packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

/// A format and its packing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFormat {
    /// The table format.
    pub format: Format,
    /// The packing.
    pub compression: Compression,
}

impl FileFormat {
    /// From the file's name and first bytes; delimited text if neither tells.
    #[must_use]
    pub fn sniff(path: &Path, magic: &[u8]) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let compression = match magic {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::None,
        };
        let stem = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let by_name = stem.rsplit_once('.').and_then(|(_, extension)| format_of(extension));
        let format = match magic {
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Format::Arrow,
            [b'{', ..] => by_name.unwrap_or(Format::Ndjson),
            _ => by_name.unwrap_or(Format::Csv),
        };
        Self { format, compression }
    }

    /// From the file's name alone; `None` if that does not tell.
    #[must_use]
    pub fn named(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let packings = [(".gz", Compression::Gzip), (".zst", Compression::Zstd)];
        let packed = packings.iter().find_map(|(end, packing)| Some((name.strip_suffix(end)?, *packing)));
        let (stem, compression) = packed.unwrap_or((&name, Compression::None));
        Some(Self { format: format_of(stem.rsplit_once('.')?.1)?, compression })
    }

    /// The file extension, without a dot in front.
    #[must_use]
    pub fn extension(self) -> String {
        let format = match self.format {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Ndjson => "ndjson",
        };
        match self.compression {
            Compression::None => format.to_owned(),
            Compression::Gzip => format!("{format}.gz"),
            Compression::Zstd => format!("{format}.zst"),
        }
    }
}

fn format_of(name: &str) -> Option<Format> {
    match name {
        "csv" | "txt" | "data" => Some(Format::Csv),
        "tsv" | "tab" => Some(Format::Tsv),
        "parquet" | "pq" => Some(Format::Parquet),
        "arrow" | "feather" | "ipc" => Some(Format::Arrow),
        "ndjson" | "jsonl" | "json" => Some(Format::Ndjson),
        _ => None,
    }
}

impl FromStr for FileFormat {
    type Err = String;

    /// `csv`, `tsv`, `parquet`, `arrow`, `feather` or `ndjson`; text formats also with `.gz` or `.zst`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, compression) = match text.rsplit_once('.') {
            Some((name, "gz")) => (name, Compression::Gzip),
            Some((name, "zst")) => (name, Compression::Zstd),
            _ => (text, Compression::None),
        };
        let refuse =
            || format!("unknown format `{text}`; expected csv, tsv, parquet, arrow, feather or ndjson");
        let format = format_of(name).ok_or_else(refuse)?;
        let columnar = matches!(format, Format::Parquet | Format::Arrow);
        if columnar && compression != Compression::None {
            return Err(format!("`{text}`: {name} compresses its own columns; leave the suffix out"));
        }
        Ok(Self { format, compression })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_bytes_tell_the_format() {
        let sniff = |name: &str, magic: &[u8]| FileFormat::sniff(Path::new(name), magic).extension();
        assert_eq!(sniff("a.csv", b"x,y"), "csv");
        assert_eq!(sniff("a.CSV.gz", &[0x1f, 0x8b, 8]), "csv.gz");
        assert_eq!(sniff("a.bin", b"PAR1...."), "parquet");
        assert_eq!(sniff("a.feather", b"ARROW1.."), "arrow");
        assert_eq!(sniff("patients", b"{\"a\":1}"), "ndjson");
        assert_eq!(sniff("adult.data", b"39, S"), "csv");
        let named = |name: &str| FileFormat::named(Path::new(name)).map(FileFormat::extension);
        assert_eq!(
            (named("a.CSV.gz").as_deref(), named("patients"), named("a.bin")),
            (Some("csv.gz"), None, None)
        );
    }

    #[test]
    fn every_extension_reads_back() {
        for name in ["csv", "csv.gz", "tsv.zst", "parquet", "arrow", "ndjson.gz"] {
            assert_eq!(name.parse::<FileFormat>().unwrap().extension(), name);
        }
        assert!("xlsx".parse::<FileFormat>().is_err());
        assert!("parquet.gz".parse::<FileFormat>().is_err());
    }
}
