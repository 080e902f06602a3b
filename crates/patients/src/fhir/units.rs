//! Units: their name, and their code too, is text that somebody typed.
//!
//! Both stay if they are of a list, or declared by the recipe, whoever typed them and however many did: what k persons share can
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
    let Some((system, name)) = cells.get(unit).and_then(|cell| cell.rsplit_once('|')) else { return true };
    if stays((system, name), declared) {
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
        "table `Observation`: {are} left out, because the unit is no known one; the first is {first}; {declare}"
    )
}

/// The Unified Code for Units of Measure.
const UCUM: &str = "http://unitsofmeasure.org";

/// Whether a unit may stay: of the Unified Code for Units of Measure, or a name without a system, and of the list or declared; a
/// code of this system can be put together from units of the list, too (`nmol/kg`, `kg.m/s2`). A code of another system has to be declared with it.
fn stays((system, code): (&str, &str), declared: &[String]) -> bool {
    let is_declared = |name: &str| declared.iter().any(|unit| unit == name);
    let is_ucum = system == UCUM;
    let is_known = is_unit(code) || is_declared(code) || (is_ucum && is_composed(code));
    (is_known && (is_ucum || system.is_empty())) || is_declared(&format!("{system}|{code}"))
}

/// Whether a code is put together from units of the list.
fn is_composed(code: &str) -> bool {
    let parts = || code.split(['/', '.']).skip(usize::from(code.starts_with('/')));
    code.contains(['/', '.']) && parts().all(is_part) && !counts_years(code)
}

/// Whether years or months stand above the bar: `a.a0` is an age, as `a` is.
fn counts_years(code: &str) -> bool {
    let above = code.split('.').filter_map(|product| product.split('/').next());
    let base =
        |part: &str| part.trim_end_matches(|last: char| last.is_ascii_digit() || last == '-').to_owned();
    above.map(base).any(|base| ["a", "mo"].contains(&base.split('_').next().unwrap_or_default()))
}

/// Whether a text is a unit of the list, also to a power, or a power of ten.
fn is_part(part: &str) -> bool {
    let is_digit = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_ten = || part.strip_prefix("10*").is_some_and(is_digit);
    let base = part.strip_suffix(|last: char| last.is_ascii_digit()).unwrap_or(part);
    is_unit(part) || is_unit(base.trim_end_matches('-')) || is_of_ten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_put_together_from_units_of_the_list() {
        let of_ucum = |code: &str| stays((UCUM, code), &[]);
        assert!(
            ["mg/dL", "kg.m/s2", "/min", "10*6/kg", "m.s-2", "mm[Hg]", "/a", "mg/a"].into_iter().all(of_ucum)
        );
        let other = [
            "",
            "/",
            "a.",
            "a.a0",
            "1.a",
            "mo_j/1",
            "//min",
            "Dr Smith",
            "DrSmith",
            "Dr.Smith",
            "mg/DrSmith",
            "{DrSmith}",
            "mg/12345678",
            "10*12345/L",
        ];
        assert!(!other.into_iter().any(of_ucum));
        assert!(stays(("", "mg"), &[]) && !stays(("urn:local", "mg"), &[]) && !stays(("", "kg.m/s2"), &[]));
        let declared = ["Stk".to_owned(), "urn:local|mg".to_owned()];
        assert!(stays((UCUM, "Stk"), &declared) && stays(("urn:local", "mg"), &declared));
        assert!(!stays(("urn:local", "Stk"), &declared));
    }
}
