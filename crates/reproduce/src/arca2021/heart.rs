//! The tables of the experiments: heart disease at three hospitals, or as many synthetic records.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{Cuts, IntervalRule, MaskRule, Rule, Side};
use velamen_core::release::canonical_codes;
use velamen_dp::{Stream, below};
use velamen_engine::source::ReadOptions;
use velamen_job::flat::{open_flat, per_row};
use velamen_recipe::JobError;

/// The data sets with their records.
pub(super) const SETS: [(&str, u64); 3] = [("cleveland", 303), ("hungarian", 294), ("va", 200)];

/// The attributes in the order of the tables: quasi-identifiers, then the rest.
pub(super) const NAMES: [&str; 7] = ["Age", "Sex", "Smoker", "Zip", "Chol", "BS", "Disease"];

/// How many of them are quasi-identifiers.
const QIS: usize = 4;

/// The columns that are read, in the order of the first five attributes but the made-up ones.
const COLUMNS: [&str; 5] = ["age", "sex", "chol", "fbs", "target"];

/// The columns of the files where they have no header.
const ALL_COLUMNS: [&str; 14] = [
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak", "slope", "ca",
    "thal", "target",
];

/// A hospital's table.
pub(super) struct Heart {
    pub(super) name: &'static str,
    /// Whether age, sex, cholesterol, blood sugar and disease are the published ones.
    pub(super) real: bool,
    pub(super) table: FrequencyTable,
}

/// One record's values by attribute.
type Record = [String; 7];

/// The three tables. Smoking and zip code are drawn from the seed: the authors made theirs up, too.
pub(super) fn all(folder: Option<&Path>, context: &Context<'_>) -> Result<Vec<Heart>, JobError> {
    let mut hearts = Vec::new();
    for ((name, records), number) in SETS.into_iter().zip(0..) {
        let mut stream = context.seed.stream(number);
        let known = match folder {
            Some(folder) => read(&folder.join(format!("processed.{name}.data")), context)?,
            None => (0..records).map(|_| synthetic(&mut stream)).collect(),
        };
        let records = known.into_iter().map(|known| record(known, &mut stream)).collect();
        hearts.push(Heart { name, real: folder.is_some(), table: table(records)? });
    }
    Ok(hearts)
}

/// Age, sex, cholesterol, blood sugar and disease of every record, in canonical order.
fn read(path: &Path, context: &Context<'_>) -> Result<Vec<[String; 5]>, JobError> {
    let start = std::fs::read(path).map_err(|error| JobError::io(path, "read the table", &error))?;
    let header = start.first().is_some_and(u8::is_ascii_alphabetic);
    let options = ReadOptions {
        format: Some(velamen_engine::FileFormat::default()),
        delimiter: Some(b','),
        columns: (!header).then(|| ALL_COLUMNS.map(String::from).to_vec()),
        trim: true,
        null: vec!["?".into()],
        ..ReadOptions::default()
    };
    let role = |name: &str| COLUMNS.contains(&name).then_some(Role::Insensitive);
    let (input, requests) = open_flat(path, &options, role, &COLUMNS)?;
    let table = input.read(&requests, context)?;
    let value = |name: &str, row: usize| {
        let column = table.rest.columns.iter().position(|column| column.name == name);
        let column = column.expect("every column was asked for");
        plain(&table.rest.columns[column].values[table.rest.codes[column][row] as usize])
    };
    let mut records = Vec::new();
    for (row, count) in per_row(&table).into_iter().enumerate() {
        let known = COLUMNS.map(|name| value(name, row));
        records.extend(std::iter::repeat_n(known, count as usize));
    }
    Ok(records)
}

/// A number as it is written without needless decimals.
fn plain(text: &str) -> String {
    text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| number.to_string())
}

/// A record that is no person's: ages of some 30 to 77, cholesterol of some 130 to 450.
fn synthetic(stream: &mut Stream) -> [String; 5] {
    let mut sum = |base: u64, dice: u32, sides: u64| {
        (base + (0..dice).map(|_| below(stream, sides)).sum::<u64>()).to_string()
    };
    let (age, chol) = (sum(30, 3, 17), sum(130, 4, 81));
    let mut coin = |of_20: u64| u64::from(below(stream, 20) < of_20).to_string();
    [age, coin(14), chol, coin(3), coin(9)]
}

