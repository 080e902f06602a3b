//! Whether `report.html` is the page that follows from manifest, findings and released records, and that it does nothing but
//! show.

use std::path::Path;

use serde_json::json;
use velamen_checker::Finding;
use velamen_core::release::Release;
use velamen_recipe::JobError;
use velamen_report::Manifest;

use super::unlike_other_version;
use crate::active::in_page;
use crate::recipients::VERSION;
use crate::session::pages::{self, PUBLIC_PAGE};

/// Compares the page of a folder with the one made again, by what [`super::check`] finds without the population; without released records as a
/// page is made from, only what it loads is judged. `None` of an older release without a page.
pub(super) fn finding(
    folder: &Path,
    manifest: &Manifest,
    checked: &[Finding],
    release: Option<&Release>,
) -> Result<Option<Finding>, JobError> {
    let path = folder.join(PUBLIC_PAGE);
    // That it is missing is another finding.
    let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
    if !is_file {
        return Ok(None);
    }
    let there = std::fs::read(&path).map_err(|error| JobError::io(&path, "read", &error))?;
    let asked = json!({ "changed": false, "active": [] });
    let active = in_page(&String::from_utf8_lossy(&there));
    if !active.is_empty() {
        let reached = json!({ "changed": true, "active": active });
        return Ok(Some(Finding::of("report", asked, reached, false)));
    }
    if !pages::ARE_MADE {
        let why = "report.html: this build of velamen makes no pages; build it with its feature `reports`";
        return Ok(Some(Finding::not_checked("report", asked, why)));
    }
    let page = release.and_then(|release| pages::public(manifest, checked, release));
    let same = page.is_some_and(|page| page.into_bytes() == there);
    let is_ours = manifest.velamen == VERSION && manifest.is_current();
    if same || (release.is_some() && is_ours) {
        let reached = json!({ "changed": !same, "active": [] });
        return Ok(Some(Finding::of("report", asked, reached, same)));
    }
    let why = match release {
        None => "report.html: cannot be made again from the released records".to_owned(),
        Some(_) => unlike_other_version(manifest, PUBLIC_PAGE),
    };
    Ok(Some(Finding::not_checked("report", asked, &why)))
}
