//! A list of codes has one spelling: nothing marks a row.

use super::made::Made;

fn after(flags: &str) -> Vec<String> {
    let mut made = Made::new();
    let rows = made.files["LAB"].len() - 1;
    (0..rows).for_each(|row| made.set("LAB", row, "flags", flags));
    made.broken()
}

#[test]
fn codes_that_are_empty_repeated_or_out_of_order() {
    for right in ["X", "X;Y", "X;Y;Z"] {
        assert_eq!(after(right), [""; 0], "{right}");
    }
    for wrong in ["Y;X", "X;X", "X;", ";X", "X;;Y", ";"] {
        assert_eq!(after(wrong), ["columns"], "{wrong}");
    }
}
