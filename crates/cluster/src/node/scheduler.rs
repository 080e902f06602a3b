//! The node that plans questions and hands out their tasks.

use std::net::IpAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::extension::{
    ballista_aggregate_functions, ballista_scalar_functions, ballista_window_functions,
};
use ballista_core::optimizer::ballista_default_optimizer_rules;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use ballista_scheduler::scheduler_server::SchedulerServer;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use velamen_sql::datafusion::error::Result as SqlResult;
use velamen_sql::datafusion::execution::{SessionState, SessionStateBuilder};
use velamen_sql::datafusion::prelude::SessionConfig;

use super::{ListeningNode, Protection, asked_to_stop, listen, threads};
use crate::certificate::Certificates;
use crate::error::ClusterError;
use crate::store;

/// Seconds without a word after which an executor counts as lost; Ballista's own 180 are longer than most
/// questions. Executors speak up every 5 seconds at the latest.
const LOST: u64 = 15;

/// Seconds between two looks for lost executors.
const LOOK: u64 = 3;

/// A scheduler to be run.
#[derive(Debug, Clone)]
pub struct Scheduler {
    /// The address to listen at.
    pub bind: IpAddr,
    /// The port; 0 for any.
    pub port: u16,
    /// Who is kept out.
    pub protection: Protection,
}

/// A scheduler of Ballista's.
type Planner = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

impl Scheduler {
    /// Runs until it is asked to stop; `ready` is told where it listens.
    ///
    /// # Errors
    /// [`ClusterError::Unprotected`] and those of certificates before it listens; [`ClusterError::Io`] if it cannot
    /// listen or breaks down.
    pub fn run(&self, ready: impl FnOnce(&ListeningNode)) -> Result<(), ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::Io(format!("the scheduler failed: {error}").into());
        let certificates = self.protection.certificates(self.bind)?;
        let listener = listen(self.bind, self.port)?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let node = ListeningNode::at(address, certificates.as_ref());
        listener.set_nonblocking(true).map_err(|error| failed(&error))?;
        threads(2)?.block_on(async {
            let listener = TcpListener::from_std(listener).map_err(|error| failed(&error))?;
            let config = Arc::new(self.config(node.address.port(), certificates.as_ref()));
            let cluster = BallistaCluster::new_from_config(&config).await.map_err(|error| failed(&error))?;
            let planner: Planner = create_scheduler(cluster, config).await.map_err(|error| failed(&error))?;
            let stopped = asked_to_stop()?;
            ready(&node);
            let serving = async {
                match certificates {
                    Some(certificates) => {
                        over_tls(listener, planner, &certificates).await.map_err(|e| failed(&e))
                    }
                    None => start_grpc_service_with_listener(listener, planner).await.map_err(|e| failed(&e)),
                }
            };
            tokio::select! {
                ended = serving => ended,
                () = stopped => Ok(()),
            }
        })
    }

    fn config(&self, port: u16, certificates: Option<&Certificates>) -> SchedulerConfig {
        SchedulerConfig {
            override_create_grpc_client_endpoint: certificates.map(Certificates::endpoint),
            use_tls: certificates.is_some(),
            bind_host: self.bind.to_string(),
            external_host: self.bind.to_string(),
            bind_port: port,
            // Executors ask for work, so that they find a scheduler again that was started anew.
            scheduling_policy: TaskSchedulingPolicy::PullStaged,
            executor_timeout_seconds: LOST,
            expire_dead_executor_interval_seconds: LOOK,
            no_executors_grace_period_seconds: LOST,
            override_session_builder: Some(Arc::new(session)),
            ..SchedulerConfig::default()
        }
    }
}

/// As Ballista serves drivers and executors, which knows no TLS: without its proxy for results and its pages, which are
/// off anyway. Executors of ours say under which name they are reached; Ballista would take the address of who asks from
/// its own server's notes, which do not exist here.
async fn over_tls(
    listener: TcpListener,
    planner: Planner,
    certificates: &Certificates,
) -> Result<(), tonic::transport::Error> {
    let config = Arc::clone(&planner.state.config);
    let service = SchedulerGrpcServer::new(planner)
        .max_encoding_message_size(config.grpc_server_max_encoding_message_size as usize)
        .max_decoding_message_size(config.grpc_server_max_decoding_message_size as usize);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let mut server = Server::builder().tls_config(certificates.server())?;
    server.add_service(service).serve_with_incoming(incoming).await
}

/// As Ballista's own sessions, but buckets are opened with this process's credentials.
fn session(config: SessionConfig) -> SqlResult<SessionState> {
    Ok(SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_runtime_env(store::runtime(None)?)
        .with_optimizer_rules(ballista_default_optimizer_rules())
        .with_scalar_functions(ballista_scalar_functions())
        .with_aggregate_functions(ballista_aggregate_functions())
        .with_window_functions(ballista_window_functions())
        .build())
}
