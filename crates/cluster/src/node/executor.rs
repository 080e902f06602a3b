//! The nodes that read, group and write.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};

use super::{Node, asked_to_stop, listen, threads};
use crate::client::address;
use crate::error::ClusterError;
use crate::store;

/// How long a scheduler may take to come up.
const PATIENCE: u32 = 30;

/// How long an executor that is asked to stop may take over its last tasks.
const LEAVE: Duration = Duration::from_secs(5);

/// An executor to be run.
#[derive(Debug, Clone)]
pub struct Executor {
    /// `df://host:port`
    pub scheduler: String,
    /// The address to listen at.
    pub bind: IpAddr,
    /// The port; 0 for any.
    pub port: u16,
    /// The name under which others reach it; as the scheduler sees it when left out.
    pub advertise: Option<String>,
    /// Where intermediate results are kept; a temporary folder when left out.
    pub work_dir: Option<PathBuf>,
    /// How many tasks run at once; 0 for as many as there are cores.
    pub slots: usize,
    /// Bytes that its tasks may take together; 70 % of the machine's when left out.
    pub memory: Option<u64>,
}

impl Executor {
    /// Runs until it is asked to stop; `ready` is told where it listens.
    ///
    /// # Errors
    /// [`ClusterError::Io`] if it cannot listen, finds no scheduler, or breaks down.
    pub fn run(&self, ready: impl FnOnce(&Node)) -> Result<(), ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::Io(format!("the executor failed: {error}"));
        let (host, port) = address(&self.scheduler)?;
        let own = tempfile::Builder::new().prefix("velamen-executor-").tempdir();
        let own = own.map_err(|error| failed(&error))?;
        // Made below: what is kept there are combinations of the table's values, for nobody else to read.
        let folder = self.work_dir.clone().unwrap_or_else(|| own.path().join("work"));
        private_folder(&folder).map_err(|error| {
            ClusterError::Io(format!("{}: cannot make the working folder: {error}", folder.display()))
        })?;
        let slots = match self.slots {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            slots => slots,
        };
        threads(slots)?.block_on(async {
            self.wait_for(&host, port).await?;
            // Taken to see that it is free; Ballista takes it itself.
            let node = Node::at(listen(self.bind, self.port)?.local_addr().map_err(|error| failed(&error))?);
            let stopped = asked_to_stop()?;
            ready(&node);
            let config = self.config(&node, (host, port), &folder, slots);
            // Ballista listens, too, and takes its leave of the scheduler, unless it was not ready yet.
            let stopped_late = async {
                stopped.await;
                tokio::time::sleep(LEAVE).await;
            };
            tokio::select! {
                ended = start_executor_process(Arc::new(config)) => ended.map_err(|error| failed(&error)),
                () = stopped_late => Ok(()),
            }
        })
    }

    async fn wait_for(&self, host: &str, port: u16) -> Result<(), ClusterError> {
        for _ in 0..PATIENCE {
            if tokio::net::TcpStream::connect((host, port)).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Err(ClusterError::Io(format!(
            "no scheduler answers at {}; start one with: velamen cluster scheduler",
            self.scheduler
        )))
    }

    fn config(
        &self,
        node: &Node,
        (scheduler_host, scheduler_port): (String, u16),
        folder: &Path,
        slots: usize,
    ) -> ExecutorProcessConfig {
        let spill = folder.to_owned();
        ExecutorProcessConfig {
            bind_host: match self.bind {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            },
            external_host: self.advertise.clone(),
            port: node.address.port(),
            grpc_port: node.address.port(),
            scheduler_host,
            scheduler_port,
            vcores: slots,
            task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
            work_dir: Some(folder.display().to_string()),
            memory_pool_size: self.memory,
            override_runtime_producer: Some(Arc::new(move |_| store::runtime(Some(spill.clone())))),
            ..ExecutorProcessConfig::default()
        }
    }
}

/// A folder that only its owner may look into, if it is not there already.
fn private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
