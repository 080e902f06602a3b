//! Person columns: what each shows of whom, and the classes that follow.
//!
//! One level for each column, the same for all persons; persons of classes with fewer than k are left out. With Mondrian each class has
//! values of its own.

mod attribute;
mod dimension;
mod mondrian;
mod naming;
mod search;

use velamen_contract::linked::Shape;
use velamen_core::error::{Place, Problem};
use velamen_recipe::JobError;
use velamen_sets::OUT;

pub(crate) use attribute::{Attribute, Source};
pub(crate) use mondrian::cut;
pub(crate) use search::{Known, choose};

use crate::compact::Distinct;
use crate::days;
use crate::loaded::{Cells, Rows};
use crate::plan::{Plan, Use};

/// What persons show, and who is left out.
#[derive(Debug)]
pub(crate) struct Demographics {
    /// The person columns.
    pub(crate) attributes: Vec<Attribute>,
    /// The level of each.
    pub(crate) node: Vec<u8>,
    /// The class of each person, or [`OUT`].
    pub(crate) classes: Vec<u32>,
    /// How many persons are left out.
    pub(crate) suppressed: usize,
    /// By the end of which year ages are counted, where a birth is released.
    pub(crate) until: i32,
}

/// The person columns of a plan over the persons of its tables.
///
/// # Errors
/// [`JobError::data`] where a value is not in its column's hierarchy.
pub(crate) fn attributes(plan: &Plan, tables: &[Rows]) -> Result<(Vec<Attribute>, i32), JobError> {
    let (persons, rows) = (&plan.tables[0], &tables[0]);
    let has_birth = persons.columns.iter().any(|column| column.used == Use::QuasiIdentifier { birth: true });
    let until = match until(plan, tables) {
        // Nobody is born after the data end.
        Some(until) => births(plan, rows).map_or(until, |last| until.max(last)),
        None if has_birth => return Err(no_end()),
        None => 0,
    };
    let mut attributes = Vec::new();
    for (place, column) in persons.columns.iter().enumerate() {
        let (Use::QuasiIdentifier { birth }, Cells::Coded(coded)) = (&column.used, &rows.columns[place])
        else {
            continue;
        };
        let cut = birth.then_some(until - plan.top_age as i32);
        let rule = persons.rules[place].as_ref();
        let attribute = Attribute::of_column(place, column, coded, rule, (cut, plan.shape == Shape::Fhir));
        attributes.push(attribute.map_err(|(row, problem)| {
            if let Some((file, within)) = plan.place(persons, row) {
                let place = format!("{}: {within}, {}.{}: ", file.display(), persons.name, column.name);
                return JobError::data(problem.after(&place));
            }
            let place = format!("table `{}`, row {}, column `{}`: ", persons.name, row + 1, column.name);
            JobError::data(problem.after(&place)).at(Place::file(plan.shown_file(persons)))
        })?);
    }
    for fact in plan.facts() {
        let mut has = vec![0; rows.number];
        tables[fact].persons.iter().for_each(|&person| has[person as usize] = 1);
        attributes.push(Attribute::of_fact(fact, &plan.tables[fact].name, has));
    }
    Ok((attributes, until))
}

/// The year by whose end ages are counted: that of the declared window's end, else the last in which a row is dated.
pub(crate) fn until(plan: &Plan, tables: &[Rows]) -> Option<i32> {
    if let Some([_, last]) = plan.window {
        return Some(days::year(last));
    }
    let all = tables.iter().flat_map(|rows| (0..rows.columns.len()).filter_map(|column| rows.days(column)));
    all.flat_map(Distinct::iter).filter(|day| *day != days::NO_DAY).max().map(days::year)
}

/// The last year in which, or after which, k persons were born: fewer may be mistakes, and no class shows them.
fn births(plan: &Plan, rows: &Rows) -> Option<i32> {
    let mut last = None;
    for (place, column) in plan.tables[0].columns.iter().enumerate() {
        let Some(coded) = rows.coded(place).filter(|_| column.used == Use::QuasiIdentifier { birth: true })
        else {
            continue;
        };
        let of_texts: Vec<Option<i32>> = coded.texts.iter().map(|text| attribute::year(text)).collect();
        let mut years: Vec<i32> = coded.codes.iter().filter_map(|code| of_texts[code as usize]).collect();
        years.sort_unstable_by(|a, b| b.cmp(a));
        last = last.max(years.get(plan.k().saturating_sub(1)).copied());
    }
    last
}

/// The refusal of births whose ages nobody can count.
fn no_end() -> JobError {
    let problem =
        Problem::new("births are released and nothing says when the data end: who is 90 cannot be known");
    JobError::data(
        problem.expected(
            "[persons] window = [\"2015-01-01\", \"2024-12-31\"], the days that the data are about",
        ),
    )
}

impl Demographics {
    /// Whether a person is released.
    pub(crate) fn is_in(&self, person: u32) -> bool {
        self.classes[person as usize] != OUT
    }

    /// The birth column where births are released, and what the oldest show.
    pub(crate) fn oldest(&self) -> Option<(&Attribute, &str)> {
        let place = self.attributes.iter().position(|attribute| attribute.is_birth)?;
        let attribute = &self.attributes[place];
        let level = &attribute.levels[usize::from(self.node[place])];
        let oldest = level.oldest.as_deref().filter(|_| !level.is_empty())?;
        matches!(attribute.source, Source::Column(_)).then_some((attribute, oldest))
    }

    /// Whether having a row in a table is shown.
    pub(crate) fn shows_fact(&self, table: usize) -> bool {
        let shown =
            |(attribute, &level): (&Attribute, &u8)| attribute.source == Source::Fact(table) && level == 0;
        self.attributes.iter().zip(&self.node).any(shown)
    }
}

/// The refusal of a folder that no levels make k-anonymous.
fn too_few(persons: usize, k: usize, least: usize, most: usize) -> JobError {
    let share = (least as f64 / persons.max(1) as f64 * 1000.0).ceil() / 1000.0;
    let problem = Problem::new(format!(
        "no levels of the person columns leave every combination with {k} persons unless {least} of {persons} persons are left out, and {most} may be"
    ));
    let mend = format!("suppression-limit = {share}, a lower k, or a hierarchy with more levels");
    JobError::promise(if least >= persons {
        problem.mend("a lower k, or more persons")
    } else {
        problem.mend(mend)
    })
}
