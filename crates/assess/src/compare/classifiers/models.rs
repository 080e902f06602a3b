//! The library's classifiers, behind one call.

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::error::Failed;
use smartcore::linalg::basic::arrays::Array;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
use smartcore::naive_bayes::multinomial::{MultinomialNB, MultinomialNBParameters};

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
    ) -> Result<Predictions, Failed> {
        let (rows, classes) = train;
        let first = classes[0];
        if classes.iter().all(|class| *class == first) {
            return Ok(Predictions { classes: vec![first; test.len()], scores: None });
        }
        match self {
            Self::Logistic => logistic(rows, classes, test),
            Self::Forest => forest(rows, classes, test, seed),
            Self::Bayes => bayes(rows, classes, test),
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

fn forest(
    rows: &[&FeatureRow],
    classes: &[u32],
    test: &[&FeatureRow],
    seed: u64,
) -> Result<Predictions, Failed> {
    let parameters = RandomForestClassifierParameters::default().with_n_trees(TREES).with_seed(seed);
    let model = RandomForestClassifier::fit(&numbers(rows)?, &classes.to_vec(), parameters)?;
    // The library counts votes and keeps no scores.
    Ok(Predictions { classes: model.predict(&numbers(test)?)?, scores: None })
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
