//! The tables of the experiments: Adult from files, the national patient sample from a seed.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{NULL, Rule, TableRule};
use velamen_dp::Seed;
use velamen_job::table::OpenedTable;
use velamen_recipe::places::Places;
use velamen_recipe::{
    AttributeSection, Decimal, EngineSection, Formulas, HierarchySection, InputSection, JobError,
    MethodSection, Missing, OutputSection, PrivacySection, Recipe, ReportSection,
};

/// The columns of Adult in the order of the file, which has no header.
const ADULT_COLUMNS: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary-class",
];

/// The seven quasi-identifiers; the paper names some of them, and eight attributes in all.
const ADULT_QIS: [&str; 7] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"];

/// Those that the paper's queries and figures name; they are among any seven.
const ADULT_NAMED: [&str; 3] = ["age", "marital-status", "sex"];

/// Those among which the other four can be: all with a taxonomy or few values.
const ADULT_OTHERS: [&str; 6] =
    ["workclass", "education", "race", "native-country", "salary-class", RELATIONSHIP];

/// The eight quasi-identifiers of Yoo et al. 2012: all but the numbers and the sensitive attribute.
const ADULT_CATEGORIES: [&str; 8] = [
    "workclass",
    "education",
    "marital-status",
    "relationship",
    "race",
    "sex",
    "native-country",
    "salary-class",
];

/// The one of them that has no hierarchy file.
const RELATIONSHIP: &str = "relationship";

/// The sensitive attribute of the paper's query.
const OCCUPATION: &str = "occupation";

/// The stream of the seed from which the seed of the patients is drawn; nodes use streams from 0 up.
const PATIENTS_STREAM: u64 = u64::MAX - 1;

/// A table with what the experiments need to know about it.
pub(super) struct Sample {
    /// What it is, for people.
    pub(super) name: String,
    /// Whether it is the paper's own table, so that its figures can be compared.
    pub(super) adult: bool,
    pub(super) table: FrequencyTable,
    /// The sensitive code that the queries ask for.
    pub(super) queried: u32,
}

impl Sample {
    /// The sensitive column's place in the rest: there is no other column.
    pub(super) const SENSITIVE: usize = 0;

    /// The sensitive attribute.
    pub(super) fn sensitive(&self) -> &RestColumn {
        &self.table.rest.columns[Self::SENSITIVE]
    }

    /// The value that the queries ask for.
    pub(super) fn queried_label(&self) -> &str {
        &self.sensitive().values[self.queried as usize]
    }

    /// Per sensitive code, whether the queries ask for it.
    pub(super) fn wanted(&self) -> Vec<bool> {
        (0..self.sensitive().values.len() as u32).map(|code| code == self.queried).collect()
    }
}

/// Adult: `adult.data` and `adult_hierarchy_NAME.csv` in a folder. All records are kept; a missing
/// value (`?`) is a value of its own.
pub(super) fn adult(folder: &Path, context: &Context<'_>) -> Result<Sample, JobError> {
    let file = folder.join("adult.data");
    let table = adult_table(folder, &file, &ADULT_QIS, context)?;
    let values = &table.rest.columns[Sample::SENSITIVE].values;
    let queried = values.iter().position(|value| value == "Sales");
    let queried =
        queried.ok_or_else(|| JobError::data(format!("{}: no occupation is `Sales`", file.display())))?;
    let name = format!("Adult, {} records", table.records());
    Ok(Sample { name, adult: true, table, queried: queried as u32 })
}

/// All choices of seven quasi-identifiers with those that the paper names, each with its table of all records.
pub(super) fn adult_choices(
    folder: &Path,
    context: &Context<'_>,
) -> Result<Vec<(String, FrequencyTable)>, JobError> {
    let file = folder.join("adult.data");
    let mut found = Vec::new();
    for left_out in 0..ADULT_OTHERS.len() {
        for other in left_out + 1..ADULT_OTHERS.len() {
            let others = ADULT_OTHERS.iter().enumerate();
            let four = others.filter(|(place, _)| ![left_out, other].contains(place)).map(|(_, name)| *name);
            let seven: Vec<&str> = ADULT_NAMED.into_iter().chain(four).collect();
            found.push((seven.join(", "), adult_table(folder, &file, &seven, context)?));
        }
    }
    Ok(found)
}

