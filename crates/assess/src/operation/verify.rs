//! `verify`: whether a release keeps its promises.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_checker::Finding as Found;
use velamen_core::error::Problem;
use velamen_job::{Beside, attestation, conclusion, sign, verify_with};
use velamen_recipe::JobError;

use super::entry::Operation;
use super::table::Call;

/// Whether a release keeps its promises.
#[derive(Debug)]
pub struct Verify;

/// What is asked of [`Verify`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The release folder.
    #[schemars(extend("format" = "release"))]
    pub release: PathBuf,
    /// A table of the population, for k-map and delta-presence.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE"))]
    pub population: Option<PathBuf>,
    /// The custodian's folder, whose list of counterfeits shows what holds of the real records.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "DIR"))]
    pub custodian: Option<PathBuf>,
    /// Who signed it: a public key, or its file.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "KEY"))]
    pub key: Option<PathBuf>,
    /// A statement about it, as `evidence` writes it; its signature lies beside it.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE", "x-needs" = "key"))]
    pub attestation: Option<PathBuf>,
}

impl Request {
    /// A release alone.
    fn plain(release: &Path) -> Self {
        Self { release: release.to_owned(), population: None, custodian: None, key: None, attestation: None }
    }
}

/// What is known of each promise.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Verification {
    /// The findings.
    #[serde(serialize_with = "listed")]
    pub findings: Vec<Found>,
}

impl JsonSchema for Verification {
    fn schema_name() -> Cow<'static, str> {
        "Verification".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Finding>::json_schema(generator)
    }
}

/// A promise, and what the released file shows of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The model's or rule's name.
    pub promise: String,
    /// What was asked.
    pub asked: Value,
    /// What the file shows; of records, where `of-people` is there.
    pub reached: Value,
    /// What the custodian states of people, where the file does not show whose its records are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_people: Option<Value>,
    /// `held`, `broken`, `not-checked` or `stated`.
    pub state: Value,
}

/// Findings as front ends give them.
#[must_use]
pub fn findings(findings: &[Found]) -> Vec<Finding> {
    findings.iter().map(finding).collect()
}

fn finding(found: &Found) -> Finding {
    Finding {
        promise: found.promise.clone(),
        asked: found.asked.clone(),
        reached: found.reached.clone(),
        of_people: found.of_people.clone(),
        state: serde_json::to_value(found.state).unwrap_or_default(),
    }
}

fn listed<S: serde::Serializer>(found: &[Found], serializer: S) -> Result<S::Ok, S::Error> {
    findings(found).serialize(serializer)
}

impl Operation for Verify {
    const NAME: &'static str = "verify";
    const SUMMARY: &'static str = "Check every promise of a release again, from its files";
    type Request = Request;
    type Answer = Verification;

    fn run(request: Request, call: &Call<'_>) -> Result<Verification, JobError> {
        let Request { release, population, custodian, key, attestation } = request;
        let beside = Beside { population: population.as_deref(), custodian: custodian.as_deref() };
        let mut findings = match velamen_patients::load(&release)? {
            Some(_) if population.is_some() => {
                let problem = Problem::new("--population: no promise of linked tables looks at a population");
                return Err(JobError::usage(problem.mend("leave it out")));
            }
            Some(manifest) => {
                velamen_patients::verify_with(&release, &manifest, custodian.as_deref(), call.context)?
            }
            None => verify_with(&release, &beside, call.context)?,
        };
        let Some(key) = &key else { return Ok(Verification { findings }) };
        let Some(file) = &attestation else {
            findings.push(sign::check(&release, key)?);
            return Ok(Verification { findings });
        };
        // What recipients find, who have nothing beside.
        let plain = match population.is_some() || custodian.is_some() {
            true => Self::run(Request::plain(&release), call)?.findings,
            false => findings.clone(),
        };
        let found = serde_json::to_value(self::findings(&plain)).unwrap_or_default();
        findings.push(attestation::check(&release, file, key, &found)?);
        // The statement is signed for itself; the folder need not be.
        if release.join(sign::SIGNATURE).exists() {
            findings.push(sign::check(&release, key)?);
        }
        Ok(Verification { findings })
    }

    fn conclusion(answer: Verification) -> Result<(), JobError> {
        conclusion(&answer.findings)
    }
}
