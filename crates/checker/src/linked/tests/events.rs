//! Windows of single tables, and codes of public events.

use super::made::Made;

/// Which promises are broken after a change.
fn after(change: impl FnOnce(&mut Made)) -> Vec<String> {
    let mut made = Made::new();
    change(&mut made);
    made.broken()
}

#[test]
fn a_day_at_the_end_of_a_tables_own_window() {
    let own = |days: [&str; 2], day: &str| {
        after(|made| {
            made.set("VISIT", 0, "day", day);
            made.manifest.tables["VISIT"].window = Some(days.map(str::to_owned));
        })
    };
    assert_eq!(own(["2011-01-01", "2019-12-31"], "2011-04-11"), [""; 0]);
    assert_eq!(own(["2011-01-01", "2019-12-31"], "2011-04-10"), ["dates"]);
    assert_eq!(own(["2009-01-01", "2019-12-31"], "2012-04-11"), ["dates"], "a window beyond that of all");
    assert_eq!(own(["2011", "2019"], "2012-04-11"), ["dates"], "a window that does not read");
}

#[test]
fn a_code_of_an_accident() {
    let named = |names: &[&str], code: Option<&str>| {
        after(|made| {
            made.manifest.public_events = names.iter().map(|name| (*name).to_owned()).collect();
            if let Some(code) = code {
                let rows = made.files["LAB"].len() - 1;
                (0..rows).for_each(|row| made.set("LAB", row, "flags", code));
            }
        })
    };
    assert_eq!(named(&["CONDITION.code", "LAB.flags"], None), [""; 0]);
    assert_eq!(named(&["CONDITION.code"], Some("W19")), [""; 0], "nobody said so of this column");
    assert_eq!(named(&["LAB.flags"], Some("W19")), ["public-events"]);
    assert_eq!(named(&["LAB.flags"], Some("I10;w19.1")), ["public-events"]);
    assert_eq!(named(&["LAB.value"], None), ["public-events"], "no column of codes");
    assert_eq!(named(&["LAB.flag"], None), ["public-events"], "no such column");
}
