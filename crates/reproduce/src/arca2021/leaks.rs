//! Tables 2 and 8: what attributes leak, before and after.

use velamen_core::context::Context;
use velamen_measure::risk::leak::Columns;
use velamen_recipe::JobError;
use velamen_report::chart::{Series, bars};
use velamen_search::method::iab::{Reach, RowStrategy};

use super::heart::{Heart, NAMES};
use super::searches::run;
use crate::output::{Figure, ResultTable};
use crate::{Section, Trend};

/// Table 2: the partitions of Table 1's 60 persons by each attribute, and its figures.
const TABLE_2: [(&str, &[u64], f64, f64); 6] = [
    ("Sex", &[27, 33], 0.99, 0.16),
    ("Alcohol Cons.", &[23, 18, 13, 6], 1.86, 0.31),
    ("Age", &[10, 7, 7, 6, 5, 4, 3, 3, 3, 3, 3, 3, 3], 3.55, 0.60),
    ("Zip", &[18, 12, 6, 6, 6, 5, 4, 3], 2.75, 0.46),
    ("Weight", &[17, 15, 13, 8, 7], 2.24, 0.38),
    ("Race", &[15, 13, 9, 9, 7, 7], 2.52, 0.42),
];

/// The attributes of Table 8 in its order.
const TABLE_8: [&str; 6] = ["Age", "Zip", "Smoker", "Sex", "Chol", "BS"];

/// The arms of Table 8 with their figures.
const ARMS: [(&str, &[&str], [f64; 6]); 3] = [
    ("before", &[], [0.61, 0.99, 0.12, 0.11, 0.85, 0.07]),
    ("Age, Zip", &["Age", "Zip"], [0.0, 0.4, 0.12, 0.11, 0.85, 0.07]),
    ("Age, Zip, Smoker, Sex", &["Age", "Zip", "Smoker", "Sex"], [0.0, 0.4, 0.0, 0.11, 0.85, 0.07]),
];

/// One unit of the last digit that is printed: the paper cuts most digits off and rounds some.
const DIGIT: f64 = 0.01;

pub(super) fn table_2() -> Section {
    let (mut rows, mut trends) = (Vec::new(), Vec::new());
    let mut shares = Vec::new();
    for (name, sizes, loss, normalised) in TABLE_2 {
        let codes = vec![(0..sizes.len() as u32).collect()];
        let leak = Columns { codes: &codes, counts: sizes, weights: None }.of(&[0]);
        rows.push(vec![
            name.into(),
            leak.partitions.to_string(),
            format!("{loss:.2}"),
            leak.loss.to_string(),
            format!("{normalised:.2}"),
            leak.normalised.to_string(),
        ]);
        trends.push(Trend::new(
            &format!("table 2, {name}"),
            &format!("{loss:.2} bits, {normalised:.2} of all"),
            &format!("{:.3}, {:.3}", leak.loss, leak.normalised),
            agrees(leak.loss, loss) && agrees(leak.normalised, normalised),
        ));
        shares.push(leak.normalised);
    }
    let header = ["attribute", "partitions", "loss published", "loss", "normalised published", "normalised"];
    let names: Vec<String> = TABLE_2.iter().map(|row| row.0.to_owned()).collect();
    let title = "Table 2: what each attribute of Table 1 leaks";
    let measured = Series { name: "normalised loss".into(), values: shares };
    let figure = Figure {
        file: "table2".into(),
        title: title.into(),
        note: "60 persons. The paper cuts most figures off after two digits and rounds some.".into(),
        table: ResultTable { header: header.map(String::from).to_vec(), rows },
        svg: bars(title, "attribute", "share of all information", &names, &[measured]),
    };
    Section { figures: vec![figure], trends }
}

/// Up to one unit of the last digit.
fn agrees(measured: f64, published: f64) -> bool {
    (measured - published).abs() <= DIGIT + 1e-9
}

/// Table 8 on Cleveland.
pub(super) fn table_8(heart: &Heart, context: &Context<'_>) -> Result<Section, JobError> {
    let (mut rows, mut trends, mut series) = (Vec::new(), Vec::new(), Vec::new());
    for (arm, shield, published) in ARMS {
        let levels = match shield {
            [] => vec![0; heart.table.qis.len()],
            _ => levels(heart, shield, context)?,
        };
        let columns = heart.columns(&levels);
        let leaks = Columns { codes: &columns, counts: &heart.table.counts, weights: None };
        let measured = TABLE_8.map(|name| {
            let column = NAMES.iter().position(|known| *known == name);
            leaks.of(&[column.expect("an attribute of the table")]).normalised
        });
        for (i, name) in TABLE_8.iter().enumerate() {
            rows.push(vec![arm.into(), (*name).into(), published[i].to_string(), measured[i].to_string()]);
        }
        trends.extend(compared(heart, arm, &published, &measured));
        series.push(Series { name: arm.into(), values: measured.to_vec() });
    }
    trends.push(no_leak_grows(&series));
    let title = "Table 8: what attributes of Cleveland leak before and after IAB";
    let header = ["anonymized for", "attribute", "published", "measured"];
    let names: Vec<String> = TABLE_8.map(String::from).to_vec();
    let figure = Figure {
        file: "table8".into(),
        title: title.into(),
        note: "Normalized average loss of information; k = 5, by levels. Zip and smoking are made up here as there."
            .into(),
        table: ResultTable { header: header.map(String::from).to_vec(), rows },
        svg: bars(title, "attribute", "share of all information", &names, &series),
    };
    Ok(Section { figures: vec![figure], trends })
}

/// The levels that IAB comes to.
fn levels(heart: &Heart, shield: &[&str], context: &Context<'_>) -> Result<Vec<u8>, JobError> {
    let found = run(heart, shield, RowStrategy::Iab, Reach::FullDomain, context)?;
    let node = found.and_then(|run| run.node);
    node.map(|node| node.0).ok_or_else(|| JobError::promise(format!("{}: no answer", heart.name)))
}

/// Digits where the paper's own columns are at hand; what depends on made-up columns as far as it can agree.
fn compared(heart: &Heart, arm: &str, published: &[f64; 6], measured: &[f64; 6]) -> Vec<Trend> {
    let trend = |i: usize| {
        Trend::new(
            &format!("table 8, {arm}"),
            &format!("{} leaks {}", TABLE_8[i], published[i]),
            &format!("{:.3}", measured[i]),
            agrees(measured[i], published[i]),
        )
    };
    (0..TABLE_8.len()).filter(|_| heart.real).map(trend).collect()
}

fn no_leak_grows(series: &[Series]) -> Trend {
    let never = series[1..].iter().all(|after| {
        after.values.iter().zip(&series[0].values).all(|(after, before)| *after <= before + DIGIT * DIGIT)
    });
    Trend::new(
        "table 8",
        "no attribute leaks more after anonymization",
        if never { "none does" } else { "some do" },
        never,
    )
}
