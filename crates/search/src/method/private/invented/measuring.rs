//! The steps that methods of invented records share: a budget, noisy counts of every attribute, further ones, and records.

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::streams;
use velamen_dp::{Budget, Door, Gaussian, Rational, Spend, Stream, Zcdp};
use velamen_marginals::{Fit, Model, draw};

use super::codes::Codes;
use super::merging::Merging;
use super::stated::{Choice, Drawn};
use super::{MEAN_DISTANCE, MOST_NOISE, MOST_RECORDS, NoisyTable, Zeros};
use crate::method::MethodError;
use crate::method::private::noisy_counts::total;

/// The most records of a person that can be asked for.
const MOST_PER_PERSON: u64 = 1 << 20;
/// Binary places of a score.
pub(in crate::method::private) const SCORE_PLACES: u32 = 10;

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InventedParams {
    /// ε, above 0.
    pub epsilon: f64,
    /// δ, above 0 and below 1.
    pub delta: f64,
    /// The most cells of the model.
    pub model_cells: u64,
    /// c: the most records of a person, from 1. A person changes each table of counts by so much.
    pub records_per_person: u64,
}

/// Checked parameters: what (ε, δ) buys.
#[derive(Debug, Clone)]
pub(in crate::method::private) struct Bought {
    pub(in crate::method::private) params: InventedParams,
    pub(in crate::method::private) rho: Zcdp,
    budget: Budget,
}

impl TryFrom<InventedParams> for Bought {
    type Error = Problem;

    fn try_from(params: InventedParams) -> Result<Self, Problem> {
        let total = total(params.epsilon, params.delta)?;
        if total.delta == Rational::ZERO {
            return Err(Problem::of(&["delta"], "delta = 0: noise of a Gaussian law needs some")
                .expected("delta above 0, such as 1e-9"));
        }
        if params.records_per_person == 0 || params.records_per_person > MOST_PER_PERSON {
            return Err(Problem::of(&["records-per-person"], "records-per-person is wrong")
                .expected(format!("a number from 1 to {MOST_PER_PERSON}")));
        }
        if params.model_cells == 0 {
            return Err(Problem::of(&["model-cells"], "model-cells is a number of cells, from 1"));
        }
        let rho = Zcdp::bought_by(total).ok_or_else(|| {
            Problem::new("epsilon and delta are too small to draw noise for").mend("raise epsilon")
        })?;
        let mut budget = Budget::new(total);
        budget.spend("measurements", total).map_err(|error| error.to_string())?;
        Ok(Self { params, rho, budget })
    }
}

impl Bought {
    /// The door to a table, with the whole budget.
    pub(in crate::method::private) fn door(&self, context: &Context<'_>) -> Door {
        let stream = |number| context.seed.stream(number);
        Door::live(stream(streams::MARGINAL_NOISE), stream(streams::MARGINAL_CHOICES), self.rho)
    }

    /// What was spent: all on measurements.
    pub(in crate::method::private) fn spent(&self) -> &[Spend] {
        self.budget.steps()
    }

    /// The noise of each attribute's counts, of a share of the budget in proportion to its values' number to the power ⅔.
    ///
    /// # Errors
    /// [`MethodError::Unfit`] where noise would drown everything, or an attribute has more values than the model cells; both
    /// follow from domains and parameters alone.
    pub(in crate::method::private) fn laws(
        &self,
        share: Zcdp,
        sizes: &[usize],
    ) -> Result<Vec<Gaussian>, MethodError> {
        let laws = self.shared(share, sizes)?;
        self.refuse_unbearable(sizes, &laws)?;
        Ok(laws)
    }

    /// As [`Self::laws`], where those of a larger share were borne.
    pub(in crate::method::private) fn shared(
        &self,
        share: Zcdp,
        sizes: &[usize],
    ) -> Result<Vec<Gaussian>, MethodError> {
        let weights: Vec<u128> = sizes.iter().map(|&size| two_thirds(size)).collect();
        let all = weights.iter().sum();
        let of = |weight: u128| law(share.share(weight, all)?, self.params.records_per_person);
        weights.into_iter().map(of).collect::<Option<_>>().ok_or_else(too_small)
    }

    fn refuse_unbearable(&self, sizes: &[usize], laws: &[Gaussian]) -> Result<(), MethodError> {
        let known = |(&size, law): (&usize, &Gaussian)| 1.0 / (size as f64 * law.variance().to_f64());
        let deviation = sizes.iter().zip(laws).map(known).sum::<f64>().sqrt().recip();
        if deviation > MOST_NOISE {
            let problem =
                Problem::new(format!("noise alone would make or remove some {deviation:.0} records"));
            return Err(MethodError::Unfit(problem.mend("raise epsilon")));
        }
        match sizes.iter().find(|&&size| size as u64 > self.params.model_cells) {
            Some(size) => Err(MethodError::Unfit(
                Problem::new(format!(
                    "an attribute has {size} values, more than model-cells = {}",
                    self.params.model_cells
                ))
                .mend("release a higher level of its hierarchy, or raise model-cells"),
            )),
            None => Ok(()),
        }
    }
}

