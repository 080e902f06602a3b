//! Figure 11: stroke patients by age and sex, k = 10, h = 0.2.
//!
//! Q1 and Q2 count the stroke patients without surgery in groups of five years, men and women; Q3
//! and Q4 average their length of stay. Stroke is I60 to I69. An anonymized record counts as real
//! with the chance that the catalog gives it, spread uniformly over the leaves of its cells: it
//! counts for a sex or an age as far as its cell covers it, and stays the mean of its cell's days.
//! The paper's groups end at 90.

use velamen_core::frequency::FrequencyTable;

use super::runs::{Arm, Solved, series, solve};
use crate::chart::{Series, lines};
use crate::error::JobError;
use crate::reproduce::output::{Figure, Table, cell};
use crate::reproduce::query::{self, Reading};
use crate::reproduce::sample::{self, Sample};
use crate::reproduce::{Section, Trend, text};
use velamen_core::context::Context;

/// The paper's k and h here.
const K: u64 = 10;
const H: f64 = 0.2;

/// Groups of five years, 0-4 to 85-89.
const GROUPS: usize = 18;
const YEARS: usize = 5;

/// Counts and summed days by sex (men, women) and age group.
#[derive(Debug, Clone, Default, PartialEq)]
struct Answer {
    count: [[f64; GROUPS]; 2],
    days: [[f64; GROUPS]; 2],
}

impl Answer {
    /// The rows of Q1 to Q4; NaN where nobody is averaged.
    fn query(&self, number: usize) -> Vec<f64> {
        let sex = (number - 1) % 2;
        match number {
            1 | 2 => self.count[sex].to_vec(),
            _ => (0..GROUPS).map(|group| self.days[sex][group] / self.count[sex][group]).collect(),
        }
    }
}

