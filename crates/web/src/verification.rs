//! What the page of recipients asks: whether a release keeps its promises, in the words of `velamen verify`.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde_json::{Map, Value};
use velamen_assess::operation::{Call, Given, Operation as _, Verification, Verify, request_of};
use velamen_checker::Finding;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_report::printed::{line, plain_text, state};

use crate::unpacked::unpacked;

/// What the page shows.
#[derive(Debug, Serialize)]
struct Answer {
    /// A line for each promise.
    lines: Vec<Line>,
    /// What the command line says after them; nothing where all is well.
    refusal: Option<Refusal>,
    /// How many files of a ZIP file were not looked at, since a system puts them there.
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct Line {
    state: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
struct Refusal {
    /// As `error[E0305]: …` and the line under it.
    lines: Vec<String>,
    /// The exit code of the command line.
    exit: u8,
}

/// Answers a request of the operation `verify` in JSON, whose `release` is a folder or a ZIP file of one.
#[must_use]
pub fn answer(request: &str) -> String {
    let mut left_out = 0;
    let answer = match verified(request, &mut left_out) {
        Ok(found) => {
            let lines = found.findings.iter().map(shown).collect();
            Answer { lines, refusal: Verify::conclusion(found).err().map(|error| refusal(&error)), left_out }
        }
        Err(error) => Answer { lines: Vec::new(), refusal: Some(refusal(&error)), left_out },
    };
    serde_json::to_string(&answer).unwrap_or_default()
}

fn verified(request: &str, left_out: &mut usize) -> Result<Verification, JobError> {
    let mut request: Map<String, Value> =
        serde_json::from_str(request).map_err(|error| JobError::usage(format!("the request: {error}")))?;
    if let Some(found) =
        request.get("release").and_then(Value::as_str).map(Path::new).map(unpacked).transpose()?
    {
        *left_out = found.left_out;
        request.insert("release".into(), found.folder.display().to_string().into());
    }
    let request = request_of::<Verify>(Value::Object(request))?;
    // Nothing is drawn.
    let seed = Seed::from_number(0);
    let context = Context { seed: &seed, progress: &Silent, cancel: &AtomicBool::new(false) };
    Verify::run(request, &Call { given: &Given::default(), shows_cells: false, context: &context })
}

fn shown(finding: &Finding) -> Line {
    Line { state: state(finding.state), text: visible(&line(finding)) }
}

fn refusal(error: &JobError) -> Refusal {
    let (text, code) = (error.to_string(), error.code());
    let mend = code.mend().map(|mend| format!("  try: {mend}"));
    let lines = std::iter::once(format!("error[{code}]: {text}")).chain(mend);
    Refusal { lines: lines.map(|line| visible(&line)).collect(), exit: error.class().exit_code() }
}

fn visible(text: &str) -> String {
    plain_text(Cow::Borrowed(text)).into_owned()
}
