//! What a released label covers, from its hierarchy's definition.

use velamen_checker::standard_place;
use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{Definition, NULL, Rule, TOP};
use velamen_core::label::{Open, Range, position};
use velamen_core::recoding::{Recoding, ReleasedValue};

/// An attribute whose labels are read.
pub(super) struct Scope<'a> {
    pub(super) attribute: &'a PromisedAttribute,
    pub(super) rule: &'a Rule,
    pub(super) domain: u64,
    pub(super) top: u8,
    /// The original values, where the original is at hand.
    pub(super) originals: &'a [String],
    /// Where ranges of listed leaves can be released: the numbers among the leaves, ascending.
    pub(super) positions: Vec<f64>,
}

/// The numbers among the leaves that ranges are over, ascending; none where there are no such ranges.
pub(super) fn positions(attribute: &PromisedAttribute, originals: &[String]) -> Vec<f64> {
    let mut found: Vec<f64> = match &attribute.hierarchy {
        _ if attribute.recoding != Recoding::Ranges => Vec::new(),
        Definition::Table { rows } => rows.iter().filter_map(|row| position(&row[0])).collect(),
        Definition::Flat { .. } => originals.iter().filter_map(|leaf| position(leaf)).collect(),
        _ => Vec::new(),
    };
    found.sort_unstable_by(f64::total_cmp);
    found
}

