//! What the keys of a hierarchy could be for a column: forms begin with these.

use serde_json::{Value, json};

use super::suggest::OLD;

/// What a key of a kind of hierarchies could be for a column, to begin with. What it does not know is left to the person.
/// `values` are the column's, with their records; `top` is where one group of high values begins.
pub fn suggested_key(kind: &str, key: &str, values: &[(String, u64)], top: Option<f64>) -> Option<Value> {
    let numbers = range(values).filter(|(least, most)| least < most);
    let lengths = || values.iter().map(|(value, _)| value.chars().count());
    let is_date = kind == "date";
    Some(match key {
        "interval" => fitting(numbers?, top).into(),
        "cuts" => {
            let (least, most) = bounds(numbers?);
            let width = widths(numbers?)[2];
            let starts: Vec<f64> = (1..)
                .map(|step| least + f64::from(step) * width)
                .take_while(|start| *start <= most)
                .collect();
            json!([starts])
        }
        "min" if is_date => format!("{}-01-01", years(values)?.0).into(),
        "max" if is_date => format!("{}-12-31", years(values)?.1).into(),
        "min" if kind != "equal-width" => bounds(numbers?).0.into(),
        "max" if kind != "equal-width" && kind != "age" => bounds(numbers?).1.into(),
        "equal-frequency" => json!([8, 4, 2]),
        "mask" => "right".into(),
        "length" => lengths().max()?.into(),
        "prefix" => {
            let longest = lengths().max()?;
            (1..=longest)
                .filter(|length| *length == longest || *length == longest.div_ceil(2))
                .collect::<Vec<_>>()
                .into()
        }
        "date" => json!(["month", "quarter", "year"]),
        "age" => (OLD as u64).into(),
        "icd-10" => "who".into(),
        "atc" => "full".into(),
        "us-zip" if kind != "us-zip" => json!(["000"]),
        "uk-postcode" => "any".into(),
        "ordered" => values.iter().map(|(value, _)| value.as_str()).take(500).collect::<Vec<_>>().into(),
        "groups" => json!([2]),
        _ => return None,
    })
}

/// The first and the last year, where all values begin with one.
fn years(values: &[(String, u64)]) -> Option<(u32, u32)> {
    let years: Vec<u32> = values.iter().map(|(value, _)| year(value)).collect::<Option<_>>()?;
    Some((*years.iter().min()?, *years.iter().max()?))
}

fn year(value: &str) -> Option<u32> {
    value.get(..4)?.parse::<u32>().ok().filter(|year| (1800..2200).contains(year))
}

/// Widths of 1, 2 and 4 times a round number, so that the first makes some fifteen intervals.
fn widths((least, most): (f64, f64)) -> [f64; 3] {
    let rough = ((most - least) / 15.0).max(f64::MIN_POSITIVE);
    let unit = 10f64.powf(rough.log10().floor());
    let round =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * unit).find(|width| *width >= rough * 0.99);
    let width = round.unwrap_or(unit).max(1.0);
    [width, 2.0 * width, 4.0 * width]
}

/// Widths of which an interval begins at `top` on every level, where there are such.
fn fitting(range: (f64, f64), top: Option<f64>) -> Vec<f64> {
    let all = widths(range);
    let Some(reach) = top.map(|top| top - bounds(range).0) else { return all.to_vec() };
    let divides = |width: &f64| (reach / width).fract() == 0.0;
    let Some(first) = [all[0], all[0] / 2.0, 1.0].into_iter().find(divides) else { return all.to_vec() };
    let mut widths = vec![first];
    while let Some(last) = widths.last().copied().filter(|_| widths.len() < 3) {
        let Some(next) = [2.0, 3.0, 4.0, 5.0].map(|by| by * last).into_iter().find(divides) else { break };
        widths.push(next);
    }
    widths
}

/// A domain around the numbers that the widest intervals fill.
fn bounds(range: (f64, f64)) -> (f64, f64) {
    let width = widths(range)[2];
    let least = (range.0 / width).floor() * width;
    (least, least + (((range.1 - least) / width).floor() + 1.0) * width - 1.0)
}

/// The least and the greatest number, where all values are numbers.
fn range(values: &[(String, u64)]) -> Option<(f64, f64)> {
    let mut range = None;
    for (value, _) in values {
        let number: f64 = value.parse().ok().filter(|number: &f64| number.is_finite())?;
        let (least, most) = range.unwrap_or((number, number));
        range = Some((number.min(least), number.max(most)));
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_have_a_range() {
        let of =
            |values: &[&str]| range(&values.iter().map(|value| ((*value).to_owned(), 1)).collect::<Vec<_>>());
        assert_eq!(of(&["17", "90", "-3.5"]), Some((-3.5, 90.0)));
        assert_eq!(of(&["17", "old"]), None);
        assert_eq!(of(&[]), None);
    }

    /// An interval that holds both coded and other values would be released beside the coded ones.
    #[test]
    fn intervals_end_where_one_group_of_high_values_begins() {
        assert_eq!(fitting((0.0, 103.0), Some(90.0)), [10.0, 30.0, 90.0]);
        assert_eq!(fitting((17.0, 90.0), Some(90.0)), [5.0, 10.0, 30.0]);
        assert_eq!(fitting((0.0, 103.0), None), [10.0, 20.0, 40.0]);
    }

    #[test]
    fn ages_get_intervals_of_5_10_and_20() {
        assert_eq!(widths((17.0, 90.0)), [5.0, 10.0, 20.0]);
        assert_eq!(bounds((17.0, 90.0)), (0.0, 99.0));
        assert_eq!(bounds((1.0, 100.0)).1 % 2.0, 1.0);
    }
}
