//! Units without a code: their name is text that somebody typed.
//!
//! A name stays if it is one of a list, or declared by the recipe, whoever typed it and however many did: what k persons share can
//! still be the name of a ward or of its physician. A number whose unit does not stay goes with it, since it would be taken for one
//! of another unit.

use std::borrow::Cow;

use velamen_contract::linked::is_unit;

use super::found::Left;

/// Takes out a number whose unit is no known one, with its unit; both by their places. Whether no number is taken out.
pub(super) fn only_known(
    cells: &mut [Cow<'_, str>],
    (number, unit): (usize, usize),
    declared: &[String],
) -> bool {
    let Some(name) = cells.get(unit).and_then(|cell| cell.strip_prefix('|')) else { return true };
    if is_unit(name) || declared.iter().any(|unit| unit == name) {
        return true;
    }
    let had_number = !cells[number].is_empty();
    cells[number] = Cow::Borrowed("");
    cells[unit] = Cow::Borrowed("");
    !had_number
}

/// What is said of numbers that are left out.
pub(super) fn words(Left { number, first }: &Left) -> String {
    let are = if *number == 1 { "a number is" } else { &format!("{number} numbers are") };
    let declare = "to release it, declare it: [persons] units = [\"…\"]";
    format!(
        "table `Observation`: {are} left out, because the name of the unit is no known one; the first is {first}; {declare}"
    )
}
