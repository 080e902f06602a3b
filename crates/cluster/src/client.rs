//! Questions to a cluster, each with a session of its own, bounded in time and stoppable.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::serde::protobuf::CancelJobParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use datafusion_proto::protobuf::LogicalPlanNode;
use tokio::runtime::{Builder, Runtime};
use tonic::transport::Endpoint;
use url::Url;
use velamen_core::context::{Context, Interrupted};
use velamen_core::error::Problem;
use velamen_sql::datafusion::arrow::array::RecordBatch;
use velamen_sql::datafusion::error::Result;
use velamen_sql::datafusion::execution::SessionStateBuilder;
use velamen_sql::datafusion::physical_plan::{ExecutionPlan, collect};
use velamen_sql::datafusion::prelude::{SessionConfig, SessionContext};

use crate::certificate::{Certificates, Greeting, greet};
use crate::error::{ClusterError, Fault, Words};
use crate::store;
use crate::table::ClusterTable;

/// How often a question looks whether it has to stop.
const TICK: Duration = Duration::from_millis(100);

/// How long a scheduler may take to come back.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file is cut for several tasks only into parts of at least this many bytes.
const LEAST_PART: &str = "1048576";

/// Which cluster, and how long it may take.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `df://host:port`
    pub scheduler: String,
    /// What the cluster knows the driver by; without, it is asked in the clear.
    pub certificates: Option<Certificates>,
    /// Seconds for each question.
    pub timeout: u64,
    /// Attempts after the first.
    pub retries: u32,
    /// Into how many tasks a question is cut.
    pub tasks: usize,
    /// Whether Ballista may change a plan while it runs.
    pub adaptive: bool,
    /// Whether messages may show values: the cluster's own words may hold some.
    pub show_values: bool,
}

impl Settings {
    /// What to think of before the cluster is asked: certificates that end soon, or that there are none.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        if let Some(certificates) = &self.certificates {
            return certificates.warnings().to_vec();
        }
        let here = |host: &str| {
            host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        };
        let elsewhere = address(&self.scheduler).is_ok_and(|(host, _)| !here(&host));
        let warning = format!(
            "{} is asked without TLS: names of columns, combinations of values and their counts travel in the clear; \
             [engine] certificates names a folder of certificates",
            self.scheduler
        );
        elsewhere.then_some(warning).into_iter().collect()
    }
}

/// The threads of a driver that waits most of the time.
pub(crate) fn runtime() -> std::result::Result<Runtime, ClusterError> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| ClusterError::Io(format!("cannot start threads: {error}").into()))
}

