//! promises

use axum::Router;
use maud::Markup;

use super::stub;
use crate::App;
use crate::form::Form;
use crate::project::Project;

pub(super) fn routes() -> Router<App> {
    Router::new()
}

pub(super) fn view(_app: &App, _project: &Project, _asked: &Form) -> Markup {
    stub("Promises", "This page is not built yet.")
}
