//! `[[impossible]]`: combinations of two attributes' values that no record has and none gets. They are declared, so nothing of
//! the budget is spent on them: the distribution is 0 there from the start, and original records that have one are dropped one
//! by one, as those outside a domain are.

use std::collections::BTreeMap;

use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::Rule;
use velamen_core::lattice::Node;
use velamen_marginals::Fit;

use super::merging::Merging;
use crate::method::{MethodError, Task};

/// By pair of attributes, ascending, which combinations are impossible, the second's values fastest.
#[derive(Debug, Clone, Default)]
pub(in crate::method::private) struct Zeros(BTreeMap<(usize, usize), Vec<bool>>);

impl Zeros {
    /// None.
    pub(super) const NONE: Self = Self(BTreeMap::new());

    /// Whether all combinations are possible.
    pub(in crate::method::private) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of a recipe, among the values of whole domains that are counted.
    ///
    /// # Errors
    /// [`MethodError::Recipe`] where a counted value is possible in part.
    pub(super) fn of(qis: &[QuasiIdentifier], counted: &Node, task: &Task<'_>) -> Result<Self, MethodError> {
        let mut zeros = BTreeMap::new();
        let size = |a: usize| qis[a].hierarchy.width(counted.0[a]);
        for entry in task.impossible {
            let place = |name: &str| qis.iter().position(|qi| qi.name == name);
            let Some((a, b)) = place(&entry.attribute).zip(entry.of.as_deref().and_then(place)) else {
                continue;
            };
            let rows = wholly(&qis[a], task, counted.0[a], &|rule, leaf| entry.has(rule, leaf))?;
            let columns = wholly(&qis[b], task, counted.0[b], &|rule, leaf| entry.names(rule, leaf))?;
            let ((a, rows), (b, columns)) =
                if a < b { ((a, rows), (b, columns)) } else { ((b, columns), (a, rows)) };
            let barred = zeros.entry((a, b)).or_insert_with(|| vec![false; size(a) * size(b)]);
            let cells = rows.iter().flat_map(|row| columns.iter().map(move |column| *row && *column));
            barred.iter_mut().zip(cells).for_each(|(barred, both)| *barred |= both);
        }
        Ok(Self(zeros))
    }

    /// The table without the records that have an impossible combination, which are among its strays then.
    pub(super) fn without(&self, mut table: FrequencyTable, counted: &Node) -> FrequencyTable {
        if self.0.is_empty() {
            return table;
        }
        let kept: Vec<usize> = (0..table.len()).filter(|&entry| !self.has(&table, counted, entry)).collect();
        let dropped = table.records() - kept.iter().map(|&entry| table.counts[entry]).sum::<u64>();
        let picked = |numbers: &Vec<u32>| kept.iter().map(|&entry| numbers[entry]).collect();
        table.codes = table.codes.iter().map(picked).collect();
        table.rest_index = picked(&table.rest_index);
        table.counts = kept.iter().map(|&entry| table.counts[entry]).collect();
        table.strays.add_outside(0, dropped);
        table
    }

    /// Whether a record has an impossible combination.
    fn has(&self, table: &FrequencyTable, counted: &Node, entry: usize) -> bool {
        self.0.iter().any(|(&(a, b), barred)| {
            let code = |a: usize| table.qis[a].hierarchy.code(counted.0[a], table.codes[a][entry]) as usize;
            barred[code(a) * table.qis[b].hierarchy.width(counted.0[b]) + code(b)]
        })
    }

    /// By value of an attribute of so many whether some combination with it is impossible: it is not put together with others, of
    /// which the combination may be possible.
    pub(super) fn tied(&self, attribute: usize, size: usize) -> Vec<bool> {
        let mut tied = vec![false; size];
        for (&(a, b), barred) in &self.0 {
            let width = if a == attribute { barred.len() / size } else { size };
            let value = |cell: usize| if a == attribute { cell / width } else { cell % width };
            let cells = (0..barred.len()).filter(|&cell| barred[cell] && (a == attribute || b == attribute));
            cells.for_each(|cell| tied[value(cell)] = true);
        }
        tied
    }

