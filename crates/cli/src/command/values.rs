//! What values the command line takes. They stay the texts that they were, as requests have them.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser, ValueParser};
use clap::value_parser;
use velamen_assess::Section;
use velamen_assess::profile::SampleSize;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_engine::FileFormat;

use crate::terminal::grouped;

/// Paths, which requests have as text.
pub(super) fn path() -> ValueParser {
    let text = |path: PathBuf| {
        path.into_os_string().into_string().map_err(|_| Problem::new("not UTF-8").expected("a path in UTF-8"))
    };
    PathBufValueParser::new().try_map(text).into()
}

/// Whole numbers of a type.
pub(super) fn whole(format: &str, least: u64, most: Option<u64>) -> ValueParser {
    match format {
        "uint16" => ValueParser::new(number::<u16>(least, most.unwrap_or(u16::MAX.into()))),
        "uint32" => ValueParser::new(number::<u32>(least, most.unwrap_or(u32::MAX.into()))),
        _ => ValueParser::new(number::<u64>(least, most.unwrap_or(u64::MAX))),
    }
}

/// A whole number between two others.
pub(super) fn number<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, Problem> + Clone + Send + Sync + 'static {
    move |text| {
        let read = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        let read = read.and_then(|number| T::try_from(number).ok());
        read.ok_or_else(|| {
            let bounds = match most {
                most if most >= u32::MAX.into() => format!("from {} on", grouped(least)),
                most => format!("from {} to {}", grouped(least), grouped(most)),
            };
            Problem::new("a wrong number").expected(format!("a whole number {bounds}"))
        })
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
