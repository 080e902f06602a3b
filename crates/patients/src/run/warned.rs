//! What a run warns of: what the original has that somebody should look at.

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::linked::{Dates, Shape};

use crate::days::{self, NO_DAY, year};
use crate::loaded::{Cells, Coded, Rows};
use crate::persons::{Attribute, Demographics, Source};
use crate::plan::{Plan, PlannedTable, Use};
use crate::shape::required;

/// What the original has that somebody should look at.
pub(super) fn warned(plan: &Plan, tables: &[Rows]) -> Vec<String> {
    let mut warnings = plan.notes().to_vec();
    for (planned, rows) in plan.tables.iter().zip(tables) {
        if rows.orphans > 0 {
            let are = counted(rows.orphans, "without a parent is", "without a parent are");
            warnings.push(format!("table `{}`: {are} left out", planned.name));
        }
        warnings.extend(incomplete(plan, planned, rows));
        warnings.extend(of_one_meaning(planned, rows));
        let ended = ends_before_begin(planned, rows, plan.shape == Shape::Fhir);
        if ended > 0 {
            let end =
                counted(ended as u64, "ends before it begins and stays", "end before they begin and stay");
            warnings.push(format!("table `{}`: {end} so", planned.name));
        }
    }
    if plan.window.is_none() {
        warnings.extend(late_days(plan, tables));
    }
    warnings.extend(open_ends(plan, tables));
    warnings
}

/// What is said of two columns of sets of which one follows from the other: whoever knows a code knows both, and each counts.
fn of_one_meaning(planned: &PlannedTable, rows: &Rows) -> Option<String> {
    let is_set = |place: &usize| matches!(planned.columns[*place].used, Use::Set { .. });
    let sets: Vec<(&str, &Coded)> = (0..planned.columns.len())
        .filter(is_set)
        .filter_map(|place| Some((planned.columns[place].name.as_str(), rows.coded(place)?)))
        .collect();
    let pairs = sets
        .iter()
        .enumerate()
        .flat_map(|(place, one)| sets[place + 1..].iter().map(move |other| (one, other)));
    let mut same = pairs.filter(|((_, one), (_, other))| follows(one, other) || follows(other, one));
    same.next().map(|((one, _), (other, _))| {
        format!(
            "table `{}`: `{one}` and `{other}` have codes of one meaning. Whoever knows one of them knows both, and m counts each: leave one out with role = \"identifier\", or raise m",
            planned.name
        )
    })
}

/// The share of rows in which one code follows from another.
const FOLLOWS: f64 = 0.95;

/// Whether the code of a column follows from that of another one, nearly always. One code for everybody follows from any.
fn follows(from: &Coded, to: &Coded) -> bool {
    let pairs = from.codes.iter().zip(to.codes.iter()).filter(|(from, to)| *from != 0 && *to != 0);
    let mut rows: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    pairs.for_each(|pair| *rows.entry(pair).or_default() += 1);
    let codes: BTreeSet<u32> = rows.keys().map(|(_, to)| *to).collect();
    let mut usual: BTreeMap<u32, usize> = BTreeMap::new();
    for ((from, _), rows) in &rows {
        let most = usual.entry(*from).or_default();
        *most = (*most).max(*rows);
    }
    let all: usize = rows.values().sum();
    // A code that stands in one row says nothing of what follows from it.
    codes.len() > 1 && all >= 2 * usual.len() && usual.values().sum::<usize>() as f64 >= FOLLOWS * all as f64
}

/// What is said of windows at whose ends no shifted day can be left out: the ends of the data then show through.
fn open_ends(plan: &Plan, tables: &[Rows]) -> Option<String> {
    let Dates::Shift(days) = plan.dates else { return None };
    let tables =
        plan.tables.iter().zip(tables).filter(|(planned, rows)| has_open_end(plan, planned, rows, days));
    let names: Vec<String> = tables.map(|(planned, _)| format!("`{}`", planned.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "the window begins or ends so far from the rows of {} that none is left out there. Whoever knows when these data begin or end learns by how many days rows near that end were moved: declare as [persons] window the days between which the export was made",
            names.join(", ")
        )
    })
}

