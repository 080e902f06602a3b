//! Padding until all models hold.
//!
//! # Summary
//! Beyond k-anonymity a class may need other values, not only more records. Every class is padded until
//! all models hold of what is released of it, counterfeits included.
//!
//! # Definition
//! 1. The models are bound to the distribution that is released: the original records and the
//!    counterfeits so far.
//! 2. m is the least size at which the models that judge all classes together hold, if every class below
//!    it is padded to it.
//! 3. A class of fewer than m records draws values as for k-anonymity. A class of m or more that fails a
//!    model draws, at even odds, such a value or one that it has too few of: of value v with a
//!    probability in proportion to max(0, p_v (n + 1) − n_v).
//! 4. With random padding every class, also one that holds from the start, then draws g records more,
//!    g geometric and at most [`REACH`](super::padding::REACH).
//! 5. Back to 1, until no class draws.
//!
//! That is for recipes in which counterfeits stand in for people (`counterfeits-count`), and for models of the sizes of
//! classes. Otherwise the real records of a class meet the models by themselves (`h_ceiling::real`), and nothing is padded for
//! them. Padding whatever its size leaves a large class with as few counterfeits as a small one, so that the size of a
//! class shows which records are counterfeit: an area of .8 to .95 on five tables with l = 3 and t = .4. Where people can have several records, each counterfeit counts as one person more.
//!
//! So the models hold of the finished release under its own distribution. With random padding each class
//! of the release can hold counterfeits, and each of its records can be one: whether a class was padded
//! shows in nothing. With exact padding a class that would hold without any of its records was not padded.
//!
//! # Complexity
//! Time O(rounds · (cells + counterfeits · (cells of a class + values))), memory O(cells + counterfeits).
//!
//! # References
//! Lee et al. 2017 leave other models than k-anonymity open; this is ours.

use velamen_core::classes::ClassTable;
use velamen_core::error::Problem;
use velamen_core::plan::Counterfeits;
use velamen_dp::{Stream, below};

use super::padding::Padding;
use super::pool::{Cells, Pool, add, add_many, count};
use crate::model::people::{self, Tally};
use crate::model::{Bound, Class, Judge};

/// Binds the models to a table whose sensitive attribute comes to this.
pub type Bind<'a> = dyn Fn(&Tally) -> Result<Vec<Bound>, Problem> + Sync + 'a;

/// No models beyond k-anonymity.
///
/// # Errors
/// None.
pub fn no_models(_: &Tally) -> Result<Vec<Bound>, Problem> {
    Ok(Vec::new())
}

/// Rounds after which the models are taken not to come to rest.
const MOST_ROUNDS: usize = 64;

/// Counterfeits of one class beyond four a record: models that ask for more leave no use.
const MOST_COUNTERFEITS: u64 = 256;

/// The furthest that the least size is raised for models of all classes.
const MOST_RAISE: u64 = 4096;

/// The first code of persons that are counterfeit, above all codes of real ones.
const NOBODY: u32 = 1 << 31;

/// The classes of a node while they grow.
pub(super) struct Growth<'a> {
    bind: &'a Bind<'a>,
    /// k, the size that every class needs.
    least: u64,
    padding: Padding,
    /// Whether a class is kept, and so may be padded.
    kept: Vec<bool>,
    pool: Pool<'a>,
    /// What is released of the sensitive attribute so far.
    released: Tally,
    /// Per class its counterfeits.
    drawn: Vec<Cells>,
}

/// A class with its counterfeits: its people, and whose its values are where they can have several records.
pub(super) struct Grown {
    class: u32,
    cells: Cells,
    pairs: Vec<(u32, u32)>,
    size: u64,
}

impl<'a> Growth<'a> {
    /// Before anything is drawn: `least` is the size that classes need, `kept` says which are no suppressed ones, and
    /// `released` what the records come to that show their values.
    pub(super) fn new(
        bind: &'a Bind<'a>,
        (least, padding): (u64, Padding),
        (kept, released): (Vec<bool>, Tally),
        pool: Pool<'a>,
    ) -> Self {
        let drawn = vec![Cells::new(); pool.classes.len()];
        Self { bind, least, padding, kept, pool, released, drawn }
    }

    /// The counterfeits; `None` where padding cannot make the models hold, or only with what is impossible.
    pub(super) fn run(mut self, targets: &mut Stream, values: &mut Stream) -> Option<Vec<Counterfeits>> {
        let classes = self.pool.classes.len();
        let mut slack: Vec<u64> = (0..classes).map(|_| self.padding.slack(targets)).collect();
        self.keep(&mut slack);
        let mut least = self.least;
        for _ in 0..MOST_ROUNDS {
            let models = (self.bind)(&self.released).ok()?;
            least = self.least_size(&models, least)?;
            let before = self.released.records;
            for (class, slack) in (0..).zip(&mut slack) {
                if !self.kept[class as usize] {
                    continue;
                }
                self.grow(class, &models, least, std::mem::take(slack), values)?;
            }
            if self.released.records == before {
                return Some(self.finished());
            }
        }
        None
    }

    /// Begins with what classes keep of an earlier release; no more is added to these than the models need.
    fn keep(&mut self, slack: &mut [u64]) {
        for (class, slack) in (0..).zip(slack) {
            let Some(kept) = self.pool.kept(class, self.least, u64::MAX).cloned() else { continue };
            kept.iter().for_each(|&(value, count)| self.released.add(value, count));
            self.drawn[class as usize] = kept;
            *slack = 0;
        }
    }

