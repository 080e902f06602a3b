//! The synthetic sample on the paper's own lattice of 256 nodes.
//!
//! Ages in tens, then 0–29, 30–59 and 60–99; sex; length of stay in {1, 2–4, 5–9, 10–29, 30+}, then
//! {1, 2+}; 16 regions in {11, 21–26, 31–39}, then {11, the rest}; surgery. A visit without a night is
//! 0 days in the sample and stands with 1 day. The sample's provinces take the paper's 16 codes in order.

use velamen_core::context::Context;
use velamen_core::frequency::QuasiIdentifier;
use velamen_core::hierarchy::{Cuts, IntervalRule, Rule, TableRule};
use velamen_recipe::JobError;

use crate::sample;
use crate::sample::Sample;

/// The longest stay of the paper's table, in days.
const LONGEST_STAY: i64 = 400;

/// The column of the location, and the digits of a district's code that tell its province.
const LOCATION: usize = 3;
const PROVINCE: usize = 2;

/// The paper's regions.
fn regions() -> impl Iterator<Item = u32> {
    std::iter::once(11).chain(21..=26).chain(31..=39)
}

/// The sample of that many patients.
///
/// # Errors
/// [`JobError`] of drawing it.
pub(super) fn synthetic(patients: u64, context: &Context<'_>) -> Result<Sample, JobError> {
    let (mut qis, rest) = sample::domains()?;
    let wrong = |error: velamen_core::hierarchy::HierarchyError| JobError::data(error.to_string());
    let decades = (1..10).map(|decade| 10 * decade).collect();
    let ages = IntervalRule::new(Cuts::Starts(vec![decades, vec![30, 60]]), 0, 99, 0).map_err(wrong)?;
    let stays = Cuts::Starts(vec![vec![2, 5, 10, 30], vec![2]]);
    let stays = IntervalRule::new(stays, 0, LONGEST_STAY, 0).map_err(wrong)?;
    let labels = velamen_synth::labels();
    relevel(&mut qis, "age", Rule::Interval(ages), labels[0].clone());
    relevel(&mut qis, "length_of_stay", Rule::Interval(stays), labels[2].clone());
    let rows: Vec<Vec<String>> = regions().map(region_row).collect();
    let leaves = regions().map(|region| region.to_string()).collect();
    relevel(&mut qis, "location", Rule::Table(TableRule::new(rows).map_err(wrong)?), leaves);
    let provinces = provinces(&labels[LOCATION]);
    let recode = |mut codes: [u16; 6]| {
        codes[LOCATION] = provinces[usize::from(codes[LOCATION])];
        codes
    };
    sample::recoded(patients, qis, rest, recode, context)
}

/// Gives an attribute another hierarchy; the leaves must be in the rule's own order, so that codes stay.
fn relevel(qis: &mut [QuasiIdentifier], name: &str, rule: Rule, leaves: Vec<String>) {
    let (ordered, hierarchy) = rule.over(leaves.clone(), true);
    debug_assert_eq!(ordered, leaves);
    if let Some(qi) = qis.iter_mut().find(|qi| qi.name == name) {
        qi.hierarchy = hierarchy;
    }
}

fn region_row(region: u32) -> Vec<String> {
    let group = match region {
        11 => "11",
        21..=26 => "21-26",
        _ => "31-39",
    };
    let above = if region == 11 { "11" } else { "21-39" };
    [region.to_string(), group.into(), above.into(), "*".into()].to_vec()
}

/// By district, the place of its province among the provinces.
fn provinces(districts: &[String]) -> Vec<u16> {
    let mut known: Vec<&str> = districts.iter().map(|district| &district[..PROVINCE]).collect();
    known.sort_unstable();
    known.dedup();
    let place = |district: &String| known.partition_point(|province| *province < &district[..PROVINCE]);
    districts.iter().map(|district| place(district) as u16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lee2017::tests::in_context;

    #[test]
    fn the_lattice_is_the_papers() {
        let table = in_context(|context| synthetic(5000, context)).unwrap().table;
        assert_eq!((table.records(), table.lattice().len()), (5000, Some(256)));
        let widths = |q: usize| -> Vec<usize> {
            let hierarchy = &table.qis[q].hierarchy;
            (0..=hierarchy.top()).map(|level| hierarchy.width(level)).collect()
        };
        assert_eq!(widths(0), [100, 10, 3, 1]);
        assert_eq!(widths(2), [112, 5, 2, 1]);
        assert_eq!(widths(3), [16, 3, 2, 1]);
        assert_eq!((widths(1), widths(4)), (vec![2, 1], vec![2, 1]));
        let label = |q: usize, level: u8, leaf: &str| {
            let hierarchy = &table.qis[q].hierarchy;
            let code = hierarchy.labels(0).iter().position(|label| label == leaf).unwrap() as u32;
            hierarchy.label(level, hierarchy.code(level, code)).to_owned()
        };
        assert_eq!((label(0, 1, "67"), label(0, 2, "67")), ("[60-69]".into(), "[60-99]".into()));
        assert_eq!(
            (label(2, 1, "0"), label(2, 1, "29"), label(2, 2, "29")),
            ("[0-1]".into(), "[10-29]".into(), "[2-400]".into())
        );
        assert_eq!(
            (label(3, 1, "11"), label(3, 1, "26"), label(3, 2, "39")),
            ("11".into(), "21-26".into(), "21-39".into())
        );
        assert_eq!(table.qis[2].hierarchy.leaves(1, 4), 371);
    }
}
