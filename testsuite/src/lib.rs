//! Random tables and naive readings of the definitions, on strings and rows, for the tests to
//! compare the methods with.

pub mod fronts;
pub mod fuzz;
pub mod metrics;
pub mod models;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use proptest::prelude::*;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_core::population::{not_in_population, with_population};
use velamen_dp::Seed;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};
use velamen_search::model;
use velamen_search::model::{Bound, Distribution, Population};

/// A table with its hierarchies: the last column is the sensitive one.
#[derive(Debug, Clone)]
pub struct Case {
    /// One record per row: quasi-identifiers, then the sensitive value.
    pub rows: Vec<Vec<String>>,
    /// Per quasi-identifier, one row per leaf: value, level 1, …, `*`.
    pub hierarchies: Vec<Vec<Vec<String>>>,
    /// The quasi-identifiers of those of the population who are not in the table.
    pub absent: Vec<Vec<String>>,
}

/// A hierarchy of some leaves, pairs merged at every level; labels differ by attribute and level.
fn hierarchy(attribute: usize, leaves: usize) -> Vec<Vec<String>> {
    let row = |leaf: usize| {
        let mut labels = vec![format!("v{attribute}.{leaf}")];
        let (mut group, mut groups, mut level) = (leaf, leaves, 1);
        while groups > 1 {
            (group, groups) = (group / 2, groups.div_ceil(2));
            labels.push(if groups == 1 { "*".into() } else { format!("g{attribute}.{level}.{group}") });
            level += 1;
        }
        labels
    };
    (0..leaves).map(row).collect()
}

/// Tables of 1–3 quasi-identifiers, 2–7 leaves each, 2–4 sensitive values.
pub fn cases(records: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let shape = (proptest::collection::vec(2usize..8, 1..4), 2usize..5, records);
    shape.prop_flat_map(|(leaves, values, records)| {
        // Squaring the draw makes small codes common, as real attributes are skewed.
        let skewed = |bound: usize| (0..bound * bound).prop_map(|x| (x as f64).sqrt() as usize);
        let columns: Vec<_> =
            leaves.iter().map(|&l| skewed(l)).chain(std::iter::once(skewed(values))).collect();
        let absent = proptest::collection::vec(columns.clone(), 0..30);
        (proptest::collection::vec(columns, records), absent).prop_map(move |(records, absent)| Case {
            hierarchies: leaves.iter().enumerate().map(|(a, &l)| hierarchy(a, l)).collect(),
            rows: records.iter().map(|codes| named(codes, leaves.len())).collect(),
            absent: absent.iter().map(|codes| named(&codes[..leaves.len()], leaves.len())).collect(),
        })
    })
}

fn named(codes: &[usize], qis: usize) -> Vec<String> {
    let name = |(a, code): (usize, &usize)| if a < qis { format!("v{a}.{code}") } else { code.to_string() };
    codes.iter().enumerate().map(name).collect()
}

impl Case {
    /// The number of quasi-identifiers.
    #[must_use]
    pub fn qis(&self) -> usize {
        self.hierarchies.len()
    }

    /// All nodes of the lattice, by counting.
    #[must_use]
    pub fn nodes(&self) -> Vec<Vec<u8>> {
        let mut nodes = vec![vec![]];
        for hierarchy in &self.hierarchies {
            let levels = 0..hierarchy[0].len() as u8;
            nodes = nodes.iter().flat_map(|n| levels.clone().map(move |l| [&n[..], &[l]].concat())).collect();
        }
        nodes
    }

    /// The label of a value at a level.
    #[must_use]
    pub fn label(&self, qi: usize, level: u8, value: &str) -> &str {
        let row = self.hierarchies[qi].iter().find(|row| row[0] == value).expect("every value is a leaf");
        &row[usize::from(level)]
    }

    /// How many leaves have this label at a level.
    #[must_use]
    pub fn leaves(&self, qi: usize, level: u8, label: &str) -> f64 {
        self.hierarchies[qi].iter().filter(|row| row[usize::from(level)] == label).count() as f64
    }

    /// The released quasi-identifiers of a row at a node.
    #[must_use]
    pub fn generalized(&self, row: &[String], node: &[u8]) -> Vec<String> {
        (0..self.qis()).map(|q| self.label(q, node[q], &row[q]).to_owned()).collect()
    }

