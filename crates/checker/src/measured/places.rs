//! Which cell of a smaller table each cell of a table belongs to.

/// By cell of a table its place in the table over some of the attributes.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    of_cell: Vec<u32>,
    len: usize,
}

impl Places {
    /// Of a table over `all`, ascending, in that over the part `kept` of them; the last attribute's values come fastest in both.
    pub(super) fn of(all: &[usize], kept: &[usize], sizes: &[usize]) -> Self {
        let (mut of_cell, mut len) = (vec![0u32], 1usize);
        for attribute in all {
            let size = sizes.get(*attribute).copied().unwrap_or(0);
            let (factor, step) = if kept.contains(attribute) { (size, 1) } else { (1, 0) };
            let first = of_cell.into_iter().map(|place| place.saturating_mul(factor as u32));
            let values = 0..size as u32;
            of_cell = first
                .flat_map(|first| {
                    values.clone().map(move |value| first.saturating_add(value.saturating_mul(step)))
                })
                .collect();
            len = len.saturating_mul(factor);
        }
        Self { of_cell, len }
    }

    /// Each cell's place.
    pub(super) fn each(&self) -> impl Iterator<Item = usize> {
        self.of_cell.iter().map(|&place| place as usize)
    }

    /// The smaller table.
    pub(super) fn sum(&self, cells: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.len];
        for (place, cell) in self.each().zip(cells) {
            if let Some(sum) = sums.get_mut(place) {
                *sum += cell;
            }
        }
        sums
    }

    /// The numbers of a smaller table, by cell.
    pub(super) fn spread<'a>(&'a self, numbers: &'a [f64]) -> impl Iterator<Item = f64> {
        self.each().map(|place| numbers.get(place).copied().unwrap_or(0.0))
    }

    /// Multiplies each cell by the number of its place.
    pub(super) fn multiply(&self, cells: &mut [f64], numbers: &[f64]) {
        cells.iter_mut().zip(self.spread(numbers)).for_each(|(cell, number)| *cell *= number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_what_counting_by_hand_gives() {
        // Two, three and two values; cell = 6a + 2b + c.
        let (sizes, all) = ([2, 3, 2], [0, 1, 2]);
        let cells: Vec<f64> = (0..12).map(f64::from).collect();
        let of = |kept: &[usize]| Places::of(&all, kept, &sizes).sum(&cells);
        assert_eq!(of(&[]), [66.0]);
        assert_eq!(of(&[0]), [15.0, 51.0]);
        assert_eq!(of(&[1]), [14.0, 22.0, 30.0]);
        assert_eq!(of(&[0, 2]), [6.0, 9.0, 24.0, 27.0]);
        assert_eq!(of(&all), cells);
        let mut ones = vec![1.0; 12];
        Places::of(&all, &[1], &sizes).multiply(&mut ones, &[2.0, 3.0, 5.0]);
        assert_eq!(ones, [2.0, 2.0, 3.0, 3.0, 5.0, 5.0, 2.0, 2.0, 3.0, 3.0, 5.0, 5.0]);
    }
}
