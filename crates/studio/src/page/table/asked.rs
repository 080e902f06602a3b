//! What is asked of the table: the fields of its address, which has no value of a cell, and the form that makes them.

use std::collections::VecDeque;

use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_job::Paired;
use velamen_report::language::{mark, t};

use super::PAGE;
use super::rows::{Find, Only, Order, Side, Test, Wanted};
use crate::App;
use crate::form::Form;
use crate::page::show;
use crate::worker::locked;

/// So many searches are remembered.
const KEPT: usize = 64;

/// What was searched for, by number: the address names the number, and no value.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    number: u64,
    kept: VecDeque<(u64, Find)>,
    /// How the table was looked at last, and which one that was.
    last: Option<(u64, String)>,
}

impl Finds {
    fn put(&mut self, find: Find) -> u64 {
        if let Some((number, _)) = self.kept.iter().find(|(_, other)| *other == find) {
            return *number;
        }
        self.number += 1;
        self.kept.push_front((self.number, find));
        self.kept.truncate(KEPT);
        self.number
    }

    /// Remembers how a table is looked at: the way back to it leads there.
    pub(super) fn look(&mut self, table: u64, address: String) {
        self.last = Some((table, address));
    }

    /// The address by which a table was looked at last.
    pub(crate) fn last(&self, table: u64) -> Option<String> {
        self.last.as_ref().filter(|(of, _)| *of == table).map(|(_, address)| address.clone())
    }

    fn get(&self, number: &str) -> Option<Find> {
        let number: u64 = number.parse().ok()?;
        self.kept.iter().find(|(other, _)| *other == number).map(|(_, find)| find.clone())
    }
}

/// The tests, as the address and the form name them.
const TESTS: [(&str, &str, Test); 4] = [
    ("contains", mark("contains"), Test::Contains),
    ("is", mark("is"), Test::Is),
    ("least", mark("is at least"), Test::Least),
    ("most", mark("is at most"), Test::Most),
];

const ONLY: [(&str, &str, Only); 5] = [
    ("", mark("all"), Only::All),
    ("changed", mark("with a changed cell"), Only::Changed),
    ("unchanged", mark("without a changed cell"), Only::Unchanged),
    ("suppressed", mark("suppressed"), Only::Suppressed),
    ("counterfeit", mark("counterfeit"), Only::Counterfeit),
];

const SIDES: [(&str, &str, Option<Side>); 3] = [
    ("", mark("before and after in each cell"), None),
    ("before", mark("before"), Some(Side::Before)),
    ("after", mark("after"), Some(Side::After)),
];

/// What a page of the table shows.
pub(super) struct Asked<'a> {
    pub(super) wanted: Wanted,
    /// The side that is shown alone.
    pub(super) side: Option<Side>,
    only: &'a str,
}

impl<'a> Asked<'a> {
    pub(super) fn of(app: &App, paired: &Paired, form: &'a Form) -> Self {
        let only = form.text("only");
        let wanted = Wanted {
            find: locked(&app.finds).get(form.text("find")),
            only: ONLY.iter().find(|(name, ..)| *name == only).map_or(Only::All, |(.., only)| *only),
            class: form.text("class").trim().parse().ok(),
            order: order(form.text("sort"), paired.columns.len()),
            descending: !form.text("down").is_empty(),
            first: form.text("first").parse().unwrap_or(0),
        };
        let side = SIDES.iter().find(|(name, ..)| *name == form.text("side")).and_then(|(.., side)| *side);
        Self { wanted, side: side.filter(|_| paired.released), only }
    }

    /// Whether rows of a class stand together.
    pub(super) fn is_grouped(&self, paired: &Paired) -> bool {
        paired.released && self.wanted.order == Order::Class
    }

    /// The page in another order, from its beginning.
    pub(super) fn sorted(&self, form: &Form, order: Order, down: bool) -> String {
        let down = if down { "yes" } else { "" };
        link(form, &[("sort", &written(order)), ("down", down), ("first", "")])
    }

    /// The page from another row on.
    pub(super) fn page(&self, form: &Form, first: usize) -> String {
        link(form, &[("first", &first.to_string())])
    }
}

/// An order, as the address has it.
fn order(text: &str, columns: usize) -> Order {
    let side = match text.split_at_checked(1) {
        Some(("b", number)) => Some((Side::Before, number)),
        Some(("a", number)) => Some((Side::After, number)),
        _ => None,
    };
    let value = side.and_then(|(side, number)| Some((side, number.parse().ok()?)));
    match value.filter(|(_, number)| *number < columns) {
        Some((side, number)) => Order::Value(side, number),
        None if text == "records" => Order::Records,
        None => Order::Class,
    }
}

