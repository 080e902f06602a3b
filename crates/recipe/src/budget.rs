//! `[budget]`: what all differentially private releases of one table may cost together, and where that is kept.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::AskedFor;
use velamen_contract::model::differential_privacy::DifferentialPrivacyParams;
use velamen_core::error::Problem;
use velamen_dp::{Loss, Rational};

use super::{AskedMethod, AskedModel, Recipe, custodian_of};
use crate::JobError;

/// `[budget]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetSection {
    /// The custodian's file that lists what each release has spent; made by the first.
    pub ledger: PathBuf,
    /// What all releases of the table may spend together.
    pub total: TotalSection,
    /// The custodian's name for the table; a ledger that holds another one is refused.
    pub of: Option<String>,
}

/// `total = { … }`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TotalSection {
    /// The sum of all ε.
    #[schemars(range(min = 0))]
    pub epsilon: f64,
    /// The sum of all δ; 0 if left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub delta: f64,
}

/// A ledger, and what the run adds to it.
#[derive(Debug, Clone)]
pub struct ResolvedBudget {
    /// The ledger's file.
    pub ledger: PathBuf,
    /// What all releases may spend together.
    pub total: Loss,
    /// What this one spends.
    pub loss: Loss,
    /// The table's name.
    pub of: Option<String>,
}

impl Recipe {
    pub(super) fn ledger(
        &self,
        path: &Path,
        models: &[AskedModel],
        method: &AskedMethod,
    ) -> Result<Option<ResolvedBudget>, JobError> {
        let Some(section) = &self.budget else { return Ok(None) };
        let wrong = |problem: Problem| JobError::recipe(path, problem.after("budget: "));
        let asked = models.iter().find(|asked| asked.entry.terms.facts.private && method.is_private());
        let Some(asked) = asked else {
            let problem = format!(
                "only differentially private releases spend a budget, and name = \"{}\" makes none here",
                method.name()
            );
            return Err(wrong(problem.into()).mend("drop the section `budget`"));
        };
        for folder in [self.output.path.clone(), custodian_of(&self.output.path)] {
            if section.ledger.starts_with(&folder) {
                let problem =
                    format!("`ledger` lies in {}, which a run replaces or publishes", folder.display());
                return Err(wrong(problem.into()).mend("keep it beside"));
            }
        }
        let total = loss("total.", section.total.epsilon, section.total.delta).map_err(wrong)?;
        let spent = AskedFor(&asked.model.parameters()).parameters();
        let DifferentialPrivacyParams { epsilon, delta } =
            spent.ok_or_else(|| wrong("the model's parameters do not read as ε and δ".into()))?;
        let loss = loss("", epsilon, delta).map_err(wrong)?;
        Ok(Some(ResolvedBudget { ledger: section.ledger.clone(), total, loss, of: section.of.clone() }))
    }
}

fn loss(of: &str, epsilon: f64, delta: f64) -> Result<Loss, Problem> {
    let read = |name: &str, value: f64| {
        Rational::from_decimal(value).map_err(|error| format!("{of}{name}: {error}"))
    };
    Ok(Loss { epsilon: read("epsilon", epsilon)?, delta: read("delta", delta)? })
}