    fn finished(self) -> Vec<Counterfeits> {
        let padded = (0..).zip(self.drawn).filter(|(_, values)| !values.is_empty());
        padded.map(|(class, values)| Counterfeits { class, values }).collect()
    }

    fn size(&self, class: usize) -> u64 {
        self.pool.classes.people(class) + self.drawn[class].iter().map(|cell| cell.1).sum::<u64>()
    }

    /// The least size from `from` on that makes the models of all classes hold.
    fn least_size(&self, models: &[Bound], from: u64) -> Option<u64> {
        let kept = (0..self.drawn.len()).filter(|&class| self.kept[class]);
        let mut sizes: Vec<u64> = kept.map(|class| self.size(class)).collect();
        sizes.sort_unstable();
        let of_all = models.iter().filter_map(|bound| match &bound.judge {
            Judge::Table(model) => Some(model),
            Judge::Class(_) => None,
        });
        let of_all: Vec<_> = of_all.collect();
        let holds = |least: &u64| {
            let padded: Vec<u64> = sizes.iter().map(|size| *size.max(least)).collect();
            let histogram: Vec<(u64, u64)> =
                padded.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
            of_all.iter().all(|model| model.holds(&histogram))
        };
        if of_all.is_empty() { Some(from) } else { (from..=from + MOST_RAISE).find(holds) }
    }

    /// Steps 3 and 4 for one class; `None` if it takes too many, or none is possible.
    fn grow(
        &mut self,
        class: u32,
        models: &[Bound],
        least: u64,
        mut slack: u64,
        stream: &mut Stream,
    ) -> Option<()> {
        let grown = Grown::of(self.pool.classes, class, &self.drawn[class as usize]);
        let (mut grown, spot) = (grown, self.pool.spot(class));
        let most = grown.size.saturating_mul(5) + MOST_COUNTERFEITS + least;
        loop {
            let holds = grown.size >= least && holds(models, &grown);
            if holds && slack == 0 {
                return Some(());
            }
            if grown.size >= most {
                return None;
            }
            let small = grown.size < least;
            let value =
                if holds || small || below(stream, 2) == 0 { None } else { self.lacking(&grown, stream) };
            let value = match value {
                Some(value) => value,
                None => self.pool.one(&spot, &self.drawn[class as usize], stream)?,
            };
            slack -= u64::from(holds);
            add(&mut grown.cells, value);
            add(&mut self.drawn[class as usize], value);
            if self.pool.classes.counts_people() {
                grown.pairs.push((nobody(grown.size), value));
            }
            grown.size += 1;
            self.released.add(value, 1);
        }
    }

    /// A value that the class has too few of, among those that the others can conceal.
    fn lacking(&self, grown: &Grown, stream: &mut Stream) -> Option<u32> {
        let weight = |value: u32| {
            let wanted = u128::from(self.released.counts[value as usize]) * u128::from(grown.size + 1);
            let has = u128::from(count(&grown.cells, value)) * u128::from(self.released.records);
            let drawn = &self.drawn[grown.class as usize];
            let open = wanted > has && self.pool.conceals(grown.class, drawn, value);
            if open { (wanted - has) as u64 } else { 0 }
        };
        let weights: Vec<u64> = (0..self.released.counts.len() as u32).map(weight).collect();
        let total: u64 = weights.iter().sum();
        let mut point = if total > 0 { below(stream, total) } else { return None };
        let drawn = weights.iter().position(|&weight| {
            let here = point < weight;
            point = point.saturating_sub(weight);
            here
        });
        drawn.map(|value| value as u32)
    }
}

impl Grown {
    /// A class with its counterfeits among those of all, which are in the order of the classes.
    pub(super) fn beside(classes: &ClassTable, class: u32, counterfeits: &[Counterfeits]) -> Self {
        let own = counterfeits.binary_search_by_key(&class, |of| of.class).ok();
        let none = Cells::new();
        Self::of(classes, class, own.map_or(&none, |at| &counterfeits[at].values))
    }

    /// A class with these counterfeits.
    pub(super) fn of(classes: &ClassTable, class: u32, drawn: &Cells) -> Self {
        let mut cells = classes.sensitive(class as usize).to_vec();
        let mut pairs = classes.pairs(class as usize).to_vec();
        let mut size = classes.people(class as usize);
        for &(value, counterfeits) in drawn {
            add_many(&mut cells, value, counterfeits);
            if classes.counts_people() {
                pairs.extend((size..size + counterfeits).map(|one| (nobody(one), value)));
            }
            size += counterfeits;
        }
        Self { class, cells, pairs, size }
    }
}

/// The code of a counterfeit's person, ascending with the size of its class.
fn nobody(size: u64) -> u32 {
    NOBODY + (size as u32 & (NOBODY - 1))
}

/// Whether all models that judge classes hold of one.
pub(super) fn holds(models: &[Bound], grown: &Grown) -> bool {
    let mut had = Cells::new();
    if !grown.pairs.is_empty() {
        people::had(&grown.pairs, &mut had);
    }
    let cells = if grown.pairs.is_empty() { &grown.cells } else { &had };
    models.iter().all(|bound| match &bound.judge {
        Judge::Class(model) => {
            let (cells, pairs) =
                if bound.column.is_some() { (&cells[..], &grown.pairs[..]) } else { (&[][..], &[][..]) };
            model.holds(&Class { pairs, ..Class::new(grown.size, cells) })
        }
        Judge::Table(_) => true,
    })
}
