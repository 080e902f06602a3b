//! What is said of tables and releases, as the JSON that the command line prints.

use pyo3::prelude::*;
use velamen_assess::compare::{ClassifierOptions, QueryOptions};
use velamen_assess::leak::LeakRequest;
use velamen_assess::profile::{ProfileRequest, SampleSize};
use velamen_assess::risk::{AskedPopulation, RiskRequest};
use velamen_assess::{
    AttackOptions, AttackRequest, AuditOptions, CompareOptions, Repeated, Section, measure_release,
    measure_table,
};
use velamen_dp::Seed;
use velamen_job::{Front, Job, Session};
use velamen_measure::measure::Options;
use velamen_measure::risk::quasi_identifiers::{Measure, Threshold};
use velamen_recipe::{JobError, Overrides};

use crate::error::raised;
use crate::folder::Folder;
use crate::json::json;
use crate::options::{
    Attacking, Auditing, Common, Comparing, Leaking, Measuring, Profiling, Querying, Risking,
};
use crate::recipe::Recipe;
use crate::run::{run, seed, unseeded};
use crate::table::Table;

impl Profiling {
    fn request(self, table: Table) -> Result<ProfileRequest, JobError> {
        let (measure, usual) = match &*self.by {
            "distinction" => (Measure::Distinction, 0.5),
            "separation" => (Measure::Separation, 0.999),
            _ => return Err(JobError::Usage("by: expected distinction or separation".into())),
        };
        let threshold = Threshold::try_from((measure, self.threshold.unwrap_or(usual)));
        let sample = self.sample.as_deref().map(str::parse::<SampleSize>).transpose();
        Ok(ProfileRequest {
            read: self.reading.options()?,
            table: table.origin,
            sample: sample.map_err(|problem| JobError::Usage(format!("sample: {problem}")))?,
            threshold: threshold.map_err(|problem| JobError::Usage(format!("threshold: {problem}")))?,
            top: self.top,
            show_values: self.show_values,
            recipe: None,
            overwrite: false,
        })
    }
}

/// `velamen profile`.
#[pyfunction]
pub(crate) fn profile(py: Python<'_>, table: Table, options: Profiling, common: Common) -> PyResult<String> {
    suggest(py, table, options, common).map(|(profile, _)| profile)
}

/// `velamen profile` with the recipe that it suggests.
#[pyfunction]
pub(crate) fn suggest(
    py: Python<'_>,
    table: Table,
    options: Profiling,
    common: Common,
) -> PyResult<(String, String)> {
    let at = |error: JobError| raised(py, &error);
    let job = Job::seeded(seed(&options.seed).map_err(at)?);
    let request = options.request(table).map_err(at)?;
    run(py, job, &common, |context| {
        let (profile, text) = velamen_assess::profile::suggest(&request, std::path::Path::new(""), context)?;
        Ok((json(&profile)?, text))
    })
}

/// `velamen explore`.
#[pyfunction]
pub(crate) fn explore(
    py: Python<'_>,
    table: Option<Table>,
    recipe: &Recipe,
    seconds: Option<f64>,
    common: Common,
) -> PyResult<String> {
    let at = |error: JobError| raised(py, &error);
    let resolved = recipe.over(table.as_ref(), &Overrides::default()).map_err(at)?;
    if let Some(seconds) = seconds.filter(|seconds| !(*seconds > 0.0 && seconds.is_finite())) {
        return Err(at(JobError::Usage(format!("seconds: {seconds}: expected a number above 0"))));
    }
    let job = Job::of(&resolved).map_err(at)?;
    run(py, job, &common, |context| match Front::without_figures(&resolved) {
        Some(front) => json(&front),
        None => {
            let loaded = Session::open(&resolved, recipe.path(), false, context)?.read(context)?;
            json(&loaded.front(seconds, &mut |_| (), context)?)
        }
    })
}

