mod github;
mod junit;

use std::path::Path;

use clap::{Args, ValueEnum};
use serde_json::json;
use velamen_assess::operation::{Operation, Verify as Verified, request_of};
use velamen_checker::{Finding, State};
use velamen_recipe::JobError;
use velamen_report::printed::{after_state, state};

use super::entry::{Command, Run};
use super::values::path;
use super::{Common, Runner};
use crate::terminal::{self, GREEN, RED, YELLOW, is_quiet, line, marked};

pub(super) const COMMAND: Command = Command::of::<Verify>();

/// Check every promise of a release again, from its files
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen verify release
  velamen verify release --key hospital.pub
  velamen verify release --key hospital.pub --attestation release.intoto.json
      Also that the statement is theirs, and says of the release what is there.
  velamen verify release --custodian release.custodian
      For the custodian: models on the real records, without the counterfeits.
  velamen verify release --quiet && cp -r release /srv/public
  velamen verify release --format junit > velamen.xml
      A test report for Jenkins, GitLab, Azure Pipelines and others.
  velamen verify release --format github
      Annotations in GitHub Actions.

Exit code 0: no promise is broken and all that can be checked was; 3: a promise is broken;
8: some could be checked and were not.")]
pub(crate) struct Verify {
    /// The release folder
    #[arg(value_parser = path())]
    release: String,
    /// A table of the population, for k-map and delta-presence
    #[arg(long, value_name = "FILE", value_parser = path())]
    population: Option<String>,
    /// The custodian's folder, to check what is promised of real records
    #[arg(long, value_name = "DIR", value_parser = path())]
    custodian: Option<String>,
    /// Who signed it: a public key, or its file
    #[arg(long, value_name = "KEY", value_parser = path())]
    key: Option<String>,
    /// A statement about it, as `evidence` writes it; its signature lies beside it
    #[arg(long, value_name = "FILE", value_parser = path(), requires = "key")]
    attestation: Option<String>,
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

impl Run for Verify {
    const NAME: &'static str = "verify";

    fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request = json!({
            "release": self.release, "population": self.population, "custodian": self.custodian, "key": self.key, "attestation": self.attestation });
        let request = request_of::<Verified>(request)?;
        let answer = runner.asking(|call| Verified::run(request, call))?;
        let findings = &answer.findings;
        match if self.json { Format::Json } else { self.format } {
            Format::Text => findings.iter().for_each(print),
            Format::Json => line(serde_json::to_string(&answer).unwrap_or_default()),
            Format::Junit => match junit::xml(Path::new(&self.release), findings) {
                Ok(xml) => terminal::bytes(&xml),
                Err(error) => return Err(JobError::unusable(format!("cannot write JUnit XML: {error}"))),
            },
            Format::Github => github::commands(Path::new(&self.release), findings).iter().for_each(line),
        }
        Verified::conclusion(answer)
    }
}

/// A line for a finding; with `--quiet` only if it is none to be content with.
fn print(finding: &Finding) {
    let style = match finding.state {
        State::Broken => RED,
        State::NotChecked => YELLOW,
        State::Held | State::Stated if is_quiet() => return,
        State::Held => GREEN,
        State::Stated => anstyle::Style::new(),
    };
    marked(style, state(finding.state), after_state(finding));
}
