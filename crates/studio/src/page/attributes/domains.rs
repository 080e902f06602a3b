//! What invented records may have: the declared domain of each attribute, and how many records of a person are counted. Nothing of it is
//! read off the table.

use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_core::frequency::Role;
use velamen_recipe::{AttributeSection, DomainSection, JobError, NumberBins, Recipe};
use velamen_report::language::{mark, t};
use velamen_search::method::{self, Records};

use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;

/// The keys of numbers, with what the form says of each.
const NUMBERS: [(&str, &str, &str); 4] = [
    ("min", "Least", mark("Least of numbers")),
    ("max", "Greatest", mark("Greatest of numbers")),
    ("step", "Step", mark("Step of numbers")),
    ("bins", "Bins", mark("Bins of numbers")),
];

/// The form, where the recipe's method invents records.
pub(super) fn section(recipe: &Recipe) -> Markup {
    if !invents(recipe) {
        return html! {};
    }
    let released = recipe.attributes.iter().filter(|(_, section)| section.role == Role::QuasiIdentifier);
    let persons = recipe.attributes.iter().filter(|(_, section)| section.role == Role::Person);
    html! {
        section aria-labelledby="domains-heading" {
            h2 #domains-heading { (t("What invented records may have")) }
            p {
                (t("Declare every value that there can be, whether it occurs or not: a domain that is read off the table would show who is in it. A hierarchy that lists its values declares them, too."))
            }
            @for (number, (name, section)) in released.enumerate() { (domain_of(number, name, section)) }
            @for (name, section) in persons { (records_of(name, section)) }
        }
    }
}

/// Whether all released records are of nobody.
fn invents(recipe: &Recipe) -> bool {
    let keys = &recipe.method.keys;
    method::find(keys).is_ok_and(|(entry, _)| (entry.facts)(keys).records == Records::Invented)
}

fn domain_of(number: usize, name: &str, section: &AttributeSection) -> Markup {
    let listed = match &section.domain {
        Some(DomainSection::Values(values)) => values.join("\n"),
        _ => String::new(),
    };
    let file = matches!(&section.domain, Some(DomainSection::File(_)));
    let said = |key: &str| format!("domain-{number}-{key}");
    html! {
        form.fields.panel hx-post="attributes/domain" hx-trigger="change, submit" {
            h3 { (name) }
            input type="hidden" name="name" value=(name);
            @if section.hierarchy.is_some() {
                p.note { (t("Its hierarchy declares its values.")) }
            } @else if file {
                p.note { (t("A file lists its values: the recipe's text names it.")) }
            } @else {
                div.field {
                    label for=(said("values")) { (t("Values, one a line")) }
                    textarea #(said("values")) name="values" rows="3" { (listed) }
                }
                @for (key, _, label) in NUMBERS {
                    div.field {
                        label for=(said(key)) { (t(label)) }
                        input.narrow #(said(key)) type="number" step="any" name=(key) value=(number_of(section, key));
                    }
                }
            }
            div.field {
                label for=(said("missing")) { (t("A missing value is one of them")) }
                input #(said("missing")) type="checkbox" name="missing" value="yes" checked[section.missing == Some(true)];
            }
        }
    }
}

