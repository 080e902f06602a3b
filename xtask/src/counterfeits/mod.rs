//! `cargo xtask counterfeits`: what h-ceiling's counterfeits are recognized by, on tables of several shapes and with several models.
//!
//! Every setting is run by `velamen anonymize` with README's method and as many seeds as asked for. The figures are those of the
//! custodian's folder: of the adversary who knows the truth.

mod runs;
mod tables;

use std::path::{Path, PathBuf};

use self::runs::{Seen, Summary};
use self::tables::{Sample, TABLES};
use super::bench::{absolute, built};
use super::{Outcome, root};

/// The k of all settings, in turn.
const KS: [u64; 2] = [5, 10];
/// What else is asked for: a model of a sensitive attribute, and its parameter. No class has more values than the table.
fn models(sample: &Sample) -> [(&'static str, String); 3] {
    let values = sample.values.min(3);
    [
        ("", String::new()),
        ("distinct-l-diversity", format!("l = {values}")),
        ("t-closeness", "t = 0.4".to_owned()),
    ]
}

const HELP: &str = "\
cargo xtask counterfeits [--data DIR] [--seeds N] [--tables A,B,…] [--method KEYS] [--velamen FILE] [--work DIR]
  --data     a folder with adult/, adult-14/ and heart/; tables that need it are left out without it
  --seeds    runs of each setting (10)
  --tables   some of: nps-30000, nps-100000, two-values, many-values, adult, adult-14, heart (all)
  --method   further keys of the method, such as 'adversary-limit = 1'
  --velamen  the program (built for release when left out)
  --work     a folder for tables and releases (target/counterfeits)";

/// What is measured, with what.
struct Plan {
    data: Option<PathBuf>,
    seeds: u64,
    tables: Vec<String>,
    method: String,
    velamen: PathBuf,
    work: PathBuf,
}

pub(crate) fn run() -> Outcome {
    let plan = plan(&std::env::args().skip(2).collect::<Vec<_>>())?;
    std::fs::create_dir_all(&plan.work).map_err(|error| format!("{}: {error}", plan.work.display()))?;
    println!("{}", Summary::header());
    for table in TABLES.iter().filter(|table| plan.is_asked(table.name)) {
        match table.sample(&plan.velamen, plan.data.as_deref(), &plan.work)? {
            None => eprintln!("{}: left out, it needs --data", table.name),
            Some(sample) => settings(&plan, table.name, &sample)?,
        }
    }
    std::fs::remove_dir_all(&plan.work).map_err(|error| format!("{}: {error}", plan.work.display()))
}

/// A line for each k and each model.
fn settings(plan: &Plan, table: &str, sample: &Sample) -> Outcome {
    for k in KS {
        for (model, asked) in models(sample) {
            let models = match model {
                "" => String::new(),
                _ => format!(
                    "[[privacy]]\nmodel = \"{model}\"\nattribute = \"{}\"\n{asked}\n",
                    sample.sensitive
                ),
            };
            let recipe = format!(
                "{}[[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n{models}[method]\nname = \"h-ceiling\"\nsuppression-limit = \
                 0.05\n{}\n",
                sample.recipe, plan.method
            );
            let seen = (1..=plan.seeds).map(|seed| Seen::of(&plan.velamen, &recipe, seed, &plan.work));
            let summary = Summary::of(&seen.collect::<Result<Vec<_>, _>>()?);
            let named: Vec<String> =
                [format!("k = {k}"), asked].into_iter().filter(|part| !part.is_empty()).collect();
            println!("{}", summary.line(table, &named.join(", ")));
        }
    }
    Ok(())
}

impl Plan {
    fn is_asked(&self, table: &str) -> bool {
        self.tables.is_empty() || self.tables.iter().any(|asked| asked == table)
    }
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut given = std::collections::BTreeMap::new();
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(HELP.into()) };
        given.insert(name.as_str(), value.as_str());
    }
    let mut take = |name: &str| given.remove(name);
    let seeds = take("--seeds").unwrap_or("10").parse().map_err(|_| HELP.to_owned())?;
    let tables: Vec<String> =
        take("--tables").map(|names| names.split(',').map(str::to_owned).collect()).unwrap_or_default();
    let (data, velamen) = (take("--data").map(PathBuf::from), take("--velamen").map(PathBuf::from));
    let method = take("--method").unwrap_or_default().to_owned();
    let work = take("--work").map_or_else(|| root().join("target/counterfeits"), PathBuf::from);
    let known = |name: &String| TABLES.iter().any(|table| table.name == name);
    if !given.is_empty() || !tables.iter().all(known) {
        return Err(HELP.into());
    }
    let data = data.map(|data| absolute(&data)).transpose()?;
    let velamen = absolute(&velamen.map_or_else(built, Ok)?)?;
    Ok(Plan { data, seeds, tables, method, velamen, work: absolute(&work)? })
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_pairs_of_known_names() {
        let of = |text: &str| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            plan(&arguments).map(|plan| (plan.seeds, plan.tables))
        };
        assert_eq!(
            of("--velamen x --seeds 3 --tables adult,heart"),
            Ok((3, vec!["adult".into(), "heart".into()]))
        );
        for wrong in ["--velamen x --seeds", "--velamen x --tables mars", "--velamen x --more 1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
