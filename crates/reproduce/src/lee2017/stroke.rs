//! Figure 11: stroke patients by age and sex, k = 10, h = 0.2.
//!
//! The queries are those of [`crate::stroke`]. An anonymized record counts as real with
//! the chance that the catalog gives it.

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_recipe::JobError;
use velamen_report::chart::{Series, lines};

use super::runs::{Arm, Solved, series, solve};
use crate::output::{Figure, ResultTable, cell};
use crate::query::Reading;
use crate::stroke::{Answer, Columns, GROUPS, Spread, YEARS, normalised_rmse, original, strokes};
use crate::{Section, Trend, query, sample, text};

/// The paper's k and h here.
const K: u64 = 10;
const H: f64 = 0.2;

fn anonymized(
    table: &FrequencyTable,
    columns: &Columns,
    solved: &Solved,
    wanted: &[bool],
    reading: Reading,
) -> Answer {
    let plan = &solved.plan;
    let spread = Spread::new(table, columns, &plan.node);
    let mut answer = Answer::default();
    for count in query::counts(plan, wanted) {
        spread.add(&mut answer, plan.classes.codes(count.class as usize), count.read(reading));
    }
    answer
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
    let of_query =
        |number| [Shown::Arms, Shown::Released].map(|shown| figure(number, &answers, &note, shown));
    let figures = (1..=4).flat_map(of_query).collect();
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

/// What a picture shows beside the original: a chart has room for three arms.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    /// All but [`Arm::Released`] and [`Arm::Joint`].
    Arms,
    /// [`Arm::Released`] beside the baseline and the arm that it differs from.
    Released,
}

impl Shown {
    fn arms(self) -> [Arm; 3] {
        let third = if self == Self::Arms { Arm::Default } else { Arm::Released };
        [Arm::KAnonymous, Arm::Published, third]
    }
}

fn figure(number: usize, answers: &Answers, note: &str, shown: Shown) -> Figure {
    let letter = ["a", "b", "c", "d"][number - 1];
    let who = ["men", "women"][(number - 1) % 2];
    let what = if number <= 2 { "stroke patients without surgery" } else { "mean stay in days, stroke" };
    let (file, over) = match shown {
        Shown::Arms => ("", ""),
        Shown::Released => ("-released", ", RCE over the released table"),
    };
    let title = format!("Fig. 11{letter} (Q{number}): {what}, {who}{over}");
    let groups: Vec<String> =
        (0..GROUPS).map(|group| format!("{}-{}", group * YEARS, group * YEARS + YEARS - 1)).collect();
    let columns: Vec<Vec<f64>> = answers.iter().map(|(_, answer)| answer.query(number)).collect();
    let header = std::iter::once("age group".to_owned()).chain(answers.iter().map(|(name, _)| name.clone()));
    let row = |(i, group): (usize, &String)| {
        std::iter::once(group.clone()).chain(columns.iter().map(|column| cell(column[i]))).collect()
    };
    let table = ResultTable { header: header.collect(), rows: groups.iter().enumerate().map(row).collect() };
    let mut charted: Vec<Series> = vec![Series { name: "original".into(), values: columns[0].clone() }];
    for arm in shown.arms() {
        if let Some(at) = answers.iter().position(|(name, _)| name == arm.name()) {
            charted.push(series(arm, columns[at].clone()));
        }
    }
    Figure {
        file: format!("fig11{letter}{file}"),
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
        let measured = format!("RMSE / mean {} against {} k-anonymous", text(ceiled), text(baseline));
        let published = "h-ceiled nearer to the original than k-anonymous";
        Trend::by(arm.name(), &figure, published, &measured, ceiled < baseline)
    };
    Arm::CEILED.map(one).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lee2017::tests::in_context;

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
        let solved =
            Solved { plan: Plan { node, classes, ..Plan::default() }, lm: 0.0, rce: 0.0, joint: 0.0 };
        let wanted = strokes(&sample);
        let answer = anonymized(&sample.table, &columns, &solved, &wanted, Reading::Corrected);
        assert_eq!(answer, original(&sample.table, &columns, &wanted));
    }
}
