use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use velamen_recipe::JobError;

const NEEDS: &str = "\
A recipe's [engine] names the scheduler; what travels in the clear: docs/cluster.md. Needs a build with \
--features cluster.

Examples:
  velamen cluster scheduler
  velamen cluster executor --scheduler df://127.0.0.1:50050
  velamen anonymize recipe.toml --set engine.kind=cluster --set engine.scheduler=df://127.0.0.1:50050";

/// Run the nodes of a cluster that reads large tables
#[derive(Debug, Subcommand)]
#[command(after_help = NEEDS)]
pub(crate) enum Cluster {
    Scheduler(Scheduler),
    Executor(Executor),
}

/// Run the node that hands out work
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Scheduler {
    /// The address to listen at; others than this machine's own are open to everyone who reaches them
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 50050)]
    port: u16,
}

/// Run a node that reads, counts and writes
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Executor {
    /// The scheduler, as df://host:port
    #[arg(long, value_name = "URL", default_value = "df://127.0.0.1:50050")]
    scheduler: String,
    /// The address to listen at; others than this machine's own are open to everyone who reaches them
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The name under which others reach it; as the scheduler sees it when left out
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    /// Where intermediate results, parts of the table among them, are kept; a temporary folder when left out
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    /// How many tasks run at once; as many as there are cores when left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    slots: Option<u16>,
    /// What its tasks may take together, in MiB; 70 % of the machine's memory when left out
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,
}

#[cfg(not(feature = "cluster"))]
impl Cluster {
    #[allow(clippy::unused_self, reason = "as every command")]
    pub(super) fn run(self) -> Result<(), JobError> {
        let message =
            "this build knows no cluster; build one that does: cargo build --release --features cluster";
        Err(JobError::Usage(message.into()))
    }
}

#[cfg(feature = "cluster")]
impl Cluster {
    pub(super) fn run(self) -> Result<(), JobError> {
        match self {
            Self::Scheduler(Scheduler { bind, port }) => {
                let scheduler = velamen_job::Scheduler { bind, port };
                velamen_job::run_scheduler(&scheduler, |node| {
                    listening("scheduler", node);
                    crate::terminal::line("executors: velamen cluster executor --scheduler df://HOST:PORT");
                })
            }
            Self::Executor(executor) => {
                executor.work_dir.as_deref().map_or(Ok(()), velamen_job::refuse_dash)?;
                let executor = velamen_job::Executor {
                    scheduler: executor.scheduler,
                    bind: executor.bind,
                    port: executor.port,
                    advertise: executor.advertise,
                    work_dir: executor.work_dir,
                    slots: executor.slots.map_or(0, usize::from),
                    memory: executor.memory.map(|mib| u64::from(mib) << 20),
                };
                velamen_job::run_executor(&executor, |node| listening("executor", node))
            }
        }
    }
}

#[cfg(feature = "cluster")]
fn listening(what: &str, node: &velamen_job::Node) {
    crate::terminal::line(format!("{what} listens at {}; Ctrl-C stops it", node.address));
    if let Some(warning) = &node.warning {
        crate::terminal::warning(warning);
    }
}