/// Why a question has no answer.
pub(crate) enum Stop {
    Interrupted(Interrupted),
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Interrupted> for Stop {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

/// Asks the cluster about a table.
///
/// # Errors
/// Any [`Fault`] of asking, or the wish to stop.
pub(crate) async fn ask(
    settings: &Settings,
    table: &ClusterTable,
    sql: &str,
    context: &Context<'_>,
) -> std::result::Result<Vec<RecordBatch>, Stop> {
    answer(settings, Some(table), sql, context).await
}

/// Waits until an executor takes up work: without one, every question would take its whole time limit.
pub(crate) async fn ready(settings: &Settings, context: &Context<'_>) -> std::result::Result<(), Stop> {
    match answer(settings, None, "SELECT 1", context).await {
        Err(Stop::Fault(Fault::TimedOut(seconds))) => {
            let scheduler = settings.scheduler.clone();
            Err(Fault::Idle { seconds, scheduler }.into())
        }
        Err(Stop::Fault(fault @ Fault::Untrusted { .. })) => Err(fault.into()),
        Err(Stop::Interrupted(interrupted)) => Err(interrupted.into()),
        // Whatever else is wrong now is what attempts are there for.
        _ => Ok(()),
    }
}

async fn answer(
    settings: &Settings,
    table: Option<&ClusterTable>,
    sql: &str,
    context: &Context<'_>,
) -> std::result::Result<Vec<RecordBatch>, Stop> {
    reachable(settings, context).await?;
    let failed = |words: String| Fault::Failed(Words::new(words, settings.show_values));
    let prepared = async {
        let session = session(settings).await?;
        if let Some(table) = table {
            table.register(&session).await?;
        }
        let plan = session.sql(sql).await?.create_physical_plan().await?;
        Ok((plan, session.task_ctx()))
    };
    let prepared: Result<_> = prepared.await;
    let (plan, task) = prepared.map_err(|error| failed(error.to_string()))?;
    // A task of its own, since Ballista's client panics where a scheduler forgot its session.
    let mut running = tokio::spawn(collect(Arc::clone(&plan), task));
    let deadline = Instant::now() + Duration::from_secs(settings.timeout);
    let stop = loop {
        tokio::select! {
            answer = &mut running => {
                let answer = answer.map_err(|error| failed(error.to_string()))?;
                return Ok(answer.map_err(|error| failed(error.to_string()))?);
            }
            () = tokio::time::sleep(TICK) => {}
        }
        if let Err(interrupted) = context.check() {
            break Stop::Interrupted(interrupted);
        }
        if Instant::now() > deadline {
            break Stop::Fault(Fault::TimedOut(settings.timeout));
        }
    };
    running.abort();
    cancel(settings, &plan).await;
    Err(stop)
}

async fn session(settings: &Settings) -> Result<SessionContext> {
    let mut config = SessionConfig::new_with_ballista()
        .with_target_partitions(settings.tasks)
        .with_ballista_adaptive_query_planner(settings.adaptive)
        .set_str("datafusion.optimizer.repartition_file_min_size", LEAST_PART);
    let mut scheme = "http";
    if let Some(certificates) = &settings.certificates {
        scheme = "https";
        config = certificates.required(config);
    }
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(store::runtime(None)?)
        .with_default_features()
        .build();
    // Not by way of a session of Ballista's, which would ask any scheduler by http.
    let url = settings.scheduler.replacen("df", scheme, 1);
    Ok(SessionContext::new_with_state(state.upgrade_for_ballista(url)?))
}

/// Host and port of a scheduler.
pub(crate) fn address(scheduler: &str) -> std::result::Result<(String, u16), ClusterError> {
    let problem =
        Problem::new(format!("`{scheduler}`: a wrong value")).expected("a scheduler as df://host:port");
    let wrong = || ClusterError::Io(problem.clone());
    let url = Url::parse(scheduler).ok().filter(|url| url.scheme() == "df").ok_or_else(wrong)?;
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
    Ok((host.trim_matches(['[', ']']).to_owned(), url.port().ok_or_else(wrong)?))
}

/// Waits for a scheduler that is just being started again.
async fn reachable(settings: &Settings, context: &Context<'_>) -> std::result::Result<(), Stop> {
    let gone = || Fault::Unreachable(settings.scheduler.clone());
    let (host, port) = address(&settings.scheduler).map_err(|_| gone())?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match greet(&host, port, settings.certificates.as_ref()).await {
            Greeting::Welcome => return Ok(()),
            Greeting::Refused(problem) => {
                let scheduler = settings.scheduler.clone();
                return Err(Fault::Untrusted { scheduler, problem }.into());
            }
            Greeting::Nobody => {}
        }
        context.check()?;
        if Instant::now() > deadline {
            return Err(gone().into());
        }
        tokio::time::sleep(TICK).await;
    }
}

/// Waits before another attempt, longer after each: what just failed needs a moment to come back.
pub(crate) async fn pause(faults: usize, context: &Context<'_>) -> std::result::Result<(), Interrupted> {
    let end = Instant::now() + Duration::from_secs(1 << faults.saturating_sub(1).min(3));
    while Instant::now() < end {
        context.check()?;
        tokio::time::sleep(TICK).await;
    }
    Ok(())
}

/// Takes a job back that nobody waits for any more. Whether that reaches the scheduler does not matter for
/// the answer, since each attempt is a job of its own.
async fn cancel(settings: &Settings, plan: &Arc<dyn ExecutionPlan>) {
    let query = plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>();
    let Some(job) = query.and_then(DistributedQueryExec::job_id) else { return };
    let asked = async {
        let mut endpoint = Endpoint::new(settings.scheduler.replacen("df", "http", 1)).ok()?;
        if let Some(certificates) = &settings.certificates {
            endpoint = certificates.endpoint()(endpoint).ok()?;
        }
        let mut scheduler = SchedulerGrpcClient::new(endpoint.connect().await.ok()?);
        scheduler.cancel_job(CancelJobParams { job_id: job.into() }).await.ok()
    };
    let _ = tokio::time::timeout(Duration::from_secs(2), asked).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedulers_are_named_by_host_and_port() {
        assert_eq!(address("df://127.0.0.1:50050").unwrap(), ("127.0.0.1".into(), 50050));
        assert_eq!(address("df://[::1]:7").unwrap(), ("::1".into(), 7));
        for wrong in ["127.0.0.1:50050", "http://localhost:1", "df://localhost", "df://", "s3://a:1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn clusters_elsewhere_that_are_asked_in_the_clear_are_warned_of() {
        let warnings = |scheduler: &str| {
            let settings = Settings {
                scheduler: scheduler.to_owned(),
                certificates: None,
                timeout: 1,
                retries: 0,
                tasks: 1,
                adaptive: true,
                show_values: false,
            };
            settings.warnings().len()
        };
        assert_eq!(["df://127.0.0.2:1", "df://[::1]:1", "df://localhost:1"].map(warnings), [0; 3]);
        assert_eq!(["df://scheduler:1", "df://10.0.0.7:1"].map(warnings), [1; 2]);
    }
}
