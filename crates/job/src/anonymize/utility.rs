//! Utility figures for the manifest.

use velamen_core::frequency::FrequencyTable;
use velamen_core::metric::rce::Reading;
use velamen_core::release::Release;

use super::full_domain::weighted;
use super::{Decision, iab};
use crate::recipe::{Method, Resolved};
use crate::utility::{Figures, of_classes, of_plan, of_release, rce};

/// Every metric that may be published of a release.
///
/// Where counterfeits are hidden or records moved, the figures are those of the released table, which a
/// recipient can compute; a figure over the originals would tell more.
pub(super) fn figures(
    recipe: &Resolved,
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
) -> Figures {
    let mut figures = match &recipe.method {
        Method::Mdav { .. } => return of_classes(release),
        Method::FullDomain { metric, options, .. } => {
            let asked = (*metric, weighted(recipe, table, options));
            match decision.plan.full_domain().filter(|plan| plan.moved() == 0) {
                Some(plan) => of_plan(table, release, plan, Some(&asked)),
                None => of_release(&table.qis, release),
            }
        }
        Method::Rows(method) => iab::figures(method, table, release, decision),
        _ => of_release(&table.qis, release),
    };
    let reading = match &recipe.method {
        Method::HCeiling(_, params, _) => params.rce,
        _ => Reading::Marginal,
    };
    figures.insert("rce".into(), rce(&table.qis, release, reading));
    figures
}
