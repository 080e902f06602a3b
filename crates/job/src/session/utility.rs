//! Utility figures for the manifest.

use velamen_core::frequency::Counted;
use velamen_core::release::Release;
use velamen_search::method::{Decision, Utility};
use velamen_search::metric::{Reading, released};

use crate::utility::{UtilityFigures, of_classes, of_plan, of_release, rce};

/// Every metric that may be published of a release.
///
/// Where counterfeits are hidden or records moved, the figures are those of the released table, which a
/// recipient can compute; a figure over the originals would tell more.
pub(super) fn figures(table: &Counted<'_>, release: &Release, decision: &Decision) -> UtilityFigures {
    let shown = |asked: Option<&_>| of_release(&table.qis, release, asked);
    let over_plan = |asked: Option<&_>| match decision.outcome.full_domain() {
        Some(plan) => of_plan(table, release, plan, asked),
        None => shown(asked),
    };
    let mut figures = match &decision.utility {
        Utility::Sizes => return of_classes(release),
        Utility::Originals(asked) => over_plan(asked.as_ref()),
        Utility::Rows => {
            let mut figures = over_plan(None);
            let (name, rows) = released::distinct_rows(release);
            figures.insert(name.into(), rows.into());
            figures
        }
        Utility::Released | Utility::Read(..) => shown(None),
    };
    // Of records that moved the released table shows no error.
    if decision.outcome.full_domain().is_some_and(|plan| plan.moved() > 0) {
        return figures;
    }
    let reading = match decision.utility {
        Utility::Read(reading, values) => (reading, values),
        _ => (Reading::Marginal, false),
    };
    figures.extend([rce(&table.qis, release, reading)]);
    figures
}
