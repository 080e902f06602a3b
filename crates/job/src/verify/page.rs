//! Whether `report.html` is the page that follows from manifest, findings and released records, and that it does nothing but
//! show.

use std::path::Path;

use serde_json::json;
use velamen_checker::Finding;
use velamen_core::release::Release;
use velamen_recipe::JobError;
use velamen_report::Manifest;

use super::unlike_other_version;
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
    let active = active(&String::from_utf8_lossy(&there));
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

/// Elements that run or load something.
const ACTIVE: [&str; 9] =
    ["script", "iframe", "object", "embed", "link", "base", "applet", "frame", "portal"];
/// Attributes whose value is an address.
const ADDRESSES: [&str; 9] =
    ["src", "srcset", "href", "xlink:href", "action", "formaction", "data", "poster", "background"];

/// What a page runs, or loads from elsewhere: elements, handlers of events, addresses.
fn active(page: &str) -> Vec<String> {
    let lower = page.to_lowercase();
    let styles = ["@import", "expression(", "-moz-binding", "javascript:", "vbscript:"];
    let mut found: Vec<String> =
        styles.into_iter().filter(|word| lower.contains(word)).map(str::to_owned).collect();
    let loads = |rest: &str| {
        let address = rest.trim_start_matches([' ', '\t', '\n', '\r', '"', '\'', '(']);
        address.starts_with("http:") || address.starts_with("https:") || address.starts_with("//")
    };
    if lower.match_indices("url(").any(|(at, _)| lower.get(at.saturating_add(4)..).is_some_and(loads)) {
        found.push("url(".to_owned());
    }
    let mut rest = lower.as_str();
    while let Some((_, tag)) = rest.split_once('<') {
        let end = end_of_tag(tag);
        let (inner, after) = tag.split_at_checked(end).unwrap_or((tag, ""));
        found.extend(active_in(inner));
        rest = after;
    }
    found.sort();
    found.dedup();
    found
}

/// Where a tag ends: at the first `>` outside quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    for (at, character) in tag.char_indices() {
        match (quote, character) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// What a tag does, of its name and attributes in lower case.
fn active_in(tag: &str) -> Vec<String> {
    let mut found = Vec::new();
    let name_ends = tag.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(tag.len());
    let name = tag.get(..name_ends).unwrap_or_default();
    if ACTIVE.contains(&name) {
        found.push(format!("<{name}>"));
    }
    let mut attributes = tag.get(name_ends..).unwrap_or_default();
    while let Some((before, value)) = attributes.split_once('=') {
        let separates = |c: char| c.is_ascii_whitespace() || c == '/' || c == '"' || c == '\'';
        let key = before.trim_end().rsplit(separates).next().unwrap_or_default();
        let value = value.trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inner = value.get(1..).unwrap_or_default();
                inner.split_once(quote).unwrap_or((inner, ""))
            }
            _ => value.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((value, "")),
        };
        let is_handler = key.starts_with("on") && key.len() > 2;
        let is_elsewhere =
            !(value.trim_start().starts_with('#') || value.trim_start().starts_with("data:image/"));
        let refreshes = key == "http-equiv" && value.trim() == "refresh";
        if is_handler || refreshes || (ADDRESSES.contains(&key) && is_elsewhere && name != "a") {
            found.push(format!("{key}="));
        }
        attributes = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_or_loads_is_seen() {
        for page in [
            "<p><script>alert(1)</script>",
            "<SCRIPT SRC=http://a/b>",
            "<img src=\"http://a/b.png\">",
            "<img src=//a/b.png>",
            "<p onclick='x()'>",
            "<svg/onload=x()>",
            "<style>@import 'http://a'</style>",
            "<p style=\"background: url( 'https://a')\">",
            "<a href=\"javascript:x()\">",
            "<iframe srcdoc=x>",
            "<meta http-equiv=refresh content=\"0;url=http://a\">",
            "<link rel=stylesheet href=http://a>",
        ] {
            assert!(!active(page).is_empty(), "{page}");
        }
    }

    #[test]
    fn what_shows_is_not() {
        for page in [
            "<p>a script, onclick = 1, src=http</p>",
            "<a href=\"https://example.org/\">x</a>",
            "<p title=\"on a = b > c\">",
            "<svg><rect fill=\"url(#a)\"/></svg>",
        ] {
            assert!(active(page).is_empty(), "{page}: {:?}", active(page));
        }
    }
}
