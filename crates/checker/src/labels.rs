//! What released labels say, from the definitions of their hierarchies alone.
//!
//! In floating point throughout: a manifest can state any number, and none may end the check.

use std::collections::{BTreeMap, HashMap};

use velamen_core::hierarchy::{Definition, Side};
use velamen_core::recoding::Recoding;
use velamen_core::step::{Ends, Step};

use super::PromisedAttribute;
use super::kind_check::{self, Labels, Place};

mod cut;
mod grid;

/// An attribute whose labels are read; what a table lists is counted once for all of them.
pub(super) struct Reader<'a> {
    attribute: &'a PromisedAttribute,
    table: Counted<'a>,
    /// What labels say of a hierarchy of a kind.
    kind: Option<Box<dyn Labels>>,
}

/// What the labels of a table cover. Empty for other hierarchies.
#[derive(Default)]
struct Counted<'a> {
    rows: usize,
    /// By label and level, the rows under it.
    under: HashMap<&'a str, BTreeMap<usize, usize>>,
    /// The numbers among the leaves, ascending.
    ends: Vec<f64>,
}

impl<'a> Counted<'a> {
    fn new(rows: &'a [Vec<String>]) -> Self {
        let mut under: HashMap<&str, BTreeMap<usize, usize>> = HashMap::new();
        for (level, label) in rows.iter().flat_map(|row| row.iter().enumerate()) {
            let counted = under.entry(label).or_default().entry(level).or_default();
            *counted = counted.saturating_add(1);
        }
        let mut ends: Vec<f64> =
            rows.iter().filter_map(|row| row.first()).filter_map(|leaf| end(leaf)).collect();
        ends.sort_unstable_by(f64::total_cmp);
        Self { rows: rows.len(), under, ends }
    }

    /// The rows under a label of a level.
    fn at(&self, label: &str, level: usize) -> usize {
        self.under.get(label).and_then(|levels| levels.get(&level)).copied().unwrap_or(0)
    }

    fn has(&self, label: &str, level: usize) -> bool {
        self.at(label, level) > 0
    }