/// A record with smoking (a fair coin) and zip code (any five digits).
fn record([age, sex, chol, bs, disease]: [String; 5], stream: &mut Stream) -> Record {
    let smoker = below(stream, 2).to_string();
    let zip = format!("{:05}", below(stream, 100_000));
    let disease = if disease == "0" { "absent" } else { "present" };
    [age, sex, smoker, zip, chol, bs, disease.into()]
}

/// Figure 7, with a value or `*` for sex and smoking.
fn rules() -> Result<[Rule; QIS], JobError> {
    let wrong = |error: velamen_core::hierarchy::HierarchyError| JobError::data(error.to_string());
    let ages = Cuts::Starts(vec![vec![35, 45, 65], vec![45]]);
    Ok([
        Rule::Interval(IntervalRule::new(ages, 25, 80, 0).map_err(wrong)?),
        Rule::Flat,
        Rule::Flat,
        Rule::Mask(MaskRule::new(Side::Right, 5, 10, vec![1, 2, 3, 4, 5]).map_err(wrong)?),
    ])
}

fn table(mut records: Vec<Record>) -> Result<FrequencyTable, JobError> {
    records.sort_unstable();
    let mut table = FrequencyTable {
        qis: Vec::new(),
        rest: Rest::default(),
        codes: Vec::new(),
        rest_index: Vec::new(),
        counts: vec![1; records.len()],
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    };
    for (q, rule) in rules()?.iter().enumerate() {
        if let Some(row) = records.iter().position(|record| !rule.contains(&record[q])) {
            let problem = format!("{}, record {}: a wrong value", NAMES[q], row + 1);
            return Err(JobError::data(problem).expected(rule.expectation()));
        }
        let (leaves, hierarchy) = rule.over(distinct(records.iter().map(|record| record[q].clone())), false);
        table.codes.push(codes(&leaves, records.iter().map(|record| &record[q])));
        table.qis.push(QuasiIdentifier { name: NAMES[q].into(), hierarchy });
    }
    let rests = distinct(records.iter().map(|record| record[QIS..].to_vec()));
    table.rest_index = codes(&rests, records.iter().map(|record| &record[QIS..]));
    table.rest.len = rests.len();
    for (column, name) in NAMES[QIS..].iter().enumerate() {
        let (values, _) = canonical_codes(distinct(rests.iter().map(|rest| rest[column].clone())));
        table.rest.codes.push(codes(&values, rests.iter().map(|rest| &rest[column])));
        let role = if *name == "Disease" { Role::Sensitive } else { Role::Insensitive };
        table.rest.columns.push(RestColumn { name: (*name).into(), role, values });
    }
    Ok(table)
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect::<std::collections::BTreeSet<T>>().into_iter().collect()
}

/// The place of each value.
fn codes<'a, T, V: ?Sized + PartialEq + 'a>(values: &[T], cells: impl Iterator<Item = &'a V>) -> Vec<u32>
where
    T: std::borrow::Borrow<V>,
{
    let place = |cell: &V| values.iter().position(|value| value.borrow() == cell);
    cells.map(|cell| place(cell).expect("values are those of the cells") as u32).collect()
}

impl Heart {
    /// The positions of quasi-identifiers.
    pub(super) fn shield(names: &[&str]) -> Vec<usize> {
        (0..QIS).filter(|&q| names.contains(&NAMES[q])).collect()
    }

    /// Each attribute's codes by record, quasi-identifiers at these levels.
    pub(super) fn columns(&self, levels: &[u8]) -> Vec<Vec<u32>> {
        let qi = |q: usize| {
            let hierarchy = &self.table.qis[q].hierarchy;
            self.table.codes[q].iter().map(|&leaf| hierarchy.code(levels[q], leaf)).collect()
        };
        let rest = |column: usize| {
            let codes = &self.table.rest.codes[column];
            self.table.rest_index.iter().map(|&rest| codes[rest as usize]).collect()
        };
        (0..QIS).map(qi).chain((0..NAMES.len() - QIS).map(rest)).collect()
    }
}