    /// Refuses combinations that leave no record possible, and attributes that make tables larger than the model may be, by all
    /// their values: what noise leaves of these decides nothing.
    ///
    /// # Errors
    /// A [`Problem`] of the recipe.
    pub(super) fn refuse_unfit(&self, sizes: &[usize], model_cells: u64) -> Result<(), Problem> {
        let mut fit = Fit::new(sizes.to_vec());
        self.0.iter().for_each(|(&(a, b), barred)| fit.forbid(vec![a, b], barred.clone()));
        let cells = fit.cells_with(&[]);
        if cells > model_cells as f64 {
            let (what, mend) = match self.is_empty() {
                true => ("attributes by themselves", "release higher levels of them, or raise model-cells"),
                false => (
                    "impossible combinations",
                    "name fewer of them, count higher levels, or raise model-cells",
                ),
            };
            let problem = format!("{what} need {cells} cells, more than model-cells = {model_cells}");
            return Err(Problem::new(problem).mend(mend));
        }
        match fit.is_possible() {
            true => Ok(()),
            false => Err(Problem::new("[[impossible]] leaves no record possible").mend("take entries away")),
        }
    }

    /// Makes a distribution over what is left of the values 0 there.
    pub(super) fn forbid(&self, merging: &[Merging], fit: &mut Fit) {
        for (&(a, b), barred) in &self.0 {
            let (rows, columns) = (&merging[a], &merging[b]);
            let mut left = vec![false; rows.size() * columns.size()];
            for (cell, &is_barred) in barred.iter().enumerate() {
                let (row, column) = (cell / columns.places.len(), cell % columns.places.len());
                let place = rows.places[row] as usize * columns.size() + columns.places[column] as usize;
                left[place] |= is_barred;
            }
            fit.forbid(vec![a, b], left);
        }
    }
}

/// By value of an attribute's level whether an entry names it, wholly as it has to.
fn wholly(
    qi: &QuasiIdentifier,
    task: &Task<'_>,
    level: u8,
    is_named: &dyn Fn(&Rule, &str) -> bool,
) -> Result<Vec<bool>, MethodError> {
    let rule = task.attribute(&qi.name).map_or(&Rule::Flat, |attribute| &*attribute.rule);
    let named = named(qi, level, &|leaf| is_named(rule, leaf));
    named.map_err(|label| MethodError::Recipe(in_part(&qi.name, &label)))
}

/// By value of a level whether all leaves under it are named; the label of one of which only some are.
fn named(qi: &QuasiIdentifier, level: u8, is_named: &dyn Fn(&str) -> bool) -> Result<Vec<bool>, String> {
    let width = qi.hierarchy.width(level);
    let (mut all, mut any) = (vec![true; width], vec![false; width]);
    for (leaf, label) in (0..).zip(qi.hierarchy.labels(0)) {
        let value = qi.hierarchy.code(level, leaf) as usize;
        let is_named = is_named(label);
        all[value] &= is_named;
        any[value] |= is_named;
    }
    match (0..width).find(|&value| any[value] && !all[value]) {
        Some(value) => Err(qi.hierarchy.labels(level)[value].clone()),
        None => Ok(any),
    }
}

fn in_part(name: &str, label: &str) -> Problem {
    let problem = format!("impossible: of what `{name}` counts as {label}, only some values are impossible");
    Problem::new(problem).naming(name).mend("let bins or levels begin where the impossible values do")
}

