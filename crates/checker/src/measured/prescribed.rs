//! What a method has to spend on each step, computed again from the stated ρ: how much noise every table has, how many choices
//! there were and at which ε, and that tables and choices name each other.
//!
//! Measured sets follow from private choices. A release that left out what these cost would state too little of its loss, so
//! nothing that a method's rule does not prescribe passes.

use std::collections::BTreeMap;

use velamen_contract::{ChosenSet, MeasuredTable, Measurements};
use velamen_dp::Rational;

use super::{PLACES, ShiftExact, in_units, of_choice, of_table};

/// Binary places of a variance up to 2³².
const VARIANCE_PLACES: u32 = 16;
/// The largest variance, and the largest with binary places in units of these.
const MOST_VARIANCE: u128 = 1 << 48;
/// Binary places of the ε of a choice.
const CHOICE_PLACES: u32 = 20;
/// `mst`: tenths of ρ for attributes, choices and pairs.
const MST: (u128, u128, u128) = (5, 1, 4);
/// `aim`: the share of ρ for attributes, and that where ρ for one record is less than so much.
const AIM_ALONE: ((u128, u128), (u128, u128), f64) = ((1, 5), (1, 2), 0.005);
/// `aim`: the share of ρ that asking whether pairs are worth their noise costs.
const AIM_ASKED: (u128, u128) = (1, 50);
/// `aim`: rounds for each attribute, as the budget is shared at first.
const AIM_ROUNDS: u128 = 16;

/// Whether all steps are those that the method takes with the stated ρ.
pub(super) fn holds(measured: &Measurements, method: &str) -> bool {
    let Some(budget) = Budget::of(measured) else { return false };
    let holds = match method {
        "mst" => budget.is_of_mst(),
        "aim" => budget.is_of_aim(),
        _ => None,
    };
    holds.unwrap_or(false)
}

/// By further table the share of ρ that is spent once it is drawn, as far as its size depends on that: of `mst` no table's does,
/// unless combinations are barred. `None` where the tables are not those of the method.
pub(super) fn spent(measured: &Measurements, method: &str) -> Option<Vec<f64>> {
    match method {
        "aim" => Budget::of(measured)?.rounds(),
        _ => Some(vec![f64::INFINITY; measured.tables.len()]),
    }
}

/// Whether values whose counts noise drowns are put together: not where nothing was chosen, since attributes alone gain nothing by it.
/// Earlier releases of `mst` did so there, too.
pub(super) fn merges(measured: &Measurements, method: &str) -> bool {
    let is_nothing = |choice: &ChosenSet| choice.attributes.is_none();
    let is_of_earlier = method == "mst" && !measured.merged.is_empty();
    is_of_earlier || !measured.choices.iter().all(is_nothing)
}

/// What was drawn, and what there was to spend.
struct Budget<'a> {
    measured: &'a Measurements,
    rho: u128,
    /// Δ².
    square: u128,
}

impl<'a> Budget<'a> {
    fn of(measured: &'a Measurements) -> Option<Self> {
        let square = u128::from(measured.sensitivity).checked_mul(measured.sensitivity.into())?;
        Some(Self { measured, rho: measured.rho.parse().ok()?, square })
    }

    /// Whether the first tables share a part of ρ as single attributes do.
    fn is_alone(&self, part: (u128, u128)) -> Option<bool> {
        self.is_shared(&self.measured.alone, part)
    }

    /// Whether tables of single attributes share a part of ρ by n^⅔, n being the number of an attribute's values.
    fn is_shared(&self, tables: &[MeasuredTable], (part, whole): (u128, u128)) -> Option<bool> {
        self.shares(tables, share(self.rho, part, whole)?)
    }

    /// The same of so many units of ρ.
    fn shares(&self, tables: &[MeasuredTable], all: u128) -> Option<bool> {
        let weights: Vec<u128> = tables.iter().map(|table| self.weight(table)).collect::<Option<_>>()?;
        let sum = weights.iter().copied().fold(0, u128::saturating_add);
        let is_due = |(table, &weight): (&MeasuredTable, &u128)| {
            share(all, weight, sum).is_some_and(|due| self.has_noise_of(table, due))
        };
        Some(tables.iter().zip(&weights).all(is_due))
    }

    /// n^⅔ for the number of an attribute's values.
    fn weight(&self, table: &MeasuredTable) -> Option<u128> {
        let values = self.measured.domains.get(table.attributes.first()?)?;
        Some(two_thirds(values.len() as u128))
    }

