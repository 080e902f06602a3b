//! From `[[privacy]]` to models with checked parameters.

use std::path::Path;

use serde_json::{Map, Value};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_search::model;
use velamen_search::model::ParameterError;

use super::nearest::{did_you_mean, one_of};
use super::said::Said;
use super::{AskedModel, Code, JobError, PrivacySection, Recipe, preset};

impl Recipe {
    /// The models that are asked for, with what a preset adds.
    pub(super) fn models(&self, path: &Path) -> Result<Vec<AskedModel>, JobError> {
        let models = self.named_models(path)?;
        match self.preset {
            Some(preset) => {
                preset::completed(preset, models).map_err(|problem| self.refuse(path, &["preset"], problem))
            }
            None => Ok(models),
        }
    }

    fn named_models(&self, path: &Path) -> Result<Vec<AskedModel>, JobError> {
        let sets_model = self.preset.is_some_and(|preset| preset.least_k().is_some());
        if self.privacy.is_empty() && !sets_model && self.method.facts().models {
            let example = match self.method.facts().private {
                true => "model = \"differential-privacy\", epsilon = 1.0, delta = 1e-9",
                false => "model = \"k-anonymity\", k = 5",
            };
            let refusal = JobError::recipe(path, "no privacy model")
                .mend(format!("add for example [[privacy]] {example}"));
            return Err(refusal.coded(Code::NO_MODEL));
        }
        let parse = |(number, section): (usize, &PrivacySection)| {
            self.asked_model(section).map_err(|(code, problem)| {
                let problem = problem.after(&format!("privacy {}: ", number + 1));
                self.refuse(path, &["privacy", &number.to_string()], problem).coded(code)
            })
        };
        self.privacy.iter().enumerate().map(parse).collect()
    }

    fn asked_model(&self, section: &PrivacySection) -> Result<AskedModel, (Code, Problem)> {
        let entry = model::find(&section.model).ok_or_else(|| {
            let known: Vec<&str> = model::REGISTRY.names().collect();
            let problem = format!("unknown model `{}`", section.model);
            let problem = one_of(problem, &section.model, &known);
            (Code::UNKNOWN_MODEL, Problem::of(&["model"], problem))
        })?;
        if entry.terms.facts.population && self.population.is_none() {
            let problem = Problem::new(format!("`{}` looks at the population", entry.terms.name)).mend(
                "add [population] with path = \"…\", a table that contains the input's records, or size = …",
            );
            return Err((Code::PRIVACY, problem));
        }
        let mut parameters = section.parameters.clone();
        let attribute = match entry.terms.facts.sensitive {
            true => {
                let named = self.sensitive_attribute(parameters.remove("attribute"));
                Some(named.map_err(|problem| (Code::MODEL_ATTRIBUTE, problem))?)
            }
            false => None,
        };
        let shield =
            self.shield(entry, &mut parameters).map_err(|problem| (Code::MODEL_PARAMETERS, problem))?;
        let wrong = |error| (Code::MODEL_PARAMETERS, of_parameters(entry, &section.parameters, error));
        let model = (entry.parse)(Value::Object(parameters)).map_err(wrong)?;
        Ok(AskedModel { entry, model, attribute, shield })
    }

    /// The attribute that a model names, or the only sensitive one.
    fn sensitive_attribute(&self, named: Option<Value>) -> Result<String, Problem> {
        let sensitive: Vec<&String> =
            self.attributes.iter().filter(|(_, a)| a.role == Role::Sensitive).map(|(name, _)| name).collect();
        match (named, &sensitive[..]) {
            (Some(Value::String(name)), _) if sensitive.contains(&&name) => Ok(name),
            (Some(Value::String(name)), _) => {
                let near = did_you_mean(&name, sensitive.iter().map(|name| name.as_str()));
                let problem = format!("the `attribute` `{name}` does not have the role \"sensitive\"");
                Err(Problem::of(&["attribute"], problem).naming(&name).mend_if(near))
            }
            (Some(_), _) => {
                Err(Problem::of(&["attribute"], "`attribute` is the name of a sensitive attribute"))
            }
            (None, [one]) => Ok((*one).clone()),
            (None, []) => {
                let problem = "the model looks at a sensitive attribute, but none has the role \"sensitive\"";
                Err(Problem::of(&["model"], problem))
            }
            (None, _) => {
                let problem = Problem::new("the table has several sensitive attributes")
                    .mend("name the one that the model looks at: attribute = \"…\"");
                Err(problem.with(&["model"]))
            }
        }
    }
}

/// What is wrong with a model's parameters, and which of them it is.
fn of_parameters(entry: &model::Entry, given: &Map<String, Value>, error: ParameterError) -> Problem {
    let ParameterError { model, problem, unreadable } = error;
    if !unreadable {
        return problem.after(&format!("{model}: "));
    }
    let said = Said::of(problem.text());
    // Where a model looks at one attribute, the recipe names it beside the parameters.
    let word = said.unknown.filter(|_| entry.terms.facts.sensitive).unwrap_or_default();
    let (near, key) = (did_you_mean(word, ["attribute"]), said.mistyped(given));
    let shown = key.map_or_else(String::new, |key| format!("`{key}`: "));
    let keys: Vec<&str> = said.unknown.into_iter().chain(key).collect();
    Problem::of(&keys, said.explained().after(&format!("{model}: {shown}"))).mend_if(near)
}
