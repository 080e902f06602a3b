//! The nodes that read, group and write.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use velamen_core::error::Problem;
use velamen_engine::Scratch;
use velamen_sql::datafusion::prelude::SessionConfig;

use super::{ListeningNode, Protection, asked_to_stop, listen, threads};
use crate::certificate::{Certificates, Greeting, greet};
use crate::client::address;
use crate::error::ClusterError;
use crate::{private, store};

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
    /// The name under which others reach it; when left out, the first in its certificate, or as the scheduler sees it.
    pub advertise: Option<String>,
    /// Who is kept out.
    pub protection: Protection,
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
    /// [`ClusterError::Unprotected`] and those of certificates before it listens; [`ClusterError::Untrusted`] where
    /// scheduler and executor do not accept each other; [`ClusterError::Io`] if it cannot listen, finds no scheduler, or
    /// breaks down.
    pub fn run(&self, ready: impl FnOnce(&ListeningNode)) -> Result<(), ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::Io(format!("the executor failed: {error}").into());
        let (host, port) = address(&self.scheduler)?;
        let certificates = self.protection.certificates(self.bind)?;
        let advertised = match &certificates {
            Some(certificates) => certificates.advertised(self.advertise.as_deref())?,
            None => self.advertise.clone(),
        };
        // Combinations of the table's values are kept here: what a killed executor left goes, too.
        let own = Scratch::new("velamen-executor-").map_err(|error| failed(&error))?;
        let folder = self.work_dir.clone().unwrap_or_else(|| own.path().join("work"));
        private::folder(&folder).map_err(|error| {
            ClusterError::Io(format!("{}: cannot make the working folder: {error}", folder.display()).into())
        })?;
        let slots = match self.slots {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            slots => slots,
        };
        threads(slots)?.block_on(async {
            self.wait_for(&host, port, certificates.as_ref()).await?;
            // Taken to see that it is free; Ballista takes it itself.
            let address = listen(self.bind, self.port)?.local_addr().map_err(|error| failed(&error))?;
            let node = ListeningNode::at(address, certificates.as_ref());
            let stopped = asked_to_stop()?;
            ready(&node);
            let mut config = self.config(&node, (host, port), &folder, slots);
            config.external_host = advertised;
            if let Some(certificates) = certificates {
                over_tls(&mut config, &certificates);
            }
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

    async fn wait_for(
        &self,
        host: &str,
        port: u16,
        certificates: Option<&Certificates>,
    ) -> Result<(), ClusterError> {
        for _ in 0..PATIENCE {
            match greet(host, port, certificates).await {
                Greeting::Welcome => return Ok(()),
                Greeting::Refused(problem) => {
                    let scheduler = self.scheduler.clone();
                    return Err(ClusterError::Untrusted { scheduler, problem });
                }
                Greeting::Nobody => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
        Err(ClusterError::Io(
            Problem::new(format!("no scheduler answers at {}", self.scheduler))
                .mend("start one with: velamen cluster scheduler"),
        ))
    }

    fn config(
        &self,
        node: &ListeningNode,
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

/// Has an executor ask, serve and fetch over TLS alone.
fn over_tls(config: &mut ExecutorProcessConfig, certificates: &Certificates) {
    config.override_create_grpc_client_endpoint = Some(certificates.endpoint());
    let shared = certificates.clone();
    config.override_config_producer =
        Some(Arc::new(move || shared.required(SessionConfig::new_with_ballista())));
    let sizes = (config.grpc_max_decoding_message_size, config.grpc_max_encoding_message_size);
    config.override_arrow_flight_service = Some(results(certificates, sizes));
}

/// Serves results and shuffles as Ballista does, over TLS.
fn results(certificates: &Certificates, (decoding, encoding): (u32, u32)) -> Arc<ArrowFlightServerProvider> {
    let tls = certificates.server();
    Arc::new(move |folder, address, mut shutdown, config| {
        let tls = tls.clone();
        let service = FlightServiceServer::new(BallistaFlightService::new(folder))
            .max_decoding_message_size(decoding as usize)
            .max_encoding_message_size(encoding as usize);
        tokio::spawn(async move {
            let mut server =
                create_grpc_server(&config).tls_config(tls).map_err(BallistaError::TonicError)?;
            let served = server.add_service(service).serve_with_shutdown(address, shutdown.recv()).await;
            served.map_err(BallistaError::TonicError)
        })
    })
}