fn written(order: Order) -> String {
    match order {
        Order::Class => String::new(),
        Order::Records => "records".to_owned(),
        Order::Value(Side::Before, number) => format!("b{number}"),
        Order::Value(Side::After, number) => format!("a{number}"),
    }
}

/// The page with other fields in its address.
pub(super) fn link(form: &Form, others: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    let stays = |name: &str| PAGE.keeps.contains(&name) && others.iter().all(|(other, _)| *other != name);
    query.extend_pairs(form.fields().filter(|(name, value)| stays(name) && !value.is_empty()));
    query.extend_pairs(others.iter().filter(|(_, value)| !value.is_empty()));
    format!("table?{}#records", query.finish())
}

/// What the address says, as hidden fields of a form that says something else.
pub(super) fn kept(form: &Form, own: &[&str]) -> Markup {
    let stays = |name: &str| PAGE.keeps.contains(&name) && !own.contains(&name);
    html! {
        @for (name, value) in form.fields().filter(|(name, value)| stays(name) && !value.is_empty()) {
            input type="hidden" name=(name) value=(value);
        }
    }
}

fn choice<T>(name: &str, label: &str, known: &[(&str, &str, T)], chosen: &str) -> Markup {
    html! {
        span.pair {
            label for=(name) { (label) }
            select #(name) name=(name) {
                @for (value, words, _) in known { option value=(value) selected[*value == chosen] { (t(words)) } }
            }
        }
    }
}

/// The form that narrows rows down.
pub(super) fn filters(paired: &Paired, asked: &Asked<'_>, form: &Form) -> Markup {
    let find = asked.wanted.find.as_ref();
    let wanted = find.map_or(Test::Contains, |find| find.test);
    let class = asked.wanted.class.map(|class| class.to_string()).unwrap_or_default();
    html! {
        form #table-filters.inline.filters hx-post="table/find" {
            (kept(form, &["find", "only", "class", "side", "first"]))
            span.pair {
                label for="column" { (t("Where")) }
                select #column name="column" { (columns(paired, find)) }
            }
            span.pair {
                label.hidden for="test" { (t("Comparison")) }
                select #test name="test" {
                    @for (name, words, test) in &TESTS { option value=(name) selected[*test == wanted] { (t(words)) } }
                }
            }
            span.pair {
                label.hidden for="text" { (t("Value")) }
                input #text name="text" type="text" autocomplete="off" value=(find.map_or("", |find| &find.text));
            }
            @if paired.released {
                (choice("only", t("Records"), &ONLY, asked.only))
                span.pair {
                    label for="class" { (t("Class")) }
                    input.narrow #class name="class" type="number" min="1" max=(paired.classes) step="1" value=(class);
                }
                (choice("side", t("Show"), &SIDES, form.text("side")))
            }
            button #find type="submit" { (t("Show these")) }
            a href=(link(form, &[("find", ""), ("only", ""), ("class", ""), ("first", "")])) { (t("Show all")) }
        }
    }
}

/// The columns on both sides, as a choice.
fn columns(paired: &Paired, find: Option<&Find>) -> Markup {
    let sides: &[(&str, Side, &str)] = match paired.released {
        true => &[("b", Side::Before, ""), ("a", Side::After, mark("in the release"))],
        false => &[("b", Side::Before, "")],
    };
    let is_chosen =
        |name: &str, side: Side| find.is_some_and(|find| find.column == name && find.side == side);
    html! {
        @for (letter, side, words) in sides {
            @for column in &paired.columns {
                option value={ (letter) (column.name) } selected[is_chosen(&column.name, *side)] { (column.name) @if !words.is_empty() { " " (t(words)) } }
            }
        }
    }
}

/// Remembers what is searched for, and shows the rows.
pub(super) async fn find(Shared(app): Shared<App>, form: Form) -> Response {
    let mut fields: Vec<(&str, &str)> = form.fields().filter(|(name, _)| PAGE.keeps.contains(name)).collect();
    fields.retain(|(name, _)| *name != "find");
    let number = wanted(&form).map(|find| locked(&app.finds).put(find).to_string());
    if let Some(number) = &number {
        fields.push(("find", number));
    }
    show(&app, &PAGE, &Form::with(&fields))
}

/// What the form searches for; nothing where it names no value.
fn wanted(form: &Form) -> Option<Find> {
    let text = form.text("text");
    let (letter, column) = form.text("column").split_at_checked(1)?;
    let test =
        TESTS.iter().find(|(name, ..)| *name == form.text("test")).map_or(Test::Contains, |(.., test)| *test);
    let side = if letter == "a" { Side::After } else { Side::Before };
    (!text.trim().is_empty()).then(|| Find { column: column.to_owned(), side, test, text: text.to_owned() })
}
