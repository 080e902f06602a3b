//! A page as data: its address, its title, its place among the steps, what it shows, and its changes.

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use maud::Markup;
use velamen_core::registry::Named;
use velamen_recipe::JobError;

use super::{edit, show};
use crate::App;
use crate::edit::Edit;
use crate::form::Form;
use crate::project::Project;

/// What a page shows of the open recipe; the form has the fields of the address, or of the change that was posted.
pub type View = fn(&App, &Project, &Form) -> Markup;

/// What a posted form changes in the recipe, or why it cannot.
pub type Change = fn(&App, &Form) -> Result<Vec<Edit>, JobError>;

/// A page of the studio.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Where it lies, as links write it.
    pub(super) path: &'static str,
    /// Its name among the steps and in the window's title.
    pub(super) title: &'static str,
    after: Option<&'static str>,
    /// Whether it is about recipes of linked tables, and not of one table.
    pub(super) of_linked: bool,
    pub(super) shows: Shows,
    pub(super) keeps: &'static [&'static str],
    pub(super) says: Option<Says>,
    changes: &'static [(&'static str, Change)],
    routes: fn() -> Router<App>,
}

/// The mistake that a page shows in its own place.
pub(super) type Says = fn(&App, &Project, &Form) -> Option<String>;

/// What a page needs to be shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shows {
    /// An open recipe.
    Recipe(View),
    /// Nothing: it is where recipes are opened.
    Always(fn(&App, Option<&Project>) -> Markup),
}

/// Addresses that no page can have: what all pages share answers there.
const TAKEN: [&str; 13] = [
    "cancel", "end", "file", "language", "mend", "recipe", "redo", "report", "revision", "static", "status",
    "trial", "undo",
];

impl Page {
    /// A page at the end of the steps, with nothing to change.
    ///
    /// # Panics
    /// If the address is not made of small letters and hyphens, or belongs to what all pages share. In a constant the
    /// compiler says so.
    #[must_use]
    pub const fn new(path: &'static str, title: &'static str, view: View) -> Self {
        Self::showing(path, title, Shows::Recipe(view))
    }

    /// The same, for a page that is there before anything is open.
    pub(super) const fn always(
        path: &'static str,
        title: &'static str,
        view: fn(&App, Option<&Project>) -> Markup,
    ) -> Self {
        Self::showing(path, title, Shows::Always(view))
    }

    const fn showing(path: &'static str, title: &'static str, shows: Shows) -> Self {
        assert!(is_word(path), "the address of a page is a word of small letters and hyphens");
        assert!(!is_taken(path), "what all pages share has this address");
        Self {
            path,
            title,
            after: None,
            of_linked: false,
            shows,
            keeps: &[],
            says: None,
            changes: &[],
            routes: Router::new,
        }
    }

    /// Puts it behind another page, by that page's address.
    #[must_use]
    pub const fn after(mut self, path: &'static str) -> Self {
        self.after = Some(path);
        self
    }

    /// Makes it one about recipes of linked tables.
    pub(super) const fn of_linked(mut self) -> Self {
        self.of_linked = true;
        self
    }

    /// Fields of its address that say which part of it is shown; they stay through undo, redo and edits by hand. None
    /// may hold a value of a cell.
    #[must_use]
    pub const fn keeps(mut self, fields: &'static [&'static str]) -> Self {
        self.keeps = fields;
        self
    }

    /// What can be changed on it, each posted to `PAGE/NAME` and answered with the page.
    ///
    /// # Panics
    /// If a name is not made of small letters and hyphens.
    #[must_use]
    pub const fn changes(mut self, changes: &'static [(&'static str, Change)]) -> Self {
        let mut rest = changes;
        while let [(name, _), others @ ..] = rest {
            assert!(is_word(name), "the address of a change is a word of small letters and hyphens");
            rest = others;
        }
        self.changes = changes;
        self
    }

    /// Routes that are more than an edit: they wait, send a file, or begin work.
    pub(super) const fn routes(mut self, routes: fn() -> Router<App>) -> Self {
        self.routes = routes;
        self
    }

    /// The mistake that the page shows in its own place, so that it is not said twice.
    pub(super) const fn says(mut self, says: Says) -> Self {
        self.says = Some(says);
        self
    }

    /// Whether it can be shown before anything is open.
    pub(super) fn is_always(&self) -> bool {
        matches!(self.shows, Shows::Always(_))
    }

    /// Whether it is a step of what is open.
    pub(super) fn is_step(&self, is_linked: bool) -> bool {
        self.is_always() || self.of_linked == is_linked
    }

    /// Everything that the page answers. Whoever serves it puts the guard before it.
    pub(super) fn router(&'static self) -> Router<App> {
        let shown = move |State(app): State<App>, asked: Form| async move { show(&app, self, &asked) };
        let router = Router::new().route(&format!("/{}", self.path), get(shown));
        let router = self.changes.iter().fold(router, |router, (name, change)| {
            let changed = move |State(app): State<App>, form: Form| async move {
                edit(&app, self, &form, change(&app, &form))
            };
            router.route(&format!("/{}/{name}", self.path), post(changed))
        });
        router.merge((self.routes)())
    }
}

impl Named for Page {
    fn name(&self) -> &'static str {
        self.path
    }
}

/// The pages as steps: each behind the one that it names, or at the end.
pub(super) fn in_order(pages: impl Iterator<Item = &'static Page>) -> Vec<&'static Page> {
    pages.fold(Vec::new(), |mut order: Vec<&'static Page>, page| {
        let before = order.iter().position(|other| Some(other.path) == page.after);
        order.insert(before.map_or(order.len(), |before| before + 1), page);
        order
    })
}

const fn is_word(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let [byte, others @ ..] = rest {
        if !(byte.is_ascii_lowercase() || *byte == b'-') {
            return false;
        }
        rest = others;
    }
    !text.is_empty()
}

const fn is_taken(path: &str) -> bool {
    let mut rest = TAKEN.as_slice();
    while let [taken, others @ ..] = rest {
        if is_same(taken.as_bytes(), path.as_bytes()) {
            return true;
        }
        rest = others;
    }
    false
}

const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([first, rest @ ..], [second, others @ ..]) = (one, other) {
        if *first != *second {
            return false;
        }
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(_: &App, _: &Project, _: &Form) -> Markup {
        Markup::default()
    }

    #[test]
    fn a_page_stands_behind_the_one_that_it_names() {
        static FIRST: Page = Page::new("first", "First", empty);
        static LAST: Page = Page::new("last", "Last", empty).after("first");
        static BETWEEN: Page = Page::new("between", "Between", empty).after("first");
        static LOST: Page = Page::new("lost", "Lost", empty).after("nowhere");
        let order = in_order([&FIRST, &LAST, &LOST, &BETWEEN].into_iter());
        assert_eq!(
            order.iter().map(|page| page.path).collect::<Vec<_>>(),
            ["first", "between", "last", "lost"]
        );
    }

    #[test]
    fn addresses_are_words_that_nothing_else_answers() {
        assert!(is_word("open") && is_word("two-words"));
        assert!(["", "Open", "a/b", "../open", "a?b", "{a}", "a b"].iter().all(|path| !is_word(path)));
        assert!(is_taken("undo") && is_taken("status") && !is_taken("und") && !is_taken("undone"));
    }
}
