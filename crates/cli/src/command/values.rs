//! What values the command line takes. They stay the texts that they were, as requests have them.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser, ValueParser};
use clap::value_parser;
use velamen_assess::Section;
use velamen_assess::profile::SampleSize;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_engine::FileFormat;

/// Paths, which requests have as text.
pub(super) fn path() -> ValueParser {
    let text = |path: PathBuf| {
        path.into_os_string().into_string().map_err(|_| Problem::new("not UTF-8").expected("a path in UTF-8"))
    };
    PathBufValueParser::new().try_map(text).into()
}

/// Whole numbers of a type.
pub(super) fn whole(format: &str, least: u64, most: Option<u64>) -> ValueParser {
    let (from, to) = (least.cast_signed(), most.map(u64::cast_signed));
    match (format, to) {
        ("uint16", None) if from == 0 => value_parser!(u16).into(),
        ("uint16", None) => value_parser!(u16).range(from..).into(),
        ("uint16", Some(to)) => value_parser!(u16).range(from..=to).into(),
        ("uint32", None) if from == 0 => value_parser!(u32).into(),
        ("uint32", None) => value_parser!(u32).range(from..).into(),
        ("uint32", Some(to)) => value_parser!(u32).range(from..=to).into(),
        (_, None) => value_parser!(u64).range(least..).into(),
        (_, Some(_)) => value_parser!(u64).range(least..=most.unwrap_or(u64::MAX)).into(),
    }
}

/// Texts that must be something, as they were written.
pub(super) fn of_format(format: &str) -> ValueParser {
    match format {
        "file-format" => ValueParser::from(|text: &str| text.parse::<FileFormat>().map(|_| text.to_owned())),
        "character" => ValueParser::from(|text: &str| text.parse::<char>().map(|_| text.to_owned())),
        "seed" => ValueParser::from(|text: &str| text.parse::<Seed>().map(|_| text.to_owned())),
        "sample-size" => ValueParser::from(|text: &str| text.parse::<SampleSize>().map(|_| text.to_owned())),
        "section" => ValueParser::from(|text: &str| text.parse::<Section>().map(|_| text.to_owned())),
        _ => value_parser!(String),
    }
}
