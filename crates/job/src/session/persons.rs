//! Tables with several records of one person: counted once more before who is who stays behind.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use velamen_core::frequency::{Counts, FrequencyTable};
use velamen_core::plan::{Fate, Plan};
use velamen_recipe::{AskedModel, JobError, Resolved};

/// A table and what is counted of it.
type WithCounts<'a> = (Cow<'a, FrequencyTable>, Arc<Counts>);

/// The table without the person attribute, once every kept class is seen to have k persons.
///
/// The released table shows records only, so this is checked here and can be checked nowhere else.
pub(super) fn checked_and_removed<'a>(
    recipe: &Resolved,
    (table, counts): WithCounts<'a>,
    plan: Option<&Plan>,
) -> Result<WithCounts<'a>, JobError> {
    let (Some(person), Some(plan)) = (table.rest.person(), plan) else { return Ok((table, counts)) };
    // The k of a model of the population is no number of persons here.
    let k = recipe.models.iter().filter_map(AskedModel::least_class).max();
    let least = fewest_persons(&table, plan, person);
    if let (Some(k), Some(least)) = (k, least)
        && least < k
    {
        return Err(JobError::promise(format!(
            "a class has records of only {least} people, fewer than k = {k}"
        )));
    }
    let table = table.without(person);
    let counts = Counts::none(&table);
    Ok((Cow::Owned(table), counts))
}

/// The fewest persons of any kept class, counted by labels.
fn fewest_persons(table: &FrequencyTable, plan: &Plan, person: usize) -> Option<u64> {
    let mut persons: BTreeMap<Vec<&str>, BTreeSet<u32>> = BTreeMap::new();
    for entry in 0..table.len() {
        let released =
            table.qis.iter().zip(&plan.node.0).zip(&table.codes).map(|((qi, &level), codes)| {
                qi.hierarchy.label(level, qi.hierarchy.code(level, codes[entry]))
            });
        let who = table.rest.codes[person][table.rest_index[entry] as usize];
        persons.entry(released.collect()).or_default().insert(who);
    }
    let label = |class: usize| -> Vec<&str> {
        let codes = plan.classes.codes(class).iter().zip(&table.qis).zip(&plan.node.0);
        codes.map(|((&code, qi), &level)| qi.hierarchy.label(level, code)).collect()
    };
    let kept = (0..plan.classes.len()).filter(|&class| plan.fates[class] == Fate::Keep);
    kept.map(|class| persons.get(&label(class)).map_or(0, |persons| persons.len() as u64)).min()
}
