//! Empty cells that mark a person, planted in a release that keeps its promises.

use velamen_contract::linked::Column;

use super::made::Made;

/// Which promises are broken after a change.
fn after(change: impl FnOnce(&mut Made)) -> Vec<String> {
    let mut made = Made::new();
    change(&mut made);
    made.broken()
}

#[test]
fn an_empty_cell_of_few_persons() {
    // A code, a band and the items of a list: of too few persons, then of enough of the twelve.
    let cases = [("DETAIL", "code", 4..6, 4..7), ("LAB", "band", 5..7, 5..8), ("LAB", "flags", 4..5, 4..8)];
    for (table, column, few, enough) in cases {
        let emptied = |rows: std::ops::Range<usize>| {
            after(|made| rows.for_each(|row| made.set(table, row, column, "")))
        };
        assert_eq!(emptied(few), ["traces"], "{table}.{column}");
        assert_eq!(emptied(enough), [""; 0], "{table}.{column}");
    }
    // Where nothing was emptied, a gap is the original's.
    let natural = after(|made| {
        made.manifest.tables["DETAIL"].emptied.clear();
        (4..6).for_each(|row| made.set("DETAIL", row, "code", ""));
    });
    assert_eq!(natural, [""; 0]);
}

#[test]
fn a_row_without_its_visit() {
    let without_visit = |persons: usize| {
        after(|made| {
            made.manifest.tables["VISIT"].is_referred_to = false;
            (0..persons).for_each(|person| made.set("CONDITION", 2 * person, "visit_id", ""));
        })
    };
    assert_eq!(without_visit(0), [""; 0]);
    assert_eq!(without_visit(2), ["traces"]);
    assert_eq!(without_visit(3), [""; 0]);
}

#[test]
fn an_empty_cell_beside_a_code() {
    // Four persons have a test of their own kind; of the other test many lack the band.
    let beside = |persons: usize| {
        after(|made| {
            *made.column("LAB", "value") = Column::Insensitive;
            made.set_all("LAB", "band", "[2.5, 10)");
            (8..12).for_each(|row| made.set("LAB", row, "code", "HIV"));
            (0..4).chain(8..8 + persons).for_each(|row| made.set("LAB", row, "band", ""));
        })
    };
    assert_eq!(beside(0), [""; 0]);
    assert_eq!(beside(2), ["traces"]);
    assert_eq!(beside(3), [""; 0]);
}

#[test]
fn an_item_says_what_a_row_is_about() {
    // Of eight rows with Y four have X, too.
    let beside = |persons: usize| {
        after(|made| {
            *made.column("LAB", "value") = Column::Insensitive;
            made.set_all("LAB", "band", "[2.5, 10)");
            (0..4).for_each(|row| made.set("LAB", row, "flags", "Y"));
            (0..4).chain(4..4 + persons).for_each(|row| made.set("LAB", row, "band", ""));
        })
    };
    assert_eq!(beside(0), [""; 0]);
    assert_eq!(beside(2), ["traces"]);
}

#[test]
fn the_fault_says_which_column() {
    let mut made = Made::new();
    made.set("LAB", 5, "flags", "");
    let reached = made.finding("traces").reached;
    assert_eq!((&reached["first"]["table"], &reached["first"]["column"]), (&"LAB".into(), &"flags".into()));
}