/// `velamen estimate`.
#[pyfunction]
pub(crate) fn estimate(
    py: Python<'_>,
    table: Option<Table>,
    recipe: &Recipe,
    common: Common,
) -> PyResult<String> {
    let resolved = recipe.over(table.as_ref(), &Overrides::default()).map_err(|error| raised(py, &error))?;
    run(py, unseeded(), &common, |context| {
        json(&velamen_job::estimate::estimate(&resolved, recipe.path(), context)?)
    })
}

/// `velamen measure`.
#[pyfunction]
pub(crate) fn measure(py: Python<'_>, table: Table, options: Measuring, common: Common) -> PyResult<String> {
    let Measuring { qi, sensitive, l, reading } = options;
    let read = reading.options().map_err(|error| raised(py, &error))?;
    let asked = Options { l };
    let usage = |message: &str| Err(JobError::Usage(message.into()));
    run(py, unseeded(), &common, |context| match table.origin.folder() {
        Some(_) if !(qi.is_empty() && sensitive.is_empty()) => {
            usage("a release names its quasi-identifiers itself: leave out qi and sensitive")
        }
        Some(folder) => json(&measure_release(folder, &asked, context)?),
        None if qi.is_empty() => usage("qi: name the quasi-identifiers of a table"),
        None => json(&measure_table(&table.origin, &read, &qi, &sensitive, &asked, context)?),
    })
}

/// `velamen risk`.
#[pyfunction]
pub(crate) fn risk(
    py: Python<'_>,
    table: Table,
    before: Option<Table>,
    population: Option<Table>,
    options: Risking,
    common: Common,
) -> PyResult<String> {
    let population = population.map(|table| AskedPopulation::Table(table.origin));
    let request = RiskRequest {
        table: table.origin.clone(),
        read: options.reading.options().map_err(|error| raised(py, &error))?,
        qis: options.qi,
        population: population.or_else(|| options.population_size.map(AskedPopulation::Size)),
        before: before.as_ref().map(|table| table.origin.clone()),
        threshold: options.threshold,
        special_uniques: options.special_uniques,
        rows: options.rows,
        show_values: options.show_values,
    };
    run(py, unseeded(), &common, |context| json(&velamen_assess::risk::risk(&request, context)?))
}

/// `velamen compare`.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    original: Table,
    release: Folder,
    options: Comparing,
    common: Common,
) -> PyResult<String> {
    let at = |error: JobError| raised(py, &error);
    let only = options.only.iter().map(|section| section.parse::<Section>()).collect::<Result<_, _>>();
    let read = options.reading.options().map_err(at)?;
    let job = Job::seeded(seed(&options.seed).map_err(at)?);
    let asked = CompareOptions {
        only: only.map_err(|problem| at(JobError::Usage(format!("only: {problem}"))))?,
        queries: QueryOptions {
            ranges: options.queries,
            workload: options.workload,
            show: options.show_queries,
        },
        classifiers: ClassifierOptions {
            target: options.target,
            records: options.classifier_records,
            folds: options.folds,
        },
    };
    run(py, job, &common, |context| {
        json(&velamen_assess::compare(&original.origin, &read, release.path(), &asked, context)?)
    })
}

/// `velamen attack`.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the tables and the recipe of the Python function")]
pub(crate) fn attack(
    py: Python<'_>,
    release: Folder,
    original: Table,
    second: Option<(Folder, Table)>,
    control: Option<Table>,
    recipe: Option<&Recipe>,
    options: Attacking,
    common: Common,
) -> PyResult<String> {
    let at = |error: JobError| raised(py, &error);
    let job = Job::seeded(seed(&options.seed).map_err(at)?);
    let resolved = recipe.map(|recipe| recipe.over(Some(&original), &Overrides::default())).transpose();
    let resolved = resolved.map_err(at)?;
    let repeated = resolved.as_ref().zip(recipe).map(|(resolved, recipe)| Repeated {
        recipe: resolved,
        path: recipe.path(),
        trials: options.trials,
        from_data: options.from_data,
    });
    let beside = second.as_ref();
    let request = AttackRequest {
        release: release.path().to_owned(),
        original: original.origin.clone(),
        read: options.reading.options().map_err(at)?,
        second: beside.map(|(release, original)| (release.path().to_owned(), original.origin.clone())),
        control: control.as_ref().map(|table| table.origin.clone()),
        attacks: options.attacks,
        options: AttackOptions {
            targets: options.targets,
            confidence: options.confidence,
            background: options.background,
        },
        show_values: options.show_values,
    };
    run(py, job, &common, |context| json(&velamen_assess::attack(&request, repeated.as_ref(), context)?))
}

