//! How far each attribute's distribution moved.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_measure::fidelity::Cover;
use velamen_measure::fidelity::shift::Profile;
use velamen_recipe::JobError;

use super::sides::{Attribute, Sides};

/// How far the distributions moved.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Distributions {
    /// The mean total variation over the attributes.
    pub mean_total_variation: f64,
    /// By attribute.
    pub attributes: Vec<AttributeShift>,
}

/// How far an attribute's distribution moved.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttributeShift {
    /// Its name.
    pub name: String,
    /// Half the sum of the differences of the leaves' shares.
    pub total_variation: f64,
    /// The Jensen–Shannon divergence in bits.
    pub jensen_shannon: f64,
    /// The Hellinger distance.
    pub hellinger: f64,
    /// The earth mover's distance over the ordered numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earth_mover: Option<f64>,
    /// The records that the release shows as no more than the whole domain.
    pub hidden_share: f64,
    /// Of numbers, in the original and in the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
}

/// Original and released figures of numbers.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Numbers {
    /// The mean.
    pub mean: [f64; 2],
    /// The median.
    pub median: [f64; 2],
}

pub(super) fn distributions(sides: &Sides, context: &Context<'_>) -> Result<Distributions, JobError> {
    let mut attributes = Vec::new();
    for (a, attribute) in sides.attributes.iter().enumerate() {
        context.check()?;
        context.progress.step("distributions", a as u64, sides.attributes.len() as u64);
        let records: [Vec<f64>; 2] =
            std::array::from_fn(|side| sides.tables[side].marginal(a, attribute.covers[side].len()));
        attributes.extend(shift(attribute, &records));
    }
    let sum: f64 = attributes.iter().map(|attribute| attribute.total_variation).sum();
    Ok(Distributions { mean_total_variation: sum / attributes.len().max(1) as f64, attributes })
}

fn shift(attribute: &Attribute, records: &[Vec<f64>; 2]) -> Option<AttributeShift> {
    let sides: [Vec<(&Cover, f64)>; 2] = std::array::from_fn(|side| {
        attribute.covers[side].iter().zip(records[side].iter().copied()).collect()
    });
    let profile = Profile::new([&sides[0], &sides[1]])?;
    let moved = profile.shift();
    let numbers = if attribute.is_coded { 0 } else { attribute.space.numbers() };
    let ordered = if numbers > 0 { profile.ordered(numbers) } else { None };
    Some(AttributeShift {
        name: attribute.name.clone(),
        total_variation: moved.total_variation,
        jensen_shannon: moved.jensen_shannon,
        hellinger: moved.hellinger,
        earth_mover: ordered,
        hidden_share: hidden(attribute, &sides[1]),
        numbers: ordered.and_then(|_| figures(attribute, &profile, &sides)),
    })
}

/// The share of the records under values that cover every place, where there are several.
fn hidden(attribute: &Attribute, released: &[(&Cover, f64)]) -> f64 {
    let places = attribute.space.places();
    let whole =
        |cover: &Cover| places > 1 && cover.runs().iter().map(|run| run.places()).sum::<u64>() == places;
    let all: f64 = released.iter().map(|(_, records)| records).sum();
    let hidden = released.iter().filter(|(cover, _)| whole(cover)).map(|(_, records)| records);
    // A sum of nothing is −0, which would be shown.
    hidden.fold(0.0, |sum, records| sum + records) / all
}

fn figures(attribute: &Attribute, profile: &Profile, sides: &[Vec<(&Cover, f64)>; 2]) -> Option<Numbers> {
    let space = &attribute.space;
    let median = profile.quantile(0.5, space.numbers())?.map(|place| space.number(place));
    Some(Numbers { mean: std::array::from_fn(|side| mean(attribute, &sides[side])), median })
}

/// The mean over the records that are numbers, values spread over their leaves.
fn mean(attribute: &Attribute, side: &[(&Cover, f64)]) -> f64 {
    let space = &attribute.space;
    let numbers = velamen_measure::fidelity::Run { first: 0, last: space.numbers() - 1 };
    let (mut sum, mut count) = (0.0, 0.0);
    for (cover, records) in side {
        if let Some(mean) = space.mean(cover) {
            let share = records * cover.share(&[numbers]);
            sum += share * mean;
            count += share;
        }
    }
    sum / count
}
