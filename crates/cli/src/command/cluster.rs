use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
#[cfg(not(feature = "cluster"))]
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::entry::{Command, Run};

pub(super) const COMMAND: Command = Command::of_group::<Cluster>();

const NEEDS: &str = "\
A recipe's [engine] names the scheduler and the driver's certificates; `velamen explain cluster` says how nodes know each other. \
Needs a build with --features cluster.

Examples, on one machine:
  velamen cluster scheduler
  velamen cluster executor --scheduler df://127.0.0.1:50050
  velamen anonymize recipe.toml --set engine.kind=cluster --set engine.scheduler=df://127.0.0.1:50050

On several:
  velamen cluster certificates ca --nodes head,worker1,worker2      (then copy each folder to its machine)
  velamen cluster scheduler --bind 0.0.0.0 --certificates head
  velamen cluster executor --bind 0.0.0.0 --certificates worker1 --scheduler df://head:50050
  velamen anonymize recipe.toml --set engine.kind=cluster --set engine.scheduler=df://head:50050
                                --set engine.certificates=driver";

const CERTIFICATES: &str = "\
The folder gets authority.pem and authority.key, which stays there, and a folder for each node and for the driver, \
which its machine needs as a whole. All files are of mode 600. Named again, a node gets another certificate of the same \
authority. Without --nodes, what is there is listed.

Examples:
  velamen cluster certificates ca --nodes head,worker1,10.0.0.7+worker2
  velamen cluster certificates ca --nodes worker1                   (another one for worker1)
  velamen cluster certificates ca                                   (which ones there are, and until when)";

/// Run the nodes of a cluster that reads large tables
#[derive(Debug, Subcommand)]
#[command(after_help = NEEDS)]
pub(crate) enum Cluster {
    Scheduler(Scheduler),
    Executor(Executor),
    Certificates(Certificates),
}

/// Make the certificates that nodes and drivers know each other by
#[derive(Debug, Args)]
#[command(after_help = CERTIFICATES)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Certificates {
    /// The authority's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The nodes, each as others reach it: a host or an address, or several names of one node with + between them;
    /// driver stands for drivers
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    nodes: Vec<String>,
    /// How many days they are valid
    #[arg(long, default_value_t = 365, value_parser = super::values::number::<u32>(1, 3650))]
    days: u32,
}

/// Who is kept out
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "read by builds with the feature"))]
struct Protection {
    /// This node's folder of certificates: only those who have one of the same authority are served
    #[arg(long, value_name = "FOLDER", conflicts_with = "plaintext")]
    certificates: Option<PathBuf>,
    /// Serve everyone who reaches this node, unencrypted; needed where it is reached from elsewhere and has no
    /// certificates
    #[arg(long)]
    plaintext: bool,
}

/// Run the node that hands out work
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Scheduler {
    /// The address to listen at; others than this machine's own need --certificates
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 50050)]
    port: u16,
    #[command(flatten)]
    protection: Protection,
}

/// Run a node that reads, counts and writes
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Executor {
    /// The scheduler, as df://host:port
    #[arg(long, value_name = "URL", default_value = "df://127.0.0.1:50050")]
    scheduler: String,
    /// The address to listen at; others than this machine's own need --certificates
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The name under which others reach it; the first in its certificate when left out, or as the scheduler sees it
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    #[command(flatten)]
    protection: Protection,
    /// Where intermediate results, parts of the table among them, are kept; a temporary folder when left out
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    /// How many tasks run at once; as many as there are cores when left out
    #[arg(long, value_name = "N", value_parser = super::values::number::<u16>(1, 1024))]
    slots: Option<u16>,
    /// What its tasks may take together, in MiB; 70 % of the machine's memory when left out
    #[arg(long, value_name = "MIB", value_parser = super::values::number::<u32>(1, u32::MAX.into()))]
    memory: Option<u32>,
}

#[cfg(not(feature = "cluster"))]
impl Run for Cluster {
    const NAME: &'static str = "cluster";

    fn run(self) -> Result<(), JobError> {
        let message = Problem::new("this build knows no cluster")
            .mend("build one that does: cargo build --release --features cluster");
        Err(JobError::usage(message))
    }
}

#[cfg(feature = "cluster")]
impl Run for Cluster {
    const NAME: &'static str = "cluster";

    fn run(self) -> Result<(), JobError> {
        match self {
            Self::Certificates(Certificates { folder, nodes, days }) => {
                velamen_job::refuse_dash(&folder)?;
                listed(&velamen_job::certificates(&folder, &nodes, days)?);
                Ok(())
            }
            Self::Scheduler(Scheduler { bind, port, protection }) => {
                let scheduler = velamen_job::Scheduler { bind, port, protection: protection.of_node() };
                velamen_job::run_scheduler(&scheduler, |node| {
                    listening("scheduler", node);
                    let protection = match (node.tls, node.address.ip().is_loopback()) {
                        (true, _) => " --bind 0.0.0.0 --certificates FOLDER",
                        (false, true) => "",
                        (false, false) => " --bind 0.0.0.0 --plaintext",
                    };
                    crate::terminal::line(format!(
                        "executors: velamen cluster executor --scheduler df://HOST:PORT{protection}"
                    ));
                })
            }
            Self::Executor(executor) => {
                executor.work_dir.as_deref().map_or(Ok(()), velamen_job::refuse_dash)?;
                let executor = velamen_job::Executor {
                    scheduler: executor.scheduler,
                    bind: executor.bind,
                    port: executor.port,
                    advertise: executor.advertise,
                    protection: executor.protection.of_node(),
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
impl Protection {
    fn of_node(self) -> velamen_job::Protection {
        match (self.certificates, self.plaintext) {
            (Some(folder), _) => velamen_job::Protection::Certificates(folder),
            (None, true) => velamen_job::Protection::Plaintext,
            (None, false) => velamen_job::Protection::Loopback,
        }
    }
}

#[cfg(feature = "cluster")]
fn listening(what: &str, node: &velamen_job::ListeningNode) {
    let how = if node.tls { "; TLS, with certificates of both sides" } else { "" };
    crate::terminal::line(format!("{what} listens at {}{how}; Ctrl-C stops it", node.address));
    node.warnings.iter().for_each(crate::terminal::warning);
}

#[cfg(feature = "cluster")]
fn listed(issued: &[velamen_job::Issued]) {
    for certificate in issued {
        crate::terminal::line(format!("{}  until {}", certificate.path.display(), certificate.until));
    }
    issued.iter().filter_map(|certificate| certificate.warning.as_ref()).for_each(crate::terminal::warning);
}