/// `velamen leak`.
#[pyfunction]
pub(crate) fn leak(
    py: Python<'_>,
    table: Table,
    after: Option<Table>,
    options: Leaking,
    common: Common,
) -> PyResult<String> {
    let request = LeakRequest {
        table: table.origin.clone(),
        read: options.reading.options().map_err(|error| raised(py, &error))?,
        attributes: options.attributes,
        up_to: options.up_to,
        top: options.top,
        after: after.as_ref().map(|table| table.origin.clone()),
    };
    run(py, unseeded(), &common, |context| json(&velamen_assess::leak::leak(&request, context)?))
}

/// `velamen audit`.
#[pyfunction]
pub(crate) fn audit(
    py: Python<'_>,
    recipe: &Recipe,
    table: Option<Table>,
    options: Auditing,
    common: Common,
) -> PyResult<String> {
    let at = |error: JobError| raised(py, &error);
    // Without a table an audit makes all of its records up.
    let resolved = match &table {
        None if options.from_data == 0 => {
            recipe.written(&Overrides::default()).and_then(|written| written.resolve(recipe.path()))
        }
        table => recipe.over(table.as_ref(), &Overrides::default()),
    };
    let resolved = resolved.map_err(at)?;
    // The recipe's own seed would tell nothing of other runs.
    let job = match &options.seed {
        Some(text) => seed(text).map(Job::seeded),
        None => Seed::fresh().map(Job::seeded).map_err(|error| JobError::Io(error.to_string())),
    };
    let asked = AuditOptions {
        trials: options.trials,
        confidence: options.confidence,
        from_data: options.from_data,
        ordinary: options.ordinary,
    };
    run(py, job.map_err(at)?, &common, |context| {
        json(&velamen_assess::audit(&resolved, recipe.path(), &asked, options.show_values, context)?)
    })
}

/// `velamen diff`.
#[pyfunction]
pub(crate) fn diff(py: Python<'_>, before: Folder, after: Folder, common: Common) -> PyResult<String> {
    run(py, unseeded(), &common, |context| {
        json(&velamen_assess::diff::diff(before.path(), after.path(), context)?)
    })
}

/// `velamen query`: the columns' names, and one JSON object a row.
#[pyfunction]
#[cfg_attr(not(feature = "sql"), allow(unused_variables, reason = "read by builds with the feature"))]
pub(crate) fn query(
    py: Python<'_>,
    release: Folder,
    text: &str,
    options: Querying,
    common: Common,
) -> PyResult<String> {
    #[cfg(not(feature = "sql"))]
    {
        let message = "this build leaves queries in SQL out; the wheels of releases have them, and from source \
                       MATURIN_PEP517_ARGS=\"--features sql\" pip install does (docs/python.md)";
        Err(raised(py, &JobError::Usage(message.into())))
    }
    #[cfg(feature = "sql")]
    {
        let asked = velamen_assess::QueryOptions {
            as_released: options.as_released,
            groups: options.groups,
            memory: options.memory << 20,
            seconds: options.seconds,
        };
        let answer: serde_json::Value = run(py, unseeded(), &common, |context| {
            velamen_assess::query(release.path(), text, &asked, context)?.to_json()
        })?;
        Ok(answer.to_string())
    }
}
