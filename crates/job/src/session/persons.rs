//! Tables with several records of one person: what the checker sees of them before who is who stays behind.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use velamen_checker::{Finding, Published};
use velamen_contract::{PopulationRows, Promises};
use velamen_core::frequency::{Counts, FrequencyTable, Rest};
use velamen_core::number::percent;
use velamen_core::release::Release;
use velamen_dp::Seed;
use velamen_measure::risk::people::Holdings;
use velamen_recipe::JobError;
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::{Decision, Outcome};

use super::real::{self, RealRecords, ShownRecords};
use crate::verify::of_uncheckable;

/// A table and what is counted of it.
type WithCounts<'a> = (Cow<'a, FrequencyTable>, Arc<Counts>);

/// The records as they are to be released, and whose they are: for the checker and for nobody else.
pub(super) struct People {
    table: Rest,
    counts: Vec<u64>,
    person: usize,
    /// The same with counterfeits that are nobody's, where there are any.
    with_counterfeits: Option<(Rest, Vec<u64>)>,
    /// Whose the original records are, by the values of their quasi-identifiers.
    before: Holdings,
}

/// What the checker sees of a release before it is written, and no recipient sees.
pub(super) struct SetApart {
    pub(super) people: Option<People>,
    pub(super) real: Option<RealRecords>,
}

/// The table without the person attribute, and what is released of it with that attribute and without counterfeits.
pub(super) fn set_apart<'a>(
    (table, counts): WithCounts<'a>,
    decision: &mut Decision,
    seed: &Seed,
) -> (WithCounts<'a>, SetApart) {
    let real = RealRecords::of(decision, &table, seed);
    let Some(person) = table.rest.person() else { return ((table, counts), SetApart { people: None, real }) };
    let (release, ids) = decision.apply_to_real(&table, seed);
    let people =
        People::of(&release, original(&table, person)).map(|people| match decision.outcome.counterfeits() {
            [] => people,
            _ => people.with(real::with_nobody((&release, &ids), &table, decision, person)),
        });
    let (table, places) = table.without_and_where(person);
    if let Outcome::Local(plan) = &mut decision.outcome {
        *plan = std::mem::take(plan).moved(&places);
    }
    let counts = Counts::none(&table);
    ((Cow::Owned(table), counts), SetApart { people, real })
}

/// Whose the records of a table are, by its column of persons: runs of entries with equal quasi-identifiers are its classes.
fn original(table: &FrequencyTable, person: usize) -> Holdings {
    let (mut class, mut triples) = (0, Vec::with_capacity(table.len()));
    for entry in 0..table.len() {
        let is_other = entry > 0 && table.codes.iter().any(|codes| codes[entry] != codes[entry - 1]);
        class += u32::from(is_other);
        let who = table.rest.codes[person][table.rest_index[entry] as usize];
        triples.push((class, who, table.counts[entry]));
    }
    Holdings::new(triples.into_iter(), class as usize + 1)
}

impl People {
    /// `None` where no column says whose the records are.
    fn of(release: &Release, before: Holdings) -> Option<Self> {
        let person = release.rest.person()?;
        let ShownRecords { table, counts, first } = ShownRecords::of(release);
        Some(Self { table, counts, person: first + person, with_counterfeits: None, before })
    }

    fn with(self, all: ShownRecords) -> Self {
        Self { with_counterfeits: Some((all.table, all.counts)), ..self }
    }

    /// Whose the original records are, and the released ones of each class: for the custodian.
    pub(super) fn holdings(&self) -> (Holdings, Holdings) {
        let suppressed = self.table.columns[0].values.len() as u32 - 1;
        let rows = self.table.codes[0].iter().zip(&self.table.codes[self.person]).zip(&self.counts);
        let triples = rows.map(|((&class, &person), &count)| (class, person, count));
        let kept = triples.filter(|(class, ..)| *class != suppressed);
        (self.before.clone(), Holdings::new(kept, suppressed as usize))
    }

    /// The people of each class, the suppressed ones last.
    pub(super) fn by_class(&self) -> Vec<BTreeSet<u32>> {
        let classes = self.table.columns[0].values.len();
        let mut people = vec![BTreeSet::new(); classes];
        for (&class, &person) in self.table.codes[0].iter().zip(&self.table.codes[self.person]) {
            people[class as usize].insert(person);
        }
        people
    }

    /// The people of each class of the release, each counterfeit being one; `None` if it has other classes.
    pub(super) fn of_classes(&self, release: &Release) -> Option<Vec<u64>> {
        let table = self.with_counterfeits.as_ref().map_or(&self.table, |(table, _)| table);
        let classes = table.columns[0].values.len() as u32 - 1;
        let mut people = vec![BTreeSet::new(); release.sizes.len()];
        for row in (0..table.len).filter(|&row| table.codes[0][row] != classes) {
            let class = table.codes[0][row] as usize;
            let labels = release.qis.iter().zip(release.sizes.get(class).map(|_| release.class(class))?);
            let is_same = (1..).zip(labels).all(|(column, (qi, &label))| {
                qi.label(label) == table.columns[column].values[table.codes[column][row] as usize]
            });
            if !is_same {
                return None;
            }
            people[class].insert(table.codes[self.person][row]);
        }
        Some(people.iter().map(|people| people.len() as u64).collect())
    }

    /// The largest share of a group's records that one person has: how often a record that is picked in that group is
    /// hers. `None` where no record has a group.
    pub(super) fn largest_share(&self) -> Option<f64> {
        self.holdings().1.by_record(1.0).map(|risk| risk.highest)
    }

    /// What to say where somebody who picks a record finds a person more often than the k of a promise suggests.
    pub(super) fn easiest(&self, k: Option<u64>) -> Option<String> {
        let (share, k) = (self.largest_share()?, k?);
        (share > 1.0 / k as f64 * (1.0 + 1e-9)).then(|| {
            format!(
                "one person has {} of the records of a group: somebody who picks a record there finds the person that often, \
                 although {k} people are in each group; records-per-person keeps fewer",
                percent(share)
            )
        })
    }

    /// What the checker finds of the models, in people.
    ///
    /// # Errors
    /// [`JobError::data`] if table and manifest do not belong together.
    pub(super) fn check(
        &self,
        manifest: &Manifest,
        population: Option<PopulationRows>,
    ) -> Result<Vec<Finding>, JobError> {
        let promises = Promises { population, ..manifest.promises(Vec::new())? };
        let (table, counts) = match &self.with_counterfeits {
            Some((table, counts)) => (table, &counts[..]),
            None => (&self.table, &self.counts[..]),
        };
        let people = Some(self.person);
        velamen_checker::certify_models(&Published { table, counts, people }, &promises)
            .map_err(|error| JobError::data(error.to_string()).coded(of_uncheckable(&error)))
    }
}
