//! What release and catalog leave of a person's protection, if counterfeits lie uniformly where the catalog allows.
//!
//! Of the N records of a value in the classes of a group that can hold counterfeits c are counterfeit. The class
//! has n of them: whichever they are, each order of the N is as likely as any other. So X of the class's are
//! counterfeit as of n balls drawn from an urn of N with c black ones. R = |E| − ΣX records are real, and the risk of
//! a value is E\[(n − X) / (n · R) | R ≥ least\], the largest of which is found here. In a class of no more values than
//! its real records are promised to have one record of each value is real: n − 1 balls are drawn, and N counts as many.
//!
//! Draws and sums are of positive terms: the relative error is that of some thousand roundings at most, below 1e-12.

use std::collections::BTreeMap;

use velamen_contract::model::catalog_risk::CatalogRiskParams;

use super::{Case, Entry, Reached};
use crate::{Uncheckable, can_hold, total};

pub(super) const ENTRY: Entry = Entry {
    name: "catalog-risk",
    check: |case| {
        let CatalogRiskParams { risk: most } = case.parameters()?;
        let by_size = case.sizes().into_iter().map(|size| 1.0 / size as f64).reduce(f64::max);
        let groups = groups(case)?;
        let asked = Least { real: case.least_real(), values: case.promises.real_values() };
        let reached = by_size.map(|risk| highest(&groups, asked, risk));
        Ok(case.reached(Reached::at_most("risk", reached, most)))
    },
};

/// A group of the catalog: the classes that can hold counterfeits, each by value, and the counterfeits by value.
#[derive(Debug, Default)]
struct Group<'a> {
    classes: BTreeMap<u64, BTreeMap<&'a str, u64>>,
    counterfeits: BTreeMap<&'a str, u64>,
}

/// What each class has at least, as is promised.
#[derive(Debug, Clone, Copy)]
struct Least {
    /// Real records.
    real: u64,
    /// Different values of real records.
    values: u64,
}

/// The balls of an urn: how many are drawn, how many there are, how many of them are black; and the records of the class, of
/// which those that can be counterfeit are drawn.
#[derive(Debug, Clone, Copy)]
struct Urn {
    own: u64,
    drawn: u64,
    balls: u64,
    black: u64,
}

/// The chance of each number, from 0 up.
type Law = Vec<f64>;

impl Case<'_> {
    /// The real records that the custodian says each class with counterfeits has.
    fn least_real(&self) -> u64 {
        self.promises.least_real.unwrap_or(1).max(1)
    }
}

/// The groups of the catalog, with the released records of their classes.
fn groups<'a>(case: &Case<'a>) -> Result<Vec<Group<'a>>, Uncheckable> {
    let Some(name) = &case.promises.sensitive else { return Ok(Vec::new()) };
    let column = case.view.published.position(name)?;
    let mut groups: BTreeMap<&[u64], Group<'a>> = BTreeMap::new();
    for row in &case.promises.catalog {
        let group = groups.entry(&row.classes).or_default();
        let counted = group.counterfeits.entry(&row.value).or_default();
        *counted = counted.saturating_add(row.count);
    }
    let mut group_of: BTreeMap<u64, &[u64]> = BTreeMap::new();
    for ids in groups.keys() {
        let holding = ids.iter().filter(|id| can_hold(case.promises, case.classes, **id));
        group_of.extend(holding.map(|id| (*id, *ids)));
    }
    for (row, &count) in case.view.published.counts.iter().enumerate() {
        let Some(id) = case.view.class_id(row) else { continue };
        let Some(group) = group_of.get(&id).and_then(|ids| groups.get_mut(ids)) else { continue };
        let cells = group.classes.entry(id).or_default();
        let counted = cells.entry(case.view.cell(column, row)).or_default();
        *counted = counted.saturating_add(count);
    }
    Ok(groups.into_values().collect())
}

/// The highest risk of all classes, of which those in no group have at most `by_size`.
fn highest(groups: &[Group<'_>], least: Least, by_size: f64) -> f64 {
    groups.iter().fold(by_size, |highest, group| group.highest(least, highest))
}

impl Group<'_> {
    /// The urn that a class draws its records of a value from.
    fn urn(&self, value: &str, (own, drawn): (u64, u64), all: &BTreeMap<&str, u64>) -> Urn {
        let of = |counts: &BTreeMap<&str, u64>| counts.get(value).copied().unwrap_or(0);
        Urn { own, drawn, balls: of(all), black: of(&self.counterfeits) }
    }

    /// The highest risk of its classes, if it is above another.
    fn highest(&self, least: Least, other: f64) -> f64 {
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        for (value, _, doubtful) in self.classes.values().flat_map(|cells| doubted(cells, least)) {
            let counted = all.entry(value).or_default();
            *counted = counted.saturating_add(doubtful);
        }
        self.classes.values().fold(other, |highest, cells| {
            let urn = |(value, own, drawn)| self.urn(value, (own, drawn), &all);
            let urns: Vec<Urn> = doubted(cells, least).map(urn).collect();
            // So many are real whichever the counterfeits are: it cannot be higher.
            let sure = total(urns.iter().map(|urn| urn.own.saturating_sub(urn.drawn.min(urn.black))));
            if 1.0 / sure as f64 <= highest { highest } else { highest.max(of_class(&urns, least.real)) }
        })
    }
}

