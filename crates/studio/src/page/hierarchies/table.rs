//! Values and groups by hand: dragged, or chosen and moved by buttons; named, put in order.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::json;
use velamen_core::hierarchy::{Definition, Rule, TOP};
use velamen_recipe::hierarchy::read_file;
use velamen_recipe::{AttributeSection, HierarchySection, JobError, Made};
use velamen_report::language::{say, t, text};

use super::picture::rule;
use super::{change, count, finished, read_column, section_of, set, with_project, written};
use crate::App;
use crate::column::Column;
use crate::form::Form;
use crate::project::Project;
use crate::rows::{Change, Group, HierarchyRows};

/// The most values that are changed by hand: each change is a text of the recipe.
const MOST: usize = 5_000;

/// The most items that are drawn.
const DRAWN: usize = 1_500;

pub(super) fn routes(router: Router<App>) -> Router<App> {
    change(router, "/hierarchies/rows", rows)
}

/// Whether the hierarchy is a list of values already.
fn is_listed(section: Option<&HierarchySection>) -> bool {
    use HierarchySection::{File, Inline, Made as Short};
    matches!(section, Some(File(_) | Inline(Definition::Table { .. }) | Short(Made::Ordered(_))))
}

/// The rows of a hierarchy: its own, or one for each value of the column.
pub(super) fn rows_of(
    app: &App,
    project: &Project,
    attribute: &AttributeSection,
    column: &Column,
) -> Result<HierarchyRows, JobError> {
    let section = attribute
        .hierarchy
        .as_ref()
        .map(|section| section_of(app, project, written(section, super::base(project))));
    let section = section.transpose()?;
    let own = match &section {
        Some(HierarchySection::File(file)) => Some(read_file(file)?),
        Some(HierarchySection::Inline(Definition::Table { rows })) => Some(rows.clone()),
        Some(HierarchySection::Made(Made::Ordered(ordered))) => match ordered.definition() {
            Ok(Definition::Table { rows }) => Some(rows),
            Ok(_) => None,
            Err(error) => return Err(JobError::usage(error.to_string())),
        },
        _ => None,
    };
    let rows = match own {
        Some(rows) => rows,
        None => of_values(&rule(section.as_ref(), attribute, &project.path, column)?, column),
    };
    if rows.len() > MOST {
        return Err(JobError::usage(format!(
            "the hierarchy lists {} values, more than the {MOST} that can be changed by hand here",
            rows.len()
        ))
        .mend("change its file"));
    }
    HierarchyRows::new(rows)
}

/// A row for each value that the rule has a place for.
fn of_values(rule: &Rule, column: &Column) -> Vec<Vec<String>> {
    // A coded number is a value of its own above what is written.
    let coded = matches!(rule, Rule::Coded(_));
    let row = |value: &String| {
        let leaf = rule.coded(value).unwrap_or_else(|| value.clone());
        let levels = u8::from(!coded)..=rule.top();
        std::iter::once(value.clone()).chain(levels.map(|level| rule.label_at(&leaf, level))).collect()
    };
    column.values.iter().map(|(value, _)| value).filter(|value| rule.contains(value)).map(row).collect()
}

pub(super) fn view(
    app: &App,
    project: &Project,
    name: &str,
    attribute: &AttributeSection,
    column: &Column,
    asked: &Form,
) -> Markup {
    if !is_listed(attribute.hierarchy.as_ref()) {
        return to_rows(name);
    }
    let rows = match rows_of(app, project, attribute, column) {
        Ok(rows) => rows,
        Err(error) => {
            return html! { section { h2 { (t("Value by value")) } p.care { (error.to_string()) } } };
        }
    };
    let level = asked.text("part").parse().unwrap_or(1).clamp(1, rows.top());
    let is_file = matches!(attribute.hierarchy, Some(HierarchySection::File(_)));
    html! {
        section #rows aria-labelledby="rows-heading" data-attribute=(name) data-level=(level) {
            h2 #rows-heading { (t("Value by value")) }
            @if is_file { p.note { (t("The file stays as it is: with the first change the rows stand in the recipe. Save them as a new file below.")) } }
            (levels(name, level, rows.top()))
            (outside(name, column, &rows))
            (tools(name, level, &rows))
            div.groups {
                @for (group, drawn) in drawn(rows.groups(level)) { (self::group(name, level, rows.top(), &group, drawn)) }
            }
        }
    }
}

/// Groups with how many of their items are drawn.
fn drawn(groups: Vec<Group>) -> Vec<(Group, usize)> {
    let mut left = DRAWN;
    let with_number = |group: Group| {
        let drawn = group.items.len().min(left);
        left -= drawn;
        (group, drawn)
    };
    groups.into_iter().map(with_number).collect()
}

/// The way from a rule to rows.
fn to_rows(name: &str) -> Markup {
    html! {
        section.on-screen {
            h2 { (t("Value by value")) }
            form.inline hx-post="hierarchies/rows" {
                input type="hidden" name="attribute" value=(name);
                button #by-value type="submit" name="op" value="list" { (t("Group and rename by hand")) }
                span.note { (t("This writes the column's values into the recipe.")) }
            }
        }
    }
}

