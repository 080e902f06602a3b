use std::path::PathBuf;

use clap::{Args, Subcommand};
use velamen_job::sign;
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use super::{Common, Runner};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Sign>();

/// Sign a release, so that recipients know who made it
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  velamen sign new hospital
      Writes hospital.pub, to give away, and hospital.key, which you keep secret.
  velamen sign release --key hospital.key
  velamen verify release --key hospital.pub

Verifies the release, then adds two files: SHA256SUMS, which `sha256sum -c` reads, and its
signature, which `minisign -V` reads. The variable VELAMEN_KEY_PASSWORD has the password of an
encrypted key, or of a new one; without it, a new key is not encrypted."
)]
pub(crate) struct Sign {
    #[command(subcommand)]
    action: Option<Action>,
    /// The release folder
    #[arg(required = true)]
    release: Option<PathBuf>,
    /// The secret key
    #[arg(long, value_name = "FILE", required = true)]
    key: Option<PathBuf>,
    /// A table of the population, for k-map and delta-presence
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a pair of keys
    New {
        /// Where: NAME.key and NAME.pub
        name: PathBuf,
    },
}

impl Run for Sign {
    const NAME: &'static str = "sign";

    fn run(self) -> Result<(), JobError> {
        let password = sign::password();
        if let Some(Action::New { name }) = self.action {
            let [secret, public] = sign::new_keys(&name, password)?;
            line(format_args!("keep secret  {}", secret.display()));
            line(format_args!("give away    {}", public.display()));
            return Ok(());
        }
        let (Some(release), Some(key)) = (self.release, self.key) else {
            return Err(JobError::usage("the release folder or the key is missing")
                .mend("give a release folder and --key FILE"));
        };
        let runner = Runner::start(&self.common, false)?;
        let seed = velamen_dp::Seed::from_number(0);
        runner.with(&seed, |context| {
            sign::sign(&release, &key, password, self.population.as_deref(), context)
        })?;
        line(format_args!("signed  {}", release.join(sign::SIGNATURE).display()));
        Ok(())
    }
}
