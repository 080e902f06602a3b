//! IPA exactly as published: generalization, noisy suppression, counterfeit records.
//!
//! # Summary
//! Quasi-identifiers are generalized, small classes suppressed, counterfeits added, and the sensitive
//! values stay raw. It is a baseline: the paper's proof of its guarantee does not hold. Pseudocode,
//! readings and counterexamples: `docs/methods/ipa.md`.
//!
//! # Definition
//! Every node of the lattice is perturbed (Algorithm 1, `perturb`): a class E is suppressed if
//! |E| ≤ t + Lap((t − 1)/ε_suppression), else it gets ⌊Lap(1/ε_insertion)⌋ counterfeits if that is
//! positive, whose sensitive values are drawn by `value`; with several sensitive attributes a value is a combination of theirs that
//! occurs, or the value of each is drawn by itself with a share of ε_value (`PublishedIpa::each`); EMD is then the mean over the attributes. The node is drawn with probability
//! ∝ exp(ε_candidates · u/6), u = 3 − (NCP + EMD + Rate) (`score`, Algorithm 2).
//!
//! # Parameters
//! [`PublishedParams`].
//!
//! # Errors
//! [`MethodError::Unfit`] if the table has other columns than quasi-identifiers and sensitive attributes, or none of these, or too
//! large a lattice; [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(nodes · cells + counterfeits · log), memory O(cells); a node's draws follow from its number, so
//! that the winner is perturbed again and no other node is kept.
//!
//! # References
//! Lee and Chung 2020, BMC Med Inform Decis Mak 20:155, Algorithms 1 and 2, Eq. 3 to 12.
//!
//! # Deviations
//! None on purpose, but that an attribute without hierarchy is generalized if some of its values have t records or fewer
//! (`entry.rs`, `shown.rs`): counterfeits would keep some of these in the release. Where the paper is silent: n' is rounded down, a class whose n' is below n keeps its
//! records, the suppressed records are no class, and in Eq. 8 |E| counts the counterfeits. Logarithms and
//! exponentials are the platform's, so that seeds repeat on one platform.

pub(in crate::method) mod entry;
mod informative;
mod noise;
mod perturb;
mod score;
#[cfg(test)]
mod tests;
mod value;

use informative::Informed;
use noise::{Noise, pick, probabilities};
use rayon::prelude::*;
use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::Plan;
use velamen_core::{streams, with_key_width};

use crate::method::MethodError;
use crate::method::kit::informative::Share;
pub use perturb::ClassStep;
use perturb::Perturbed;
pub use score::Loss;
use score::{Penalties, loss};
use value::Domain;

/// The most lattice nodes: every one is perturbed.
pub const MOST_NODES: u128 = 1 << 16;

/// Δu of Eq. 12.
const SENSITIVITY: f64 = 3.0;

/// The range of each ε: below, counterfeits would outnumber all records; above, there is no noise.
const EPSILONS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// Nodes between two looks at the wish to stop.
const BATCH: usize = 16;

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedParams {
    /// t: classes of up to about so many records are suppressed, at least 2.
    pub threshold: u64,
    /// ε_suppression.
    pub suppression: f64,
    /// ε_insertion.
    pub insertion: f64,
    /// ε_value.
    pub value: f64,
    /// ε_candidates.
    pub candidates: f64,
}

