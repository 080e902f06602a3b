use std::path::PathBuf;

use clap::Args;
use velamen_job::{JobError, verify};

use super::{Common, Runner};
use crate::terminal::{line, plain};

/// Check every promise of a release again, from its file
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  velamen verify release    (exit code 0: all hold; 3: some do not)")]
pub(crate) struct Verify {
    /// The release folder
    release: PathBuf,
    /// A table of the population, for k-map and delta-presence
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
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
        let findings =
            runner.with(&seed, |context| verify(&self.release, self.population.as_deref(), context))?;
        if self.json {
            let list: Vec<serde_json::Value> = findings
                .iter()
                .map(|f| serde_json::json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "holds": f.holds }))
                .collect();
            line(serde_json::Value::from(list));
        } else {
            for f in &findings {
                let mark = match f.reached.get("not-checked") {
                    Some(_) => "unseen",
                    None if f.holds => "holds ",
                    None => "BROKEN",
                };
                let (asked, reached) = (plain(&f.asked), plain(&f.reached));
                line(format_args!("{mark}  {:<19} asked {asked}; reached {reached}", f.promise));
            }
        }
        let broken: Vec<&str> = findings.iter().filter(|f| !f.holds).map(|f| f.promise.as_str()).collect();
        match broken[..] {
            [] => Ok(()),
            _ => Err(JobError::Promise(format!("the release does not keep: {}", broken.join(", ")))),
        }
    }
}
