//! DiffGen: values are specialized by private choices, and noisy counts of what results are released.
//!
//! # Summary
//! The release is ε- or (ε, δ)-differentially private, where neighbouring tables differ by one record added or removed. Proof and
//! pseudocode: `docs/methods/diffgen.md`.
//!
//! # Definition
//! All quasi-identifiers begin at their most general values. h times one value of those released is drawn by the exponential
//! mechanism with ε′ = (share of ε)/h, and replaced by those below it in its taxonomy tree. Then each cell (a released value of
//! every quasi-identifier, and a value of the class) of the whole public domain gets its count plus two-sided geometric noise of
//! the rest of ε; it is released if that reaches T, which follows from the number of cells unless it is given. With δ > 0 only cells with records are looked at, and T is the least integer
//! with P(noise ≥ T − 1) ≤ δ.
//!
//! # Parameters
//! [`DiffGenParams`].
//!
//! # Errors
//! [`MethodError::Unfit`] where noise would make more than [`MOST_FALSE_RECORDS`](crate::noisy::MOST_FALSE_RECORDS) records of the
//! most general cells, or their labels cannot be told apart; [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(records' combinations · attributes + h · (candidates + combinations of a leaf and a class) + expected released cells).
//!
//! # References
//! Mohammed, Chen, Fung and Yu 2011, "Differentially private data release for data mining", Algorithm 1; McSherry and Talwar 2007,
//! "Mechanism design via differential privacy".
//!
//! # Deviations
//! Numbers have public intervals instead of drawn splits, so that no budget is spent on these; noise is of whole numbers; cells
//! below T are not released. `docs/methods/diffgen.md` has all.

pub(in crate::method) mod entry;
mod taxonomy;
mod utility;

use std::collections::BTreeMap;

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Lattice;
use velamen_core::recoding::Recoding;
use velamen_core::release::{Release, ReleasedAttribute, Row};
use velamen_core::streams;
use velamen_dp::{Budget, Door, Loss, Rational, Stream};

use super::noisy_counts::{NoisyRelease, OriginalCells, StatedNoise, rational, total};
use crate::method::MethodError;
use crate::noisy::{CellDomain, CellNoise};
use taxonomy::{Taxonomy, Value};
pub use utility::Utility;
use utility::{Counts, counts};

/// The most specializations.
const MOST_SPECIALIZATIONS: u64 = 1 << 20;

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffGenParams {
    /// ε, above 0.
    pub epsilon: f64,
    /// δ, from 0 and below 1.
    pub delta: f64,
    /// h, from 1.
    pub specializations: u64,
    /// The share of ε for their choices, above 0 and below 1.
    pub choices_share: f64,
    /// What a specialization is worth.
    pub utility: Utility,
    /// T: the least noisy count that is released; left out: the least with which noise alone releases one cell on average.
    pub least_count: Option<u64>,
}

/// The method with checked parameters: what is spent on what.
#[derive(Debug, Clone)]
pub struct DiffGen {
    /// ε′, of one choice.
    choice: Rational,
    cells: CellNoise,
    pub(super) budget: Budget,
    params: DiffGenParams,
}

impl TryFrom<DiffGenParams> for DiffGen {
    type Error = Problem;

    fn try_from(params: DiffGenParams) -> Result<Self, Problem> {
        let total = total(params.epsilon, params.delta)?;
        let choices = share(total.epsilon, params.choices_share)?;
        let choice = part(choices, params.specializations)?;
        let mut budget = Budget::new(total);
        budget.spend("choices", Loss::pure(choices)).map_err(|error| error.to_string())?;
        let left = budget.left();
        budget.spend("cells", left).map_err(|error| error.to_string())?;
        let cells = CellNoise::new(left, params.least_count, 1.0)?;
        Ok(Self { choice, cells, budget, params })
    }
}

/// The share of ε that the choices get, exactly.
fn share(epsilon: Rational, share: f64) -> Result<Rational, Problem> {
    const KEY: &str = "choices-share";
    let whole = Rational::new(1, 1).expect("1 is a rational number");
    let share = rational(KEY, share)?;
    if share == Rational::ZERO || share >= whole {
        return Err(Problem::of(&[KEY], format!("{KEY} is a share of epsilon, above 0 and below 1")));
    }
    epsilon
        .checked_mul(share)
        .ok_or_else(|| Problem::of(&[KEY], format!("epsilon and {KEY} have too many digits together")))
}

/// What one of so many choices gets.
fn part(choices: Rational, number: u64) -> Result<Rational, Problem> {
    const KEY: &str = "specializations";
    if number == 0 || number > MOST_SPECIALIZATIONS {
        let problem = format!("{KEY} is a number of choices, from 1 to {MOST_SPECIALIZATIONS}");
        return Err(Problem::of(&[KEY], problem));
    }
    let one = Rational::new(1, number).map_err(|error| Problem::of(&[KEY], format!("{KEY}: {error}")))?;
    let problem = "epsilon, choices-share and specializations have too many digits together";
    choices.checked_mul(one).ok_or_else(|| Problem::of(&["choices-share", KEY], problem))
}