impl Default for PublishedParams {
    /// Those of the paper's experiments with ε = 1.
    fn default() -> Self {
        Self { threshold: 2, suppression: 0.1, insertion: 0.3, value: 0.3, candidates: 0.3 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedIpa {
    params: PublishedParams,
    /// Each attribute's part of ε_value, where the values of each are drawn by themselves.
    shares: Vec<(String, f64)>,
}

impl TryFrom<PublishedParams> for PublishedIpa {
    type Error = Problem;

    fn try_from(params: PublishedParams) -> Result<Self, Problem> {
        if params.threshold < 2 {
            let problem = "threshold: with 1 its noise, Lap((t − 1)/ε), is none";
            return Err(Problem::of(&["threshold"], problem).expected("a whole number from 2"));
        }
        let budgets = [
            ("suppression", params.suppression),
            ("insertion", params.insertion),
            ("value", params.value),
            ("candidates", params.candidates),
        ];
        match budgets.into_iter().find(|(_, epsilon)| !EPSILONS.contains(epsilon)) {
            Some((name, _)) => {
                let key = format!("epsilon-{name}");
                let problem = format!("{key} is a number from {} to {}", EPSILONS.start(), EPSILONS.end());
                Err(Problem::of(&[&key], problem))
            }
            None => Ok(Self { params, shares: Vec::new() }),
        }
    }
}

/// A node as a candidate for the release.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The node.
    pub node: Node,
    /// What it loses with the draws of its stream.
    pub loss: Loss,
    /// With which probability it is released: Eq. 12.
    pub probability: f64,
}

/// How the release was found, for the custodian.
#[derive(Debug, Clone)]
pub struct PublishedDraws {
    /// Every node of the lattice, in its order.
    pub candidates: Vec<Candidate>,
    /// The place of the released node among them.
    pub chosen: usize,
    /// What was drawn for each class of the plan.
    pub steps: Vec<ClassStep>,
}

impl PublishedDraws {
    /// The released node.
    #[must_use]
    pub fn best(&self) -> &Candidate {
        &self.candidates[self.chosen]
    }
}

impl PublishedIpa {
    /// The same, with counterfeits whose values of each sensitive attribute are drawn by themselves, with that share of ε_value;
    /// without shares a combination is drawn.
    ///
    /// The table must then have every combination of the values that occur, behind a column that stands for them.
    #[must_use]
    pub(in crate::method) fn each(self, shares: &[Share]) -> Self {
        Self { shares: shares.iter().map(|(name, share)| (name.clone(), share.to_f64())).collect(), ..self }
    }

    /// What counterfeits' values are drawn from.
    fn informed(&self, table: &FrequencyTable, sensitive: usize) -> Informed {
        let epsilon = self.params.value;
        if self.shares.is_empty() {
            return Informed::Joint(Domain::new(&table.rest_marginal(sensitive)), epsilon);
        }
        let of =
            |name: &str| self.shares.iter().find(|(known, _)| known == name).map_or(0.0, |(_, share)| *share);
        Informed::each(table, |name| of(name) * epsilon)
    }

    /// Algorithm 2: the perturbed table at a node of the lattice.
    ///
    /// # Errors
    /// As the [module](self) says.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
    ) -> Result<(Plan, PublishedDraws), MethodError> {
        let sensitive = only_sensitive(table)?;
        let nodes = lattice.len().filter(|nodes| *nodes <= MOST_NODES).ok_or_else(too_many_nodes)?;
        let coding = Coding::new(table, &[sensitive]);
        with_key_width!(layout(table, coding.as_ref()).words(), W => {
            let search = CandidateSearch {
                method: self,
                context,
                lattice,
                space: Space::<W>::new(table, coding.as_ref()),
                informed: self.informed(table, sensitive),
                penalties: Penalties::new(table),
            };
            search.run(nodes as usize)
        }, else Err(MethodError::Unfit("the quasi-identifiers need more than 1024 bits a record".into())))
    }
}

fn too_many_nodes() -> MethodError {
    MethodError::Unfit(
        Problem::new(format!("the lattice has more than {MOST_NODES} nodes, of which each is perturbed"))
            .mend("coarsen or drop quasi-identifiers"),
    )
}

/// The sensitive attribute, or the one that stands for several, if nothing else is released beside the quasi-identifiers.
fn only_sensitive(table: &FrequencyTable) -> Result<usize, MethodError> {
    if let Some(column) = table.rest.columns.iter().find(|column| column.role != Role::Sensitive) {
        return Err(MethodError::Unfit(
            Problem::new(format!(
                "column `{}` is neither quasi-identifier nor sensitive, and a counterfeit has no value of it \
                to show",
                column.name
            ))
            .mend("give it the role \"quasi-identifier\", or \"identifier\" to drop it"),
        ));
    }
    // Of several, the first stands for their combinations.
    table.rest.sensitive().next().ok_or_else(|| {
        let problem = Problem::new("ipa needs a sensitive attribute, and the table has none");
        MethodError::Unfit(problem.mend("give the role \"sensitive\" to what is to be kept as it is"))
    })
}

struct CandidateSearch<'a, const W: usize> {
    method: &'a PublishedIpa,
    context: &'a Context<'a>,
    lattice: &'a Lattice,
    space: Space<W>,
    informed: Informed,
    penalties: Penalties,
}

impl<const W: usize> CandidateSearch<'_, W> {
    /// Algorithm 2.
    fn run(&self, nodes: usize) -> Result<(Plan, PublishedDraws), MethodError> {
        let candidates = self.candidates(nodes)?;
        let mut stream = self.context.seed.stream(streams::IPA_PUBLISHED_NODE);
        let chosen = pick(candidates.iter().map(|candidate| candidate.probability), stream.point());
        let node = candidates[chosen].node.clone();
        let (classes, Perturbed { steps, counterfeits }) = self.perturbed(chosen, &node);
        let fates = steps.iter().map(ClassStep::fate).collect();
        let plan = Plan { node, classes, fates, counterfeits, groups: Vec::new() };
        Ok((plan, PublishedDraws { candidates, chosen, steps }))
    }

    /// Algorithm 2, lines 2–5, and the probabilities of line 6.
    fn candidates(&self, nodes: usize) -> Result<Vec<Candidate>, MethodError> {
        let mut losses: Vec<(Node, Loss)> = Vec::with_capacity(nodes);
        for first in (0..nodes).step_by(BATCH) {
            self.context.check()?;
            self.context.progress.step("perturbing", first as u64, nodes as u64);
            let batch = first..nodes.min(first + BATCH);
            losses.extend(batch.into_par_iter().map(|index| self.scored(index)).collect::<Vec<_>>());
        }
        let scores = losses.iter().map(|(_, loss)| loss.utility());
        let probabilities = probabilities(scores, self.method.params.candidates, SENSITIVITY);
        let candidate = |((node, loss), probability)| Candidate { node, loss, probability };
        Ok(losses.into_iter().zip(probabilities).map(candidate).collect())
    }

    fn scored(&self, index: usize) -> (Node, Loss) {
        let node = self.lattice.node(index);
        let (classes, perturbed) = self.perturbed(index, &node);
        let loss = loss(&self.penalties, (&node, &classes), &self.informed, &perturbed);
        (node, loss)
    }

    /// Algorithm 1 with the draws of the node's own stream: the same whenever it is asked for.
    fn perturbed(&self, index: usize, node: &Node) -> (ClassTable, Perturbed) {
        let classes = ClassTable::at(&self.space, node);
        let mut stream = self.context.seed.stream(index as u64);
        let perturbed = self.method.perturb(&classes, &self.informed, &mut stream);
        (classes, perturbed)
    }
}