    /// Whether a table's noise is that of so much of ρ.
    fn has_noise_of(&self, table: &MeasuredTable, units: u128) -> bool {
        variance(units, self.square).is_some_and(|due| table.variance() == Some(due))
    }

    /// d − 1 choices of pairs that close no circle or of nothing, and a table of each pair; of each attribute, where there is no
    /// pair. Where no choice was made, those tables have what the choices would have cost, too.
    fn is_of_mst(&self) -> Option<bool> {
        let measured = self.measured;
        let draws = measured.alone.len().checked_sub(1)?;
        let pairs: Vec<&[String]> =
            measured.choices.iter().filter_map(|choice| choice.attributes.as_deref()).collect();
        let alone = || measured.alone.iter().map(|table| &table.attributes[..]).collect();
        let sets: Vec<&[String]> = if pairs.is_empty() { alone() } else { pairs.clone() };
        let of_choice = share(self.rho, MST.1, 10u128.checked_mul(draws.max(1) as u128)?)?;
        let of_table = share(self.rho, MST.2, 10u128.checked_mul(sets.len() as u128)?)?;
        let named = measured.tables.iter().map(|table| &table.attributes[..]).eq(sets);
        let paid = measured.choices.iter().all(|choice| costs(choice, of_choice));
        let noisy = match pairs.is_empty() {
            true if measured.choices.is_empty() => {
                self.is_shared(&measured.tables, (MST.1.checked_add(MST.2)?, 10))?
            }
            true => self.is_shared(&measured.tables, (MST.2, 10))?,
            false => measured.tables.iter().all(|table| self.has_noise_of(table, of_table)),
        };
        let whole = [0, draws].contains(&measured.choices.len()) && closes_no_circle(&pairs);
        Some(self.is_alone((MST.0, 10))? && whole && named && paid && noisy)
    }

    fn is_of_aim(&self) -> Option<bool> {
        let (usual, of_little, little) = AIM_ALONE;
        let sensitivity = self.measured.sensitivity as f64;
        let part = if in_units(self.rho) < little * sensitivity * sensitivity { of_little } else { usual };
        Some(self.is_alone(part)? && self.rounds().is_some())
    }

    /// By table the share of ρ that is spent once it is drawn; `None` where something was not drawn as `aim` does.
    ///
    /// First comes a choice whether pairs are worth their noise, unless none can be; earlier releases have no such choice. If they
    /// are, all attributes are what was chosen; if not, each attribute is measured once more with all that is left.
    fn rounds(&self) -> Option<Vec<f64>> {
        let measured = self.measured;
        let alone = measured.alone.iter().map(|table| of_table(table, self.square));
        let left = alone.into_iter().try_fold(self.rho, |left, cost| left.checked_sub(cost?))?;
        let due = share(self.rho, AIM_ASKED.0, AIM_ASKED.1)?;
        match measured.choices.split_first() {
            None => self.again(left),
            Some((asked, rounds)) if costs(asked, due) => {
                let left = left.checked_sub(of_choice(asked)?)?;
                let is_whole = |names: &Vec<String>| {
                    names.iter().eq(measured.alone.iter().flat_map(|table| &table.attributes))
                };
                match &asked.attributes {
                    None => self.again(left).filter(|_| rounds.is_empty()),
                    Some(names) if is_whole(names) => self.rounds_of(rounds, left),
                    Some(_) => None,
                }
            }
            Some(_) => self.rounds_of(&measured.choices, left),
        }
    }

    /// Each attribute once more, in the shares of the first tables.
    fn again(&self, left: u128) -> Option<Vec<f64>> {
        let measured = self.measured;
        let sets = |tables: &[MeasuredTable]| -> Vec<Vec<String>> {
            tables.iter().map(|table| table.attributes.clone()).collect()
        };
        let is_due =
            sets(&measured.tables) == sets(&measured.alone) && self.shares(&measured.tables, left)?;
        is_due.then(|| vec![1.0; measured.tables.len()])
    }

    /// A choice and a table of its set in each round, until the last one takes all that is left. Between two rounds both shares
    /// stay or are four times as large.
    fn rounds_of(&self, choices: &[ChosenSet], mut left: u128) -> Option<Vec<f64>> {
        let measured = self.measured;
        let rounds = AIM_ROUNDS.checked_mul(measured.alone.len() as u128)?;
        let mut shares = vec![Shares::of(share(left, 1, rounds)?)?];
        let (mut is_over, mut spent) = (false, Vec::new());
        for (choice, table) in choices.iter().zip(&measured.tables) {
            let (taken, is_last) = self.round(&shares, left, choice, table).filter(|_| !is_over)?;
            let after = left.saturating_sub(taken.choice).saturating_sub(taken.noise);
            spent.push(1.0 - after as f64 / self.rho as f64);
            left = left.checked_sub(of_choice(choice)?)?.checked_sub(of_table(table, self.square)?)?;
            is_over = is_last;
            shares = vec![taken, taken.fourfold()?];
        }
        (is_over && choices.len() == measured.tables.len()).then_some(spent)
    }

