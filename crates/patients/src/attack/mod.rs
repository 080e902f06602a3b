//! What an adversary gets from a release of linked tables, by who has the original.
//!
//! # The adversary
//! They know that a person was in the original, all person columns that are released, as what is released stands for them
//! (see `labels.csv`), and m of the person's codes; then also the day of one of these. Candidates are the released persons
//! who show these columns and codes, and with the day a row of that code that can be of that day:
//!
//! | dates | a released day d′ can be of day d if |
//! | --- | --- |
//! | `year` | both are of one year |
//! | `shift = N` | \|d′ − d\| ≤ N |
//! | `relative`, `none` | always |
//!
//! With C the candidates of a target t, of T targets:
//! ```text
//! alone  = #{t : C = {t}} / T            chance = Σ [t ∈ C] / |C| / T
//! misled = #{t : |C| = 1, t ∉ C} / T     nobody = #{t : C = ∅} / T
//! ```
//! The codes are drawn at random from the person's distinct codes; or they are the worst: those of the released ones that leave
//! the fewest candidates. Absences, order and numbers of rows are not used.

mod known;
mod side;
mod traces;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::linked::LinkedManifest;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_dp::{Stream, below};
use velamen_recipe::JobError;

use self::known::Adversary;
pub use self::traces::Traces;
use crate::beside::{Custody, Missing, Pairs};

/// The most persons of each kind that are looked for.
pub const MOST_TARGETS: usize = 1_000;

/// What an adversary gets from a release of linked tables.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LinkedAttack {
    /// How many codes the adversary knows, at most.
    pub m: u8,
    /// Released persons.
    pub persons: u64,
    /// Persons of the original.
    pub original_persons: u64,
    /// Persons who are released.
    pub released: Targets,
    /// Persons who were left out: whoever is found is another.
    pub left_out: Targets,
    /// Rows that stand where codes were removed.
    pub traces: Traces,
}

/// What becomes of persons who are looked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Targets {
    /// How many are looked for.
    pub targets: u64,
    /// By codes drawn at random.
    pub codes: Found,
    /// By the codes that leave the fewest candidates; of released persons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_codes: Option<Found>,
    /// By codes drawn at random and the day of one of them.
    pub codes_and_day: Found,
    /// By the codes and the day that leave the fewest candidates; of released persons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_codes_and_day: Option<Found>,
}

/// Shares of the persons who are looked for; none of nobody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Found {
    /// One candidate, and it is the person.
    pub alone: f64,
    /// The mean probability that a candidate drawn at random is the person.
    pub chance: f64,
    /// One candidate, and it is another person.
    pub misled: f64,
    /// No candidate.
    pub nobody: f64,
}

/// What is asked of [`attack`].
#[derive(Debug, Clone, Copy)]
pub struct AttackAsked<'a> {
    /// The release folder.
    pub release: &'a Path,
    /// Its manifest.
    pub manifest: &'a LinkedManifest,
    /// The custodian's folder, which names the original and has its keys.
    pub custodian: &'a Path,
    /// The folder of the original tables, or the only one, where they are no longer where they were.
    pub original: Option<&'a Path>,
    /// How many codes the adversary knows, 1 to 3.
    pub m: u8,
    /// The most persons of each kind that are looked for, at most [`MOST_TARGETS`].
    pub targets: usize,
}

