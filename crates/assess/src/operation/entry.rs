//! What an operation is, and how the registry holds those of different types.

use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use velamen_core::registry::Named;
use velamen_recipe::JobError;

use super::property::{self, Property};
use super::table::Call;

/// Something that every front end offers.
pub trait Operation: 'static {
    /// The command's and the function's name.
    const NAME: &'static str;
    /// What it does, in a line.
    const SUMMARY: &'static str;
    /// What else holds for every front end.
    const DETAILS: &'static str = "";
    /// An example in Python, which runs as a test.
    const PYTHON: &'static str = "";
    /// What is asked. The doc comment of a field is its description everywhere, and `extend` adds what a front end shows:
    /// `format` for what a text is, `x-value` for how the command line's help calls a value.
    type Request: DeserializeOwned + JsonSchema;
    /// What is answered; the name of its schema is the name of its class in Python.
    type Answer: Serialize + JsonSchema;

    /// Does it.
    ///
    /// # Errors
    /// What the operation refuses, and what reading can give.
    fn run(request: Self::Request, call: &Call<'_>) -> Result<Self::Answer, JobError>;

    /// What an answer says of the exit code, once it has been shown.
    ///
    /// # Errors
    /// [`JobError`] where the answer is no success.
    fn conclusion(_answer: Self::Answer) -> Result<(), JobError> {
        Ok(())
    }
}

/// An answer as JSON, and what it says of the exit code.
pub type Concluded = (Value, Result<(), JobError>);

/// An operation of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The command's and the function's name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What else holds for every front end.
    pub details: &'static str,
    /// An example in Python.
    pub python: &'static str,
    /// The schema of a request.
    pub request: fn() -> Schema,
    /// The schema of an answer.
    pub answer: fn() -> Schema,
    run: fn(Value, &Call<'_>) -> Result<Concluded, JobError>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Entry {
    /// The entry of an operation.
    #[must_use]
    pub const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            summary: O::SUMMARY,
            details: O::DETAILS,
            python: O::PYTHON,
            request: || schema_for!(O::Request),
            answer: || schema_for!(O::Answer),
            run: answered::<O>,
        }
    }

    /// What a request consists of, in order.
    #[must_use]
    pub fn properties(&self) -> Vec<Property> {
        property::all(&(self.request)())
    }

    /// The answer to a request as JSON.
    ///
    /// # Errors
    /// [`JobError::usage`] if it is no request, and what the operation refuses.
    pub fn call(&self, request: Value, call: &Call<'_>) -> Result<Value, JobError> {
        self.concluded(request, call).map(|(answer, _)| answer)
    }

    /// The answer, and what it says of the exit code.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn concluded(&self, request: Value, call: &Call<'_>) -> Result<Concluded, JobError> {
        (self.run)(request, call)
    }
}

fn answered<O: Operation>(request: Value, call: &Call<'_>) -> Result<Concluded, JobError> {
    let answer = O::run(request_of::<O>(request)?, call)?;
    // A number that JSON cannot write becomes null.
    let value = serde_json::to_value(&answer).map_err(|error| JobError::data(error.to_string()))?;
    Ok((value, O::conclusion(answer)))
}

/// An operation's request from JSON.
///
/// # Errors
/// [`JobError::usage`] that names the property and what is expected of it, and nothing of its value.
pub fn request_of<O: Operation>(request: Value) -> Result<O::Request, JobError> {
    property::check(&property::all(&schema_for!(O::Request)), &request)?;
    serde_json::from_value(request)
        .map_err(|_| JobError::usage(format!("this is no request for `{}`", O::NAME)).mend("see its schema"))
}
