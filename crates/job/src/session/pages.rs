//! The pages of a release and of its custodian, where the build makes any.

use serde_json::Value;
use velamen_checker::Finding;
use velamen_core::frequency::Counted;
use velamen_core::release::Release;
use velamen_report::Manifest;

#[cfg(feature = "reports")]
use super::pictures;
use super::told::Told;

/// The public page's name in a release.
pub(crate) const PUBLIC_PAGE: &str = "report.html";

/// Whether this build makes pages.
pub(crate) const ARE_MADE: bool = cfg!(feature = "reports");

/// `release/report.html`
#[cfg(feature = "reports")]
pub(crate) fn public(manifest: &Manifest, findings: &[Finding], release: &Release) -> Option<String> {
    Some(pictures::public(manifest, findings, release))
}

/// `release.custodian/custodian-report.html`
#[cfg(feature = "reports")]
pub(super) fn private(
    manifest: &Manifest,
    findings: &[Finding],
    table: &Counted<'_>,
    release: &Release,
    figures: &Value,
    told: Told<'_>,
) -> Option<String> {
    Some(pictures::private(manifest, findings, table, release, figures, told))
}

/// A build without the feature makes none.
#[cfg(not(feature = "reports"))]
pub(crate) fn public(_: &Manifest, _: &[Finding], _: &Release) -> Option<String> {
    None
}

/// A build without the feature makes none.
#[cfg(not(feature = "reports"))]
pub(super) fn private(
    _: &Manifest,
    _: &[Finding],
    _: &Counted<'_>,
    _: &Release,
    _: &Value,
    _: Told<'_>,
) -> Option<String> {
    None
}