/// Adult's records without missing values, its categories as quasi-identifiers.
pub(super) fn adult_categories(
    folder: &Path,
    context: &Context<'_>,
) -> Result<(String, FrequencyTable), JobError> {
    let file = folder.join("adult.data");
    let table = complete(&adult_table(folder, &file, &ADULT_CATEGORIES, context)?);
    Ok((format!("Adult, {} records without missing values", table.records()), table))
}

/// The entries without missing values.
fn complete(table: &FrequencyTable) -> FrequencyTable {
    let column = &table.rest.columns[Sample::SENSITIVE].values;
    let is_complete = |&entry: &usize| {
        let sensitive =
            &column[table.rest.codes[Sample::SENSITIVE][table.rest_index[entry] as usize] as usize];
        let mut qis = table.qis.iter().zip(&table.codes);
        sensitive != NULL && qis.all(|(qi, codes)| qi.hierarchy.label(0, codes[entry]) != NULL)
    };
    let kept: Vec<usize> = (0..table.len()).filter(is_complete).collect();
    let picked = |codes: &Vec<u32>| kept.iter().map(|&entry| codes[entry]).collect();
    FrequencyTable {
        qis: table.qis.clone(),
        rest: table.rest.clone(),
        codes: table.codes.iter().map(picked).collect(),
        rest_index: picked(&table.rest_index),
        counts: kept.iter().map(|&entry| table.counts[entry]).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

fn adult_table(
    folder: &Path,
    file: &Path,
    qis: &[&str],
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let recipe = adult_recipe(folder, file, qis).resolve()?;
    OpenedTable::open(&recipe, file, false)?.read(context)
}

/// The recipe that reads Adult; only its input and attributes are used.
fn adult_recipe(folder: &Path, file: &Path, qis: &[&str]) -> Recipe {
    let hierarchy =
        |name: &str| Some(HierarchySection::File(folder.join(format!("adult_hierarchy_{name}.csv"))));
    let attribute = |&name: &&str| {
        let (role, hierarchy) = match name {
            RELATIONSHIP if qis.contains(&name) => (Role::QuasiIdentifier, None),
            _ if qis.contains(&name) => (Role::QuasiIdentifier, hierarchy(name)),
            OCCUPATION => (Role::Sensitive, hierarchy(name)),
            _ => (Role::Identifier, None),
        };
        (name.to_owned(), AttributeSection { hierarchy, ..AttributeSection::of(role) })
    };
    let k: serde_json::Map<_, _> = [("k".to_owned(), 2.into())].into_iter().collect();
    Recipe {
        preset: None,
        unnamed: None,
        key: None,
        population: None,
        input: InputSection {
            path: Some(file.to_owned()),
            database: None,
            query: None,
            format: Some(velamen_engine::FileFormat::default().extension()),
            delimiter: Some(",".into()),
            header: Some(false),
            columns: Some(ADULT_COLUMNS.map(String::from).to_vec()),
            trim: true,
            sheet: None,
            skip_lines: 0,
            encoding: None,
            decimal: Decimal::Point,
            null: vec!["?".into()],
            sample: None,
            missing: Missing::OwnValue,
            rows: None,
        },
        derived: BTreeMap::new(),
        kept: Vec::new(),
        attributes: ADULT_COLUMNS.iter().map(attribute).collect::<BTreeMap<_, _>>(),
        privacy: vec![PrivacySection { model: "k-anonymity".into(), parameters: k }],
        impossible: Vec::new(),
        budget: None,
        method: MethodSection::default(),
        report: ReportSection::default(),
        output: OutputSection {
            path: folder.join("unused"),
            format: None,
            formulas: Formulas::Keep,
            attach: Vec::new(),
            database: None,
            table: None,
            sync: false,
        },
        engine: EngineSection::default(),
        file: file.to_owned(),
        places: Places::default(),
        notes: Vec::new(),
        batches: None,
    }
}

/// A synthetic sample of that many patients; queries ask for its most frequent diagnosis.
pub(super) fn synthetic(rows: u64, context: &Context<'_>) -> Result<Sample, JobError> {
    let (qis, rest) = domains()?;
    recoded(rows, qis, rest, |codes| codes, context)
}

/// The same sample over other quasi-identifiers, to whose leaf codes its codes are taken.
pub(super) fn recoded(
    rows: u64,
    qis: Vec<QuasiIdentifier>,
    rest: Rest,
    recode: impl Fn([u16; 6]) -> [u16; 6],
    context: &Context<'_>,
) -> Result<Sample, JobError> {
    let seed = Seed::from_number(context.seed.stream(PATIENTS_STREAM).word());
    let table = count(&velamen_synth::Nps::new(rows, &seed), qis, rest, recode, context)?;
    let marginal = table.rest_marginal(Sample::SENSITIVE);
    let most = marginal.iter().max().copied().unwrap_or(0);
    let queried = marginal.iter().position(|&count| count == most).unwrap_or(0) as u32;
    Ok(Sample { name: format!("synthetic patients, {rows} records"), adult: false, table, queried })
}

/// Bits of each code in a packed record, the diagnosis last; wider than any column.
const BITS: u32 = 10;

/// Packs, sorts and counts the records: 8 bytes each, never the rows as text.
fn count(
    sample: &velamen_synth::Nps,
    qis: Vec<QuasiIdentifier>,
    rest: Rest,
    recode: impl Fn([u16; 6]) -> [u16; 6],
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let mut packed: Vec<u64> = Vec::with_capacity(sample.rows() as usize);
    for block in 0..sample.blocks() {
        context.check()?;
        let pack = |codes: [u16; 6]| codes.iter().fold(0, |key, &code| key << BITS | u64::from(code));
        packed.extend(sample.block(block).iter().map(|record| pack(recode(record.codes()))));
    }
    packed.sort_unstable();
    let mut table = FrequencyTable {
        codes: vec![Vec::new(); qis.len()],
        qis,
        rest,
        rest_index: Vec::new(),
        counts: Vec::new(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    };
    for run in packed.chunk_by(|a, b| a == b) {
        let code = |column: usize| (run[0] >> (BITS * (5 - column as u32)) & ((1 << BITS) - 1)) as u32;
        table.codes.iter_mut().enumerate().for_each(|(q, codes)| codes.push(code(q)));
        table.rest_index.push(code(5));
        table.counts.push(run.len() as u64);
    }
    Ok(table)
}

/// The whole domains of the synthetic sample: its codes are their positions.
pub(super) fn domains() -> Result<(Vec<QuasiIdentifier>, Rest), JobError> {
    let mut qis = Vec::new();
    let mut values = Vec::new();
    for (hierarchy, labels) in velamen_synth::hierarchies().into_iter().zip(velamen_synth::labels()) {
        debug_assert!(labels.len() <= 1 << BITS);
        let name = hierarchy.attribute.to_owned();
        if name == "diagnosis" {
            values.clone_from(labels);
            continue;
        }
        let rule = TableRule::new(hierarchy.rows)
            .map_err(|error| JobError::data(format!("hierarchy of `{name}`: {error}")))?;
        let (_, hierarchy) = Rule::Table(rule).over(labels.clone(), true);
        qis.push(QuasiIdentifier { name, hierarchy });
    }
    let (len, codes) = (values.len(), (0..values.len() as u32).collect());
    let columns = vec![RestColumn { name: "diagnosis".into(), role: Role::Sensitive, values }];
    Ok((qis, Rest { columns, codes: vec![codes], len }))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use velamen_core::context::Silent;

    use super::*;

    #[test]
    fn the_recipe_of_adult_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let line = "39, State-gov, 7, Bachelors, 13, Never-married, Sales, Not-in-family, White, Male, 0, 0, 40, ?, <=50K\n";
        let file = folder.path().join("adult.data");
        std::fs::write(&file, line.repeat(3)).unwrap();
        std::fs::write(folder.path().join("adult_hierarchy_occupation.csv"), "Sales;*\n").unwrap();
        let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        let table = adult_table(folder.path(), &file, &[RELATIONSHIP], &context).unwrap();
        assert_eq!((table.records(), table.len()), (3, 1));
    }

    #[test]
    fn counts_every_synthetic_record_once() {
        let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        let sample = synthetic(3000, &context).unwrap();
        assert_eq!(sample.table.records(), 3000);
        let codes = |e: usize| -> Vec<u32> { sample.table.codes.iter().map(|c| c[e]).collect() };
        let keys: Vec<_> = (0..sample.table.len()).map(|e| (codes(e), sample.table.rest_index[e])).collect();
        assert!(keys.is_sorted() && keys.windows(2).all(|w| w[0] != w[1]));
        let hierarchies: Vec<_> = sample.table.qis.iter().map(|qi| &qi.hierarchy).collect();
        assert!(
            hierarchies
                .iter()
                .zip(velamen_synth::labels())
                .all(|(h, labels)| h.labels(0) == labels.as_slice())
        );
    }
}
