//! The library's classifiers, behind one call.

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::error::Failed;
use smartcore::linalg::basic::arrays::Array;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
use smartcore::naive_bayes::multinomial::{MultinomialNB, MultinomialNBParameters};
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::features::{FeatureRow, SMOOTHING, whole};

/// Trees of a forest.
const TREES: u16 = 50;
/// The weight of half the squared coefficients beside the sum of the losses.
const RIDGE: f64 = 1.0;

/// A kind of classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassifierKind {
    Logistic,
    Forest,
    Bayes,
}

impl ClassifierKind {
    pub(super) const ALL: [Self; 3] = [Self::Logistic, Self::Forest, Self::Bayes];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic-regression",
            Self::Forest => "random-forest",
            Self::Bayes => "naive-bayes",
        }
    }

    /// Trains on rows with their classes and predicts others.
    pub(super) fn run(
        self,
        train: (&[&FeatureRow], &[u32]),
        test: &[&FeatureRow],
        seed: u64,
        context: &Context<'_>,
    ) -> Result<Predictions, JobError> {
        let (rows, classes) = train;
        let first = classes[0];
        if classes.iter().all(|class| *class == first) {
            return Ok(Predictions { classes: vec![first; test.len()], scores: None });
        }
        let failed = |error: Failed| JobError::data(format!("{} cannot be trained: {error}", self.name()));
        match self {
            Self::Logistic => logistic(rows, classes, test).map_err(failed),
            Self::Bayes => bayes(rows, classes, test).map_err(failed),
            Self::Forest => {
                let mut forest = Forest::new(rows, classes, test).map_err(failed)?;
                for tree in 0..TREES {
                    context.check()?;
                    forest.grow(seed.wrapping_add(tree.into())).map_err(failed)?;
                }
                Ok(forest.predictions())
            }
        }
    }
}

/// What a classifier says of each row.
pub(super) struct Predictions {
    pub(super) classes: Vec<u32>,
    /// Of two classes the score of the second, where the model has scores.
    pub(super) scores: Option<Vec<f64>>,
}

fn numbers(rows: &[&FeatureRow]) -> Result<DenseMatrix<f64>, Failed> {
    let columns = rows.first().map_or(0, |row| row.numbers.len());
    let cells = rows.iter().flat_map(|row| row.numbers.iter().copied()).collect();
    DenseMatrix::new(rows.len(), columns, cells, false)
}

fn logistic(rows: &[&FeatureRow], classes: &[u32], test: &[&FeatureRow]) -> Result<Predictions, Failed> {
    let parameters = LogisticRegressionParameters::default().with_alpha(RIDGE);
    let model = LogisticRegression::fit(&numbers(rows)?, &classes.to_vec(), parameters)?;
    let predicted = model.predict(&numbers(test)?)?;
    let weights = model.coefficients();
    let score = |row: &&FeatureRow| {
        let terms = row.numbers.iter().enumerate().map(|(column, value)| value * weights.get((0, column)));
        terms.sum::<f64>() + model.intercept().get((0, 0))
    };
    let scores = (model.classes().len() == 2).then(|| test.iter().map(score).collect());
    Ok(Predictions { classes: predicted, scores })
}

/// A forest that grows tree by tree, so that it can be stopped between two: the library grows a whole one at once.
struct Forest {
    rows: DenseMatrix<f64>,
    classes: Vec<u32>,
    asked: DenseMatrix<f64>,
    /// All classes, ascending.
    known: Vec<u32>,
    /// By asked row, the trees that say each class.
    votes: Vec<Vec<u32>>,
}

impl Forest {
    fn new(rows: &[&FeatureRow], classes: &[u32], test: &[&FeatureRow]) -> Result<Self, Failed> {
        let mut known = classes.to_vec();
        known.sort_unstable();
        known.dedup();
        let votes = vec![vec![0; known.len()]; test.len()];
        Ok(Self { rows: numbers(rows)?, classes: classes.to_vec(), asked: numbers(test)?, known, votes })
    }

    /// A tree on records drawn with replacement, and its votes.
    fn grow(&mut self, seed: u64) -> Result<(), Failed> {
        let parameters = RandomForestClassifierParameters::default().with_n_trees(1).with_seed(seed);
        let tree = RandomForestClassifier::fit(&self.rows, &self.classes, parameters)?;
        for (votes, class) in self.votes.iter_mut().zip(tree.predict(&self.asked)?) {
            let at = self.known.binary_search(&class);
            votes[at.expect("a tree knows the classes that it was grown on")] += 1;
        }
        Ok(())
    }

    /// The class of most trees, of equally many the first. Votes are no scores.
    fn predictions(self) -> Predictions {
        let most = |votes: &Vec<u32>| (0..votes.len()).rev().max_by_key(|&at| votes[at]).unwrap_or_default();
        let classes = self.votes.iter().map(|votes| self.known[most(votes)]).collect();
        Predictions { classes, scores: None }
    }
}

fn bayes(rows: &[&FeatureRow], classes: &[u32], test: &[&FeatureRow]) -> Result<Predictions, Failed> {
    let parameters = MultinomialNBParameters::default().with_alpha(SMOOTHING);
    let counts = matrix(rows.iter().map(|row| row.counts.clone()).collect())?;
    let model = MultinomialNB::fit(&counts, &classes.to_vec(), parameters)?;
    let asked: Vec<Vec<u32>> = test.iter().map(|row| whole(&row.counts)).collect();
    let (priors, features) = (model.class_count(), model.feature_log_prob());
    let likelihood = |row: &[u32], class: usize| {
        let terms = row.iter().zip(&features[class]).map(|(count, log)| f64::from(*count) * log);
        terms.sum::<f64>() + (priors[class] as f64).ln()
    };
    let score = |row: &Vec<u32>| likelihood(row, 1) - likelihood(row, 0);
    let scores = (priors.len() == 2).then(|| asked.iter().map(score).collect());
    Ok(Predictions { classes: model.predict(&matrix(asked)?)?, scores })
}

fn matrix(rows: Vec<Vec<u32>>) -> Result<DenseMatrix<u32>, Failed> {
    let columns = rows.first().map_or(0, Vec::len);
    DenseMatrix::new(rows.len(), columns, rows.concat(), false)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use velamen_core::context::Silent;
    use velamen_dp::Seed;

    use super::*;

    /// Rows of which the first number tells the class.
    fn rows() -> (Vec<FeatureRow>, Vec<u32>) {
        let row =
            |n: u32| FeatureRow { numbers: vec![f64::from(n), f64::from(n % 7)], counts: vec![n, 60 - n] };
        ((0..60).map(row).collect(), (0..60).map(|n| if n < 30 { 2 } else { 5 }).collect())
    }

    #[test]
    fn a_forest_predicts_and_stops_between_two_trees() {
        let (rows, classes) = rows();
        let rows: Vec<&FeatureRow> = rows.iter().collect();
        let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        let run = || ClassifierKind::Forest.run((&rows, &classes), &rows, 7, &context);
        let first = run().unwrap_or_else(|error| panic!("{error}"));
        let right = first.classes.iter().zip(&classes).filter(|(one, other)| one == other).count();
        assert!(right >= 57 && first.scores.is_none(), "{right} of 60");
        assert_eq!(run().unwrap_or_else(|error| panic!("{error}")).classes, first.classes);
        cancel.store(true, Ordering::Relaxed);
        assert!(run().is_err_and(|error| error.is_interrupted()));
    }
}
