//! Information loss as the authors' public program has it, beside the one by the paper's equations.
//!
//! Facts of that program, none of its code. Where it differs from the paper:
//! - *Walk*: nodes are taken by age, sex, stay, surgery and location, the last moving fastest, and the sum is not set
//!   back between them: IL_j = (IL_{j−1} + NCP_j + EMD_j + Rate_j) / 3. The choice of the node has the whole ε.
//! - *Penalties* ([`penalty`]) and *draws* ([`perturb`]) have lists of their own.

mod penalty;
mod perturb;

use rayon::prelude::*;
use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::context::Context;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::with_key_width;
use velamen_dp::{Seed, Stream};
use velamen_recipe::JobError;
use velamen_search::method::ipa::published::Loss;

use super::budget::{EPSILONS, params};
use crate::sample::Sample;
use penalty::penalties;
pub(super) use penalty::printed;
use perturb::Perturbation;

/// What divides every sum.
pub(super) const PARTS: f64 = 3.0;

/// The sensitivity that the paper takes for u, as in Eq. 12.
const SENSITIVITY: f64 = 3.0;

/// The stream from which the seeds of the runs are drawn, and the one of a run that chooses its node.
const SEEDS: u64 = u64::MAX - 4;
const CHOICE: u64 = u64::MAX;

/// The attributes in the order of the walk, by their places in the table.
const WALK: [usize; 5] = [0, 1, 2, 4, 3];

/// One choice of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// The mean IL of what is released, over its probabilities.
    pub(super) expected: f64,
    /// The IL of the node that was drawn.
    pub(super) drawn: f64,
    /// The IL of nodes that are drawn again, which show what is a matter of chance.
    pub(super) again: Vec<f64>,
}

/// How many times the choice of a node is drawn again.
pub(super) const AGAIN: usize = 1000;

impl Chosen {
    /// From what the nodes lose in the order of the walk, with the whole ε.
    fn of(losses: &[Loss], epsilon: f64, stream: &mut Stream) -> Self {
        let losses = carried(losses.iter().map(Loss::total));
        let weights: Vec<f64> =
            losses.iter().map(|loss| (-epsilon * loss / (2.0 * SENSITIVITY)).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let expected = losses.iter().zip(&weights).map(|(loss, weight)| loss * weight / whole).sum();
        let mut draw = || losses[picked(&weights, perturb::point(stream) * whole)];
        let drawn = draw();
        Self { expected, drawn, again: (0..AGAIN).map(|_| draw()).collect() }
    }
}

/// The place that a point below the sum of the weights falls on.
fn picked(weights: &[f64], mut point: f64) -> usize {
    let place = weights.iter().position(|weight| {
        point -= weight;
        point < 0.0
    });
    place.unwrap_or(weights.len() - 1)
}

/// The program's choices: by ε in the order of [`EPSILONS`], then by run.
///
/// # Errors
/// [`JobError::interrupted`], or [`JobError::data`] if records are too wide.
pub(super) fn choices(
    sample: &Sample,
    runs: u64,
    context: &Context<'_>,
) -> Result<Vec<Vec<Chosen>>, JobError> {
    let mut words = context.seed.stream(SEEDS);
    let seeds: Vec<(f64, Seed)> = EPSILONS
        .iter()
        .flat_map(|&epsilon| (0..runs).map(move |_| epsilon))
        .map(|epsilon| (epsilon, Seed::from_number(words.word())))
        .collect();
    let by_node = losses(sample, &seeds, context)?;
    let mut all = Vec::new();
    for (run, (epsilon, seed)) in seeds.iter().enumerate() {
        let own: Vec<Loss> = by_node.iter().map(|losses| losses[run]).collect();
        all.push(Chosen::of(&own, *epsilon, &mut seed.stream(CHOICE)));
    }
    Ok(all.chunks(runs.max(1) as usize).map(<[Chosen]>::to_vec).collect())
}

/// What each node loses in every run, in the order of the walk.
fn losses(sample: &Sample, seeds: &[(f64, Seed)], context: &Context<'_>) -> Result<Vec<Vec<Loss>>, JobError> {
    let table = &sample.table;
    let coding = Coding::new(table, &[Sample::SENSITIVE]);
    let nodes = walk(&table.lattice());
    let occurs: Vec<bool> = table.rest_marginal(Sample::SENSITIVE).iter().map(|count| *count > 0).collect();
    with_key_width!(layout(table, coding.as_ref()).words(), W => {
        let space = Space::<W>::new(table, coding.as_ref());
        nodes.par_iter().enumerate().map(|(index, node)| {
            context.check()?;
            let classes = ClassTable::at(&space, node);
            let penalties = penalties(table, node, &classes);
            let of = Perturbation { classes: &classes, penalties: &penalties, occurs: &occurs };
            let draw = |(epsilon, seed): &(f64, Seed)| of.draw(&params(*epsilon), &mut seed.stream(index as u64));
            Ok(seeds.iter().map(draw).collect())
        }).collect()
    }, else Err(JobError::data("the quasi-identifiers need more than 1024 bits a record")))
}

/// The nodes in the program's order.
fn walk(lattice: &Lattice) -> Vec<Node> {
    let mut nodes: Vec<Node> = (0..lattice.len().unwrap_or(0) as usize).map(|i| lattice.node(i)).collect();
    nodes.sort_by_key(|node| WALK.map(|q| node.0[q]));
    nodes
}

/// IL_j = (IL_{j−1} + the parts of node j) / 3.
fn carried(sums: impl Iterator<Item = f64>) -> Vec<f64> {
    let next = |before: &mut f64, sum: f64| {
        *before = (*before + sum) / PARTS;
        Some(*before)
    };
    sums.scan(0.0, next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_carries_a_third_of_the_one_before() {
        assert_eq!(carried([0.9, 0.0, 0.3].into_iter()), [0.3, 0.09999999999999999, 0.13333333333333333]);
        // Of equal sums S it comes to S/2.
        let long = carried(std::iter::repeat_n(0.5, 40));
        assert!((long[39] - 0.25).abs() < 1e-12);
    }

    #[test]
    fn the_whole_epsilon_chooses() {
        let loss = |ncp: f64| Loss { ncp, ..Loss::default() };
        // IL 1/3 and 10/9: with an ε of 60 the second is e^(−70/9) times as likely.
        let losses = [loss(1.0), loss(3.0)];
        let mut stream = Seed::from_number(1).stream(0);
        let chosen = Chosen::of(&losses, 60.0, &mut stream);
        let rare = (-70.0f64 / 9.0).exp();
        let expected = (1.0 / 3.0 + rare * 10.0 / 9.0) / (1.0 + rare);
        assert!((chosen.expected - expected).abs() < 1e-12);
        let second = (0..300).filter(|_| Chosen::of(&losses, 0.0, &mut stream).drawn > 1.0).count();
        assert!((90..210).contains(&second), "{second}");
    }

    #[test]
    fn location_moves_fastest_and_age_last() {
        let nodes = walk(&Lattice::new(vec![3, 1, 3, 3, 1]));
        assert_eq!((nodes.len(), &nodes[0].0), (256, &vec![0; 5]));
        assert_eq!(nodes[1].0, [0, 0, 0, 1, 0]);
        assert_eq!(nodes[4].0, [0, 0, 0, 0, 1]);
        assert_eq!(nodes[8].0, [0, 0, 1, 0, 0]);
        assert_eq!(nodes[64].0, [1, 0, 0, 0, 0]);
    }
}