    /// Which of these shares a round of `aim` took, and whether it was the last; `None` where it was none of them.
    fn round(
        &self,
        shares: &[Shares],
        left: u128,
        choice: &ChosenSet,
        table: &MeasuredTable,
    ) -> Option<(Shares, bool)> {
        let named = choice.attributes.as_ref() == Some(&table.attributes);
        let taken = shares.iter().filter_map(|shares| shares.or_all(left));
        let is_due = |due: Shares| named && costs(choice, due.choice) && self.has_noise_of(table, due.noise);
        taken.into_iter().find(|(due, _)| is_due(*due))
    }
}

/// What a round of `aim` spends on its choice and its table.
#[derive(Debug, Clone, Copy)]
struct Shares {
    choice: u128,
    noise: u128,
}

impl Shares {
    fn of(units: u128) -> Option<Self> {
        Some(Self { choice: share(units, 1, 10)?, noise: share(units, 9, 10)? })
    }

    fn fourfold(self) -> Option<Self> {
        Some(Self { choice: self.choice.checked_mul(4)?, noise: self.noise.checked_mul(4)? })
    }

    /// These, or all that is left where it is not enough for two rounds; whether it is the last.
    fn or_all(self, left: u128) -> Option<(Self, bool)> {
        let two = self.choice.checked_add(self.noise)?.checked_mul(2)?;
        if left < two { Some((Self::of(left)?, true)) } else { Some((self, false)) }
    }
}

/// Whether a choice has the largest ε that costs no more: a/2²⁰ with a² 2¹⁷ units.
fn costs(choice: &ChosenSet, units: u128) -> bool {
    let numerator = (units >> PLACES.saturating_sub(3).saturating_sub(2 * CHOICE_PLACES)).isqrt();
    let due = u64::try_from(numerator).ok().and_then(|a| Rational::new(a, 1 << CHOICE_PLACES).ok());
    due.is_some() && choice.epsilon() == due
}

fn share(units: u128, part: u128, whole: u128) -> Option<u128> {
    units.checked_mul(part)?.checked_div(whole)
}

/// The smallest σ² whose noise costs no more: Δ²/(2ρ), in units of 2⁻¹⁶ rounded up, above 2³² whole.
fn variance(units: u128, square: u128) -> Option<Rational> {
    let double = square.checked_shl_exact(PLACES.saturating_sub(1)).filter(|_| units > 0)?;
    let fine = double.checked_shl_exact(VARIANCE_PLACES).map(|double| double.div_ceil(units).max(1));
    let (number, places) = match fine.filter(|fine| *fine <= MOST_VARIANCE) {
        Some(fine) => (fine, VARIANCE_PLACES),
        None => (double.div_ceil(units), 0),
    };
    let number = u64::try_from(number).ok().filter(|_| number <= MOST_VARIANCE)?;
    Rational::new(number, 1 << places).ok()
}

/// n^⅔ in units of 2⁻¹⁰, rounded down.
fn two_thirds(values: u128) -> u128 {
    let cube = values.saturating_mul(values).saturating_mul(1 << 30);
    let cubed = |root: u128| root.saturating_mul(root).saturating_mul(root);
    let mut root = (cube as f64).cbrt() as u128;
    while cubed(root) > cube {
        root = root.saturating_sub(1);
    }
    while cubed(root.saturating_add(1)) <= cube {
        root = root.saturating_add(1);
    }
    root
}

/// Whether these are pairs, no two of which lead from an attribute to another on two ways.
fn closes_no_circle(pairs: &[&[String]]) -> bool {
    let mut part: BTreeMap<&str, usize> = BTreeMap::new();
    pairs.iter().enumerate().all(|(number, pair)| {
        let [a, b] = pair else { return false };
        let next = number.saturating_mul(2);
        let from = *part.entry(a).or_insert(next);
        let to = *part.entry(b).or_insert(next.saturating_add(1));
        part.values_mut().filter(|part| **part == from).for_each(|part| *part = to);
        from != to && a != b
    })
}

#[cfg(test)]
mod tests;
