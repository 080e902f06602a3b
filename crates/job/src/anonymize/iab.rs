//! The searches that count rows: the recipe's models as requirements on shields.

use serde_json::{Value, json};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::method::iab::{self, Answer, Iab, Reach, Requirement};
use velamen_core::release::Release;

use super::{Decided, Decision, Found, full_domain};
use crate::error::JobError;
use crate::recipe::{AskedModel, Resolved, RowSearch};
use crate::utility::{Figures, of_plan, of_release};

pub(super) fn decide(
    recipe: &Resolved,
    asked: &RowSearch,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let requirements: Vec<Requirement> =
        recipe.models.iter().map(|model| requirement(model, table)).collect();
    let task = Iab {
        requirements: &requirements,
        search: asked.search,
        reach: asked.reach,
        budget: asked.budget,
        lattice: &full_domain::lattice(recipe, table),
    };
    let (answer, found) = task.plan(table, context)?;
    let plan = match answer {
        Answer::FullDomain(plan) => Decided::FullDomain(plan),
        Answer::Subtree(plan) => Decided::Local(plan),
    };
    Ok(Decision { plan, found: Found::Rows(found) })
}

/// A model's shield, by the positions of its attributes; all where it names none.
fn requirement(asked: &AskedModel, table: &FrequencyTable) -> Requirement {
    let named = |name: &str| asked.shield.as_ref().is_none_or(|names| names.iter().any(|n| n == name));
    let shield = (0..table.qis.len()).filter(|&q| named(&table.qis[q].name)).collect();
    Requirement { shield, k: asked.model.least_size() }
}

/// Warns of quasi-identifiers that no shield names.
pub(super) fn unshielded(recipe: &Resolved) -> Option<String> {
    let shielded = |name: &String| {
        let mut shields = recipe.models.iter().map(|asked| asked.shield.as_ref());
        shields.any(|shield| shield.is_none_or(|names| names.contains(name)))
    };
    let qis = recipe.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier);
    let open: Vec<String> =
        qis.filter(|qi| !shielded(&qi.name)).map(|attribute| format!("`{}`", attribute.name)).collect();
    let names = open.join(", ");
    (!open.is_empty()).then(|| {
        format!("no `attributes` of a model name {names}: released as they are; whoever knows them can link on them")
    })
}

/// The manifest's method section.
pub(super) fn described(asked: &RowSearch) -> Value {
    let mut value = json!({ "name": asked.name, "recoding": asked.reach });
    if asked.budget != iab::USUAL_BUDGET {
        value["budget-steps"] = asked.budget.into();
    }
    value
}

/// For the custodian: how the answer was found.
pub(super) fn search(found: &iab::Found) -> Value {
    let figures = |figures: iab::Figures| json!({ "violations": figures.violations, "rows": figures.rows });
    json!({
        "original": figures(found.start),
        "released": figures(found.answer),
        "steps": found.steps,
        "tables-generated": found.generated,
        "proven-optimal": found.proven,
    })
}

/// Every metric that may be published, the rows that the search counts among them.
pub(super) fn figures(
    asked: &RowSearch,
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
) -> Figures {
    let plan = decision.plan.full_domain().filter(|_| asked.reach == Reach::FullDomain);
    let mut figures = match plan {
        Some(plan) => of_plan(table, release, plan, None),
        None => of_release(&table.qis, release),
    };
    figures.insert("rows-retained".into(), release.rows.len().into());
    figures
}
