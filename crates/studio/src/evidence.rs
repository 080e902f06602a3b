//! Forms of boards and regulators for the release that was made last, filled from checks.

use std::path::Path;
use std::sync::Arc;

use maud::{Markup, html};
use serde_json::json;
use velamen_assess::evidence::{FormName, html as page};
use velamen_assess::operation::{Call, Evidence, Given, Operation, request_of};
use velamen_recipe::{JobError, custodian_of};
use velamen_report::language::messages::words;
use velamen_report::language::{mark, say, t};

use crate::App;
use crate::form::Form;
use crate::shell::quoted;
use crate::worker::locked;

/// A form that was filled from here.
pub(crate) struct FilledForm {
    form: FormName,
    /// Its title.
    title: String,
    /// How many of its items are filled.
    first_line: String,
    /// The form as a page to print.
    pub(crate) page: String,
}

/// Fills the form that is asked for.
///
/// # Errors
/// [`JobError::usage`] of a form that there is not.
pub(crate) fn begin(app: &App, asked: &Form) -> Result<(), JobError> {
    let form: FormName = serde_json::from_value(json!(asked.text("form")))
        .map_err(|_| JobError::usage("there is no form of this name").expected("one of those in the list"))?;
    let Some(release) = locked(&app.runs).release.clone() else { return Ok(()) };
    let (own, with_originals) = (Arc::clone(app), asked.text("originals") == "yes");
    locked(&app.runs).form = None;
    app.worker.put(mark("Filling the form"), move |_, context| {
        let custodian = with_originals.then(|| custodian_of(&release));
        let request = json!({ "release": release, "for": form, "custodian": custodian });
        let given = Given::default();
        let call = Call { given: &given, shows_cells: false, context };
        let filled = Evidence::run(request_of::<Evidence>(request)?, &call)?;
        let (title, first_line) = (filled.title.clone(), filled.first_line());
        locked(&own.runs).form = Some(FilledForm { form, title, first_line, page: page(&filled) });
        Ok(())
    });
    Ok(())
}

/// Where forms are filled, on the page of that address.
pub(crate) fn section(app: &App, address: &str, release: &Path) -> Markup {
    let runs = locked(&app.runs);
    let last = runs.form.as_ref().map(|filled| filled.form);
    // A statement is signed on the command line, where the key is.
    let forms = FormName::ALL.into_iter().filter(|form| *form != FormName::Attestation);
    html! {
        h3 #evidence-heading { (t("Forms that others ask for")) }
        p { (t("A form is filled from checks of the release; what no check can answer stays open for you.")) }
        form hx-post=(format!("{address}/evidence")) {
            div.field {
                label for="evidence-form" { (t("Form")) }
                select #evidence-form name="form" {
                    @for form in forms { option value=(form.name()) selected[last == Some(form)] { (words(&form.title())) } }
                }
            }
            p.check {
                input #evidence-originals type="checkbox" name="originals" value="yes";
                " " label for="evidence-originals" { (t("With figures of the original records, for you alone")) }
            }
            button #evidence type="submit" { (t("Fill the form")) }
        }
        @if let Some(filled) = &runs.form {
            p.done #evidence-filled role="status" {
                (say!("{}: {}. {} to read or print it.", html! { strong { (words(&filled.title)) } }, words(&filled.first_line), html! { a href="evidence" target="_blank" rel="noopener" { (t("Open the form")) } }))
            }
        }
        p.note { (say!("By command, with your answers kept: {}", html! { code { "velamen evidence " (quoted(&release.file_name().unwrap_or_default().to_string_lossy())) " --for FORM --answers answers.toml --output form.html" } })) }
    }
}