pub(in crate::method::private) fn too_small() -> MethodError {
    MethodError::Unfit(
        Problem::new("epsilon is so small that noise would have a standard deviation above 2^24")
            .mend("raise epsilon"),
    )
}

/// The noise that a share of the budget pays for, where a person changes counts by so much.
pub(in crate::method::private) fn law(share: Zcdp, sensitivity: u64) -> Option<Gaussian> {
    Gaussian::new(share.variance(sensitivity)?)
}

/// n^⅔ in units of 2⁻¹⁰, rounded down: the cube root of n²·2³⁰.
fn two_thirds(size: usize) -> u128 {
    let cube = (size as u128).saturating_mul(size as u128).saturating_mul(1 << 30);
    let (mut low, mut high) = (1u128, 1 << 42);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if middle * middle * middle <= cube { low = middle } else { high = middle }
    }
    low
}

/// A run: the door, and what came out of it.
pub(in crate::method::private) struct Measuring<'a> {
    pub(in crate::method::private) context: &'a Context<'a>,
    pub(in crate::method::private) door: &'a mut Door,
    pub(in crate::method::private) drawn: Drawn,
    /// By how much a person changes a table of counts.
    sensitivity: u64,
    /// The most cells of attributes by themselves, and of what impossible combinations join.
    most_cells: u64,
    /// Each attribute's counts, before rare values were put together: for the door alone.
    whole: Vec<Vec<i64>>,
}

impl<'a> Measuring<'a> {
    /// With nothing drawn yet.
    pub(in crate::method::private) fn new(
        context: &'a Context<'a>,
        door: &'a mut Door,
        params: InventedParams,
    ) -> Self {
        let InventedParams { records_per_person: sensitivity, model_cells: most_cells, .. } = params;
        Self { context, door, drawn: Drawn::default(), sensitivity, most_cells, whole: Vec::new() }
    }

    /// Noisy counts of each attribute, and rare values put together: the records in the values that are left, and a fit to
    /// what was drawn, in which impossible combinations are 0.
    pub(in crate::method::private) fn alone(
        &mut self,
        mut codes: Codes,
        laws: &[Gaussian],
        zeros: &Zeros,
    ) -> Result<(Codes, Fit), MethodError> {
        zeros.refuse_unfit(&codes.sizes, self.most_cells).map_err(MethodError::Unfit)?;
        for (attribute, law) in laws.iter().enumerate() {
            let counts = codes.counts(&[attribute]);
            let noisy = self.noisy("attribute", vec![attribute], &counts, *law)?;
            self.whole.push(counts);
            let tied = zeros.tied(attribute, noisy.counts.len());
            self.drawn.merging.push(Merging::of(&noisy, &tied));
            self.drawn.alone.push(noisy);
        }
        let sizes: Vec<usize> = self.drawn.merging.iter().map(Merging::size).collect();
        let places: Vec<Vec<u32>> = self.drawn.merging.iter().map(|merging| merging.places.clone()).collect();
        let mut fit = Fit::new(sizes.clone());
        let measured = self.drawn.merging.iter().zip(&self.drawn.alone);
        measured.for_each(|(merging, noisy)| fit.measure(merging.measurement(noisy)));
        zeros.forbid(&self.drawn.merging, &mut fit);
        codes.merge(&places, sizes);
        Ok((codes, fit))
    }

    /// Noisy counts of each attribute once more, by their laws, and a fit to both. No values are put together:
    /// where pairs are not measured, nothing is gained by it.
    pub(in crate::method::private) fn alone_again(
        &mut self,
        laws: &[Gaussian],
        zeros: &Zeros,
    ) -> Result<Fit, MethodError> {
        let whole = std::mem::take(&mut self.whole);
        let sizes: Vec<usize> = whole.iter().map(Vec::len).collect();
        self.drawn.merging = sizes.iter().map(|&size| Merging::none(size)).collect();
        let mut fit = Fit::new(sizes);
        self.drawn.alone.iter().for_each(|noisy| fit.measure(noisy.measurement()));
        zeros.forbid(&self.drawn.merging, &mut fit);
        for ((attribute, counts), law) in whole.iter().enumerate().zip(laws) {
            self.table(vec![attribute], counts, *law, &mut fit)?;
        }
        Ok(fit)
    }

