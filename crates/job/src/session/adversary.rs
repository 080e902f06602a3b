//! What an adversary who has only the release makes of its counterfeits, by the truth.

use std::collections::BTreeSet;
use std::sync::Mutex;

use velamen_core::context::{Context, Interrupted};
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::release::{Release, SUPPRESSED};
use velamen_measure::risk::adversary::{AdversaryFigures, Effort, Matched, Sight, Told};
use velamen_measure::risk::certain;
use velamen_recipe::Resolved;
use velamen_report::telling;
use velamen_search::method::{Adversary, Decision};

/// What knowing three in ten of the real records may add to the area.
const KNOWING: f64 = 0.08;

/// How much more often than by chance the right record may be picked for a person in a class of few real ones.
const RIGHT: f64 = 1.05;

/// The share of the released records that the catalog may prove to be real.
const PROVEN: f64 = 0.001;

/// The standard errors of a one-sided bound of 95 %.
const BOUND: f64 = 1.645;

/// Judges the counterfeits of a run's decisions, and keeps what was found of the last one.
pub(super) struct Judging<'a> {
    recipe: &'a Resolved,
    pub(super) told: Told,
    found: Mutex<Option<AdversaryFigures>>,
}

impl<'a> Judging<'a> {
    /// `None` where the method makes no counterfeits that a catalog counts.
    pub(super) fn of(recipe: &'a Resolved) -> Option<Self> {
        let task = recipe.task(None);
        let (k, _) = recipe.method.particulars().padded?;
        let beyond = recipe.models.iter().any(|asked| {
            let facts = asked.entry.terms.facts;
            !facts.only_size && !facts.of_catalog
        });
        let statement = recipe.method.method.statement(&task);
        let asked: Vec<_> = recipe.models.iter().map(|asked| asked.model.parameters()).collect();
        let names = recipe.models.iter().map(|asked| asked.entry.terms.name);
        let mut told = telling::told_by(&statement, beyond, &names.zip(&asked).collect::<Vec<_>>());
        // A method can fill classes to a size that no model asks for.
        told.law.k = told.law.k.max(k);
        told.law.largest = told.law.largest.max(k);
        Some(Self { recipe, told, found: Mutex::default() })
    }

    /// Measures a decision that nobody judged, of a table that says whose its records are: nothing does after them.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub(super) fn measure(
        &self,
        decision: &mut Decision,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(), Interrupted> {
        let is_known = self.found.lock().is_ok_and(|found| found.is_some());
        if is_known || table.rest.person().is_none() || decision.outcome.counterfeits().is_empty() {
            return Ok(());
        }
        let figures = self.figures(decision, table, context)?;
        if let Ok(mut found) = self.found.lock() {
            *found = figures;
        }
        Ok(())
    }

    /// What she gets.
    fn figures(
        &self,
        decision: &mut Decision,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<Option<AdversaryFigures>, Interrupted> {
        let (release, ids) = decision.apply(table, context.seed);
        let people = people(decision, table, &ids, context);
        figures(table, decision, (&release, &ids, people.as_deref()), self.told, context)
    }

    /// What was found of the decision that was judged last.
    pub(super) fn found(self) -> Option<AdversaryFigures> {
        self.found.into_inner().unwrap_or_default()
    }
}

impl Adversary for Judging<'_> {
    fn recognizes(
        &self,
        decision: &mut Decision,
        table: &FrequencyTable,
        limit: f64,
        again: bool,
        context: &Context<'_>,
    ) -> Result<Option<String>, Interrupted> {
        if decision.outcome.counterfeits().is_empty() {
            return Ok(None);
        }
        let (release, ids) = decision.apply(table, context.seed);
        let seen = seen(table, decision, (&release, &ids), self.told);
        // Counting needs no model, and mostly is enough.
        let counted = seen.as_ref().map(|(sight, counterfeits)| sight.counted(counterfeits));
        let mut why = counted.and_then(|counted| self.too_well(&counted, &release, (limit, again)));
        let mut figures = None;
        if let (None, Some((sight, counterfeits))) = (&why, seen) {
            let people = people(decision, table, &ids, context);
            let all = sight.figures(&counterfeits, people.as_deref(), context)?;
            why = self.too_well(&all, &release, (limit, again));
            figures = Some(all).filter(|_| why.is_none());
        }
        if let Ok(mut found) = self.found.lock() {
            *found = figures;
        }
        Ok(why)
    }
}

