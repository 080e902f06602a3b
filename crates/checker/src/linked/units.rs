//! Units that may stand in a release whoever typed them.

use velamen_contract::linked::is_unit;

/// The Unified Code for Units of Measure.
const UCUM: &str = "http://unitsofmeasure.org";

/// Whether a code of a system is one of the list, or of the Unified Code for Units of Measure and put together from units of the
/// list: `nmol/kg`, `kg.m/s2`.
pub(super) fn is_unit_of(system: &str, code: &str) -> bool {
    let is_composed = || code.contains(['/', '.']) && code.len() > 1 && code.split(['/', '.']).all(is_part);
    is_unit(code) || (system == UCUM && is_composed())
}

/// Whether a text is a unit of the list, also to a power, or a power of ten; or nothing, as before the bar of `/min`.
fn is_part(part: &str) -> bool {
    let is_digit = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_ten = || part.strip_prefix("10*").is_some_and(is_digit);
    let base = part.strip_suffix(|last: char| last.is_ascii_digit()).unwrap_or(part);
    part.is_empty() || is_unit(part) || is_unit(base.trim_end_matches('-')) || is_of_ten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_put_together_from_units_of_the_list() {
        let of_ucum = |code: &str| is_unit_of(UCUM, code);
        assert!(["mg/dL", "kg.m/s2", "/min", "10*6/kg", "m.s-2", "mm[Hg]"].into_iter().all(of_ucum));
        let other = [
            "",
            "/",
            "Dr Smith",
            "DrSmith",
            "Dr.Smith",
            "mg/DrSmith",
            "{DrSmith}",
            "mg/12345678",
            "10*12345/L",
        ];
        assert!(!other.into_iter().any(of_ucum));
        assert!(is_unit_of("", "mg") && !is_unit_of("urn:local", "kg.m/s2"));
    }
}
