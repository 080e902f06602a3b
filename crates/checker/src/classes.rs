//! The classes that a released table shows.

/// What the rows say of one class id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeenClass<'a> {
    /// The codes of its quasi-identifiers, those of its first row.
    pub(crate) qis: &'a [u32],
    pub(crate) size: u64,
    /// Whether all of its rows have them.
    pub(crate) consistent: bool,
}

/// The classes of a table by their ids, ascending. Of millions, each takes its codes and 17 bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Classes {
    ids: Vec<u64>,
    sizes: Vec<u64>,
    consistent: Vec<bool>,
    /// Class after class, as many as there are quasi-identifiers.
    codes: Vec<u32>,
    width: usize,
}

impl Classes {
    /// Classes of these ids and so many quasi-identifiers, without a record.
    pub(crate) fn new(mut ids: Vec<u64>, width: usize) -> Self {
        ids.sort_unstable();
        ids.dedup();
        let of = ids.len();
        Self {
            sizes: vec![0; of],
            consistent: vec![true; of],
            codes: vec![u32::MAX; of.saturating_mul(width)],
            ids,
            width,
        }
    }

    /// Adds records with these codes to a class, whose first they are or not.
    pub(crate) fn add(&mut self, place: usize, count: u64, is_first: bool, codes: impl Iterator<Item = u32>) {
        let start = place.saturating_mul(self.width);
        let own = self.codes.get_mut(start..start.saturating_add(self.width));
        let place = self.sizes.get_mut(place).zip(self.consistent.get_mut(place));
        let (Some((size, consistent)), Some(own)) = (place, own) else { return };
        *size = size.saturating_add(count);
        for (own, code) in own.iter_mut().zip(codes) {
            *own = if is_first { code } else { *own };
            *consistent &= *own == code;
        }
    }

    /// One class more, of an id that none has.
    pub(crate) fn insert(&mut self, id: u64, size: u64, codes: Vec<u32>) {
        let place = self.ids.partition_point(|other| *other < id);
        self.ids.insert(place, id);
        self.sizes.insert(place, size);
        self.consistent.insert(place, true);
        let start = place.saturating_mul(self.width);
        self.codes.splice(start..start, codes);
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn place(&self, id: u64) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    pub(crate) fn contains(&self, id: u64) -> bool {
        self.place(id).is_some()
    }

    pub(crate) fn get(&self, id: u64) -> Option<SeenClass<'_>> {
        self.at(self.place(id)?)
    }

    fn at(&self, place: usize) -> Option<SeenClass<'_>> {
        let start = place.saturating_mul(self.width);
        let qis = self.codes.get(start..start.saturating_add(self.width))?;
        Some(SeenClass { qis, size: *self.sizes.get(place)?, consistent: *self.consistent.get(place)? })
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = u64> {
        self.ids.iter().copied()
    }

    pub(crate) fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The size of each class by its id, to be changed.
    pub(crate) fn sizes_mut(&mut self) -> impl Iterator<Item = (u64, &mut u64)> {
        self.ids.iter().copied().zip(&mut self.sizes)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = SeenClass<'_>> {
        (0..self.len()).filter_map(|place| self.at(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_two_texts_of_one_id_are_one_class() {
        let mut classes = Classes::new(vec![7, 2, 7], 2);
        classes.add(1, 3, true, [4, 5].into_iter());
        classes.add(1, 1, false, [4, 5].into_iter());
        classes.add(0, 2, true, [0, 0].into_iter());
        let of = |qis, size, consistent| Some(SeenClass { qis, size, consistent });
        assert_eq!((classes.len(), classes.get(7)), (2, of(&[4, 5], 4, true)));
        classes.add(1, u64::MAX, false, [4, 6].into_iter());
        assert_eq!(classes.get(7), of(&[4, 5], u64::MAX, false));
        classes.insert(5, 9, vec![1, 2]);
        assert_eq!(classes.ids().collect::<Vec<_>>(), [2, 5, 7]);
        assert_eq!((classes.get(5), classes.get(6)), (of(&[1, 2], 9, true), None));
        assert_eq!(classes.values().map(|class| class.size).collect::<Vec<_>>(), [2, 9, u64::MAX]);
    }

    #[test]
    fn a_table_without_quasi_identifiers_has_classes() {
        let mut classes = Classes::new(vec![1], 0);
        classes.add(0, 3, true, [].into_iter());
        assert_eq!(classes.get(1), Some(SeenClass { qis: &[], size: 3, consistent: true }));
    }
}
