//! The tables, as files with the beginning of a recipe.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::write;
use crate::output;

/// A table that is measured.
pub(super) struct Table {
    pub(super) name: &'static str,
    made: Made,
}

/// What a table is made of.
enum Made {
    /// The synthetic sample of so many records.
    Synthetic(u64),
    /// The same with other sensitive values, drawn by age and a number from 0 to 1, and how many there are.
    Shaped(u64, fn(u64, f64) -> String, u64),
    /// From the folder of data.
    Read(fn(&Path, &Path) -> Result<Sample, String>),
}

/// A table, with a recipe up to its models.
pub(super) struct Sample {
    pub(super) recipe: String,
    pub(super) sensitive: &'static str,
    /// How many sensitive values there are, where these are few.
    pub(super) values: u64,
}

/// More sensitive values than any model asks for.
const MANY: u64 = u64::MAX;

pub(super) const TABLES: [Table; 7] = [
    Table { name: "nps-30000", made: Made::Synthetic(30_000) },
    Table { name: "nps-100000", made: Made::Synthetic(100_000) },
    Table { name: "two-values", made: Made::Shaped(20_000, two, 2) },
    Table { name: "many-values", made: Made::Shaped(30_000, many, MANY) },
    Table { name: "adult", made: Made::Read(adult) },
    Table { name: "adult-14", made: Made::Read(adult_14) },
    Table { name: "heart", made: Made::Read(heart) },
];

/// Two values, the rarer the younger.
fn two(age: u64, draw: f64) -> String {
    if draw < 0.02 + 0.001 * age as f64 { "yes".into() } else { "no".into() }
}

/// Five hundred values, some rarer than others.
fn many(_: u64, draw: f64) -> String {
    format!("v{}", (draw.powf(1.5) * 500.0) as u64)
}

impl Table {
    /// The table's file and recipe in a folder; `None` where it needs data that are not there.
    pub(super) fn sample(
        &self,
        velamen: &Path,
        data: Option<&Path>,
        work: &Path,
    ) -> Result<Option<Sample>, String> {
        match &self.made {
            Made::Synthetic(rows) => synthetic(velamen, *rows, None, work).map(Some),
            Made::Shaped(rows, value, values) => {
                let sample = synthetic(velamen, *rows, Some(*value), work)?;
                Ok(Some(Sample { values: *values, ..sample }))
            }
            Made::Read(read) => data.map(|data| read(data, work)).transpose(),
        }
    }
}

/// The quasi-identifiers of the synthetic sample.
const SYNTHETIC: [&str; 5] = ["age", "sex", "length_of_stay", "location", "surgery"];

/// No counterfeit has a diagnosis that sex or age excludes.
const IMPOSSIBLE: &str = "[[impossible]]\nlist = \"icd-10\"\nsex = { attribute = \"sex\", female = [\"F\"], male = [\"M\"] }\n\
                          age = \"age\"\n";

fn synthetic(
    velamen: &Path,
    rows: u64,
    value: Option<fn(u64, f64) -> String>,
    work: &Path,
) -> Result<Sample, String> {
    let (file, hierarchies) = (work.join("patients.csv"), work.join("hierarchies"));
    let rows = rows.to_string();
    let mut command = Command::new(velamen);
    command.args(["synth", "nps", "--seed", "1", "--rows", &rows, "--output"]).arg(&file);
    output(command.arg("--hierarchies").arg(&hierarchies))?;
    if let Some(value) = value {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        write(&file, &shaped(&text, value)?)?;
    }
    let mut recipe = input(&file);
    for name in SYNTHETIC {
        recipe += &quasi_identifier(name, &format!("{:?}", hierarchies.join(format!("{name}.csv"))));
    }
    recipe += "[attributes.diagnosis]\nrole = \"sensitive\"\n";
    if value.is_none() {
        recipe += IMPOSSIBLE;
    }
    Ok(Sample { recipe, sensitive: "diagnosis", values: MANY })
}

/// A table whose last column has other values.
fn shaped(text: &str, value: fn(u64, f64) -> String) -> Result<String, String> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let age = header.split(',').position(|name| name == "age").ok_or("the sample has no age")?;
    let mut shaped = format!("{header}\n");
    for (number, line) in (0u64..).zip(lines) {
        let age = line.split(',').nth(age).and_then(|age| age.parse().ok()).unwrap_or(0);
        let (others, _) = line.rsplit_once(',').ok_or("the sample has one column")?;
        let _ = writeln!(shaped, "{others},{}", value(age, uniform(number)));
    }
    Ok(shaped)
}