/// Whether no row of a table can be left out at an end of its window, by however many days it is moved.
fn has_open_end(plan: &Plan, planned: &PlannedTable, rows: &Rows, days: u32) -> bool {
    let Some([first, last]) = planned.window.or(plan.window).filter(|_| !planned.is_made_anew) else {
        return false;
    };
    let dated = || all_days(rows).map(|(day, _)| day);
    // A day and the margin within the window are both moved by at most so many.
    let reach = 2 * days as i32;
    let ends = dated().min().zip(dated().max());
    ends.is_some_and(|(least, most)| {
        least.saturating_sub(first) >= reach || last.saturating_sub(most) >= reach
    })
}

/// What is said if the original has codes and the release has none.
pub(super) fn without_codes(pairs: [u64; 2], plan: &Plan) -> Option<String> {
    let k = plan.k();
    (pairs[0] > 0 && pairs[1] == 0).then(|| {
        format!(
            "no code is released: none was left that {k} persons share. Of so few persons little can stay; more persons, \
             coarser codes (a vocabulary to climb) or a lower k would keep some"
        )
    })
}

/// What is said of person columns that are not released, since their values became one.
pub(super) fn hidden(demographics: &Demographics, plan: &Plan) -> Vec<String> {
    let levels = demographics.attributes.iter().zip(&demographics.node);
    let hidden = levels.filter(|(attribute, level)| attribute.levels[usize::from(**level)].is_empty());
    hidden.map(|(attribute, _)| left_out(attribute, plan)).collect()
}

fn left_out(attribute: &Attribute, plan: &Plan) -> String {
    match attribute.source {
        Source::Column(_) if attribute.is_local => format!(
            "table `{}`, column `{}`: left out, since no cut leaves enough persons with a value of their own",
            plan.tables[0].name, attribute.name
        ),
        Source::Column(_) => format!(
            "table `{}`, column `{}`: left out, since at every finer level persons or codes would be lost; `level` in its section asks for one",
            plan.tables[0].name, attribute.name
        ),
        Source::Fact(table) => format!(
            "table `{}`: left out, since who has a row there would make classes too small",
            plan.tables[table].name
        ),
    }
}

/// `a row is` of one row, and `2 rows are` of more, with the words of each.
fn counted(rows: u64, one: &str, more: &str) -> String {
    if rows == 1 { format!("a row {one}") } else { format!("{rows} rows {more}") }
}

/// How many rows are left out because they have no code, or not what their standard wants in each row, by column.
fn incomplete(plan: &Plan, planned: &PlannedTable, rows: &Rows) -> Vec<String> {
    let is_child = planned.parent.is_some() && !planned.is_made_anew;
    let columns = (0..planned.columns.len()).filter(|&place| is_child && is_wanted(plan, planned, place));
    columns.filter_map(|place| without(plan, planned, (rows, place))).collect()
}

/// Whether a row that has nothing in a column is left out.
fn is_wanted(plan: &Plan, planned: &PlannedTable, place: usize) -> bool {
    let column = &planned.columns[place];
    let is_set = matches!(column.used, Use::Set { items: None, .. });
    is_set || required(plan.shape, &planned.name).contains(&column.name.as_str())
}

