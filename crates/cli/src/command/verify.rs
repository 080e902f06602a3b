use std::path::PathBuf;

use clap::Args;
use velamen_checker::{Finding, State};
use velamen_job::{conclusion, sign, verify};
use velamen_recipe::JobError;

use super::{Common, Runner};
use crate::terminal::{line, plain};

/// Check again what a release promises, from its files
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  velamen verify release --key hospital.pub\n  velamen verify release    (exit code 0: none is broken and all that can be checked was;
                             3: some are broken; 8: some could be checked and were not)"
)]
pub(crate) struct Verify {
    /// The release folder
    release: PathBuf,
    /// A table of the population, for k-map and delta-presence
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// Who signed it: a public key, or its file
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    common: Common,
}

impl Verify {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let seed = velamen_dp::Seed::from_number(0);
        let mut findings =
            runner.with(&seed, |context| verify(&self.release, self.population.as_deref(), context))?;
        if let Some(key) = &self.key {
            findings.push(sign::check(&self.release, key)?);
        }
        if self.json {
            let list: Vec<serde_json::Value> = findings
                .iter()
                .map(|f| serde_json::json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "state": f.state }))
                .collect();
            line(serde_json::Value::from(list));
        } else {
            findings.iter().for_each(print);
        }
        conclusion(&findings)
    }
}

fn print(finding: &Finding) {
    let Finding { promise, asked, reached, state } = finding;
    let mark = match state {
        State::Held => "held",
        State::Broken => "BROKEN",
        State::NotChecked => "not checked",
        State::Stated => "stated",
    };
    let (asked, reached) = (plain(asked), plain(reached));
    line(format_args!("{mark:<11}  {promise:<19} asked {asked}; reached {reached}"));
}
