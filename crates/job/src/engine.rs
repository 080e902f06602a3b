//! The table by way of this process or of a cluster: the same table, and so the same release.

use std::path::{Path, PathBuf};

use velamen_core::context::Context;
#[cfg(not(feature = "cluster"))]
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
#[cfg(feature = "cluster")]
use velamen_engine::Compression;
use velamen_engine::sink::OutTable;
use velamen_engine::source::Input;
use velamen_engine::{ColumnRequest, FileFormat};
use velamen_recipe::{ClusterEngine, JobError, Origin, Resolved, is_object};

/// Who reads a table, and where it lies.
pub(crate) enum Engine {
    InProcess(Origin),
    #[cfg(feature = "cluster")]
    Cluster(Box<Remote>),
}

/// A table that a cluster reads.
#[cfg(feature = "cluster")]
pub(crate) struct Remote {
    settings: velamen_cluster::Settings,
    /// What to think of its protection.
    warnings: Vec<String>,
    /// Where every node finds it.
    location: PathBuf,
    /// Where executors write the release.
    shared: Option<PathBuf>,
    /// What the driver sees of an object, as long as it is needed.
    _stand_in: Option<velamen_cluster::StandIn>,
}

impl Engine {
    /// Whether a cluster reads the table.
    pub(crate) fn is_cluster(&self) -> bool {
        !matches!(self, Self::InProcess(_))
    }

    /// Who reads the recipe's table, and that by which its columns are known here.
    pub(crate) fn open(recipe: &Resolved, show_values: bool) -> Result<(Self, Origin), JobError> {
        match (&recipe.engine, &recipe.input) {
            // Executors take the first line of a file for the names of its columns.
            (Some(_), _) if recipe.read.skip_lines > 0 => {
                Err(JobError::usage("input.skip-lines: a cluster reads a table from its first line on")
                    .mend("leave [engine] out, or take the lines above the table away"))
            }
            (Some(cluster), Origin::File(file)) => {
                let (engine, file) = Self::cluster(cluster, file, show_values)?;
                Ok((engine, Origin::File(file)))
            }
            (Some(_), Origin::Query(_)) => {
                Err(JobError::usage("a cluster reads files")
                    .mend("leave [engine] out where there is a database"))
            }
            (Some(_), Origin::Batches(_)) => Err(JobError::usage("a cluster reads files")
                .mend("leave [engine] out where the records are in memory")),
            (None, Origin::File(file)) if is_object(file) => {
                Err(JobError::usage(format!("{}: objects are read by a cluster", file.display()))
                    .mend("give [engine] kind = \"cluster\", or fetch the file"))
            }
            (None, origin) => Ok((Self::InProcess(origin.clone()), origin.clone())),
        }
    }

    #[cfg(not(feature = "cluster"))]
    fn cluster(_: &ClusterEngine, _: &Path, _: bool) -> Result<(Self, PathBuf), JobError> {
        let message = Problem::new("this build knows no cluster")
            .mend("build one that does: cargo build --release --features cluster");
        Err(JobError::usage(message))
    }

    #[cfg(feature = "cluster")]
    fn cluster(engine: &ClusterEngine, input: &Path, show_values: bool) -> Result<(Self, PathBuf), JobError> {
        let certificates = engine.certificates.as_deref().map(velamen_cluster::Certificates::of_driver);
        let settings = velamen_cluster::Settings {
            scheduler: engine.scheduler.clone(),
            certificates: certificates.transpose().map_err(refused)?,
            timeout: engine.timeout,
            retries: engine.retries,
            tasks: engine.tasks,
            adaptive: engine.adaptive,
            show_values,
        };
        let warnings = settings.warnings();
        engine.shared.as_deref().map(velamen_cluster::writable).transpose().map_err(refused)?;
        let stand_in = match input.to_str().filter(|_| is_object(input)) {
            Some(url) => Some(velamen_cluster::StandIn::fetch(url).map_err(refused)?),
            None => None,
        };
        let path = stand_in.as_ref().map_or_else(|| input.to_owned(), velamen_cluster::StandIn::path);
        let location = input.to_owned();
        Ok((
            Self::Cluster(Box::new(Remote {
                settings,
                warnings,
                location,
                shared: engine.shared.clone(),
                _stand_in: stand_in,
            })),
            path,
        ))
    }