/// Looks for persons of the original in a release; all draws follow from the context's seed.
///
/// Work: targets × persons of their class × C(common codes, m).
///
/// # Errors
/// [`JobError::usage`] if m is not 1 to 3, or the custodian's folder or the original is not there; [`JobError::data`] if a
/// table cannot be read.
pub fn attack(asked: &AttackAsked<'_>, context: &Context<'_>) -> Result<LinkedAttack, JobError> {
    if !(1..=3).contains(&asked.m) {
        return Err(JobError::usage(Problem::new("the number of known codes").expected("1, 2 or 3")));
    }
    let custody =
        Custody::read(asked.custodian, asked.original, asked.manifest.shape, &|| context.check().is_err())
            .map_err(|Missing(why)| JobError::usage(why))?;
    let pairs = Pairs::read(asked.release, asked.manifest, &custody, context)?;
    let adversary = Adversary::of(&pairs, asked.m);
    let mut stream = context.seed.stream(0);
    let most = asked.targets.min(MOST_TARGETS);
    let (released, left): (Vec<u32>, Vec<u32>) =
        adversary.originals().partition(|&person| adversary.own(person).is_some());
    let released = targets(&adversary, drawn(released, most, &mut stream), &mut stream, context)?;
    let left_out = targets(&adversary, drawn(left, most, &mut stream), &mut stream, context)?;
    Ok(LinkedAttack {
        m: asked.m,
        persons: adversary.persons() as u64,
        original_persons: adversary.originals().count() as u64,
        released: Targets {
            worst_codes: released.1.first().copied(),
            worst_codes_and_day: released.1.last().copied(),
            ..released.0
        },
        left_out: left_out.0,
        traces: traces::traces(&pairs, &adversary),
    })
}

/// At most so many of them, drawn without replacement.
fn drawn<T>(mut from: Vec<T>, most: usize, stream: &mut Stream) -> Vec<T> {
    let number = most.min(from.len());
    for place in 0..number {
        let other = place + below(stream, (from.len() - place) as u64) as usize;
        from.swap(place, other);
    }
    from.truncate(number);
    from
}

/// What becomes of each; behind it of the worst codes, without and with a day, where the persons are released.
fn targets(
    adversary: &Adversary,
    persons: Vec<u32>,
    stream: &mut Stream,
    context: &Context<'_>,
) -> Result<(Targets, Vec<Found>), JobError> {
    let (mut codes, mut day, mut worst) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for &person in &persons {
        context.check()?;
        let (by_codes, by_day) = adversary.random(person, stream);
        codes.push(by_codes);
        day.push(by_day);
        if let Some(by) = adversary.worst(person) {
            worst.iter_mut().zip(by).for_each(|(all, found)| all.push(found));
        }
    }
    let found = Targets {
        targets: persons.len() as u64,
        codes: Found::of(&codes),
        codes_and_day: Found::of(&day),
        ..Targets::default()
    };
    let worst = worst.iter().filter(|all| !all.is_empty()).map(|all| Found::of(all)).collect();
    Ok((found, worst))
}

/// How many candidates there are, and whether the person is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidates {
    number: usize,
    has_own: bool,
}

impl Found {
    fn of(all: &[Candidates]) -> Self {
        let share = |worth: &dyn Fn(&Candidates) -> f64| {
            all.iter().map(worth).fold(0.0, std::ops::Add::add) / all.len().max(1) as f64
        };
        let one = |of: &Candidates, own: bool| f64::from(u8::from(of.number == 1 && of.has_own == own));
        Self {
            alone: share(&|of| one(of, true)),
            chance: share(&|of| if of.has_own { 1.0 / of.number as f64 } else { 0.0 }),
            misled: share(&|of| one(of, false)),
            nobody: share(&|of| f64::from(u8::from(of.number == 0))),
        }
    }
}

#[cfg(test)]
mod tests {
    use velamen_dp::Seed;

    use super::*;

    #[test]
    fn shares_are_those_of_targets() {
        let of = |number, has_own| Candidates { number, has_own };
        let found = Found::of(&[of(1, true), of(4, true), of(1, false), of(0, false)]);
        assert_eq!(found, Found { alone: 0.25, chance: 0.3125, misled: 0.25, nobody: 0.25 });
        assert_eq!(Found::of(&[]), Found::default());
    }

    #[test]
    fn nobody_is_drawn_twice() {
        let mut stream = Seed::from_number(1).stream(0);
        let mut some = drawn((0..50).collect::<Vec<u32>>(), 20, &mut stream);
        some.sort_unstable();
        some.dedup();
        assert_eq!(some.len(), 20);
        assert_eq!(drawn(vec![1, 2], 9, &mut stream).len(), 2);
    }
}
