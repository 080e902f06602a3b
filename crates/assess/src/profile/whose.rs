//! Whose the records are, where a person has several.

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::number::count;
use velamen_engine::source::Input;
use velamen_job::person_numbers::{can_number, how_to_say, numbers_each, of_input, rows_of_one, traits};
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::person_numbers::{Candidate, is_named, is_of_stays};
use velamen_recipe::JobError;

use super::ColumnProfile;

/// A sex has so many values at most.
const FEW: usize = 5;

/// The columns that number persons of several records.
pub(super) fn candidates(
    input: &Input,
    columns: &[ColumnProfile],
    records: u64,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, JobError> {
    let places = |is: &dyn Fn(&ColumnProfile) -> bool| -> Vec<usize> {
        (0..columns.len().min(input.columns.len())).filter(|&place| is(&columns[place])).collect()
    };
    let suspects = places(&|column| may_number(column, records));
    let of_few = places(&|column| (2..=FEW).contains(&column.distinct));
    let of_dates = places(&|column| matches!(column.kind, Kind::Date { .. }));
    of_input(input, &suspects, &[traits(input), of_few, of_dates].concat(), context)
}

/// Whether a column may number the persons of so many records.
fn may_number(column: &ColumnProfile, records: u64) -> bool {
    let other = matches!(column.kind, Kind::Empty | Kind::Decimal { .. } | Kind::Date { .. });
    !other && column.distinct > 1 && (column.distinct as u64) < records && can_number(&column.name)
}

/// What to say where no column numbers persons, and neighbouring records look like those of one.
pub(super) fn neighbours(
    input: &Input,
    columns: &[ColumnProfile],
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    if numbers_each(input, context)? {
        return Ok(None);
    }
    let role = |name: &String| {
        columns.iter().find(|column| column.name == *name).map(|column| column.suggestion.role)
    };
    let places = input.columns.iter().enumerate().filter_map(|(place, name)| match role(name)? {
        Role::Identifier | Role::Person => None,
        role => Some((place, role == Role::QuasiIdentifier)),
    });
    let mut places: Vec<(usize, bool)> = places.collect();
    let dropped = traits(input).into_iter().filter(|place| places.iter().all(|(one, _)| one != place));
    let dropped: Vec<(usize, bool)> = dropped.map(|place| (place, false)).collect();
    places.extend(dropped);
    let suspects = (0..input.columns.len()).filter(|&place| can_number(&input.columns[place]));
    let shown = rows_of_one(input, &places, &suspects.collect::<Vec<_>>(), context)?;
    Ok(shown.map(|shown| {
        format!(
            "the table seems to have several records of a person: {shown}. No run releases it before the recipe says whose the records \
             are. {}",
            how_to_say()
        )
    }))
}

/// Why a number may be a stay's and not a person's.
fn doubt(one: &Candidate) -> Option<&str> {
    let by_name = is_of_stays(&one.name).then_some("by its name it is a stay's");
    one.births.as_deref().filter(|_| !is_named(&one.name)).or(by_name)
}

/// Gives the only candidate the role of the person; asks where there are several. What should be known.
pub(super) fn suggest(columns: &mut [ColumnProfile], found: &[Candidate]) -> Option<String> {
    // Of what some people share, such as a name, somebody has to say that it numbers the people.
    let role_of = match found {
        [one] if !one.shared && doubt(one).is_none() => Role::Person,
        _ => Role::Identifier,
    };
    for candidate in found {
        let Candidate { name, persons, records, same, .. } = candidate;
        let counted =
            format!("it tells {} people apart in {} records", count(*persons as u64), count(*records));
        let why = match role_of {
            Role::Person => format!("{counted}: k counts people, and the number is not released"),
            _ => format!(
                "to be answered: {counted}. Give the column that numbers the people the role \"person\", or each of them \
                 rows = \"independent\" if every record is of another person"
            ),
        };
        set(columns, name, role_of, why);
        let asked = columns.iter_mut().filter(|column| column.name == *name);
        asked.for_each(|column| column.suggestion.asks = role_of != Role::Person);
        for other in same {
            set(columns, other, Role::Identifier, format!("it tells the same people apart as `{name}`"));
        }
    }
    let names: Vec<String> = found.iter().map(|one| format!("`{}`", one.name)).collect();
    match found {
        [] => None,
        [one] if one.shared => Some(format!(
            "the table seems to have several records of a person: {} tells {} people apart in {} records, though some seem to share a \
             value. Say with role = \"person\" that it tells them apart, or with rows = \"independent\" that each record is of \
             another person; until then no run releases the table",
            names[0],
            count(one.persons as u64),
            count(one.records)
        )),
        [one] if role_of != Role::Person => Some(format!(
            "the table has several records of a person: {} tells {} apart in {} records, but {}: it may number stays or cases, of which a \
             person has several. Give the role \"person\" to the column that numbers the people, or to this one if it does; until then \
             no run releases the table",
            names[0],
            count(one.persons as u64),
            count(one.records),
            doubt(one).unwrap_or_default()
        )),
        [one] => Some(format!(
            "the table has several records of a person: {} tells {} people apart in {} records. It gets the role \"person\", \
             so that k counts people{}",
            names[0],
            count(one.persons as u64),
            count(one.records),
            one.births.as_ref().map_or_else(String::new, |births| format!(". But {births}"))
        )),
        _ => Some(format!(
            "the table has several records of a person, and {} columns could number the people: {}. Say which one does, with \
             role = \"person\", or write rows = \"independent\" at each of them; until then no run releases the table",
            found.len(),
            names.join(", ")
        )),
    }
}

fn set(columns: &mut [ColumnProfile], name: &str, role: Role, why: String) {
    for column in columns.iter_mut().filter(|column| column.name == name) {
        column.suggestion.role = role;
        column.suggestion.why = why.clone();
        column.suggestion.by_name = None;
    }
}
