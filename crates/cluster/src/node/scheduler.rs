//! The node that plans questions and hands out their tasks.

use std::net::IpAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::extension::{
    ballista_aggregate_functions, ballista_scalar_functions, ballista_window_functions,
};
use ballista_core::optimizer::ballista_default_optimizer_rules;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use velamen_sql::datafusion::error::Result as SqlResult;
use velamen_sql::datafusion::execution::{SessionState, SessionStateBuilder};
use velamen_sql::datafusion::prelude::SessionConfig;

use super::{Node, asked_to_stop, listen, threads};
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
}

impl Scheduler {
    /// Runs until it is asked to stop; `ready` is told where it listens.
    ///
    /// # Errors
    /// [`ClusterError::Io`] if it cannot listen or breaks down.
    pub fn run(&self, ready: impl FnOnce(&Node)) -> Result<(), ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::Io(format!("the scheduler failed: {error}"));
        let listener = listen(self.bind, self.port)?;
        let node = Node::at(listener.local_addr().map_err(|error| failed(&error))?);
        listener.set_nonblocking(true).map_err(|error| failed(&error))?;
        threads(2)?.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).map_err(|error| failed(&error))?;
            let config = Arc::new(self.config(node.address.port()));
            let cluster =
                BallistaCluster::new_from_config(&config).await.map_err(|error| failed(&error))?;
            let server = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config);
            let server = server.await.map_err(|error| failed(&error))?;
            let stopped = asked_to_stop()?;
            ready(&node);
            tokio::select! {
                ended = start_grpc_service_with_listener(listener, server) => ended.map_err(|error| failed(&error)),
                () = stopped => Ok(()),
            }
        })
    }

    fn config(&self, port: u16) -> SchedulerConfig {
        SchedulerConfig {
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