impl Scope<'_> {
    /// The value behind a label; `None` where the label does not tell what it covers.
    pub(super) fn value(&self, label: &str) -> Option<ReleasedValue> {
        let value = |leaves, level| ReleasedValue { label: label.into(), leaves, level };
        if label == TOP {
            return Some(value(self.domain, self.top));
        }
        let level = self.attribute.level.or_else(|| self.lowest_level(label))?;
        Some(value(self.leaves(label, level)?, level))
    }

    /// The lowest level at which one value covers all that the label can cover.
    fn lowest_level(&self, label: &str) -> Option<u8> {
        let levels = 0..=self.top;
        match &self.attribute.hierarchy {
            _ if label == NULL => Some(0),
            Definition::Flat { .. } => Some(u8::from(self.range(label).is_some())),
            Definition::Mask { .. } => {
                let example = label.replace('*', "0");
                let known = self.rule.contains(&example);
                levels.into_iter().find(|&level| known && self.rule.label_at(&example, level) == label)
            }
            Definition::Table { .. } => {
                let under = |level: &u8| self.under(label, *level);
                let widest = levels.rev().max_by_key(under).filter(|level| under(level) > 0);
                widest.or_else(|| self.common_level(label))
            }
            Definition::Interval { .. } | Definition::Cuts { .. } => match self.range(label) {
                Some(Range::Open(open, bound)) => self.open_level(open, bound),
                _ => self.common_level(label),
            },
            standard => standard_place(standard, None, label).map(|place| place.0),
        }
    }

    /// The coded value is a leaf; a range that begins below `top`, or ends above `bottom`, holds it and others. Where nothing
    /// is coded, an open range reaches to the end of the domain.
    fn open_level(&self, open: Open, bound: &str) -> Option<u8> {
        let (coded, (min, max, _)) = match open {
            Open::Above => (self.attribute.top, self.numbers()?),
            Open::Below => (self.attribute.bottom, self.numbers()?),
        };
        let at = position(bound)?;
        match (coded, open) {
            (Some(end), _) if end == at => Some(0),
            (_, Open::Above) => self.level_between(at, coded.unwrap_or(max)),
            (_, Open::Below) => self.level_between(coded.unwrap_or(min), at),
        }
    }

    /// The lowest level at which both ends of a range have one ancestor.
    fn common_level(&self, label: &str) -> Option<u8> {
        match (self.numbers(), self.range(label).and_then(|range| range.bounds())) {
            (Some(_), Some((low, high))) => self.level_between(low, high),
            _ => {
                let (low, high) = self.range(label).and_then(|range| range.ends()).unwrap_or((label, label));
                self.level_of_both(low, high)
            }
        }
    }

    /// Least, greatest and decimals of a domain of numbers.
    fn numbers(&self) -> Option<(f64, f64, u32)> {
        match self.attribute.hierarchy {
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
                Some((min, max, decimals))
            }
            _ => None,
        }
    }

    /// The lowest level over all numbers of the domain between two, which can lie beyond it.
    fn level_between(&self, low: f64, high: f64) -> Option<u8> {
        let (min, max, decimals) = self.numbers()?;
        let text = |number: f64| format!("{:.*}", decimals as usize, number.clamp(min, max));
        self.level_of_both(&text(low), &text(high))
    }

    /// The lowest level at which two values have one ancestor.
    fn level_of_both(&self, low: &str, high: &str) -> Option<u8> {
        let known = self.rule.contains(low) && self.rule.contains(high);
        let same = |level: &u8| known && self.rule.label_at(low, *level) == self.rule.label_at(high, *level);
        (0..=self.top).find(same)
    }

    fn leaves(&self, label: &str, level: u8) -> Option<u64> {
        match &self.attribute.hierarchy {
            _ if label == NULL && self.attribute.null_leaf => Some(1),
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
                let bounds = self.range(label).and_then(|range| range.bounds());
                let span = bounds.map_or(0.0, |(low, high)| high.min(*max) - low.max(*min));
                Some((span * 10f64.powi((*decimals).min(9) as i32)).round() as u64 + 1)
            }
            Definition::Mask { alphabet, .. } => {
                let hidden = label.chars().filter(|character| *character == '*').count();
                alphabet.checked_pow(u32::try_from(hidden).ok()?)
            }
            Definition::Table { rows } => {
                let under = self.under(label, level);
                let leaves = || self.between(label, rows.iter().map(|row| &row[0]));
                if under > 0 { Some(under) } else { leaves() }
            }
            Definition::Flat { .. } if self.range(label).is_none() => Some(1),
            Definition::Flat { .. } => match self.range(label) {
                Some(Range::Set(names)) => Some(names.split('|').count() as u64),
                _ => self.between(label, self.originals.iter()),
            },
            standard => standard_place(standard, Some(level), label).map(|place| place.1),
        }
    }

    /// The range that a label is, where the attribute has ranges.
    fn range<'l>(&self, label: &'l str) -> Option<Range<'l>> {
        let numbers = matches!(
            self.attribute.hierarchy,
            Definition::Interval { .. } | Definition::Cuts { .. } | Definition::Mask { .. }
        );
        let known = numbers || self.attribute.recoding == Recoding::Ranges;
        Range::read(label).filter(|_| known)
    }

    /// The leaves that a table counts under a label of a level.
    fn under(&self, label: &str, level: u8) -> u64 {
        match self.rule {
            Rule::Table(table) => table.under(label, level),
            _ => 0,
        }
    }

    /// How many leaves a range has; `None` where there is none.
    fn between<'l>(&self, label: &str, leaves: impl Iterator<Item = &'l String>) -> Option<u64> {
        let range = self.range(label)?;
        let count = match range.bounds() {
            Some((low, high)) => {
                let up_to = self.positions.partition_point(|at| *at <= high);
                up_to.saturating_sub(self.positions.partition_point(|at| *at < low))
            }
            None => leaves.filter(|leaf| range.has(leaf)).count(),
        };
        Some(count as u64).filter(|&count| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_range_is_at_the_level_that_covers_it() {
        let hierarchy =
            Definition::Interval { interval: vec![5.0, 10.0, 30.0], min: 0.0, max: 119.0, decimals: 0 };
        let rule = Rule::try_from(&hierarchy).unwrap();
        let (recoding, top) = (Recoding::Ranges, Some(90.0));
        let attribute = PromisedAttribute { level: None, recoding, hierarchy, top, ..Default::default() };
        let scope = Scope {
            attribute: &attribute,
            rule: &rule,
            domain: 120,
            top: 4,
            originals: &[],
            positions: Vec::new(),
        };
        let level = |label| scope.value(label).unwrap().level;
        assert_eq!([">=90", ">=86", "[86-89]", "[81-89]", "[61-89]"].map(level), [0, 4, 1, 2, 3]);
    }

    #[test]
    fn a_label_of_two_levels_is_the_wider_one() {
        let rows = [["I63", "I63", "*"], ["I63.1", "I63", "*"], ["I64", "I64", "*"]];
        let hierarchy = Definition::Table { rows: rows.map(|row| row.map(str::to_owned).to_vec()).to_vec() };
        let rule = Rule::try_from(&hierarchy).unwrap();
        let attribute =
            PromisedAttribute { level: None, recoding: Recoding::Nodes, hierarchy, ..Default::default() };
        let scope = Scope {
            attribute: &attribute,
            rule: &rule,
            domain: 3,
            top: 2,
            originals: &[],
            positions: Vec::new(),
        };
        let places = ["I63", "I63.1", "I64", "*"].map(|label| {
            let value = scope.value(label).unwrap();
            (value.leaves, value.level)
        });
        assert_eq!(places, [(2, 1), (1, 0), (1, 0), (3, 2)]);
    }
}
