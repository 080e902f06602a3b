//! `attack`: what an adversary gets from a release.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use velamen_contract::linked::LinkedManifest;
use velamen_dp::Seed;
use velamen_patients::{AttackAsked, LinkedAttack};
use velamen_recipe::{JobError, Origin, Overrides, custodian_of};

use super::entry::Operation;
use super::recipe::TheRecipe;
use super::table::{Call, Reading, Table};
use crate::attack::{AttackOptions, AttackRequest, Attacks, Repeated, attack};

/// What an adversary gets from a release.
#[derive(Debug)]
pub struct Attack;

/// A release and the table that it was made of.
#[derive(Debug, Deserialize)]
pub struct Beside(pub PathBuf, pub Table);

impl JsonSchema for Beside {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Beside".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "minItems": 2, "maxItems": 2, "format": "beside" })
    }
}

/// What is asked of [`Attack`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The release folder.
    #[schemars(extend("format" = "release", "x-custodian" = true))]
    pub release: PathBuf,
    /// The table that the release was made of, in any format that can be read.
    #[schemars(extend("x-flag" = true, "x-value" = "TABLE", "x-several" = true))]
    pub original: Table,
    /// Only these attacks.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B,C"))]
    pub attacks: Vec<String>,
    /// How many people to look for, drawn at random.
    #[serde(default = "targets")]
    #[schemars(extend("x-value" = "N"))]
    pub targets: u64,
    /// The probability that an interval contains the true rate.
    #[serde(default = "confidence")]
    #[schemars(extend("x-value" = "P"))]
    pub confidence: f64,
    /// The most values, or other people, that the adversary of `background` knows.
    #[serde(default = "background")]
    #[schemars(extend("x-value" = "J"))]
    pub background: u64,
    /// A second release of some of the same people, and the table that it was made of.
    #[serde(default)]
    pub second: Option<Beside>,
    /// Records of people of the same population who are not in the release, for `control`.
    #[serde(default)]
    #[schemars(extend("x-value" = "TABLE"))]
    pub control: Option<Table>,
    /// The release's recipe, for `membership` and `simulation`.
    #[serde(default)]
    pub recipe: Option<TheRecipe>,
    /// How often `membership` runs the method on each table.
    #[serde(default = "trials")]
    #[schemars(extend("x-value" = "N"))]
    pub trials: u64,
    /// How many records of the recipe's input `membership` takes away, one at a time.
    #[serde(default = "from_data")]
    #[schemars(extend("x-value" = "N"))]
    pub from_data: u64,
    /// On how many runs of the recipe `simulation` learns to look for counterfeits, each on a table drawn again from its input.
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub simulate: u64,
    /// The seed of all draws, a whole number or 64 hexadecimal digits.
    #[serde(default = "seed")]
    #[schemars(extend("format" = "seed"))]
    pub seed: String,
    /// Also print the values of the person about whom the most is learned.
    #[serde(default)]
    pub show_values: bool,
    /// How tables are read.
    #[serde(flatten)]
    pub reading: Reading,
}

fn targets() -> u64 {
    AttackOptions::default().targets
}

fn confidence() -> f64 {
    AttackOptions::default().confidence
}

fn background() -> u64 {
    AttackOptions::default().background
}

fn trials() -> u64 {
    500
}

fn from_data() -> u64 {
    5
}

fn seed() -> String {
    "1".into()
}

/// What attacks on a release came to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Attacks")]
pub enum Attacked {
    /// On one of linked tables.
    Linked(Box<LinkedAttack>),
    /// On one of a table.
    Table(Box<Attacks>),
}

/// Attacks a release of linked tables: the original is their folder, the custodian's folder lies beside the release.
fn linked(
    request: &Request,
    (manifest, original, seed): (&LinkedManifest, &Origin, &Seed),
    call: &Call<'_>,
) -> Result<Attacked, JobError> {
    let other = request.second.is_some() || request.control.is_some() || request.recipe.is_some();
    if other || !request.attacks.is_empty() {
        let problem =
            JobError::usage("a release of linked tables is attacked by known codes and a day alone");
        return Err(problem.mend("leave out --attacks, --with, --control and --recipe"));
    }
    let original = original
        .file()
        .ok_or_else(|| JobError::usage("--original: linked tables are files").mend("give their folder"))?;
    let asked = AttackAsked {
        release: &request.release,
        manifest,
        custodian: &custodian_of(&request.release),
        original: Some(original),
        m: u8::try_from(request.background).unwrap_or(u8::MAX),
        targets: usize::try_from(request.targets).unwrap_or(usize::MAX),
    };
    let found = velamen_patients::attack(&asked, &call.drawing(seed))?;
    Ok(Attacked::Linked(Box::new(found)))
}

impl Operation for Attack {
    const NAME: &'static str = "attack";
    const SUMMARY: &'static str = "Measure what an adversary gets from a release, against its original";
    const DETAILS: &'static str =
        "It is for the custodian: it looks for people of the original in the release.";
    type Request = Request;
    type Answer = Attacked;

    fn run(request: Request, call: &Call<'_>) -> Result<Attacked, JobError> {
        let seed: Seed = request.seed.parse().map_err(|error| JobError::usage(format!("--seed: {error}")))?;
        let original = call.origin(&request.original)?;
        if let Some(manifest) = velamen_patients::load(&request.release)? {
            return linked(&request, (&manifest, &original, &seed), call);
        }
        call.refuse_several(Some(&request.original))?;
        // A recipe that a caller holds runs on the original, one in a file on its own input.
        let held = |recipe: &TheRecipe| matches!(recipe, TheRecipe::Text(_));
        let over = |recipe: &TheRecipe| recipe.over(held(recipe).then_some(&original), &Overrides::default());
        let resolved = request.recipe.as_ref().map(over).transpose()?;
        let repeated = resolved.as_ref().map(|recipe| Repeated {
            recipe,
            trials: request.trials,
            from_data: request.from_data,
        });
        let second = match request.second {
            Some(Beside(release, table)) => Some((release, call.origin(&table)?)),
            None => None,
        };
        let asked = AttackRequest {
            release: request.release,
            read: call.reading(&request.reading, false)?,
            second,
            control: call.origin_of(request.control.as_ref())?,
            attacks: request.attacks,
            options: AttackOptions {
                targets: request.targets,
                confidence: request.confidence,
                background: request.background,
            },
            simulate: request.simulate,
            show_values: request.show_values,
            original,
        };
        let found = attack(&asked, repeated.as_ref(), &call.drawing(&seed))?;
        Ok(Attacked::Table(Box::new(found)))
    }
}