    /// The rows under a value at the level where it covers most, or of a range of its numbers.
    fn most(&self, label: &str) -> f64 {
        let most = self.under.get(label).and_then(|levels| levels.values().max()).copied();
        match (most, leaf_bounds(label)) {
            (Some(most), _) => most as f64,
            (None, None) => self.rows as f64,
            (None, Some((low, high))) => {
                let up_to = self.ends.partition_point(|end| *end <= high);
                up_to.saturating_sub(self.ends.partition_point(|end| *end < low)) as f64
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// Time: O(rows of the hierarchy · levels).
    pub(super) fn new(attribute: &'a PromisedAttribute) -> Self {
        let table = match &attribute.hierarchy {
            Definition::Table { rows } => Counted::new(rows),
            _ => Counted::default(),
        };
        Self { attribute, table, kind: kind_check::labels(&attribute.hierarchy) }
    }

    /// The degree of generalization of a label at the attribute's one level, or of one wherever it stands
    /// in the hierarchy where classes have levels of their own. 1 where nobody can tell.
    pub(super) fn degree(&self, label: &str) -> f64 {
        match self.attribute.level.map(usize::from) {
            Some(level) => self.degree_at(label, level),
            None => self.local_degree(label),
        }
    }

    /// The degree of a label at a level.
    fn degree_at(&self, label: &str, level: usize) -> f64 {
        let attribute = self.attribute;
        let null = f64::from(u8::from(attribute.null_leaf));
        let (leaves, domain) = match &attribute.hierarchy {
            Definition::Table { .. } => {
                let covered = self.table.at(label, level);
                let whole = covered == self.table.rows;
                let covered = if whole { covered as f64 + null } else { covered.max(1) as f64 };
                (covered, self.table.rows as f64)
            }
            Definition::Kind(_) => self.of_kind(level, label),
            _ => unlisted(attribute, level, label),
        };
        let domain = domain + null;
        if domain <= 1.0 { 0.0 } else { (leaves - 1.0) / (domain - 1.0) }
    }

    /// The degree of a value of the hierarchy at any level, or of a range of its leaves.
    fn local_degree(&self, label: &str) -> f64 {
        let attribute = self.attribute;
        match &attribute.hierarchy {
            Definition::Table { .. } => {
                let domain = self.table.rows as f64 + f64::from(u8::from(attribute.null_leaf));
                let leaves = match label {
                    "*" => domain,
                    "" if attribute.null_leaf => 1.0,
                    label => self.table.most(label),
                };
                if domain <= 1.0 { 0.0 } else { (leaves.min(domain) - 1.0) / (domain - 1.0) }
            }
            // The values are not in the manifest: a range over them covers nobody knows how many.
            Definition::Flat { .. } => {
                let several = label == "*" || inner(label).is_some() || open_end(label).is_some();
                f64::from(u8::from(several || grid::ends_there(attribute, Ends::Values, label)))
            }
            // Of the levels that a label can stand at, the one where it covers most.
            _ => self.degree_at(label, self.places(label).last().map_or(0, |place| place.0)),
        }
    }

    /// Whether a label is what the attribute's recoding allows to be released of it.
    pub(super) fn allowed(&self, label: &str) -> bool {
        match self.attribute.recoding {
            Recoding::FullDomain if self.attribute.level.is_some() => self.of_level(label),
            Recoding::FullDomain | Recoding::Nodes => self.node(label),
            Recoding::Ranges => match self.attribute.ends {
                Some(ends) => self.ending(ends, label),
                // What an older release does not state.
                None => self.node(label) || self.range(label),
            },
            Recoding::Aggregates => {
                (self.node(label) || number(label).is_some()) && grid::is_rounded(self.attribute, label)
            }
        }
    }

    /// Whether a label is a value, or a range or set whose ends are what the manifest says.
    fn ending(&self, ends: Ends, label: &str) -> bool {
        let attribute = self.attribute;
        if label == "*" || (label.is_empty() && (attribute.null_leaf || self.is_flat())) {
            return true;
        }
        let coded = match open_end(label) {
            Some((true, bound)) => attribute.top == Some(bound),
            Some((false, bound)) => attribute.bottom == Some(bound),
            None => false,
        };
        let is_value = match (&attribute.hierarchy, ends) {
            (Definition::Flat { .. }, Ends::Step(Step::Number(_))) => number(label).is_some(),
            (Definition::Flat { .. }, Ends::Step(Step::Span(_))) => grid::is_day(label),
            (Definition::Flat { .. }, _) => {
                let like_set = label.starts_with('{') && label.ends_with('}') && label.contains('|');
                self.node(label) && !like_set
            }
            (Definition::Table { .. }, _) => self.node(label) || self.range(label),
            _ => open_end(label).is_none() && self.node(label),
        };
        coded || is_value || grid::ends_there(attribute, ends, label)
    }

    fn is_flat(&self) -> bool {
        matches!(self.attribute.hierarchy, Definition::Flat { .. })
    }

    /// Whether a label is a value of the attribute's one level, in a hierarchy that lists or bounds its domain.
    pub(super) fn at_level(&self, label: &str) -> bool {
        let attribute = self.attribute;
        let Some(level) = attribute.level.map(usize::from) else { return false };
        match &attribute.hierarchy {
            Definition::Table { .. } => self.table.has(label, level),
            Definition::Interval { interval, min, max, decimals } => {
                let (ends, unit) = ((*min, *max), 1.0 / scale(*decimals));
                let fits = |shown, at| {
                    interval.get(at).is_some_and(|width: &f64| is_interval(shown, *width, ends, unit))
                };
                self.is_of_intervals((level, interval.len()), label, (ends, *decimals), fits)
            }
            Definition::Cuts { cuts, min, max, decimals } => {
                let (ends, unit) = ((*min, *max), 1.0 / scale(*decimals));
                let fits = |shown, at| {
                    cuts.get(at).is_some_and(|starts: &Vec<f64>| is_between_cuts(shown, starts, ends, unit))
                };
                self.is_of_intervals((level, cuts.len()), label, (ends, *decimals), fits)
            }
            Definition::Mask { .. } | Definition::Flat { .. } => false,
            Definition::Kind(_) => {
                let top = self.top() == Some(level) && label == "*";
                top || self.places(label).iter().any(|place| place.0 == level)
            }
        }
    }

    /// Whether a label is one of a level of numbers, of so many levels of intervals; `fits` says whether an interval is one of
    /// those, counted from 0.
    fn is_of_intervals(
        &self,
        (level, levels): (usize, usize),
        label: &str,
        (ends, decimals): ((f64, f64), u32),
        fits: impl Fn((f64, f64), usize) -> bool,
    ) -> bool {
        match level {
            0 => is_plain(self.attribute, label, ends, decimals) || is_open_end(self.attribute, label),
            _ if level > levels => level.checked_sub(1) == Some(levels) && label == "*",
            _ if is_open_end(self.attribute, label) => true,
            // An interval of one number is shown as the number.
            _ => bounds(label)
                .or(number(label).map(|n| (n, n)))
                .is_some_and(|shown| are_of(decimals, shown) && fits(shown, level.saturating_sub(1))),
        }
    }

    /// The levels that a label of a kind can stand at.
    fn places(&self, label: &str) -> Vec<Place> {
        self.kind.as_ref().map(|kind| kind.places(label)).unwrap_or_default()
    }

    /// The leaves under a label of a level, and those of the domain, of a hierarchy of a kind.
    fn of_kind(&self, level: usize, label: &str) -> (f64, f64) {
        let null = f64::from(u8::from(self.attribute.null_leaf));
        let domain = self.kind.as_ref().map_or(1.0, |kind| kind.leaves());
        let place = self.places(label).into_iter().find(|place| place.0 == level);
        (if label == "*" { domain + null } else { place.map_or(1.0, |place| place.1) }, domain)
    }

    /// The number of the level of `*`; `None` for a table without rows.
    fn top(&self) -> Option<usize> {
        match &self.attribute.hierarchy {
            Definition::Table { rows } => rows.first()?.len().checked_sub(1),
            Definition::Interval { interval, .. } => interval.len().checked_add(1),
            Definition::Cuts { cuts, .. } => cuts.len().checked_add(1),
            Definition::Mask { length, levels, .. } => Some(levels.as_ref().map_or(*length, Vec::len)),
            Definition::Flat { .. } => Some(1),
            Definition::Kind(_) => self.kind.as_ref().map(|kind| kind.top()),
        }
    }

    /// As [`Self::at_level`], for any hierarchy, with missing and coded values.
    fn of_level(&self, label: &str) -> bool {
        let attribute = self.attribute;
        let level = usize::from(attribute.level.unwrap_or(0));
        match &attribute.hierarchy {
            // Above it is one with all others.
            _ if label.is_empty() && attribute.null_leaf => {
                level == 0 || self.top().is_some_and(|top| level < top)
            }
            // Any text can be a value; the level above has one.
            Definition::Flat { .. } => level == 0 || label == "*",
            Definition::Mask { mask, length, levels, .. } => {
                let hidden = match level.checked_sub(1) {
                    None => 0,
                    Some(at) => {
                        levels.as_ref().map_or(level, |levels| levels.get(at).copied().unwrap_or(*length))
                    }
                };
                let top = label == "*" && hidden >= *length;
                top || (label.chars().count() == *length && stars(*mask, label) >= hidden && hidden < *length)
            }
            // A missing value has the one label of the top level.
            _ => self.at_level(label) || (attribute.null_leaf && level > 0 && label == "*"),
        }
    }

    /// Whether a label is a value of the hierarchy at some level.
    fn node(&self, label: &str) -> bool {
        let attribute = self.attribute;
        if label == "*" || (label.is_empty() && attribute.null_leaf) || is_open_end(attribute, label) {
            return true;
        }
        match &attribute.hierarchy {
            // Any text can be a value; what looks like a range has to be one.
            Definition::Flat { .. } => inner(label).is_none_or(|inner| !inner.contains("..")),
            Definition::Table { .. } => self.table.under.contains_key(label),
            Definition::Mask { mask, length, levels, .. } => {
                let hidden = stars(*mask, label);
                let level = levels.as_ref().is_none_or(|levels| levels.contains(&hidden));
                label.chars().count() == *length && (hidden == 0 || level)
            }
            Definition::Kind(_) => !self.places(label).is_empty(),
            Definition::Interval { interval, min, max, decimals } => match bounds(label) {
                None => is_plain(attribute, label, (*min, *max), *decimals),
                Some(ends) => {
                    let unit = 1.0 / scale(*decimals);
                    are_of(*decimals, ends)
                        && interval.iter().any(|width| is_interval(ends, *width, (*min, *max), unit))
                }
            },
            Definition::Cuts { cuts, min, max, decimals } => match bounds(label) {
                None => is_plain(attribute, label, (*min, *max), *decimals),
                Some(ends) => {
                    let unit = 1.0 / scale(*decimals);
                    are_of(*decimals, ends)
                        && cuts.iter().any(|starts| is_between_cuts(ends, starts, (*min, *max), unit))
                }
            },
        }
    }

    /// Whether a label is `[low-high]` with both ends in the domain and in order, or `[first..last]`
    /// by code point.
    fn range(&self, label: &str) -> bool {
        let Some(inner) = inner(label) else { return false };
        match &self.attribute.hierarchy {
            Definition::Interval { min, max, .. } | Definition::Cuts { min, max, .. } => {
                bounds(label).is_some_and(|(low, high)| min <= &low && low <= high && high <= *max)
            }
            Definition::Table { .. } => {
                let leaf = |text: &str| self.table.has(text, 0);
                splits(inner, "-").any(|(low, high)| leaf(low) && leaf(high))
                    && leaf_bounds(label).is_some_and(|(low, high)| low <= high)
            }
            // A range of numbers is a text like any other.
            Definition::Flat { .. } => splits(inner, "..").any(|(first, last)| first < last),
            _ => false,
        }
    }
}

/// The leaves under a label of a level, and those of the domain, of a hierarchy that lists none.
fn unlisted(attribute: &PromisedAttribute, level: usize, label: &str) -> (f64, f64) {
    let null = f64::from(u8::from(attribute.null_leaf));
    match &attribute.hierarchy {
        Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
            let scale = scale(*decimals);
            let domain = ((max - min) * scale).round() + 1.0;
            let open =
                open_end(label).map(|(above, bound)| if above { (bound, *max) } else { (*min, bound) });
            // Cells of a grid can reach beyond the domain.
            let within = |(low, high): (f64, f64)| ((high.min(*max) - low.max(*min)) * scale).round() + 1.0;
            let leaves = bounds(label).or(open).map(|ends| within(ends).max(1.0));
            (leaves.unwrap_or(if label == "*" { domain + null } else { 1.0 }), domain)
        }
        Definition::Mask { mask, length, alphabet, .. } => {
            let codes = |characters: usize| (*alphabet as f64).powf(characters as f64);
            let domain = codes(*length);
            (if label == "*" { domain + null } else { codes(stars(*mask, label)) }, domain)
        }
        Definition::Flat { domain } => (if level > 0 { *domain as f64 } else { 1.0 }, *domain as f64),
        // Those that list their values, or whose kind knows them.
        Definition::Table { .. } | Definition::Kind(_) => (1.0, 1.0),
    }
}

pub(super) fn scale(decimals: u32) -> f64 {
    10f64.powi(decimals.min(9) as i32)
}

fn stars(side: Side, label: &str) -> usize {
    match side {
        Side::Right => label.chars().rev().take_while(|c| *c == '*').count(),
        Side::Left => label.chars().take_while(|c| *c == '*').count(),
    }
}

fn inner(label: &str) -> Option<&str> {
    label.strip_prefix('[')?.strip_suffix(']')
}

pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The ends of `[low-high]`.
pub(super) fn bounds(label: &str) -> Option<(f64, f64)> {
    let inner = inner(label)?;
    splits(inner, "-").find_map(|(low, high)| Some((number(low)?, number(high)?)))
}

/// The ends of a range of a table's leaves, of which some can be numbers that were coded before.
fn leaf_bounds(label: &str) -> Option<(f64, f64)> {
    splits(inner(label)?, "-").find_map(|(low, high)| Some((end(low)?, end(high)?)))
}

/// A number, or the bound of a coded one.
fn end(text: &str) -> Option<f64> {
    open_end(text).map(|(_, bound)| bound).or_else(|| number(text))
}

/// The ways to part a text at a mark.
fn splits<'t>(text: &'t str, mark: &'static str) -> impl Iterator<Item = (&'t str, &'t str)> {
    (0..text.len()).filter_map(move |at| {
        let (before, after) = text.split_at_checked(at)?;
        Some((before, after.strip_prefix(mark)?))
    })
}

/// Of `>=bound` (true) and `<=bound` (false), the bound.
pub(super) fn open_end(label: &str) -> Option<(bool, f64)> {
    let above = label.strip_prefix(">=").map(|bound| (true, bound));
    let (above, bound) = above.or_else(|| label.strip_prefix("<=").map(|bound| (false, bound)))?;
    Some((above, number(bound)?))
}

/// Whether a label is a coded end of the domain or, of ranges, one that reaches further.
fn is_open_end(attribute: &PromisedAttribute, label: &str) -> bool {
    let ranges = attribute.recoding == Recoding::Ranges;
    match (open_end(label), attribute.bottom, attribute.top) {
        (Some((true, bound)), _, Some(top)) if ranges => bound <= top,
        (Some((true, bound)), _, Some(top)) => bound == top,
        (Some((false, bound)), Some(bottom), _) if ranges => bound >= bottom,
        (Some((false, bound)), Some(bottom), _) => bound == bottom,
        _ => false,
    }
}

/// Whether two numbers are one but for rounding, where all are whole numbers of a unit.
fn near(a: f64, b: f64, unit: f64) -> bool {
    (a - b).abs() < unit / 2.0
}

/// Whether a number has no more decimals than so many: it is what is read where it is written with these.
fn is_of(decimals: u32, number: f64) -> bool {
    self::number(&format!("{number:.0$}", decimals.min(9) as usize)) == Some(number)
}

fn are_of(decimals: u32, (low, high): (f64, f64)) -> bool {
    is_of(decimals, low) && is_of(decimals, high)
}

/// Whether a number is between the coded ends of its domain, with no more decimals than that.
fn is_plain(attribute: &PromisedAttribute, label: &str, (min, max): (f64, f64), decimals: u32) -> bool {
    number(label).is_some_and(|value| {
        is_of(decimals, value)
            && (min..=max).contains(&value)
            && attribute.top.is_none_or(|top| value < top)
            && attribute.bottom.is_none_or(|bottom| value > bottom)
    })
}

fn is_interval((low, high): (f64, f64), width: f64, (min, max): (f64, f64), unit: f64) -> bool {
    let before = ((low - min) / width).round();
    let start = min + before * width;
    before >= 0.0 && near(low, start, unit) && near(high, (start + width - unit).min(max), unit)
}

fn is_between_cuts((low, high): (f64, f64), starts: &[f64], (min, max): (f64, f64), unit: f64) -> bool {
    let lows = std::iter::once(min).chain(starts.iter().copied());
    let highs = starts.iter().map(|start| start - unit).chain(std::iter::once(max));
    lows.zip(highs).any(|(from, to)| near(low, from, unit) && near(high, to, unit))
}

/// The lowest level of a code or date at which a label covers all that it can stand for, and what it covers
/// there or at the level that is given; `None` for a foreign label or another hierarchy.
pub(super) fn standard_place(definition: &Definition, level: Option<u8>, label: &str) -> Option<(u8, u64)> {
    let places = kind_check::labels(definition)?.places(label).into_iter();
    let at_level = |place: &Place| level.is_none_or(|level| place.0 == usize::from(level));
    let place = places.filter(at_level).rev().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((place.0 as u8, place.1 as u64))
}

#[cfg(test)]
mod tests;