    /// Writes a release, on the cluster where a folder for that is given and the format has lines. Returns
    /// why parts had to be written again.
    pub(crate) fn write(
        &self,
        table: &OutTable,
        path: &Path,
        (format, delimiter): (FileFormat, u8),
        context: &Context<'_>,
    ) -> Result<Vec<String>, JobError> {
        #[cfg(feature = "cluster")]
        if let Self::Cluster(remote) = self
            && let Remote { settings, shared: Some(shared), .. } = &**remote
            && let Some(lines) = format.lines(table, delimiter)
            && format.compression == Compression::None
        {
            let faults =
                velamen_cluster::rewrite(&lines, shared, path, settings, context).map_err(refused)?;
            let told = |fault: &velamen_cluster::Fault| format!("a part was written again: {fault}");
            return Ok(faults.iter().map(told).collect());
        }
        table.write(path, format, delimiter, context)?;
        Ok(Vec::new())
    }

    /// The table of all records, whatever the recipe keeps; a query can be read again after it.
    pub(crate) fn read_all(
        &self,
        input: &Input,
        requests: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, JobError> {
        match self {
            Self::InProcess(origin) => origin.during(context, || Ok(input.read_all(requests, context)?)),
            #[cfg(feature = "cluster")]
            Self::Cluster(_) => Ok(input.read_all(requests, context)?),
        }
    }

    /// The table, and what to think of how a cluster gave it: of its protection, and of answers that were not used.
    pub(crate) fn read(
        &self,
        input: &Input,
        requests: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<(FrequencyTable, Vec<String>), JobError> {
        match self {
            Self::InProcess(origin) => {
                let table = origin.during(context, || Ok(input.read(requests, context)?));
                origin.close();
                Ok((table?, Vec::new()))
            }
            #[cfg(feature = "cluster")]
            Self::Cluster(remote) => {
                let found =
                    velamen_cluster::reduce(input, &remote.location, requests, &remote.settings, context)
                        .map_err(refused)?;
                let told = |fault: &velamen_cluster::Fault| format!("the cluster was asked again: {fault}");
                let mut warnings = remote.warnings.clone();
                warnings.extend(found.faults.iter().map(told));
                Ok((found.table, warnings))
            }
        }
    }
}

/// What an error of a cluster is to a job.
#[cfg(feature = "cluster")]
pub(crate) fn refused(error: velamen_cluster::ClusterError) -> JobError {
    use velamen_cluster::ClusterError;
    use velamen_recipe::Code;
    match error {
        ClusterError::Interrupted(interrupted) => interrupted.into(),
        ClusterError::Engine(error) => error.into(),
        ClusterError::Refused(_) => JobError::data(error.problem()).coded(Code::CLUSTER_REFUSES),
        ClusterError::Io(_) => JobError::unusable(error.problem()).coded(Code::CLUSTER),
        ClusterError::Usage(_) => JobError::usage(error.problem()),
        ClusterError::Unprotected(_) => JobError::usage(error.problem()).coded(Code::CLUSTER_OPEN),
        ClusterError::Certificate(_) => JobError::unusable(error.problem()).coded(Code::CERTIFICATE),
        ClusterError::Expired(_) => JobError::unusable(error.problem()).coded(Code::CERTIFICATE_EXPIRED),
        ClusterError::Untrusted { .. } => JobError::unusable(error.problem()).coded(Code::CLUSTER_UNTRUSTED),
        ClusterError::Unproven(ref faults) => {
            let code = faults.last().map_or(Code::CLUSTER, of_fault);
            JobError::unusable(error.problem()).coded(code)
        }
    }
}

/// The code of what became of the last attempt.
#[cfg(feature = "cluster")]
fn of_fault(fault: &velamen_cluster::Fault) -> velamen_recipe::Code {
    use velamen_cluster::Fault;
    use velamen_recipe::Code;
    match fault {
        Fault::Unreachable(_) => Code::CLUSTER_UNREACHABLE,
        Fault::Untrusted { .. } => Code::CLUSTER_UNTRUSTED,
        Fault::Idle { .. } => Code::CLUSTER_IDLE,
        Fault::TimedOut(_) => Code::CLUSTER_TIMED_OUT,
        Fault::Failed(_) => Code::CLUSTER_FAILED,
        Fault::Records { .. } | Fault::Checksum | Fault::Part | Fault::Form => Code::CLUSTER_WRONG,
    }
}
