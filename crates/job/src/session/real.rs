//! The real records of a release with counterfeits: what the checker sees of them, who knows which are counterfeit.

use velamen_checker::{CLASS_ID, Finding, Published};
use velamen_contract::Promises;
use velamen_core::frequency::{FrequencyTable, Rest, RestColumn, Role};
use velamen_core::release::{Release, SUPPRESSED};
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::Decision;

use crate::verify::of_uncheckable;

/// Released records as the checker reads them from a file, with columns that no file shows.
pub(super) struct ShownRecords {
    pub(super) table: Rest,
    pub(super) counts: Vec<u64>,
    /// Where the columns of the rest begin: the class and the quasi-identifiers come first.
    pub(super) first: usize,
}

impl ShownRecords {
    pub(super) fn of(release: &Release) -> Self {
        let ids = release.sizes.len() as u32;
        let id = |class: u32| if class == SUPPRESSED { ids } else { class };
        let labels = (1..=ids).map(|id| id.to_string()).chain([String::new()]).collect();
        let column = |name: &str, values| RestColumn { name: name.into(), role: Role::Insensitive, values };
        let mut columns = vec![column(CLASS_ID, labels)];
        let mut codes: Vec<Vec<u32>> = vec![release.rows.iter().map(|row| id(row.class)).collect()];
        for (q, qi) in release.qis.iter().enumerate() {
            let star = qi.values.len() as u32;
            let labels = qi.values.iter().map(|value| value.label.clone()).chain(["*".to_owned()]);
            columns.push(column(&qi.name, labels.collect()));
            let code = |class: u32| if class == SUPPRESSED { star } else { release.class(class as usize)[q] };
            codes.push(release.rows.iter().map(|row| code(row.class)).collect());
        }
        let first = columns.len();
        for (one, own) in release.rest.columns.iter().zip(&release.rest.codes) {
            columns.push(one.clone());
            codes.push(release.rows.iter().map(|row| own[row.rest as usize]).collect());
        }
        let counts = release.rows.iter().map(|row| row.count).collect();
        Self { table: Rest { columns, codes, len: release.rows.len() }, counts, first }
    }

    /// Adds a record of a class, with a code for each column of the rest.
    fn push(&mut self, release: &Release, class: usize, count: u64, rest: &[u32]) {
        let qis = release.class(class).iter().copied();
        let codes = [class as u32].into_iter().chain(qis).chain(rest.iter().copied());
        self.table.codes.iter_mut().zip(codes).for_each(|(column, code)| column.push(code));
        self.counts.push(count);
        self.table.len += 1;
    }
}

/// The code of a value in a column, which gets it if it has not.
fn code(column: &mut RestColumn, value: &str) -> u32 {
    let known = column.values.iter().position(|known| known == value);
    known.unwrap_or_else(|| {
        column.values.push(value.to_owned());
        column.values.len() - 1
    }) as u32
}

/// The real records, where models hold of them by themselves.
pub(super) struct RealRecords {
    shown: ShownRecords,
    person: Option<usize>,
}

impl RealRecords {
    /// `None` where counterfeits stand in for people, or nothing is asked of values.
    pub(super) fn of(decision: &mut Decision, table: &FrequencyTable, seed: &Seed) -> Option<Self> {
        if !decision.of_real {
            return None;
        }
        let shown = ShownRecords::of(&decision.apply_to_real(table, seed).0);
        let person = table.rest.person().map(|person| shown.first + person);
        Some(Self { shown, person })
    }

    /// What the checker finds of the values of real records.
    ///
    /// # Errors
    /// [`JobError::data`] if table and manifest do not belong together.
    pub(super) fn check(&self, manifest: &Manifest) -> Result<Vec<Finding>, JobError> {
        let promises: Promises = manifest.promises(Vec::new())?;
        let ShownRecords { table, counts, .. } = &self.shown;
        velamen_checker::certify_values(&Published { table, counts, people: self.person }, &promises)
            .map_err(|error| JobError::data(error.to_string()).coded(of_uncheckable(&error)))
    }
}

/// The records of a release by person, with counterfeits that are nobody's: each counts as a person of its own.
pub(super) fn with_nobody(
    (release, ids): (&Release, &[u64]),
    table: &FrequencyTable,
    decision: &Decision,
    person: usize,
) -> ShownRecords {
    let mut shown = ShownRecords::of(release);
    let Some(sensitive) = table.rest.sensitive().next() else { return shown };
    let values = &table.rest.columns[sensitive].values;
    let first = shown.first;
    for of_class in decision.outcome.counterfeits() {
        let class = ids[of_class.class as usize] as usize - 1;
        for &(value, count) in &of_class.values {
            let value = code(&mut shown.table.columns[first + sensitive], &values[value as usize]);
            for _ in 0..count {
                let mut rest = vec![0; table.rest.columns.len()];
                rest[sensitive] = value;
                let people = &mut shown.table.columns[first + person].values;
                // A person of its own; without any text it would be a record of nobody.
                people.push("counterfeit".to_owned());
                rest[person] = people.len() as u32 - 1;
                shown.push(release, class, 1, &rest);
            }
        }
    }
    shown
}