/// What the queries need of the attributes, by leaf code.
struct Columns {
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
    fn new(table: &FrequencyTable) -> Result<Self, JobError> {
        let missing = |what: &str| JobError::Data(format!("the sample has no {what}"));
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
fn strokes(sample: &Sample) -> Vec<bool> {
    let is_stroke = |code: &String| ("I60"..="I69").contains(&code.as_str());
    sample.sensitive().values.iter().map(is_stroke).collect()
}

fn original(table: &FrequencyTable, columns: &Columns, wanted: &[bool]) -> Answer {
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

fn anonymized(
    table: &FrequencyTable,
    columns: &Columns,
    solved: &Solved,
    wanted: &[bool],
    reading: Reading,
) -> Answer {
    let plan = &solved.plan;
    let level = |q: usize| plan.node.0[q];
    let share = |q: usize, leaf: u32, code: u32| {
        let hierarchy = &table.qis[q].hierarchy;
        let covered = hierarchy.code(level(q), leaf) == code;
        if covered { 1.0 / hierarchy.leaves(level(q), code) as f64 } else { 0.0 }
    };
    let mean_days: Vec<f64> = means(table, columns.stay, level(columns.stay), &columns.days);
    let mut answer = Answer::default();
    for count in query::counts(plan, wanted) {
        let codes = plan.classes.codes(count.class as usize);
        let records = count.read(reading) * share(columns.surgery, columns.none, codes[columns.surgery]);
        for (sex, &leaf) in columns.sexes.iter().enumerate() {
            let of_sex = records * share(columns.sex, leaf, codes[columns.sex]);
            for age in (0..columns.ages.len()).filter(|_| of_sex > 0.0) {
                if let Some(group) = columns.group(age) {
                    let expected = of_sex * share(columns.age, age as u32, codes[columns.age]);
                    answer.count[sex][group] += expected;
                    answer.days[sex][group] += expected * mean_days[codes[columns.stay] as usize];
                }
            }
        }
    }
    answer
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

/// RMSE over the age groups that have an original answer, divided by the mean of those answers.
fn normalised_rmse(original: &[f64], answer: &[f64]) -> f64 {
    let pairs: Vec<(f64, f64)> =
        original.iter().copied().zip(answer.iter().copied()).filter(|pair| pair.0.is_finite()).collect();
    let groups = pairs.len() as f64;
    let squares: f64 = pairs.iter().map(|(original, answer)| (answer - original).powi(2)).sum();
    (squares / groups).sqrt() / (pairs.iter().map(|pair| pair.0).sum::<f64>() / groups)
}

/// Figure 11, on a sample of its own.
///
/// # Errors
/// [`JobError`] of the searches.
pub(super) fn section(patients: u64, context: &Context<'_>) -> Result<Section, JobError> {
    let sample = sample::synthetic(patients, context)?;
    let columns = Columns::new(&sample.table)?;
    let wanted = strokes(&sample);
    let mut answers = vec![("original".to_owned(), original(&sample.table, &columns, &wanted))];
    let mut remarks = Vec::new();
    for arm in Arm::ALL {
        let Some(solved) = solve(&sample.table, arm, K, H, context)? else {
            remarks.push(format!("{}: no node under the ceiling has a safe catalog.", arm.name()));
            continue;
        };
        remarks.push(remark(arm, &solved));
        let answer = |reading| anonymized(&sample.table, &columns, &solved, &wanted, reading);
        answers.push((arm.name().to_owned(), answer(Reading::Corrected)));
        if arm != Arm::KAnonymous {
            answers.push((format!("{}, as released", arm.name()), answer(Reading::AsReleased)));
        }
    }
    let note = format!("{} (k = {K}, h = {H}). {}", sample.name, remarks.join(" "));
    let figures = (1..=4).map(|number| figure(number, &answers, &note)).collect();
    Ok(Section { figures, trends: (1..=4).flat_map(|number| trends(number, &answers)).collect() })
}

fn remark(arm: Arm, solved: &Solved) -> String {
    format!(
        "{}: node {:?}, {} classes, {} counterfeits, LM {}.",
        arm.name(),
        solved.plan.node.0,
        solved.plan.classes.len(),
        solved.counterfeits(),
        text(solved.lm)
    )
}

/// Named answers; the first is the original.
type Answers = [(String, Answer)];

fn figure(number: usize, answers: &Answers, note: &str) -> Figure {
    let letter = ["a", "b", "c", "d"][number - 1];
    let who = ["men", "women"][(number - 1) % 2];
    let what = if number <= 2 { "stroke patients without surgery" } else { "mean stay in days, stroke" };
    let title = format!("Fig. 11{letter} (Q{number}): {what}, {who}");
    let groups: Vec<String> =
        (0..GROUPS).map(|group| format!("{}-{}", group * YEARS, group * YEARS + YEARS - 1)).collect();
    let columns: Vec<Vec<f64>> = answers.iter().map(|(_, answer)| answer.query(number)).collect();
    let header = std::iter::once("age group".to_owned()).chain(answers.iter().map(|(name, _)| name.clone()));
    let row = |(i, group): (usize, &String)| {
        std::iter::once(group.clone()).chain(columns.iter().map(|column| cell(column[i]))).collect()
    };
    let table = Table { header: header.collect(), rows: groups.iter().enumerate().map(row).collect() };
    let mut charted: Vec<Series> = vec![Series { name: "original".into(), values: columns[0].clone() }];
    for arm in Arm::ALL {
        if let Some(at) = answers.iter().position(|(name, _)| name == arm.name()) {
            charted.push(series(arm, columns[at].clone()));
        }
    }
    Figure {
        file: format!("fig11{letter}"),
        note: format!(
            "{note} h-ceiled answers are corrected by the catalog; the table also gives them as released."
        ),
        svg: lines(&title, "age group", what, &groups[..], &charted),
        title,
        table,
    }
}

fn trends(number: usize, answers: &Answers) -> Vec<Trend> {
    let figure = format!("Fig. 11{} (Q{number})", ["a", "b", "c", "d"][number - 1]);
    let error = |arm: Arm| {
        let answer = answers.iter().find(|(name, _)| name == arm.name());
        let original = answers[0].1.query(number);
        answer.map_or(f64::NAN, |(_, answer)| normalised_rmse(&original, &answer.query(number)))
    };
    let baseline = error(Arm::KAnonymous);
    let one = |arm: Arm| {
        let ceiled = error(arm);
        let measured =
            format!("{}: RMSE / mean {} against {} k-anonymous", arm.name(), text(ceiled), text(baseline));
        Trend::new(&figure, "h-ceiled nearer to the original than k-anonymous", &measured, ceiled < baseline)
    };
    Arm::CEILED.map(one).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::lee2017::tests::in_context;

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
    fn an_untouched_table_answers_as_the_original() {
        use velamen_core::classes::{ClassTable, Space};
        use velamen_core::lattice::Node;
        use velamen_core::plan::Plan;
        let sample = in_context(|context| sample::synthetic(3000, context)).unwrap();
        let columns = Columns::new(&sample.table).unwrap();
        let node = Node(vec![0; 5]);
        let classes = ClassTable::at(
            &Space::<1>::new(&sample.table, velamen_core::classes::Coding::new(&sample.table, &[0]).as_ref()),
            &node,
        );
        let solved = Solved { plan: Plan { node, classes, ..Plan::default() }, lm: 0.0, rce: 0.0 };
        let wanted = strokes(&sample);
        let answer = anonymized(&sample.table, &columns, &solved, &wanted, Reading::Corrected);
        assert_eq!(answer, original(&sample.table, &columns, &wanted));
    }

    #[test]
    fn the_error_is_relative_to_the_mean() {
        assert_eq!(normalised_rmse(&[2.0, 4.0, f64::NAN], &[1.0, 5.0, 7.0]), 1.0 / 3.0);
    }
}