/// What the method makes.
#[derive(Debug, Clone)]
pub struct Specialized {
    /// The released records, and what is said of them.
    pub made: NoisyRelease,
    /// By quasi-identifier the values of its cut, whether records have them or not: public.
    pub cuts: BTreeMap<String, Vec<String>>,
}

/// A specialization that may be chosen.
#[derive(Debug)]
struct Candidate {
    attribute: usize,
    whole: Value,
    parts: Vec<Value>,
    score: i64,
}

/// The cuts through the trees while they are made.
struct Specializing<'t> {
    trees: Vec<Taxonomy<'t>>,
    cuts: Vec<Vec<Value>>,
    candidates: Vec<Candidate>,
    /// Per quasi-identifier the records of each leaf and class.
    leaves: Vec<Counts>,
    table: &'t FrequencyTable,
    utility: Utility,
    classes: usize,
}

impl DiffGen {
    /// The released records of a table, between the levels of a lattice.
    ///
    /// The table must have one sensitive column, or several behind one that stands for them, and no other; its values and the
    /// hierarchies must be the whole public domain, whatever occurs.
    ///
    /// # Errors
    /// [`MethodError::Unfit`], which depends on nothing but what is public; [`MethodError::Interrupted`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
    ) -> Result<Specialized, MethodError> {
        self.through(table, lattice, context, &mut self.door())
    }

    /// A door with the method's budget.
    fn door(&self) -> Door {
        Door::paid_by(self.budget.total())
    }

    /// As [`Self::plan`], by way of a door.
    pub(in crate::method::private) fn through(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Specialized, MethodError> {
        let mut specializing = Specializing::new(table, lattice, self.params.utility);
        specializing.refuse_untold()?;
        if !specializing.domain().is_some_and(|domain| self.cells.bearable(domain.len())) {
            return Err(super::noisy_counts::unbearable(table, &lattice.top(), &self.cells));
        }
        let mut stream = context.seed.stream(streams::DIFFGEN_CHOICES);
        for step in 0..self.params.specializations {
            context.check()?;
            context.progress.step("specializing", step, self.params.specializations);
            let Some(chosen) = self.chosen(&specializing, &mut stream, door)? else { break };
            specializing.specialize(chosen);
        }
        self.counted(&specializing, context, door)
    }

    /// The place of a candidate, drawn among those that the noise allows: nothing but what is public decides which.
    fn chosen(
        &self,
        specializing: &Specializing<'_>,
        stream: &mut Stream,
        door: &mut Door,
    ) -> Result<Option<usize>, MethodError> {
        let places = 0..specializing.candidates.len();
        let open: Vec<usize> = places.filter(|&place| self.bears(specializing, place)).collect();
        if open.is_empty() {
            return Ok(None);
        }
        let scores: Vec<i64> = open.iter().map(|&place| specializing.candidates[place].score).collect();
        let sensitivity = self.params.utility.sensitivity(specializing.classes);
        let chosen = door.pick("choices", &scores, (sensitivity, self.choice), stream)?;
        Ok(Some(open[chosen]))
    }

    /// Whether noise makes few enough records after a specialization.
    fn bears(&self, specializing: &Specializing<'_>, candidate: usize) -> bool {
        let domain = specializing.domain_after(&specializing.candidates[candidate]);
        domain.is_some_and(|domain| self.cells.bearable(domain.len()))
    }

    /// Noisy counts of the cells of the cuts.
    fn counted(
        &self,
        specializing: &Specializing<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Specialized, MethodError> {
        let domain = specializing.domain().expect("only bearable cuts are made");
        let occupied = specializing.occupied(&domain);
        let released = self.cells.draw((&occupied, domain.len()), context, door)?;
        let original = OriginalCells::of(&occupied, &released);
        let stated = StatedNoise::of(&self.cells, &domain, None);
        let release = specializing.release(&domain, &released);
        let made = NoisyRelease { release, stated, each: Vec::new(), original };
        Ok(Specialized { made, cuts: specializing.labels() })
    }
}

impl<'t> Specializing<'t> {
    fn new(table: &'t FrequencyTable, lattice: &Lattice, utility: Utility) -> Self {
        let (least, most) = (lattice.bottom(), lattice.top());
        let trees: Vec<Taxonomy<'t>> =
            table.qis.iter().zip(&least.0).map(|(qi, &level)| Taxonomy::new(&qi.hierarchy, level)).collect();
        let mut cuts: Vec<Vec<Value>> =
            trees.iter().zip(&most.0).map(|(tree, &level)| tree.level(level)).collect();
        trees.iter().zip(&mut cuts).for_each(|(tree, cut)| tree.sort(cut));
        let leaves = table.codes.iter().map(|codes| by_class(table, codes)).collect();
        let classes = table.rest.len;
        let mut begun = Self { trees, cuts, candidates: Vec::new(), leaves, table, utility, classes };
        for attribute in 0..begun.cuts.len() {
            for value in begun.cuts[attribute].clone() {
                begun.consider(attribute, value);
            }
        }
        begun
    }

    /// Adds the specialization of a value to the candidates, if there is one.
    fn consider(&mut self, attribute: usize, whole: Value) {
        let parts = self.trees[attribute].below(whole);
        if parts.is_empty() {
            return;
        }
        let hierarchy = &self.table.qis[attribute].hierarchy;
        let counts = counts(&self.leaves[attribute], hierarchy, whole, &parts);
        let score = self.utility.score(&counts, self.classes);
        self.candidates.push(Candidate { attribute, whole, parts, score });
    }

    /// Replaces a value of a cut by its parts.
    fn specialize(&mut self, chosen: usize) {
        let Candidate { attribute, whole, parts, .. } = self.candidates.remove(chosen);
        let cut = &mut self.cuts[attribute];
        cut.retain(|value| *value != whole);
        cut.extend_from_slice(&parts);
        self.trees[attribute].sort(cut);
        parts.into_iter().for_each(|part| self.consider(attribute, part));
    }

    /// Refuses levels whose labels cannot be told from those of others.
    fn refuse_untold(&self) -> Result<(), MethodError> {
        for ((qi, tree), cut) in self.table.qis.iter().zip(&self.trees).zip(&self.cuts) {
            if !cut.iter().all(|value| tree.is_told(*value)) {
                let problem = Problem::new(format!(
                    "attribute `{}`: a label of its most general level stands for other values, too",
                    qi.name
                ));
                return Err(MethodError::Unfit(
                    problem.mend("raise max-level, or name the values otherwise"),
                ));
            }
        }
        Ok(())
    }

    fn domain(&self) -> Option<CellDomain> {
        self.domain_of(self.cuts.iter().map(Vec::len))
    }

    /// The cells there are after a specialization.
    fn domain_after(&self, candidate: &Candidate) -> Option<CellDomain> {
        let more = |attribute| if attribute == candidate.attribute { candidate.parts.len() - 1 } else { 0 };
        self.domain_of(self.cuts.iter().enumerate().map(|(attribute, cut)| cut.len() + more(attribute)))
    }

    fn domain_of(&self, widths: impl Iterator<Item = usize>) -> Option<CellDomain> {
        let widths = widths.chain([self.classes]).map(u32::try_from).collect::<Result<Vec<u32>, _>>().ok()?;
        CellDomain::new(widths)
    }

    /// The cells with records, ascending by number, and their counts.
    fn occupied(&self, domain: &CellDomain) -> Vec<(u128, u64)> {
        let places: Vec<Vec<u32>> =
            self.trees.iter().zip(&self.cuts).map(|(tree, cut)| tree.places(cut)).collect();
        let mut cells: BTreeMap<u128, u64> = BTreeMap::new();
        for entry in 0..self.table.len() {
            let columns = places.iter().zip(&self.table.codes);
            let codes = columns.map(|(places, codes)| places[codes[entry] as usize]);
            let cell = domain.index(codes.chain([class_of(self.table, entry)]));
            *cells.entry(cell).or_default() += self.table.counts[entry];
        }
        cells.into_iter().collect()
    }

    /// The release of some cells with their counts, ascending by number.
    fn release(&self, domain: &CellDomain, cells: &[(u128, u64)]) -> Release {
        let mut release =
            Release { qis: self.released(), rest: self.table.rest.clone(), ..Release::default() };
        for &(cell, count) in cells {
            let codes = domain.codes(cell);
            let (&class, codes) = codes.split_last().expect("a cell has a class");
            if release.sizes.is_empty() || release.class(release.sizes.len() - 1) != codes {
                release.codes.extend_from_slice(codes);
                release.sizes.push(0);
            }
            *release.sizes.last_mut().expect("one was added") += count;
            release.rows.push(Row { class: release.sizes.len() as u32 - 1, rest: class, count });
        }
        release.by_labels()
    }

    fn released(&self) -> Vec<ReleasedAttribute> {
        let attributes = self.table.qis.iter().zip(&self.trees).zip(&self.cuts);
        attributes
            .map(|((qi, tree), cut)| ReleasedAttribute {
                name: qi.name.clone(),
                level: None,
                recoding: Recoding::Nodes,
                height: qi.hierarchy.top(),
                values: tree.released(cut),
            })
            .collect()
    }

    /// By quasi-identifier the labels of its cut.
    fn labels(&self) -> BTreeMap<String, Vec<String>> {
        let attributes = self.table.qis.iter().zip(&self.trees).zip(&self.cuts);
        let label = |tree: &Taxonomy<'_>, value: &Value| tree.label(*value).to_owned();
        attributes
            .map(|((qi, tree), cut)| (qi.name.clone(), cut.iter().map(|value| label(tree, value)).collect()))
            .collect()
    }
}

/// The class of an entry: its sensitive value, or the combination of several.
fn class_of(table: &FrequencyTable, entry: usize) -> u32 {
    table.rest_index[entry]
}

/// The records of each leaf and class.
fn by_class(table: &FrequencyTable, codes: &[u32]) -> Counts {
    let mut counts = Counts::new();
    for (entry, &leaf) in codes.iter().enumerate() {
        *counts.entry((leaf, class_of(table, entry))).or_default() += table.counts[entry];
    }
    counts
}

#[cfg(test)]
mod tests;
