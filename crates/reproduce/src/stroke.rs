//! Stroke patients by age and sex: the queries Q1 to Q4 of Lee et al. 2017 and Lee and Chung 2020.
//!
//! Q1 and Q2 count the stroke patients without surgery in groups of five years, men and women; Q3
//! and Q4 average their length of stay. Stroke is I60 to I69. A record is spread uniformly over the
//! leaves of its cells: it counts for a sex or an age as far as its cell covers it, and stays the
//! mean of its cell's days. The papers' groups end at 90.

use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_recipe::JobError;

use super::sample::Sample;

/// Groups of five years, 0-4 to 85-89.
pub(super) const GROUPS: usize = 18;
pub(super) const YEARS: usize = 5;

/// Counts and summed days by sex (men, women) and age group.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) count: [[f64; GROUPS]; 2],
    pub(super) days: [[f64; GROUPS]; 2],
}

impl Answer {
    /// The rows of Q1 to Q4; NaN where nobody is averaged.
    pub(super) fn query(&self, number: usize) -> Vec<f64> {
        let sex = (number - 1) % 2;
        match number {
            1 | 2 => self.count[sex].to_vec(),
            _ => (0..GROUPS).map(|group| self.days[sex][group] / self.count[sex][group]).collect(),
        }
    }
}

/// What the queries need of the attributes, by leaf code.
pub(super) struct Columns {
    age: usize,
    sex: usize,
    stay: usize,
    surgery: usize,
    ages: Vec<usize>,
    days: Vec<f64>,
    /// The leaves `M`, `F` and of no surgery.
    sexes: [u32; 2],
    none: u32,
}

impl Columns {
    pub(super) fn new(table: &FrequencyTable) -> Result<Self, JobError> {
        let missing = |what: &str| JobError::data(format!("the sample has no {what}"));
        let find = |name: &str| table.qis.iter().position(|qi| qi.name == name).ok_or_else(|| missing(name));
        let (age, sex) = (find("age")?, find("sex")?);
        let (stay, surgery) = (find("length_of_stay")?, find("surgery")?);
        let labels = |q: usize| table.qis[q].hierarchy.labels(0);
        let leaf = |q: usize, label: &str| {
            let code = labels(q).iter().position(|one| one == label);
            code.map(|code| code as u32).ok_or_else(|| missing(label))
        };
        Ok(Self {
            ages: labels(age).iter().map(|label| label.parse().unwrap_or(usize::MAX)).collect(),
            days: labels(stay).iter().map(|label| label.parse().unwrap_or(f64::NAN)).collect(),
            sexes: [leaf(sex, "M")?, leaf(sex, "F")?],
            none: leaf(surgery, "N")?,
            age,
            sex,
            stay,
            surgery,
        })
    }

    /// The age group of a leaf, if it is one of the paper's.
    fn group(&self, leaf: usize) -> Option<usize> {
        Some(self.ages[leaf] / YEARS).filter(|&group| group < GROUPS)
    }
}

/// Per sensitive code, whether it is stroke.
pub(super) fn strokes(sample: &Sample) -> Vec<bool> {
    let is_stroke = |code: &String| ("I60"..="I69").contains(&code.as_str());
    sample.sensitive().values.iter().map(is_stroke).collect()
}

pub(super) fn original(table: &FrequencyTable, columns: &Columns, wanted: &[bool]) -> Answer {
    let mut answer = Answer::default();
    let values = &table.rest.codes[Sample::SENSITIVE];
    for entry in 0..table.len() {
        let code = |q: usize| table.codes[q][entry];
        let asked = wanted[values[table.rest_index[entry] as usize] as usize];
        let sex = columns.sexes.iter().position(|&sex| sex == code(columns.sex));
        let group = columns.group(code(columns.age) as usize);
        if let (true, Some(sex), Some(group)) = (asked && code(columns.surgery) == columns.none, sex, group) {
            let count = table.counts[entry] as f64;
            answer.count[sex][group] += count;
            answer.days[sex][group] += count * columns.days[code(columns.stay) as usize];
        }
    }
    answer
}

/// How records of one node are read: each counts for the leaves of its cells in equal parts.
pub(super) struct Spread<'a> {
    table: &'a FrequencyTable,
    columns: &'a Columns,
    node: &'a Node,
    /// By code of the length of stay, its days.
    days: Vec<f64>,
}

impl<'a> Spread<'a> {
    pub(super) fn new(table: &'a FrequencyTable, columns: &'a Columns, node: &'a Node) -> Self {
        let days = means(table, columns.stay, node.0[columns.stay], &columns.days);
        Self { table, columns, node, days }
    }

    /// The same, where a class of days counts as the middle between its ends and the last class ends at `most` days.
    pub(super) fn by_midpoints(
        table: &'a FrequencyTable,
        columns: &'a Columns,
        node: &'a Node,
        most: f64,
    ) -> Self {
        let days = midpoints(table, columns.stay, node.0[columns.stay], (&columns.days, most));
        Self { table, columns, node, days }
    }