/// What is said of rows that have nothing in a column.
fn without(plan: &Plan, planned: &PlannedTable, (rows, place): (&Rows, usize)) -> Option<String> {
    let empty: Vec<usize> = match &rows.columns[place] {
        Cells::Coded(coded) => (0..rows.number).filter(|&row| coded.at(row) == 0).collect(),
        Cells::Days(days) => (0..rows.number).filter(|&row| days[row] == NO_DAY).collect(),
        _ => return None,
    };
    let first = *empty.first()?;
    let (name, column, number) = (&planned.name, &planned.columns[place].name, empty.len());
    let rows_are = if number == 1 { "a row is" } else { &format!("{number} rows are") };
    let have = if number == 1 { "it has" } else { "they have" };
    let found = format!("table `{name}`: {rows_are} left out, because {have} no `{column}`");
    if rows.orphans > 0 {
        // Nobody knows any more where the rows that stayed beside orphans stood.
        return Some(found);
    }
    Some(match plan.place(planned, first) {
        Some((file, within)) => format!("{found}; the first is {}: {within}", file.display()),
        None => format!("{found}; the first is row {}", first + 1),
    })
}

/// The words by which columns say when something ended and when the same began.
const ENDS: [(&str, &str); 3] = [("end", "start"), ("stop", "start"), ("abatement", "onset")];

/// The number of rows whose end is before their begin.
///
/// Of FHIR's days some are known by their year or month alone, which stand as its first day, and times have zones: an end on
/// the first of a month, or a day before the begin, can be right.
fn ends_before_begin(planned: &PlannedTable, rows: &Rows, is_fhir: bool) -> usize {
    let mut found = 0;
    for (place, column) in planned.columns.iter().enumerate() {
        let begin = begin_of(planned, &column.name.to_ascii_lowercase()).filter(|&begin| begin != place);
        let Some((begins, ends)) = begin.and_then(|begin| rows.days(begin).zip(rows.days(place))) else {
            continue;
        };
        found +=
            begins.iter().zip(ends.iter()).filter(|(begin, end)| is_turned(*begin, *end, is_fhir)).count();
    }
    found
}

/// The column that says when that began whose end a column says.
fn begin_of(planned: &PlannedTable, end: &str) -> Option<usize> {
    let named =
        |name: &str| planned.columns.iter().position(|column| column.name.to_ascii_lowercase() == name);
    let mut pairs = ENDS.iter().filter(|(last, _)| end.contains(last));
    pairs.find_map(|(last, first)| named(&end.replacen(last, first, 1)))
}

/// Whether an end is before its begin; of FHIR, where that cannot be right.
fn is_turned(begin: i32, end: i32, is_fhir: bool) -> bool {
    let may_be_right = is_fhir && (begin.saturating_sub(end) <= 1 || days::is_first_of_month(end));
    begin != NO_DAY && end != NO_DAY && end < begin && !may_be_right
}

/// The days of a table, and whose they are.
fn all_days(rows: &Rows) -> impl Iterator<Item = (i32, u32)> + '_ {
    let columns = (0..rows.columns.len()).filter_map(|column| rows.days(column));
    let dated = columns.flat_map(|days| days.iter().zip(rows.persons.iter().copied()));
    dated.filter(|(day, _)| *day != NO_DAY)
}

/// What is said if fewer than k persons have a day in the last year that anybody has.
fn late_days(plan: &Plan, tables: &[Rows]) -> Option<String> {
    let last = |rows: &Rows| all_days(rows).map(|(day, _)| day).max().map(year);
    let last: Vec<Option<i32>> = tables.iter().map(last).collect();
    let latest = last.iter().copied().flatten().max()?;
    let mut has = vec![false; tables[0].number];
    for (_, person) in tables.iter().flat_map(all_days).filter(|(day, _)| year(*day) == latest) {
        has[person as usize] = true;
    }
    let persons = has.iter().filter(|has| **has).count();
    let table = &plan.tables[last.iter().position(|last| *last == Some(latest))?].name;
    let (have, k) = (counted_persons(persons), plan.k());
    (persons < k).then(|| {
        format!("{have} a day in the last year of the data, such as one in table `{table}`, and k is {k}: declare [persons] window, or one wrong date decides who counts as old")
    })
}

/// `a person has` of one, `3 persons have` of more.
fn counted_persons(persons: usize) -> String {
    if persons == 1 { "a person has".to_owned() } else { format!("{persons} persons have") }
}
