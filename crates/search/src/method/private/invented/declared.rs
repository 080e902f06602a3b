//! What a method of invented records asks of attributes: declared domains, all that miss one named at once.

use std::collections::BTreeSet;

use velamen_core::attribute::Attribute;
use velamen_core::error::Problem;
use velamen_core::frequency::{QuasiIdentifier, Role};
use velamen_core::hierarchy::{Definition, TOP};
use velamen_core::lattice::Node;

use super::Zeros;
use crate::method::kit::declared::{self, MODEL};
use crate::method::{MethodError, Task};

/// The largest domain that is listed before the table is read.
const MOST_LISTED: u64 = 1 << 20;

/// ε and δ, if every attribute is dropped or has a declared domain, and no other model is asked for.
pub(in crate::method::private) fn budget(task: &Task<'_>, method: &str) -> Result<(f64, f64), Problem> {
    let dropped = |role: Role| matches!(role, Role::Identifier | Role::Person);
    let released = || task.attributes.iter().filter(|attribute| !dropped(attribute.role));
    if let Some(other) = released().find(|attribute| attribute.role != Role::QuasiIdentifier) {
        return Err(declared::of_attribute(&other.name, misplaced()));
    }
    let missing: Vec<&Attribute> = released().filter(|attribute| !is_declared(attribute)).collect();
    if let Some(first) = missing.first() {
        return Err(undeclared(&missing).blaming(&first.name));
    }
    if released().next().is_none() {
        return Err(Problem::new(format!("{method} has no attribute to release"))
            .mend("give one the role \"quasi-identifier\" and a domain"));
    }
    match task.models {
        [asked] if asked.entry.terms.facts.private => Ok(declared::epsilon_delta(&asked.model.parameters())),
        _ => Err(format!(
            "{method} keeps one model only: [[privacy]] model = \"{MODEL}\" with epsilon and delta"
        )
        .into()),
    }
}

/// The most records of a person that are counted: 1, where no attribute says whose the records are.
pub(in crate::method::private) fn records_per_person(task: &Task<'_>) -> Result<u64, Problem> {
    let Some(person) = task.attributes.iter().find(|attribute| attribute.role == Role::Person) else {
        return Ok(1);
    };
    person.records_per_person.map(|most| most.get().into()).ok_or_else(|| {
        let problem = "has the role \"person\", and nothing says how many records of a person are counted";
        declared::of_attribute(
            &person.name,
            Problem::new(problem).mend("write records-per-person = 5, say: more records need more noise"),
        )
    })
}

/// Refuses a domain that cannot be checked in a release, and an attribute of more values than the model may have cells: its domain
/// is declared, so no record has to be read.
pub(in crate::method::private) fn refuse_domains(task: &Task<'_>, model_cells: u64) -> Result<(), Problem> {
    task.quasi_identifiers().try_for_each(refuse_unreadable)?;
    let wide =
        task.quasi_identifiers().find_map(|attribute| Some((attribute, too_many(attribute, model_cells)?)));
    let Some((attribute, values)) = wide else { return Ok(()) };
    let problem = Problem::new(format!("has {values} values, more than model-cells = {model_cells}"));
    Err(declared::of_attribute(
        &attribute.name,
        problem.mend("release a higher level of its hierarchy, or raise model-cells"),
    ))
}

/// Refuses what attributes declare, before a table is read: combinations that leave nothing, or more cells than the model may
/// have.
///
/// # Errors
/// A [`Problem`] of the recipe.
pub(super) fn refuse_unfit(task: &Task<'_>, model_cells: u64) -> Result<(), Problem> {
    let most = |attribute: &Attribute| attribute.rule.most_values().unwrap_or(u64::MAX);
    let all = task.quasi_identifiers().map(most).fold(0u64, u64::saturating_add);
    if task.impossible.is_empty() && all <= model_cells {
        return Ok(());
    }
    let (mut qis, mut counted) = (Vec::new(), Vec::new());
    for attribute in task.quasi_identifiers() {
        // Others are refused where the domain is listed.
        let Some(hierarchy) = declared::whole_hierarchy(attribute) else { return Ok(()) };
        qis.push(QuasiIdentifier { name: attribute.name.clone(), hierarchy });
        counted.push(attribute.levels.0.max(attribute.bins));
    }
    let counted = Node(counted);
    let sizes: Vec<usize> =
        qis.iter().zip(&counted.0).map(|(qi, &level)| qi.hierarchy.width(level)).collect();
    let zeros = Zeros::of(&qis, &counted, task).map_err(of_recipe)?;
    zeros.refuse_unfit(&sizes, model_cells)
}