#[cfg(test)]
impl Zeros {
    /// Of one pair.
    pub(in crate::method::private) fn of_pair(pair: (usize, usize), barred: Vec<bool>) -> Self {
        Self(BTreeMap::from([(pair, barred)]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::mst::tests::table;
    use super::*;
    use crate::method::kit::declared::whole_hierarchy;
    use velamen_core::frequency::Role;
    use velamen_core::hierarchy::Definition;
    use velamen_core::impossible::Impossible;

    #[test]
    fn values_with_an_impossible_partner_are_tied() {
        // Of two values and three the second with the first and the last.
        let zeros = Zeros::of_pair((1, 2), vec![false, false, false, true, false, true]);
        assert_eq!(zeros.tied(1, 2), [false, true]);
        assert_eq!(zeros.tied(2, 3), [true, false, true]);
        assert_eq!(zeros.tied(0, 4), [false; 4]);
    }

    #[test]
    fn records_that_have_one_are_strays() {
        let zeros = Zeros::of_pair((0, 1), vec![false, true, false, false, false, true]);
        let mut whole = table(&[2, 3], vec![vec![0, 0, 1, 1], vec![0, 1, 2, 0]]);
        whole.counts = vec![5, 3, 4, 1];
        let left = zeros.without(whole.clone(), &Node(vec![0, 0]));
        assert_eq!((&left.codes[0][..], &left.codes[1][..], left.records()), (&[0, 1][..], &[0, 0][..], 6));
        assert_eq!(left.strays.outside, [7]);
        let all = Zeros::NONE.without(whole, &Node(vec![0, 0]));
        assert_eq!((all.records(), all.strays.outside.len()), (13, 0));
    }

    /// Entries of one pair are taken together, in the order of the attributes, however an entry names them.
    #[test]
    fn entries_bar_what_both_sides_name() {
        use super::super::declared::tests::{attribute, impossible};
        let two = ["a", "b"].map(|name| {
            let size = if name == "a" { 2 } else { 3 };
            let rows = (0..size).map(|value| vec![format!("v{value}"), "*".to_owned()]).collect();
            attribute(name, Role::QuasiIdentifier, Some(Definition::Table { rows }))
        });
        let qis = two.clone().map(|attribute| QuasiIdentifier {
            hierarchy: whole_hierarchy(&attribute).unwrap(),
            name: attribute.name,
        });
        let of = |order: [usize; 2], entries: &[Impossible]| {
            let qis = order.map(|place| qis[place].clone());
            Zeros::of(&qis, &Node(vec![0, 0]), &Task { impossible: entries, ..Task::new(&two, &[]) })
                .unwrap()
                .0
        };
        let entries = [impossible(&["v1"], "b", &["v0", "v2"]), impossible(&["v0"], "b", &["v2"])];
        let barred = vec![false, false, true, true, false, true];
        assert_eq!(of([0, 1], &entries), BTreeMap::from([((0, 1), barred)]));
        let turned = vec![false, true, false, false, true, true];
        assert_eq!(of([1, 0], &entries), BTreeMap::from([((0, 1), turned)]));
        assert_eq!(
            of([0, 1], &[impossible(&["v0"], "c", &["v0"])]),
            BTreeMap::new(),
            "another column is none of these"
        );
    }

    #[test]
    fn what_is_declared_decides_whether_it_fits() {
        let refused =
            |zeros: &Zeros, cells| zeros.refuse_unfit(&[2, 3, 4], cells).err().map(|e| e.to_string());
        assert_eq!(refused(&Zeros::NONE, 9), None);
        assert!(refused(&Zeros::NONE, 8).unwrap().starts_with("attributes by themselves need 9 cells"));
        let mut barred = vec![true, true, true, true, true, false];
        let some = Zeros::of_pair((0, 1), barred.clone());
        assert_eq!(refused(&some, 10), None);
        assert!(refused(&some, 9).unwrap().starts_with("impossible combinations need 10 cells"));
        barred[5] = true;
        assert!(refused(&Zeros::of_pair((0, 1), barred), 10).unwrap().contains("no record possible"));
    }

    #[test]
    fn a_value_is_impossible_wholly_or_not_at_all() {
        let qi = &table(&[4], vec![Vec::new()]).qis[0];
        assert_eq!(named(qi, 0, &|leaf| leaf > "1"), Ok(vec![false, false, true, true]));
        assert_eq!(named(qi, 1, &|_| true), Ok(vec![true]));
        assert_eq!(named(qi, 1, &|leaf| leaf == "2"), Err("*".into()));
    }
}