/// Of each value of a class its records, and how many of them can be counterfeit.
fn doubted<'a>(
    cells: &'a BTreeMap<&'a str, u64>,
    least: Least,
) -> impl Iterator<Item = (&'a str, u64, u64)> + 'a {
    let sure = u64::from(least.values > 1 && cells.len() as u64 <= least.values);
    cells.iter().map(move |(value, &own)| (*value, own, own.saturating_sub(sure)))
}

/// The highest risk of a class's values; 1 where there cannot be enough real records.
fn of_class(urns: &[Urn], least: u64) -> f64 {
    if urns.iter().any(|urn| urn.black > urn.balls) {
        return 1.0;
    }
    let size = total(urns.iter().map(|urn| urn.own));
    let (doubtful, sure): (Vec<&Urn>, Vec<&Urn>) = urns.iter().partition(|urn| urn.black > 0);
    let laws: Vec<(u64, Law)> = doubtful.iter().map(|urn| (urn.own, urn.black_drawn())).collect();
    let counterfeits = laws.iter().fold(vec![1.0], |sum, (_, law)| added(&sum, law));
    // What remains of the class, and at which chance.
    let left = |gone: u64| Some(size.saturating_sub(gone)).filter(|&left| left >= least);
    let enough: f64 =
        (0..).zip(&counterfeits).filter(|(gone, _)| left(*gone).is_some()).map(|(_, p)| p).sum();
    if enough <= 0.0 {
        return 1.0;
    }
    let mut highest: f64 = 0.0;
    if !sure.is_empty() {
        let found = |(gone, chance): (u64, &f64)| left(gone).map_or(0.0, |left| chance / left as f64);
        highest = (0..).zip(&counterfeits).map(found).sum();
    }
    each_apart(&laws, vec![1.0], &mut |own, law, others| {
        let mut found = 0.0;
        for (x, chance) in (0u64..).zip(law) {
            let real = own.saturating_sub(x) as f64 / own as f64;
            for (gone, other) in (x..).zip(others) {
                found += left(gone).map_or(0.0, |left| chance * other * real / left as f64);
            }
        }
        highest = highest.max(found);
    });
    highest / enough
}

impl Urn {
    /// The law of the black ones among the drawn, ball by ball.
    fn black_drawn(self) -> Law {
        let mut law = vec![1.0];
        for already in 0..self.drawn {
            let left = self.balls.saturating_sub(already) as f64;
            // Of the balls left, those that are black once x were drawn.
            let black = |x: usize| self.black.saturating_sub(x as u64) as f64;
            let mut next: Law =
                law.iter().enumerate().map(|(x, p)| p * (left - black(x)).max(0.0) / left).collect();
            if (law.len() as u64) <= self.black {
                next.push(0.0);
            }
            for ((x, p), more) in law.iter().enumerate().zip(next.iter_mut().skip(1)) {
                *more += p * black(x) / left;
            }
            law = next;
        }
        law
    }
}

/// Shows each law beside the law of all others' sum: halves get what the other half adds to the rest.
fn each_apart(laws: &[(u64, Law)], others: Law, show: &mut impl FnMut(u64, &Law, &Law)) {
    match laws {
        [] => {}
        [(own, law)] => show(*own, law, &others),
        _ => {
            let (left, right) = laws.split_at(laws.len().div_euclid(2));
            let with =
                |half: &[(u64, Law)]| half.iter().fold(others.clone(), |sum, (_, law)| added(&sum, law));
            let (for_left, for_right) = (with(right), with(left));
            each_apart(left, for_left, show);
            each_apart(right, for_right, show);
        }
    }
}

/// The law of the sum of two independent numbers.
fn added(a: &[f64], b: &[f64]) -> Law {
    let mut sum = vec![0.0; a.len().saturating_add(b.len()).saturating_sub(1)];
    for (first, a) in a.iter().enumerate() {
        for (b, sum) in b.iter().zip(sum.iter_mut().skip(first)) {
            *sum += a * b;
        }
    }
    sum
}

#[cfg(test)]
mod tests;