/// A refusal that the recipe alone decides.
pub(super) fn of_recipe(error: MethodError) -> Problem {
    match error {
        MethodError::Recipe(problem) | MethodError::Unfit(problem) => problem,
        other => Problem::new(other.to_string()),
    }
}

/// How many values each attribute is counted by; `None` where a domain cannot be listed, which is refused elsewhere.
pub(super) fn sizes(task: &Task<'_>) -> Option<Vec<usize>> {
    task.quasi_identifiers().map(size).collect()
}

fn size(attribute: &Attribute) -> Option<usize> {
    let hierarchy = declared::whole_hierarchy(attribute)?;
    Some(hierarchy.width(attribute.levels.0.max(attribute.bins)))
}

/// Refuses domains of which a release could not be checked.
fn refuse_unreadable(attribute: &Attribute) -> Result<(), Problem> {
    if attribute.bins > 0 && (attribute.top.is_some() || attribute.bottom.is_some()) {
        let problem = "has `bins`, and `top` or `bottom`: records get any number of a bin, coded or not";
        let problem = Problem::new(problem).mend("let the domain begin and end there, or drop `bins`");
        return Err(declared::of_attribute(&attribute.name, problem));
    }
    let leaves = attribute.rule.whole_domain(MOST_LISTED).unwrap_or_default();
    if leaves.iter().any(|leaf| leaf == TOP) {
        let problem = format!("has the value `{TOP}`, which stands for any value in a release");
        let problem = Problem::new(problem).mend("give it another label, such as \"other\"");
        return Err(declared::of_attribute(&attribute.name, problem));
    }
    Ok(())
}

/// How many values an attribute is counted by, where that is more than the most.
fn too_many(attribute: &Attribute, most: u64) -> Option<String> {
    let level = attribute.levels.0.max(attribute.bins);
    let Some(leaves) = attribute.rule.whole_domain(MOST_LISTED) else {
        let is_known = level == 0 && most <= MOST_LISTED;
        return is_known.then(|| format!("more than {MOST_LISTED}"));
    };
    if leaves.len() as u64 <= most {
        return None;
    }
    let values: BTreeSet<String> = leaves.iter().map(|leaf| attribute.rule.label_at(leaf, level)).collect();
    (values.len() as u64 > most).then(|| values.len().to_string())
}

fn misplaced() -> Problem {
    Problem::new("is neither quasi-identifier nor identifier: invented records have no other columns")
        .mend("give it the role \"quasi-identifier\" with a domain, or \"identifier\" to drop it")
}

/// Whether all its values are known without a record.
fn is_declared(attribute: &Attribute) -> bool {
    let listed = match &attribute.definition {
        None | Some(Definition::Mask { .. }) => false,
        Some(definition) => !definition.is_of_codes(),
    };
    listed && !attribute.from_data
}

/// All attributes without a domain, with lines for each to paste and fill in.
fn undeclared(missing: &[&Attribute]) -> Problem {
    let names: Vec<String> = missing.iter().map(|attribute| format!("`{}`", attribute.name)).collect();
    let (noun, verb) = if names.len() == 1 { ("attribute", "has") } else { ("attributes", "have") };
    let lines = missing.iter().map(|attribute| {
        format!("[attributes.{}]\nrole = \"quasi-identifier\"\ndomain = [\"…\"]", quoted(&attribute.name))
    });
    Problem::new(format!(
        "the {noun} {} {verb} no declared domain, and one read off the data is not differentially private",
        names.join(", ")
    ))
    .mend(format!(
        "list all values that there can be, whether they occur or not (for numbers `domain = {{ min = 0, max = 119 }}`, with `step` \
         where they are not whole; `bins` where there are many), each under the heading that the recipe has:\n{}",
        lines.collect::<Vec<_>>().join("\n")
    ))
}

/// A name as a key of TOML.
fn quoted(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_bare) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
pub(super) mod tests;