impl Judging<'_> {
    /// The first limit that is exceeded, in words.
    fn too_well(
        &self,
        figures: &AdversaryFigures,
        release: &Release,
        (limit, again): (f64, bool),
    ) -> Option<String> {
        let knowing = "an adversary who knows three in ten of the real records";
        let areas = [
            (figures.auc_where_possible, limit, "an adversary"),
            (
                figures.auc_by_counting,
                limit,
                "somebody who counts the records of groups and of the groups around them",
            ),
            (figures.auc_knowing_some, limit + KNOWING, knowing),
        ];
        let too_large = |(area, most, who): (Option<f64>, f64, &str)| {
            let chance = area.filter(|_| again).map_or(0.0, |area| BOUND * figures.error_of(area));
            self::area(area, most - chance, who)
        };
        areas
            .into_iter()
            .find_map(too_large)
            .or_else(|| by_one_number(figures, limit, again))
            .or_else(|| picked(&figures.fewer_than_k))
            .or_else(|| self.proven(release))
    }

    /// Too many records that the catalog proves to be real.
    fn proven(&self, release: &Release) -> Option<String> {
        let (_, largest) = self.recipe.method.particulars().padded?;
        let proven = certain::certain(release, largest, self.told.values).provably_real as f64;
        let share = proven / release.records().max(1) as f64;
        (share > PROVEN).then(|| {
            format!(
                "the catalog proves {:.1} % of the records to be real, at most {:.1} % allowed",
                100.0 * share,
                100.0 * PROVEN
            )
        })
    }
}

/// The area under the curve of somebody is too large.
fn area(area: Option<f64>, most: f64, who: &str) -> Option<String> {
    let found = area.filter(|area| *area > most)?;
    Some(format!("{who} recognizes them with an AUC of {found:.2}, at most {most:.2} allowed"))
}

/// One number of a group betrays them. The best of some numbers, from either end, is above ½ by chance alone, which excuses
/// it once.
fn by_one_number(figures: &AdversaryFigures, limit: f64, again: bool) -> Option<String> {
    let found = figures.auc_by_one_number?;
    let chance = if again { 0.0 } else { BOUND * figures.error_of(found) };
    area(
        Some(found),
        limit + chance,
        "somebody who compares the records of a group with its room or with what its values lead to expect",
    )
}

/// The right record is picked too often. Chance is no excuse: of many runs with few persons each, most would be excused, and
/// together they would exceed the limit.
fn picked(matched: &Matched) -> Option<String> {
    let Matched { persons, right, by_chance } = *matched;
    (persons > 0 && right > RIGHT * by_chance).then(|| {
        format!(
            "the record of a person in a group of few real ones is picked {:.2} times as often as by chance, at most {RIGHT} \
             allowed",
            right / by_chance
        )
    })
}

/// How many people the real records of each released class are of, where a person can have several; `ids` are the released classes
/// of the plan's.
fn people(
    decision: &mut Decision,
    table: &FrequencyTable,
    ids: &[u64],
    context: &Context<'_>,
) -> Option<Vec<u64>> {
    let person = table.rest.person()?;
    let (real, own) = decision.apply_to_real(table, context.seed);
    let mut people = vec![BTreeSet::new(); real.sizes.len()];
    for row in real.rows.iter().filter(|row| row.class != SUPPRESSED) {
        people[row.class as usize].insert(real.rest.codes[person][row.rest as usize]);
    }
    let mut released = vec![0; ids.iter().max().map_or(0, |most| *most as usize)];
    for (&id, &own) in ids.iter().zip(&own) {
        let (id, own) = (id.checked_sub(1), own.checked_sub(1));
        if let Some((id, own)) = id.zip(own) {
            released[id as usize] = people[own as usize].len() as u64;
        }
    }
    Some(released)
}

/// What the adversary gets from a release of these counterfeits; `None` where there is nothing to tell apart.
pub(super) fn figures(
    table: &FrequencyTable,
    decision: &Decision,
    (release, ids, people): (&Release, &[u64], Option<&[u64]>),
    told: Told,
    context: &Context<'_>,
) -> Result<Option<AdversaryFigures>, Interrupted> {
    let seen = seen(table, decision, (release, ids), told);
    seen.map(|(sight, counterfeits)| sight.figures(&counterfeits, people, context)).transpose()
}

/// What the adversary sees of a release of these counterfeits, and how many of each of its cells are counterfeit.
pub(super) fn seen(
    table: &FrequencyTable,
    decision: &Decision,
    (release, ids): (&Release, &[u64]),
    told: Told,
) -> Option<(Sight, Vec<u64>)> {
    let hierarchies: Vec<&Hierarchy> = table.qis.iter().map(|qi| &qi.hierarchy).collect();
    let sight = Sight::new(release, &hierarchies, told, Effort::SAMPLE)?;
    let sensitive = table.rest.sensitive().next()?;
    let names = &table.rest.columns[sensitive].values;
    let placed = decision.outcome.counterfeits().iter().flat_map(|of| {
        let class = ids[of.class as usize] as usize - 1;
        of.values.iter().map(move |&(value, count)| (class, &*names[value as usize], count))
    });
    let counterfeits = sight.by_cell(placed);
    Some((sight, counterfeits))
}
