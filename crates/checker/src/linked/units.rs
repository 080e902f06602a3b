//! Units that may stand in a release whoever typed them.

use velamen_contract::linked::is_unit;

/// The Unified Code for Units of Measure.
const UCUM: &str = "http://unitsofmeasure.org";

/// Whether a unit, `system|code`, may be released: a name of the list, a code of the Unified Code for Units of Measure that is one or
/// is put together from such (`nmol/kg`, `kg.m/s2`), or one that is declared. That of another system is declared with it.
pub(super) fn may_stand(unit: &str, declared: &[String]) -> bool {
    let has = |name: &str| declared.iter().any(|one| one == name);
    match unit.rsplit_once('|') {
        Some(("", name)) => is_unit(name) || has(name),
        Some((UCUM, code)) => is_unit(code) || is_composed(code) || has(code) || has(unit),
        Some(_) => has(unit),
        None => is_unit(unit) || has(unit),
    }
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
        let of_ucum = |code: &str| may_stand(&format!("{UCUM}|{code}"), &[]);
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
            "g.a0",
            "g.mo2/L",
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
        assert!(may_stand("|mg", &[]) && !may_stand("urn:ward-7|mg", &[]) && !may_stand("|kg.m/s2", &[]));
        let declared = ["Stk".to_owned(), "urn:ward-7|mg".to_owned()];
        assert!(may_stand("|Stk", &declared) && may_stand("urn:ward-7|mg", &declared));
        assert!(may_stand(&format!("{UCUM}|Stk"), &declared) && !of_ucum("Stk"));
        assert!(may_stand(&format!("{UCUM}|Pkg"), &[format!("{UCUM}|Pkg")]));
        assert!(may_stand("mg", &[]) && may_stand("Stk", &declared) && !may_stand("Stk", &[]));
        assert!(!may_stand("urn:ward-7|Stk", &declared) && !may_stand("urn:ward-7|kg", &declared));
    }
}