    /// The rows of every class at a node.
    #[must_use]
    pub fn classes(&self, node: &[u8]) -> BTreeMap<Vec<String>, Vec<usize>> {
        let mut classes: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            classes.entry(self.generalized(row, node)).or_default().push(index);
        }
        classes
    }

    /// The table, read through a file as any user's is.
    #[must_use]
    pub fn table(&self) -> FrequencyTable {
        self.read(&self.rows)
    }

    /// The table with the population of its records and the absent ones.
    #[must_use]
    pub fn table_with_population(&self) -> FrequencyTable {
        let absent = self.absent.iter().map(|qis| [&qis[..], &["0".to_owned()]].concat());
        let everybody: Vec<Vec<String>> = self.rows.iter().cloned().chain(absent).collect();
        let rules: Vec<Rule> = self
            .hierarchies
            .iter()
            .map(|rows| Rule::Table(TableRule::new(rows.clone()).expect("the hierarchy is a tree")))
            .collect();
        let table = with_population(self.table(), self.read(&everybody), &rules.iter().collect::<Vec<_>>());
        assert_eq!(not_in_population(&table), 0);
        table
    }

    fn read(&self, rows: &[Vec<String>]) -> FrequencyTable {
        let mut file = tempfile::NamedTempFile::with_suffix(".csv").expect("a temporary file can be made");
        let header: Vec<String> = (0..self.qis()).map(|q| format!("q{q}")).chain(["s".to_owned()]).collect();
        let lines: Vec<String> = std::iter::once(&header).chain(rows).map(|row| row.join(",")).collect();
        writeln!(file, "{}", lines.join("\n")).expect("a temporary file can be written");
        let input = Input::open(file.path(), &ReadOptions::default()).expect("the table has a header");
        let requests: Vec<ColumnRequest> = (0..=self.qis()).map(|c| self.request(c, &header[c])).collect();
        with_context(0, |context| input.read(&requests, context).expect("the table has records"))
    }

    fn request(&self, index: usize, name: &str) -> ColumnRequest {
        let (role, rule) = match self.hierarchies.get(index) {
            Some(rows) => {
                let rule = TableRule::new(rows.clone()).expect("the hierarchy is a tree");
                (Role::QuasiIdentifier, Rule::Table(rule))
            }
            None => (Role::Sensitive, Rule::Flat),
        };
        ColumnRequest { index, name: name.into(), role, rule: Arc::new(rule), whole_domain: false }
    }
}

/// How many of so many cases are drawn: a third, and all of them in `cargo xtask nightly`.
#[must_use]
pub fn share(cases: u32) -> u32 {
    if std::env::var_os("VELAMEN_NIGHTLY").is_some() { cases } else { cases.div_ceil(3) }
}

/// How many cases of a property say something. A property that leaves early where there is nothing to look
/// at would hold of cases that are all like that.
#[derive(Debug, Default)]
pub struct Floor {
    begun: AtomicU32,
    real: AtomicU32,
}

impl Floor {
    /// No case yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { begun: AtomicU32::new(0), real: AtomicU32::new(0) }
    }

    /// A case.
    pub fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// The case is one that has something to look at.
    pub fn real(&self) {
        self.real.fetch_add(1, Ordering::Relaxed);
    }

    /// So many percent of the cases were real.
    ///
    /// # Panics
    /// If they were fewer.
    pub fn at_least(&self, percent: u32) {
        let (begun, real) = (self.begun.load(Ordering::Relaxed), self.real.load(Ordering::Relaxed));
        assert!(begun > 0 && real * 100 >= begun * percent, "{real} of {begun} cases are real");
    }
}

/// Runs something with a silent context of that seed.
pub fn with_context<T>(seed: u64, run: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

/// Runs something on a pool of that many threads.
pub fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started").install(run)
}

/// A model bound to a table, looking at its only sensitive column if it looks at any.
///
/// # Panics
/// If the parameters do not fit.
#[must_use]
pub fn bound(name: &str, parameters: &serde_json::Value, table: &FrequencyTable) -> Bound {
    bound_to(name, parameters, table, &table.rest_marginal(0)).expect("the parameters fit the attribute")
}

/// As [`bound`], to these counts of the sensitive column.
///
/// # Errors
/// If the parameters do not fit the attribute.
///
/// # Panics
/// If the parameters are out of range.
pub fn bound_to(
    name: &str,
    parameters: &serde_json::Value,
    table: &FrequencyTable,
    counts: &[u64],
) -> Result<Bound, String> {
    let entry = model::find(name).expect("the model is registered");
    let population = table.population.as_ref();
    let population = population.map(|p| Population { size: p.counts.iter().sum(), table: true });
    let values = &table.rest.columns[0].values;
    let records = counts.iter().sum();
    let distribution = Distribution { records, population, values, counts, ..Distribution::default() };
    let model = (entry.parse)(parameters.clone()).expect("the parameters are in range");
    let judge = model.bind(&distribution)?;
    let column = entry.terms.facts.sensitive.then_some(0);
    Ok(Bound { judge, column, monotonicity: entry.monotonicity, population: entry.terms.facts.population })
}
