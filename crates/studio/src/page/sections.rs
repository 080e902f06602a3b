//! Forms for sections of a recipe that stand by themselves: `[report]`, `[population]`, `[[impossible]]` and `[[where]]`. Their fields are those of
//! the recipe's schema.

use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_recipe::{JobError, Recipe};
use velamen_report::follows;
use velamen_report::language::{mark, t};

use super::with_project;
use crate::App;
use crate::edit::{Edit, at, edited, sections};
use crate::form::Form;
use crate::project::Project;
use crate::schema::{Field, Shape, differences, fields, resolved, table};
use crate::worker::Asked;

/// A section, and what is said above its form.
pub(super) struct Section {
    /// Its key in the recipe.
    key: &'static str,
    heading: &'static str,
    words: &'static str,
    /// Whether there can be several.
    is_list: bool,
}

pub(super) const REPORT: Section = Section {
    key: "report",
    heading: mark("What stands on the report"),
    words: mark(
        "Heading and contact for readers, and the risk that you allow: the report's verdict holds the release against it.",
    ),
    is_list: false,
};

pub(super) const POPULATION: Section = Section {
    key: "population",
    heading: mark("The population behind the table"),
    words: mark("If the table is a sample, say of what: models of the population look at it."),
    is_list: false,
};

pub(super) const IMPOSSIBLE: Section = Section {
    key: "impossible",
    heading: mark("Pairs of values that nobody has"),
    words: mark(
        "No counterfeit and no invented record gets them. An original record that has one is released as any other, with a warning.",
    ),
    is_list: true,
};

pub(super) const WHERE: Section = Section {
    key: "where",
    heading: mark("Which rows are kept"),
    words: mark(
        "Each condition is about one column; rows that meet all of them are kept, and the others count for nothing. Every promise then holds for the rows kept alone, and whoever is known to be in the release is known to meet the conditions. The release states them with their values.",
    ),
    is_list: true,
};

const ALL: [&Section; 4] = [&REPORT, &POPULATION, &IMPOSSIBLE, &WHERE];

impl Section {
    /// Its fields; what names a column, or a quasi-identifier, is a choice.
    fn fields(&self, recipe: &Recipe) -> Vec<Field> {
        let schema = Recipe::schema();
        let own = &schema["properties"][self.key];
        let own = if self.is_list { &own["items"] } else { own };
        let mut all = fields(&schema, resolved(&schema, own));
        let qis = recipe.attributes.iter().filter(|(_, section)| section.role == Role::QuasiIdentifier);
        let qis: Vec<(String, String)> = qis.map(|(name, _)| (name.clone(), String::new())).collect();
        let columns = recipe.attributes.keys().map(|name| (name.clone(), String::new())).collect::<Vec<_>>();
        for field in &mut all {
            let names_one =
                ["attribute", "of", "age"].contains(&field.key.as_str()) && field.shape == Shape::Text;
            if self.is_list && names_one {
                field.shape = Shape::Choice(qis.clone());
            }
            if field.key == "column" {
                field.shape = Shape::Choice(columns.clone());
            }
        }
        all
    }

    /// The form, on a page; `asked` has what was typed and refused.
    pub(super) fn view(&self, project: &Project, page: &str, asked: &Form) -> Markup {
        self.with(project, page, asked, &html! {})
    }

