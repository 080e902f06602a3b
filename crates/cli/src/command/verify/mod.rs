mod github;
mod junit;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use velamen_checker::{Finding, State};
use velamen_job::{conclusion, sign, verify};
use velamen_recipe::JobError;

use super::{Common, Runner};
use crate::terminal::{self, GREEN, RED, YELLOW, is_quiet, line, marked, plain};

/// Check every promise of a release again, from its files
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen verify release
  velamen verify release --key hospital.pub
  velamen verify release --quiet && cp -r release /srv/public
  velamen verify release --format junit > velamen.xml
      A test report for Jenkins, GitLab, Azure Pipelines and others.
  velamen verify release --format github
      Annotations in GitHub Actions.

Exit code 0: no promise is broken and all that can be checked was; 3: a promise is broken;
8: some could be checked and were not.")]
pub(crate) struct Verify {
    /// The release folder
    release: PathBuf,
    /// A table of the population, for k-map and delta-presence
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// Who signed it: a public key, or its file
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    /// How the findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print the findings as JSON; the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each promise
    Text,
    /// A list of {promise, asked, reached, state}
    Json,
    /// JUnit XML, for test reports
    Junit,
    /// Workflow commands of GitHub Actions
    Github,
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
        match if self.json { Format::Json } else { self.format } {
            Format::Text => findings.iter().for_each(print),
            Format::Json => line(json(&findings)),
            Format::Junit => match junit::xml(&self.release, &findings) {
                Ok(xml) => terminal::bytes(&xml),
                Err(error) => return Err(JobError::Io(format!("cannot write JUnit XML: {error}"))),
            },
            Format::Github => github::commands(&self.release, &findings).iter().for_each(line),
        }
        conclusion(&findings)
    }
}

fn json(findings: &[Finding]) -> serde_json::Value {
    let one = |f: &Finding| serde_json::json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "state": f.state });
    findings.iter().map(one).collect::<Vec<_>>().into()
}

/// A line for a finding; with `--quiet` only if it is none to be content with.
fn print(finding: &Finding) {
    let (mark, style) = match finding.state {
        State::Broken => ("BROKEN", RED),
        State::NotChecked => ("not checked", YELLOW),
        State::Held | State::Stated if is_quiet() => return,
        State::Held => ("held", GREEN),
        State::Stated => ("stated", anstyle::Style::new()),
    };
    let Finding { promise, .. } = finding;
    marked(
        style,
        mark,
        format_args!("{:pad$}  {promise:<19} {}", "", figures(finding), pad = 11 - mark.len()),
    );
}

/// What was asked and what was reached.
fn figures(finding: &Finding) -> String {
    format!("asked {}; reached {}", plain(&finding.asked), plain(&finding.reached))
}

/// Why a promise was not checked.
fn why(finding: &Finding) -> &str {
    finding.reached.get("not-checked").and_then(serde_json::Value::as_str).unwrap_or("no reason is known")
}