    /// Adds that many records of a class to an answer.
    pub(super) fn add(&self, answer: &mut Answer, codes: &[u32], records: f64) {
        let columns = self.columns;
        let records = records * self.share(columns.surgery, columns.none, codes);
        for (sex, &leaf) in columns.sexes.iter().enumerate() {
            let of_sex = records * self.share(columns.sex, leaf, codes);
            for age in (0..columns.ages.len()).filter(|_| of_sex > 0.0) {
                if let Some(group) = columns.group(age) {
                    let expected = of_sex * self.share(columns.age, age as u32, codes);
                    answer.count[sex][group] += expected;
                    answer.days[sex][group] += expected * self.days[codes[columns.stay] as usize];
                }
            }
        }
    }

    /// The part of a cell that belongs to a leaf.
    fn share(&self, q: usize, leaf: u32, codes: &[u32]) -> f64 {
        let (hierarchy, level) = (&self.table.qis[q].hierarchy, self.node.0[q]);
        let covered = hierarchy.code(level, leaf) == codes[q];
        if covered { 1.0 / hierarchy.leaves(level, codes[q]) as f64 } else { 0.0 }
    }
}

/// Per code at a level, the mean of its leaves' numbers.
fn means(table: &FrequencyTable, q: usize, level: u8, numbers: &[f64]) -> Vec<f64> {
    let hierarchy = &table.qis[q].hierarchy;
    let mut sums = vec![(0.0, 0.0); hierarchy.width(level)];
    for (leaf, number) in (0..).zip(numbers) {
        let sum = &mut sums[hierarchy.code(level, leaf) as usize];
        *sum = (sum.0 + number, sum.1 + 1.0);
    }
    sums.into_iter().map(|(sum, leaves)| sum / leaves).collect()
}

/// Per code at a level, the middle between its least and its largest number, which is at most `most`.
fn midpoints(table: &FrequencyTable, q: usize, level: u8, (numbers, most): (&[f64], f64)) -> Vec<f64> {
    let hierarchy = &table.qis[q].hierarchy;
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); hierarchy.width(level)];
    for (leaf, &number) in (0..).zip(numbers) {
        let of = &mut ends[hierarchy.code(level, leaf) as usize];
        *of = (of.0.min(number), of.1.max(number.min(most)));
    }
    ends.into_iter().map(|(low, high)| f64::midpoint(low, high.max(low))).collect()
}

/// RMSE over the age groups that have an original answer, divided by the mean of those answers.
pub(super) fn normalised_rmse(original: &[f64], answer: &[f64]) -> f64 {
    let pairs: Vec<(f64, f64)> =
        original.iter().copied().zip(answer.iter().copied()).filter(|pair| pair.0.is_finite()).collect();
    let groups = pairs.len() as f64;
    let squares: f64 = pairs.iter().map(|(original, answer)| (answer - original).powi(2)).sum();
    (squares / groups).sqrt() / (pairs.iter().map(|pair| pair.0).sum::<f64>() / groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lee2017::tests::in_context;
    use crate::sample;

    #[test]
    fn the_original_answer_is_that_of_the_records() {
        let sample = in_context(|context| sample::synthetic(20_000, context)).unwrap();
        let columns = Columns::new(&sample.table).unwrap();
        let answer = original(&sample.table, &columns, &strokes(&sample));
        let label = |q: usize, e: usize| sample.table.qis[q].hierarchy.label(0, sample.table.codes[q][e]);
        let (mut count, mut days) = (0, 0);
        for entry in 0..sample.table.len() {
            let diagnosis = &sample.sensitive().values[sample.table.rest_index[entry] as usize];
            let age: u32 = label(0, entry).parse().unwrap();
            if diagnosis.starts_with("I6")
                && (65..70).contains(&age)
                && label(1, entry) == "F"
                && label(4, entry) == "N"
            {
                count += sample.table.counts[entry];
                days += sample.table.counts[entry] * label(2, entry).parse::<u64>().unwrap();
            }
        }
        assert!(count > 0);
        assert_eq!((answer.count[1][13], answer.days[1][13]), (count as f64, days as f64));
    }

    #[test]
    fn a_class_of_days_has_a_middle() {
        let sample = in_context(|context| sample::synthetic(20_000, context)).unwrap();
        let columns = Columns::new(&sample.table).unwrap();
        let of = |level| midpoints(&sample.table, columns.stay, level, (&columns.days, 100.0));
        assert_eq!(of(0), columns.days, "a single day is its own middle, however long");
        // All stays together: from the shortest to 100 days, though longer ones occur.
        let least = columns.days.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(columns.days.iter().any(|days| *days > 100.0));
        let top = sample.table.qis[columns.stay].hierarchy.top();
        assert_eq!(of(top), [(least + 100.0) / 2.0]);
    }

    #[test]
    fn the_error_is_relative_to_the_mean() {
        assert_eq!(normalised_rmse(&[2.0, 4.0, f64::NAN], &[1.0, 5.0, 7.0]), 1.0 / 3.0);
    }
}