    /// Further noisy counts, of what is left.
    pub(in crate::method::private) fn table(
        &mut self,
        set: Vec<usize>,
        counts: &[i64],
        law: Gaussian,
        fit: &mut Fit,
    ) -> Result<(), MethodError> {
        let noisy = self.noisy("table", set, counts, law)?;
        fit.measure(noisy.measurement());
        self.drawn.tables.push(noisy);
        Ok(())
    }

    fn noisy(
        &mut self,
        step: &str,
        set: Vec<usize>,
        counts: &[i64],
        law: Gaussian,
    ) -> Result<NoisyTable, MethodError> {
        let counts = self.door.noise(step, counts, self.sensitivity, law)?;
        Ok(NoisyTable { set, variance: law.variance(), counts })
    }

    /// One of the sets by its score, whose largest weight is given, or nothing where `nothing` may be chosen, which scores 0.
    pub(in crate::method::private) fn choose(
        &mut self,
        scored: &[(&Vec<usize>, i64)],
        (nothing, weight): (bool, u64),
        epsilon: Rational,
    ) -> Result<Option<Vec<usize>>, MethodError> {
        let none = nothing.then_some(0);
        let scores: Vec<i64> = scored.iter().map(|(_, score)| *score).chain(none).collect();
        let sensitivity = self.sensitivity.saturating_mul(weight << SCORE_PLACES);
        let chosen = self.door.choose("choice", &scores, sensitivity, epsilon)?;
        let set = scored.get(chosen).map(|(set, _)| (*set).clone());
        self.drawn.choices.push(Choice { epsilon, set: set.clone() });
        Ok(set)
    }

    /// The model after so many sweeps, or until the share that moves is below that.
    pub(in crate::method::private) fn fitted(
        &self,
        fit: &mut Fit,
        (sweeps, least): (usize, f64),
    ) -> Result<Model, MethodError> {
        fit.run(sweeps, least, || self.context.check()).map_err(MethodError::from)
    }
}

/// What noisy counts would show beyond expected ones, less the noise to be expected, in units of 2⁻¹⁰ records: expected counts are
/// rounded to such units, then all is in whole numbers, so that one record moves it by one record's units.
pub(in crate::method::private) fn score(
    counts: &[i64],
    expected: impl Iterator<Item = f64>,
    law: Gaussian,
) -> i64 {
    score_beyond(counts, expected, noise_expected(counts.len(), law))
}

/// As [`score`], with the noise to be expected in records.
pub(in crate::method::private) fn score_beyond(
    counts: &[i64],
    expected: impl Iterator<Item = f64>,
    noise: f64,
) -> i64 {
    let one = f64::from(1u32 << SCORE_PLACES);
    let away = counts.iter().zip(expected).fold(0u64, |sum, (&count, expected)| {
        let expected = (expected * one).round() as i64;
        sum.saturating_add(count.saturating_mul(1 << SCORE_PLACES).abs_diff(expected))
    });
    let noise = (noise * one).round() as i64;
    i64::try_from(away).unwrap_or(i64::MAX).saturating_sub(noise)
}

/// √(2/π)·σ·n: the distance that noise alone makes of a table, on average.
pub(in crate::method::private) fn noise_expected(cells: usize, law: Gaussian) -> f64 {
    MEAN_DISTANCE * law.variance().to_f64().sqrt() * cells as f64
}

