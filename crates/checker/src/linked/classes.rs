//! Classes of persons: those who share all released person columns.

use std::collections::HashMap;

/// The class of each person, and how many persons each class has.
pub(super) struct Classes {
    pub(super) of_persons: Vec<u32>,
    sizes: Vec<u64>,
}

impl Classes {
    /// From the values of each person column, by person. Facts count as columns.
    pub(super) fn new(columns: &[Vec<u32>], persons: usize) -> Self {
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut of_persons, mut sizes) = (Vec::with_capacity(persons), Vec::<u64>::new());
        let mut values = Vec::new();
        for person in 0..persons {
            values.clear();
            values.extend(columns.iter().map(|column| column.get(person).copied().unwrap_or(u32::MAX)));
            let class = match numbers.get(&values) {
                Some(class) => *class,
                None => {
                    let class = numbers.len() as u32;
                    numbers.insert(values.clone(), class);
                    sizes.push(0);
                    class
                }
            };
            of_persons.push(class);
            if let Some(size) = sizes.get_mut(class as usize) {
                *size = size.saturating_add(1);
            }
        }
        Self { of_persons, sizes }
    }

    /// The size of the smallest.
    pub(super) fn least(&self) -> Option<u64> {
        self.sizes.iter().copied().min()
    }
}