fn levels(name: &str, level: usize, top: usize) -> Markup {
    html! {
        nav.choices aria-label=(t("Levels")) {
            ul {
                @for number in 1..=top {
                    li { a href={ "hierarchies?" (super::query(name)) "&part=" (number) } aria-current=[(number == level).then_some("true")] {
                        @let what = if number == 1 { t("Values").to_owned() } else { text!("Groups of level {}", number - 1) };
                        @let into = if number == top { html! { code { (TOP) } } } else { say!("level {}", number) };
                        (say!("{} in {}", what, into))
                    } }
                }
            }
        }
    }
}

/// Values of the column that the rows lack.
fn outside(name: &str, column: &Column, rows: &HierarchyRows) -> Markup {
    let lacking = lacking(column, rows).len();
    html! {
        @if lacking > 0 {
            form.inline hx-post="hierarchies/rows" {
                input type="hidden" name="attribute" value=(name);
                button #add type="submit" name="op" value="add" { (say!("Add {} values that the hierarchy lacks", count(lacking as u64))) }
            }
        }
    }
}

fn lacking(column: &Column, rows: &HierarchyRows) -> Vec<String> {
    let own: std::collections::BTreeSet<&str> = rows.values().collect();
    column
        .values
        .iter()
        .map(|(value, _)| value)
        .filter(|value| !own.contains(value.as_str()))
        .cloned()
        .collect()
}

fn tools(name: &str, level: usize, rows: &HierarchyRows) -> Markup {
    html! {
        form #rows-form.bar hx-post="hierarchies/rows" {
            input type="hidden" name="attribute" value=(name);
            input type="hidden" name="part" value=(level);
            span.pair {
                label for="group-name" { (t("New group")) }
                input #group-name type="text" name="name" autocomplete="off" aria-describedby="rows-how";
                button #group type="submit" name="op" value="group" { (t("Group")) }
            }
            @if level < rows.top() {
                span.pair {
                    label for="to" { (t("Move to")) }
                    select #to name="to" { @for group in rows.groups(level) { option value=(group.label) { (group.label) } } }
                    button #move type="submit" name="op" value="move" { (t("Move")) }
                }
            }
            span.pair {
                button #earlier type="submit" name="op" value="earlier" { (t("Earlier")) }
                button #later type="submit" name="op" value="later" { (t("Later")) }
            }
            @if level < rows.top() {
                button #remove-level type="submit" name="op" value="remove-level" { (say!("Remove level {}", level)) }
            }
        }
        p #rows-how.note {
            (t("Choose values, then group or move them; or drag them. Alt with an arrow key moves what is focused. The name of another group puts the two together."))
        }
    }
}

fn group(name: &str, level: usize, top: usize, group: &Group, drawn: usize) -> Markup {
    let vals = json!({ "attribute": name, "part": level, "op": "rename", "from": group.label }).to_string();
    html! {
        div.group data-group=(group.label) {
            @if level < top {
                input.name id={ "name-" (id(&group.label)) } type="text" name="to" value=(group.label) aria-label=(say!("Name of the group {}", group.label))
                    hx-post="hierarchies/rows" hx-trigger="change" hx-vals=(vals) autocomplete="off";
            } @else {
                p.name { code { (group.label) } }
            }
            ul {
                @for (label, values) in group.items.iter().take(drawn) {
                    li.item data-item=(label) draggable="true" {
                        label {
                            input id={ "item-" (id(label)) } type="checkbox" form="rows-form" name="item" value=(label);
                            " " @if label.is_empty() { (t("(missing)")) } @else { (label) }
                            @if level > 1 { span.note { " " (count(*values as u64)) } }
                        }
                    }
                }
                @if drawn < group.items.len() { li.note { (say!("and {} more, which are not drawn", count((group.items.len() - drawn) as u64))) } }
            }
        }
    }
}

/// A label as an id: the same on each page, so that what was focused keeps the focus.
fn id(label: &str) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:x}", label.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}

/// The change that a form says; none where the rows are to be listed only.
fn change_of(form: &Form, column: &Column, rows: &HierarchyRows) -> Result<Option<Change>, JobError> {
    let level = form.text("part").parse().unwrap_or(1);
    let items = || form.all("item").map(str::to_owned).collect::<Vec<_>>();
    let text = |name: &str| form.text(name).to_owned();
    Ok(Some(match form.text("op") {
        "list" => return Ok(None),
        "move" => {
            let before = form.fields().any(|(name, _)| name == "before").then(|| text("before"));
            Change::Move { level, items: items(), to: text("to"), before }
        }
        "group" => Change::Group { level, items: items(), name: text("name") },
        "rename" => Change::Rename { level, from: text("from"), to: text("to") },
        "earlier" => Change::Earlier { level, items: items() },
        "later" => Change::Later { level, items: items() },
        "remove-level" => Change::RemoveLevel(level),
        "add" => Change::AddValues(lacking(column, rows)),
        _ => return Err(JobError::usage("that is no change of rows")),
    }))
}

pub(super) async fn rows(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| {
        let (recipe, name) = (project.recipe()?, form.text("attribute"));
        let unknown = || JobError::usage("the recipe has no such attribute");
        let attribute = recipe.attributes.get(name).ok_or_else(unknown)?;
        let column = read_column(&app, project, &recipe, name)?;
        let rows = rows_of(&app, project, attribute, &column)?;
        let rows = match change_of(&form, &column, &rows)? {
            Some(change) => rows.changed(&change)?,
            None => rows,
        };
        set(&app, project, name, Some(rows.json()))
    });
    finished(&app, &Form::with(&[("attribute", form.text("attribute")), ("part", form.text("part"))]), result)
}
