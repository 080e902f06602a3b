//! What a release of linked tables shows of persons, from the released tables alone.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::linked::LinkedManifest;
use velamen_core::context::Context;
use velamen_recipe::JobError;
use velamen_sets::{alone, largest_k, rho_uncertainty};

use crate::shown::{Gaps, Shown};

/// The most codes that are looked at together.
const M: u8 = 3;

/// What linked tables show of persons.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LinkedFigures {
    /// Persons.
    pub persons: u64,
    /// Distinct combinations of person columns.
    pub classes: u64,
    /// The persons of the smallest.
    pub least_class: u64,
    /// Different codes of sets.
    pub codes: u64,
    /// Pairs of person and code.
    pub pairs: u64,
    /// By the number of codes that somebody knows: the largest k of km-anonymity.
    pub largest_k: BTreeMap<u8, u64>,
    /// The same inside classes of person columns: the largest k of k-km-anonymity.
    pub largest_k_in_classes: BTreeMap<u8, u64>,
    /// By the number of codes: the share of persons alone in their class by the codes that tell most.
    pub alone_by_best: BTreeMap<u8, f64>,
    /// By the number of codes: the expected share of persons alone in their class by codes drawn at random.
    pub alone_by_random: BTreeMap<u8, f64>,
    /// By the number of codes that somebody knows, 1 or 2: the largest probability of another code that follows from them,
    /// inside classes of person columns. A release is ρ-uncertain if it is at most ρ, with every code sensitive.
    pub largest_rho: BTreeMap<u8, f64>,
    /// Persons with three different days or more.
    pub with_three_days: u64,
    /// Those of them who are alone by the gaps between their first three days, which a shift keeps.
    pub alone_by_gaps: u64,
}

/// Measures a release.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if a table cannot be read.
pub fn figures(
    release: &Path,
    manifest: &LinkedManifest,
    context: &Context<'_>,
) -> Result<LinkedFigures, JobError> {
    let shown = Shown::read(release, manifest, context)?;
    let (classes, sizes) = shown.classes();
    let whole = vec![0; classes.len()];
    let by_m = |classes: &[u32]| -> BTreeMap<u8, u64> {
        (1..=M).filter_map(|m| Some((m, u64::from(largest_k(&shown.sets, classes, m)?)))).collect()
    };
    let told = alone(&shown.sets, &classes, M);
    let shares = |share: &dyn Fn(usize) -> f64| (1..=M).map(|m| (m, share(usize::from(m)))).collect();
    let mut codes: Vec<u32> = shown.sets.items().to_vec();
    codes.sort_unstable();
    codes.dedup();
    let sensitive = vec![true; shown.sets.domain()];
    let rho = |m: u8| Some((m, rho_uncertainty(&shown.sets, &classes, &sensitive, m)?.confidence()));
    let Gaps { with_three_days, alone } = Gaps::of(&shown.gaps());
    Ok(LinkedFigures {
        persons: classes.len() as u64,
        classes: sizes.len() as u64,
        least_class: sizes.iter().min().copied().unwrap_or(0),
        codes: codes.len() as u64,
        pairs: shown.sets.len() as u64,
        largest_k: by_m(&whole),
        largest_k_in_classes: by_m(&classes),
        alone_by_best: shares(&|m| told.share_by_best(m)),
        alone_by_random: shares(&|m| told.share_by_random(m)),
        largest_rho: (1..=2).filter_map(rho).collect(),
        with_three_days,
        alone_by_gaps: alone,
    })
}
