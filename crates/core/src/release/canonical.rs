//! A release whose lists and order follow from its records alone.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Release, ReleasedAttribute, Row, SUPPRESSED};
use crate::hierarchy::sort_values;

impl Release {
    /// The same records, with the values that occur only and classes in the order of their labels.
    ///
    /// The order of codes otherwise follows the original values, of which one that is not released could
    /// move a label. Time: O(rows · log rows).
    #[must_use]
    pub fn by_labels(mut self) -> Self {
        let places: Vec<Vec<u32>> = (0..self.qis.len()).map(|q| self.sort_labels(q)).collect();
        for class in self.codes.chunks_mut(places.len().max(1)) {
            class.iter_mut().zip(&places).for_each(|(code, places)| *code = places[*code as usize]);
        }
        self.sort_classes();
        self
    }

    /// Brings the values of an attribute in order; by old code the new one.
    fn sort_labels(&mut self, q: usize) -> Vec<u32> {
        let mut occurs = vec![false; self.qis[q].values.len()];
        let codes = self.codes.iter().skip(q).step_by(self.qis.len());
        codes.for_each(|&code| occurs[code as usize] = true);
        let values = (0..).zip(&self.qis[q].values).zip(occurs);
        let used: BTreeMap<String, u32> = values
            .filter(|(_, occurs)| *occurs)
            .map(|((code, value), _)| (value.label.clone(), code))
            .collect();
        let mut labels: Vec<String> = used.keys().cloned().collect();
        sort_values(&mut labels);
        let ReleasedAttribute { values, .. } = &mut self.qis[q];
        let mut places = vec![0; values.len()];
        let mut sorted = Vec::with_capacity(labels.len());
        for (new, label) in (0..).zip(&labels) {
            let old = used[label] as usize;
            places[old] = new;
            sorted.push(values[old].clone());
        }
        *values = sorted;
        places
    }

    fn sort_classes(&mut self) {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.par_sort_by(|&a, &b| self.class(a).cmp(self.class(b)));
        let mut place = vec![0; order.len()];
        for (new, &old) in (0u32..).zip(&order) {
            place[old] = new;
        }
        let mut codes = Vec::with_capacity(self.codes.len());
        order.iter().for_each(|&old| codes.extend_from_slice(self.class(old)));
        self.codes = codes;
        self.sizes = order.iter().map(|&old| self.sizes[old]).collect();
        let moved = |row: &Row| match row.class {
            SUPPRESSED => *row,
            class => Row { class: place[class as usize], ..*row },
        };
        self.rows.iter_mut().for_each(|row| *row = moved(row));
        self.rows.par_sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recoding::ReleasedValue;

    #[test]
    fn unused_values_go_and_classes_follow_their_labels() {
        let value = |label: &str| ReleasedValue { label: label.into(), leaves: 1, level: 0 };
        let qi = ReleasedAttribute {
            name: "q".into(),
            level: Some(0),
            recoding: Default::default(),
            height: 1,
            values: vec![value("y"), value("gone"), value("x")],
        };
        let row = |class, count| Row { class, rest: 0, count };
        let release = Release {
            qis: vec![qi],
            codes: vec![0, 2],
            sizes: vec![5, 7],
            rows: vec![row(0, 5), row(1, 7)],
            ..Release::default()
        };
        let sorted = release.by_labels();
        let labels: Vec<&str> = sorted.qis[0].values.iter().map(|value| value.label.as_str()).collect();
        assert_eq!(
            (labels, &sorted.codes[..], &sorted.sizes[..]),
            (vec!["x", "y"], &[0, 1][..], &[7, 5][..])
        );
        assert_eq!(sorted.rows, [row(0, 7), row(1, 5)]);
    }
}
