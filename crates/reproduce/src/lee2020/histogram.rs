//! The histogram that the paper compares with, as a noisy contingency table (Tables 2 to 4).
//!
//! The paper does not say how a histogram's information loss is taken, nor at which level it stands. Here
//! every combination of a class and a value of the sensitive domain gets its count plus two-sided
//! geometric noise of ε, negative counts become 0, and the counts are read as records: NCP over them; a
//! class's counterfeits are what its counts exceed the true ones by; EMD and Rate as means over classes.
//! Combinations of quasi-identifiers that nobody has are left out, which favours the histogram. Of the
//! classes of a node at most [`CLASSES`] are drawn, evenly spaced.

use rayon::prelude::*;
use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::lattice::Node;
use velamen_core::with_key_width;
use velamen_dp::{Rational, Seed, Stream, TwoSided};
use velamen_recipe::JobError;
use velamen_search::method::ipa::published::Loss;
use velamen_search::metric::NCP;

use crate::sample::Sample;

/// The most classes of a node that are looked at.
const CLASSES: usize = 48;

/// The loss of a histogram at every node of the lattice; node i draws from stream i of the seed.
///
/// # Errors
/// [`JobError::interrupted`], or [`JobError::data`] if records are too wide.
pub(super) fn losses(
    sample: &Sample,
    epsilon: Rational,
    seed: &Seed,
    context: &Context<'_>,
) -> Result<Vec<(Node, Loss)>, JobError> {
    let table = &sample.table;
    let law = TwoSided::new(epsilon, 1).ok_or_else(|| JobError::usage("epsilon must be above 0"))?;
    let coding = Coding::new(table, &[Sample::SENSITIVE]);
    let lattice = table.lattice();
    let nodes = lattice.len().unwrap_or(0) as usize;
    with_key_width!(layout(table, coding.as_ref()).words(), W => {
        let space = Space::<W>::new(table, coding.as_ref());
        let one = |index: usize| {
            context.check()?;
            let (node, mut stream) = (lattice.node(index), seed.stream(index as u64));
            let loss = loss(table, &node, &ClassTable::at(&space, &node), law, &mut stream);
            Ok((node, loss))
        };
        (0..nodes).into_par_iter().map(one).collect()
    }, else Err(JobError::data("the quasi-identifiers need more than 1024 bits a record")))
}

fn loss(
    table: &FrequencyTable,
    node: &Node,
    classes: &ClassTable,
    law: TwoSided,
    stream: &mut Stream,
) -> Loss {
    let domain = table.rest.columns[Sample::SENSITIVE].values.len();
    let (mut sum, mut cells, mut records, mut seen) = (Loss::default(), 0.0, 0.0, 0.0);
    for class in (0..classes.len()).step_by(classes.len().div_ceil(CLASSES).max(1)) {
        let noisy = noisy(classes, class, domain, law, stream);
        sum.emd += noisy.emd;
        sum.rate += noisy.rate;
        cells += noisy.released * penalty(table, node, classes.codes(class));
        records += noisy.released;
        seen += 1.0;
    }
    let ncp = if records > 0.0 { cells / records } else { 0.0 };
    Loss { ncp, emd: sum.emd / seen, rate: sum.rate / seen }
}

/// EMD and Rate of the whole histogram with untouched attributes, classes without people included: what noise puts
/// there is wholly counterfeit, and of another distribution than nothing. `occupied` is the loss where people are.
pub(super) fn with_empty_classes(table: &FrequencyTable, occupied: Loss, classes: usize) -> Loss {
    let all: f64 = table.qis.iter().map(|qi| qi.hierarchy.domain() as f64).product();
    let share = classes as f64 / all;
    let mixed = |part: f64| share * part + (1.0 - share);
    Loss { ncp: 0.0, emd: mixed(occupied.emd), rate: mixed(occupied.rate) }
}

/// A class of the histogram.
struct Noisy {
    released: f64,
    emd: f64,
    rate: f64,
}

fn noisy(classes: &ClassTable, class: usize, domain: usize, law: TwoSided, stream: &mut Stream) -> Noisy {
    let mut counts: Vec<(u64, u64)> = vec![(0, 0); domain];
    for &(value, count) in classes.sensitive(class) {
        counts[value as usize].0 = count;
    }
    for (count, noisy) in &mut counts {
        *noisy = u64::try_from((i128::from(*count) + law.draw(stream)).max(0)).unwrap_or(u64::MAX);
    }
    let (before, after) = (classes.sizes[class] as f64, counts.iter().map(|c| c.1 as f64).sum::<f64>());
    let added: f64 = counts.iter().map(|(count, noisy)| noisy.saturating_sub(*count) as f64).sum();
    // A class of which nothing is left has lost its distribution.
    if after == 0.0 {
        return Noisy { released: 0.0, emd: 1.0, rate: 0.0 };
    }
    let differ = |(count, noisy): &(u64, u64)| (*count as f64 / before - *noisy as f64 / after).abs();
    Noisy { released: after, emd: counts.iter().map(differ).sum::<f64>() / 2.0, rate: added / after }
}

/// The mean NCP of a class's cells.
pub(super) fn penalty(table: &FrequencyTable, node: &Node, codes: &[u32]) -> f64 {
    let cell =
        |((qi, &level), &code): ((&QuasiIdentifier, &u8), &u32)| (NCP.cell)(&qi.hierarchy.cell(level, code));
    table.qis.iter().zip(&node.0).zip(codes).map(cell).sum::<f64>() / codes.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lee2017::tests::in_context;
    use crate::lee2020::sample;

    #[test]
    fn without_noise_only_generalization_is_lost() {
        let sample = in_context(|context| sample::synthetic(2000, context)).unwrap();
        let much = Rational::new(1_000_000, 1).unwrap();
        let losses = in_context(|context| losses(&sample, much, &Seed::from_number(3), context)).unwrap();
        assert_eq!(losses.len(), 256);
        assert!(losses.iter().all(|(_, loss)| loss.emd == 0.0 && loss.rate == 0.0));
        assert_eq!((losses[0].1.ncp, losses[255].1.ncp), (0.0, 1.0));
    }

    #[test]
    fn empty_classes_are_all_noise() {
        let table = in_context(|context| sample::synthetic(500, context)).unwrap().table;
        let all: f64 = table.qis.iter().map(|qi| qi.hierarchy.domain() as f64).product();
        let occupied = Loss { ncp: 0.0, emd: 0.5, rate: 0.25 };
        let loss = with_empty_classes(&table, occupied, (all / 4.0) as usize);
        assert!((loss.emd - 0.875).abs() < 1e-6 && (loss.rate - 0.8125).abs() < 1e-6, "{loss:?}");
    }

    #[test]
    fn untouched_classes_drown_in_noise() {
        let sample = in_context(|context| sample::synthetic(2000, context)).unwrap();
        let one = Rational::new(1, 1).unwrap();
        let losses = in_context(|context| losses(&sample, one, &Seed::from_number(4), context)).unwrap();
        // Hundreds of counterfeits beside one or two records.
        assert!(losses[0].1.rate > 0.95 && losses[0].1.emd > 0.9, "{:?}", losses[0]);
        assert!(losses[255].1.rate < losses[0].1.rate);
    }
}