    /// The same, with something that is said below its list.
    pub(super) fn with(&self, project: &Project, page: &str, asked: &Form, said: &Markup) -> Markup {
        let Ok(recipe) = project.recipe() else { return html! {} };
        let held = sections(project.text(), self.key);
        let fields = self.fields(&recipe);
        let typed = Some(asked).filter(|form| self.is_typed(form, &fields, held.last()));
        let empty = Map::new();
        let values = if self.is_list { &empty } else { held.first().unwrap_or(&empty) };
        html! {
            section aria-labelledby={ (self.key) "-heading" } {
                details.panel id=(self.key) open[typed.is_some() || !held.is_empty()] {
                    summary { h2 #{ (self.key) "-heading" } { (t(self.heading)) } }
                    p { (t(self.words)) }
                    @if self.is_list { (self.list(&held, page)) }
                    (said)
                    form hx-post={ (page) "/section" } {
                        input type="hidden" name="of" value=(self.key);
                        div.fields { @for field in &fields { (field.view(self.key, values.get(&field.key), typed)) } }
                        button id={ (self.key) "-take" } type="submit" { @if self.is_list { (t("Add this")) } @else { (t("Take this")) } }
                    }
                }
            }
        }
    }

    /// Whether a form has fields of this section that are not in the recipe yet.
    fn is_typed(&self, form: &Form, fields: &[Field], last: Option<&Map<String, Json>>) -> bool {
        let is_own = form.text("of") == self.key && form.fields().any(|(name, _)| name.starts_with("f."));
        is_own && !(self.is_list && table(fields, form).is_ok_and(|own| Some(&own) == last))
    }

    /// What there is of a list, each to be taken out.
    fn list(&self, held: &[Map<String, Json>], page: &str) -> Markup {
        html! {
            @if !held.is_empty() {
                ul.held {
                    @for (number, one) in held.iter().enumerate() {
                        li {
                            (self.in_words(one)) " "
                            button id={ (self.key) "-remove-" (number) } type="button" hx-post={ (page) "/section" }
                                hx-vals=(json!({"of": self.key, "remove": number.to_string()})) { (t("Remove")) }
                        }
                    }
                }
            }
        }
    }

    /// One of a list: a condition as a sentence says it, all else as recipes write it.
    fn in_words(&self, one: &Map<String, Json>) -> Markup {
        let condition = || serde_json::from_value(one.clone().into()).ok().filter(|_| self.key == WHERE.key);
        html! {
            @match condition() {
                Some(condition) => (follows::condition(&condition)),
                None => code { (crate::edit::written(&Json::from(one.clone()))) },
            }
        }
    }

    fn edits(&self, project: &Project, form: &Form) -> Result<Vec<Edit>, JobError> {
        if let Ok(number) = form.text("remove").parse::<usize>() {
            let place = vec![self.key.to_owned(), number.to_string()];
            return Ok(vec![Edit::Remove(place)]);
        }
        let fields = self.fields(&project.recipe()?);
        let after = table(&fields, form)
            .map_err(|problem| JobError::usage(problem.after(&format!("{}: ", self.key))))?;
        if self.is_list {
            return Ok(vec![Edit::Push(at([self.key]), after.into())]);
        }
        refuse_small(project, self.key, &after)?;
        if after.is_empty() {
            return Ok(vec![Edit::Remove(at([self.key]))]);
        }
        let before = sections(project.text(), self.key).pop().unwrap_or_default();
        Ok(differences(&at([self.key]), &fields, &before, &after))
    }
}

/// Refuses a population that is smaller than the table as it was read. Where rows are left out, the run counts those that stay.
fn refuse_small(project: &Project, key: &str, after: &Map<String, Json>) -> Result<(), JobError> {
    let (Some(size), Some(profile)) = (after.get("size").and_then(Json::as_u64), &project.profile) else {
        return Ok(());
    };
    let recipe = project.recipe()?;
    let person = recipe.attributes.iter().find(|(_, section)| section.role == Role::Person);
    let (members, what) = match person {
        Some((name, _)) => {
            let column = profile.columns.iter().find(|column| column.name == *name);
            (column.map_or(0, |column| column.distinct as u64), "people")
        }
        None => (profile.records, "rows"),
    };
    if key != POPULATION.key || size >= members || !recipe.kept.is_empty() {
        return Ok(());
    }
    let problem = Problem::new(format!(
        "population: {size} is fewer {what} than the table has, which is to be a part of it"
    ));
    Err(JobError::usage(problem.expected(format!("a size from {members}"))))
}

/// What a posted form of a section changes.
pub(super) fn change(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let unknown = || JobError::usage("there is no such section");
    let section = ALL.into_iter().find(|section| section.key == form.text("of")).ok_or_else(unknown)?;
    with_project(app, |project| {
        let edits = section.edits(project, form)?;
        checked(app, project, &edits)?;
        Ok(edits)
    })
}

/// Refuses changes that a run would refuse, unless the recipe was refused before.
pub(super) fn checked(app: &App, project: &Project, edits: &[Edit]) -> Result<(), JobError> {
    let text = edited(project.text(), edits)?;
    if project.asked().resolved(&app.folders).is_ok() {
        Asked { text, path: project.path.clone() }.resolved(&app.folders)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;
    use crate::page::Page;

    static PAGE: Page = Page::new("sections", mark("Sections"), all);

    fn all(_: &App, project: &Project, asked: &Form) -> Markup {
        html! { @for section in ALL { (section.view(project, "sections", asked)) } }
    }

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        [attributes.sex]\nrole = \"quasi-identifier\"\n[attributes.diagnosis]\nrole = \"sensitive\"\n\
        [[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"h-ceiling\"\nh = 0.5\n[output]\npath = \"out\"\n";

    fn studio() -> Open {
        Open::new(&[("t.csv", "age,sex,diagnosis\n30,f,flu\n31,m,flu\n"), ("r.toml", RECIPE)])
    }

    #[test]
    fn the_report_is_filled_in_and_emptied() {
        let studio = studio();
        let form = [("of", "report"), ("f.title", "Stays 2024"), ("f.risk", "0.2"), ("f.contact", "")];
        studio.change(&PAGE, change, &form);
        assert!(studio.text().contains("[report]\n"), "{}", studio.text());
        assert!(studio.text().contains("title = \"Stays 2024\"\n") && studio.text().contains("risk = 0.2\n"));
        let page = studio.shown(&PAGE);
        assert!(page.contains("value=\"Stays 2024\""), "{page}");
        let page = studio.change(&PAGE, change, &[("of", "report"), ("f.title", "Stays"), ("f.risk", "7")]);
        assert!(page.contains("role=\"alert\"") && studio.text().contains("risk = 0.2\n"), "{page}");
        studio.change(&PAGE, change, &[("of", "report")]);
        assert_eq!(studio.text(), RECIPE);
    }

    #[test]
    fn pairs_come_and_go_one_by_one() {
        let studio = studio();
        let form =
            [("of", "impossible"), ("f.attribute", "sex"), ("f.values", "m"), ("f.sensitive", "O80\nO81")];
        studio.change(&PAGE, change, &form);
        let text = studio.text();
        assert!(
            text.contains("[[impossible]]\n") && text.contains("sensitive = [\"O80\", \"O81\"]"),
            "{text}"
        );
        assert!(
            studio
                .change(&PAGE, change, &[("of", "impossible"), ("f.attribute", "height")])
                .contains("role=\"alert\"")
        );
        assert_eq!(studio.text(), text);
        studio.change(&PAGE, change, &[("of", "impossible"), ("remove", "0")]);
        assert!(!studio.text().contains("impossible"), "{}", studio.text());
    }

    #[test]
    fn rows_are_kept_by_conditions_on_columns_of_the_recipe() {
        let studio = studio();
        let form = [("of", "where"), ("f.column", "diagnosis"), ("f.among", "flu")];
        let page = studio.change(&PAGE, change, &form);
        assert!(studio.text().contains("[[where]]\ncolumn = \"diagnosis\"\namong = [\"flu\"]\n"), "{page}");
        studio.change(&PAGE, change, &[("of", "where"), ("f.column", "age"), ("f.min", "18")]);
        assert!(studio.text().contains("column = \"age\"\nmin = 18\n"), "{}", studio.text());
        let text = studio.text();
        for wrong in [&[("f.column", "height"), ("f.min", "1")][..], &[("f.column", "age")]] {
            let page = studio.change(&PAGE, change, &[&[("of", "where")], wrong].concat());
            assert!(page.contains("role=\"alert\"") && studio.text() == text, "{wrong:?}");
        }
        studio.change(&PAGE, change, &[("of", "where"), ("remove", "0")]);
        assert!(!studio.text().contains("among"), "{}", studio.text());
    }

    #[test]
    fn a_population_has_a_size() {
        let studio = studio();
        studio.change(&PAGE, change, &[("of", "population"), ("f.size", "80000")]);
        assert!(studio.text().contains("[population]\nsize = 80000\n"), "{}", studio.text());
        let page = studio.change(&PAGE, change, &[("of", "population"), ("f.size", "1")]);
        assert!(
            page.contains("1 is fewer rows than the table has") && page.contains("a size from 2"),
            "{page}"
        );
        assert!(studio.text().contains("[population]\nsize = 80000\n"), "{}", studio.text());
        assert!(studio.change(&PAGE, change, &[("of", "engine")]).contains("role=\"alert\""));
    }
}