/// A number from 0 to 1 for each record: SplitMix64.
fn uniform(number: u64) -> f64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The beginning of a recipe. Each run says by itself where its release goes; the folder named here is never written.
fn input(file: &Path) -> String {
    format!("unnamed = \"drop\"\n[input]\npath = {file:?}\n[output]\npath = \"release\"\n")
}

fn quasi_identifier(name: &str, hierarchy: &str) -> String {
    let hierarchy = if hierarchy.is_empty() { String::new() } else { format!("hierarchy = {hierarchy}\n") };
    format!("[attributes.\"{name}\"]\nrole = \"quasi-identifier\"\n{hierarchy}")
}

fn sensitive(name: &str) -> String {
    format!("[attributes.\"{name}\"]\nrole = \"sensitive\"\n")
}

fn adult(data: &Path, _: &Path) -> Result<Sample, String> {
    let folder = data.join("adult");
    let mut recipe = input(&folder.join("adult.csv"));
    for name in ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"] {
        let hierarchy = folder.join(format!("adult_hierarchy_{name}.csv"));
        recipe += &quasi_identifier(name, &format!("{hierarchy:?}"));
    }
    Ok(Sample { recipe: recipe + &sensitive("occupation"), sensitive: "occupation", values: MANY })
}

/// Adult in codes, by five columns.
fn adult_14(data: &Path, _: &Path) -> Result<Sample, String> {
    let mut recipe = input(&data.join("adult-14/adult.csv"));
    let columns = [
        ("age", "{ interval = [5, 10, 20], min = 0, max = 84 }"),
        ("education-num", "{ interval = [2, 4, 8], min = 0, max = 15 }"),
        ("marital-status", ""),
        ("race", ""),
        ("sex", ""),
    ];
    columns.iter().for_each(|(name, hierarchy)| recipe += &quasi_identifier(name, hierarchy));
    Ok(Sample { recipe: recipe + &sensitive("occupation"), sensitive: "occupation", values: MANY })
}

/// The columns of the heart tables that are taken, and their hierarchies.
const HEART: [(&str, &str); 5] = [
    ("age", "{ interval = [5, 10, 20], min = 0, max = 99 }"),
    ("sex", ""),
    ("cp", ""),
    ("trestbps", "{ interval = [10, 50], min = 0, max = 249 }"),
    ("chol", "{ interval = [25, 50, 100], min = 0, max = 699 }"),
];

/// The records of three hospitals in which all taken columns are numbers.
fn heart(data: &Path, work: &Path) -> Result<Sample, String> {
    let names: Vec<&str> = HEART.iter().map(|(name, _)| *name).chain(["target"]).collect();
    let mut table = names.join(",") + "\n";
    for hospital in ["cleveland", "hungarian", "va"] {
        let path = data.join(format!("heart/processed.{hospital}.data"));
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let header: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
        let places: Option<Vec<usize>> =
            names.iter().map(|name| header.iter().position(|column| column == name)).collect();
        let places = places.ok_or_else(|| format!("{}: a column is missing", path.display()))?;
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let numbers = places.iter().map(|&at| cells.get(at)?.parse::<f64>().ok());
            if let Some(numbers) = numbers.collect::<Option<Vec<f64>>>() {
                let whole: Vec<String> = numbers.iter().map(|number| format!("{number:.0}")).collect();
                let _ = writeln!(table, "{}", whole.join(","));
            }
        }
    }
    let file = work.join("heart.csv");
    write(&file, &table)?;
    // People of one age and sex, whose values agree more often than chance has it.
    let mut recipe = input(&file).replace("[output]", "rows = \"independent\"\n[output]");
    HEART.iter().for_each(|(name, hierarchy)| recipe += &quasi_identifier(name, hierarchy));
    Ok(Sample { recipe: recipe + &sensitive("target"), sensitive: "target", values: MANY })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_take_the_place_of_the_last_column() {
        let table = "age,sex,diagnosis\n90,F,I63\n10,M,J18\n";
        let made = shaped(table, |age, _| format!("of {age}")).unwrap();
        assert_eq!(made, "age,sex,diagnosis\n90,F,of 90\n10,M,of 10\n");
        let draws: Vec<f64> = (0..1000).map(uniform).collect();
        let mean = draws.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05 && draws.iter().all(|draw| (0.0..1.0).contains(draw)), "{mean}");
        assert_eq!((two(50, 0.05), two(50, 0.5), many(0, 0.999)), ("yes".into(), "no".into(), "v499".into()));
    }
}