/// What stands for a key of numbers.
fn number_of(section: &AttributeSection, key: &str) -> String {
    let Some(DomainSection::Numbers(numbers)) = &section.domain else { return String::new() };
    let bins = match numbers.bins {
        Some(NumberBins::Equal(bins)) => Some(f64::from(bins)),
        _ => None,
    };
    let number = match key {
        "min" => Some(numbers.min),
        "max" => Some(numbers.max),
        "step" => numbers.step,
        _ => bins,
    };
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn records_of(name: &str, section: &AttributeSection) -> Markup {
    let most = section.records_per_person.map(|most| most.to_string()).unwrap_or_default();
    html! {
        form.fields.panel hx-post="attributes/records" hx-trigger="change, submit" {
            h3 { (name) }
            input type="hidden" name="name" value=(name);
            div.field {
                label for="records-per-person" { (t("Records of a person that are counted: noise grows with them")) }
                input.narrow #records-per-person type="number" min="1" name="records" value=(most);
            }
        }
    }
}

/// The edits that declare an attribute's values.
pub(super) fn domain(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let name = form.text("name");
    let place = |key: &str| at(["attributes", name, key]);
    let missing = (form.text("missing") == "yes").then_some(json!(true));
    let missing = Edit::set_or_remove(place("missing"), missing);
    // An attribute with a hierarchy or a file has no fields here.
    if !form.fields().any(|(key, _)| key == "values") {
        return Ok(vec![missing]);
    }
    Ok(vec![Edit::set_or_remove(place("domain"), declared(form)?), missing])
}

/// What the fields say; nothing where all are empty.
fn declared(form: &Form) -> Result<Option<Json>, JobError> {
    let values: Vec<&str> =
        form.text("values").lines().map(str::trim).filter(|value| !value.is_empty()).collect();
    let mut numbers = Map::new();
    for (key, label, _) in NUMBERS {
        let text = form.text(key).trim();
        if text.is_empty() {
            continue;
        }
        let wrong = || JobError::usage(format!("{label}: a wrong number"));
        let number = match key {
            "bins" => json!(text.parse::<u32>().map_err(|_| wrong().expected("a whole number from 1"))?),
            _ => json!(text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(wrong)?),
        };
        numbers.insert(key.to_owned(), number);
    }
    match (values.is_empty(), numbers.is_empty()) {
        (true, true) => Ok(None),
        (false, true) => Ok(Some(json!(values))),
        (true, false) if numbers.contains_key("min") && numbers.contains_key("max") => {
            Ok(Some(Json::Object(numbers)))
        }
        (true, false) => Err(JobError::usage("numbers need a least and a greatest one")),
        (false, false) => Err(JobError::usage("a domain is a list of values or numbers, not both")
            .mend("empty the one or the other")),
    }
}

/// The edit that says how many records of a person are counted.
pub(super) fn records(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let text = form.text("records").trim();
    let most = text.parse::<u32>().ok().filter(|most| *most > 0);
    if most.is_none() && !text.is_empty() {
        return Err(JobError::usage("records of a person: a wrong number").expected("a whole number from 1"));
    }
    let place = at(["attributes", form.text("name"), "records-per-person"]);
    Ok(vec![Edit::set_or_remove(place, most.map(|most| json!(most)))])
}

#[cfg(test)]
mod tests {
    use super::super::PAGE;
    use super::*;
    use crate::opened::Open;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n\n[attributes.id]\nrole = \"person\"\n\n[attributes.age]\nrole = \"quasi-identifier\"\n\n\
        [attributes.sex]\nrole = \"quasi-identifier\" # as asked\n\n[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1.0\n\
        delta = 1e-9\n\n[method]\nname = \"mst\"\n\n[output]\npath = \"out\"\n";

    fn studio(recipe: &str) -> Open {
        let rows: String = (0..60).map(|i| format!("{i},{},{}\n", 20 + i % 40, ["f", "m"][i % 2])).collect();
        Open::new(&[("t.csv", &format!("id,age,sex\n{rows}")), ("recipe.toml", recipe)])
    }

    #[test]
    fn domains_and_records_of_a_person_are_declared() {
        let studio = studio(RECIPE);
        let change = |change, form: &[(&str, &str)]| studio.change(&PAGE, change, form);
        let page = change(domain, &[("name", "sex"), ("values", " f \n\nm\n"), ("missing", "yes")]);
        assert!(
            page.contains("What invented records may have") && page.contains("records-per-person"),
            "{page}"
        );
        assert!(
            studio
                .text()
                .contains("role = \"quasi-identifier\" # as asked\ndomain = [\"f\", \"m\"]\nmissing = true")
        );
        change(domain, &[("name", "age"), ("values", ""), ("min", "0"), ("max", "119"), ("bins", "24")]);
        let text = studio.text();
        let recipe = Recipe::from_text(&text, std::path::Path::new("recipe.toml")).unwrap();
        assert_eq!(number_of(&recipe.attributes["age"], "max"), "119");
        assert_eq!(number_of(&recipe.attributes["age"], "bins"), "24");
        change(records, &[("name", "id"), ("records", "3")]);
        assert!(studio.text().contains("records-per-person = 3"), "{}", studio.text());
        change(domain, &[("name", "sex"), ("values", "")]);
        assert!(!studio.text().contains("[\"f\", \"m\"]") && !studio.text().contains("missing"));
    }

    #[test]
    fn what_declares_nothing_is_said() {
        let studio = studio(RECIPE);
        let before = studio.text();
        for (form, says) in [
            (&[("name", "age"), ("values", ""), ("min", "0")][..], "a least and a greatest"),
            (&[("name", "age"), ("values", "a"), ("min", "0"), ("max", "9")], "not both"),
            (&[("name", "age"), ("values", ""), ("min", "x")], "a wrong number"),
            (&[("name", "age"), ("values", ""), ("bins", "-1")], "a whole number from 1"),
        ] {
            let page = studio.change(&PAGE, domain, form);
            assert!(page.contains(says) && page.contains("role=\"alert\""), "{says}: {page}");
        }
        assert!(
            studio
                .change(&PAGE, records, &[("name", "id"), ("records", "0")])
                .contains("a whole number from 1")
        );
        assert_eq!(studio.text(), before);
    }

    #[test]
    fn only_methods_that_invent_records_ask_for_domains() {
        let other = RECIPE
            .replace("differential-privacy\"\nepsilon = 1.0\ndelta = 1e-9", "k-anonymity\"\nk = 2")
            .replace("mst", "optimal");
        let studio = studio(&other);
        let page = studio.change(&PAGE, records, &[("name", "id"), ("records", "")]);
        assert!(!page.contains("What invented records may have"), "{page}");
    }
}