/// Records of the model, as many as were estimated, rare values taken apart again.
pub(in crate::method::private) fn records(
    model: &Model,
    estimated: f64,
    drawn: &Drawn,
    stream: &mut Stream,
    context: &Context<'_>,
) -> Result<Vec<Vec<u32>>, MethodError> {
    if estimated > MOST_RECORDS {
        let problem = Problem::new("noise made more than 2^32 records").mend("raise epsilon");
        return Err(MethodError::Unfit(problem));
    }
    let mut columns = draw(model, estimated.round().max(0.0) as usize, stream, || {
        context.check().map_err(MethodError::from)
    })?;
    for ((column, merging), noisy) in columns.iter_mut().zip(&drawn.merging).zip(&drawn.alone) {
        context.check()?;
        merging.undo(column, noisy, stream);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_number_of_values() {
        assert_eq!((two_thirds(1), two_thirds(8), two_thirds(1000)), (1 << 10, 4 << 10, 100 << 10));
        assert!(two_thirds(10_000_000) > two_thirds(9_999_999));
    }

    const PARAMS: InventedParams =
        InventedParams { epsilon: 1.0, delta: 1e-9, model_cells: 8, records_per_person: 1 };

    /// 2²⁴ records by noise alone is the most, whether of one attribute or of several.
    #[test]
    fn noise_that_would_drown_all_records_is_refused() {
        let bought = Bought::try_from(PARAMS).unwrap();
        let refused = |sizes: &[usize], variance: u64| {
            let law = Gaussian::new(Rational::new(variance, 1).unwrap()).unwrap();
            bought.refuse_unbearable(sizes, &vec![law; sizes.len()]).err().map(|error| error.to_string())
        };
        // σ√n is 2²⁴, and of two attributes that know as much, together √½ of it.
        assert_eq!(
            [refused(&[4], 1 << 46), refused(&[2, 2], 1 << 48), refused(&[8], 1 << 45)],
            [None, None, None]
        );
        let more = refused(&[4], (1 << 46) + (1 << 20)).unwrap();
        assert!(more.contains("noise alone would make or remove some 16777"), "{more}");
        assert!(refused(&[4, 4], (1 << 47) + (1 << 20)).is_some());
        assert!(
            refused(&[1, 9], 1).unwrap().contains("an attribute has 9 values, more than model-cells = 8")
        );
    }

    #[test]
    fn a_person_has_from_one_record_to_a_million_or_so() {
        let of = |records_per_person| Bought::try_from(InventedParams { records_per_person, ..PARAMS }).err();
        assert_eq!([of(1), of(1 << 20)], [None, None]);
        assert!(
            [of(0), of((1 << 20) + 1)].iter().flatten().all(|p| p.to_string().contains("records-per-person"))
        );
        assert!(of(0).is_some() && of((1 << 20) + 1).is_some());
    }

    /// √(2/π)·σ·n.
    #[test]
    fn noise_is_expected_to_be_so_far_away() {
        let law = Gaussian::new(Rational::new(25, 2).unwrap()).unwrap();
        assert!((noise_expected(6, law) - 30.0 / std::f64::consts::PI.sqrt()).abs() < 1e-12);
        // 3 + 7 records beyond 12 that were expected, less that noise.
        let found = score_beyond(&[3, 7, 1], [0.0, 0.0, 12.0].into_iter(), 4.5);
        assert_eq!(found, (3 + 7 + 11) * 1024 - 4608);
    }

    /// A choice moves by so many records' units, times its largest weight.
    #[test]
    fn a_choice_is_paid_by_its_largest_weight() {
        use super::super::super::mst::tests::in_context;
        in_context(4, |context| {
            let params = InventedParams { records_per_person: 5, ..PARAMS };
            let bought = Bought::try_from(params).unwrap();
            let mut door = bought.door(context).recording();
            let mut measuring = Measuring::new(context, &mut door, params);
            let (epsilon, set) = (Rational::new(1, 100).unwrap(), vec![0, 1]);
            let chosen = measuring.choose(&[(&set, 1 << 40)], (true, 7), epsilon).unwrap();
            assert_eq!(chosen, Some(set.clone()));
            assert_eq!(measuring.choose(&[(&set, -(1 << 40))], (true, 7), epsilon).unwrap(), None);
            assert_eq!(measuring.choose(&[(&set, -(1 << 40))], (false, 7), epsilon).unwrap(), Some(set));
            let asked = |scores: &[i64]| velamen_dp::Query::Choice {
                scores: scores.to_vec(),
                sensitivity: 5 * 7 * 1024,
                epsilon,
            };
            let queries: Vec<_> = door.tape().0.into_iter().map(|answered| answered.query).collect();
            assert_eq!(queries, [asked(&[1 << 40, 0]), asked(&[-(1 << 40), 0]), asked(&[-(1 << 40)])]);
        });
    }

    #[test]
    fn more_records_than_places_have_numbers_are_refused() {
        let mut fit = Fit::new(vec![2]);
        let (counts, variances) = (vec![1.0; 2], vec![1.0; 2]);
        fit.measure(velamen_marginals::Measurement { set: vec![0], counts, variances });
        let model = fit.run(5, 1e-3, || Ok::<(), ()>(())).unwrap();
        super::super::super::mst::tests::in_context(4, |context| {
            let mut stream = context.seed.stream(0);
            let made = records(&model, u32::MAX as f64 * 2.0, &Drawn::default(), &mut stream, context);
            let refused = made.unwrap_err().to_string();
            assert!(refused.contains("more than 2^32 records"), "{refused}");
        });
    }

    #[test]
    fn a_record_moves_a_score_by_one_record() {
        let law = law(Zcdp::units(1 << 50), 1).unwrap();
        let of = |counts: [i64; 3]| score(&counts, [1.3, 7.77, 0.001].into_iter(), law);
        for cell in 0..3 {
            for count in 0..10 {
                let (mut one, mut more) = ([count; 3], [count; 3]);
                more[cell] += 1;
                one[(cell + 1) % 3] = count;
                assert!(of(one).abs_diff(of(more)) <= 1 << SCORE_PLACES);
            }
        }
    }
}
