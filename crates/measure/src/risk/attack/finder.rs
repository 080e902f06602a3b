//! Which released classes fit what an adversary knows of a person.

use std::fmt;

/// The labels that cover a leaf: by attribute and leaf code, codes of labels.
pub type Cover<'a> = Box<dyn Fn(usize, u32) -> Vec<u32> + Sync + Send + 'a>;

/// How an adversary finds candidates.
pub enum Finder<'a> {
    /// All classes whose labels cover what is known.
    Covering(Covering<'a>),
    /// The classes whose values are nearest, where values are means.
    Nearest(Nearest),
}

impl fmt::Debug for Finder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Covering(_) => "Covering",
            Self::Nearest(_) => "Nearest",
        })
    }
}

/// Classes by their labels.
pub struct Covering<'a> {
    classes: usize,
    /// Per attribute and label, the classes that have it, ascending.
    holders: Vec<Vec<Vec<u32>>>,
    cover: Cover<'a>,
}

impl<'a> Covering<'a> {
    /// `labels` are the label codes of each attribute by class, `widths` how many labels each has.
    #[must_use]
    pub fn new(labels: &[Vec<u32>], widths: &[usize], classes: usize, cover: Cover<'a>) -> Self {
        Self { classes, holders: labels.iter().zip(widths).map(holders).collect(), cover }
    }

    fn fits(&self, attribute: usize, leaf: u32) -> Fit {
        let holders =
            || (self.cover)(attribute, leaf).into_iter().map(|l| &self.holders[attribute][l as usize]);
        // Labels are distinct, and so are their classes.
        if holders().map(Vec::len).sum::<usize>() == self.classes {
            return Fit::All;
        }
        let mut marks = vec![0u64; self.classes.div_ceil(64)];
        for &class in holders().flatten() {
            marks[class as usize / 64] |= 1 << (class % 64);
        }
        Fit::Marked(marks)
    }
}

fn holders((column, &width): (&Vec<u32>, &usize)) -> Vec<Vec<u32>> {
    let mut holders = vec![Vec::new(); width];
    for (class, &label) in (0..).zip(column) {
        holders[label as usize].push(class);
    }
    holders
}

/// What an attribute's means are compared by.
#[derive(Debug, Clone, PartialEq)]
pub enum Near {
    /// Numbers, in standard deviations of the original.
    Numbers {
        /// By class.
        classes: Vec<f64>,
        /// By leaf code.
        leaves: Vec<f64>,
    },
    /// Codes that are equal or not; the labels have the codes of the leaves they equal.
    Codes {
        /// By class.
        classes: Vec<u32>,
    },
}

/// Classes by their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// How many classes there are.
    pub classes: usize,
    /// By attribute.
    pub by: Vec<Near>,
}

/// What one attribute says about all classes.
enum Fit {
    All,
    Marked(Vec<u64>),
    /// Squares of distances.
    Far(Vec<f64>),
}

/// What all attributes of a person say.
pub(crate) struct Fits {
    classes: usize,
    by: Vec<Fit>,
}

impl Finder<'_> {
    /// What the classes are to a person of these leaf codes.
    pub(crate) fn person(&self, leaves: impl Iterator<Item = u32>) -> Fits {
        match self {
            Self::Covering(covering) => {
                let by = leaves.enumerate().map(|(q, leaf)| covering.fits(q, leaf)).collect();
                Fits { classes: covering.classes, by }
            }
            Self::Nearest(nearest) => {
                let by = nearest.by.iter().zip(leaves).map(|(near, leaf)| near.squares(leaf)).collect();
                Fits { classes: nearest.classes, by }
            }
        }
    }
}

impl Near {
    fn squares(&self, leaf: u32) -> Fit {
        Fit::Far(match self {
            Self::Numbers { classes, leaves } => {
                classes.iter().map(|mean| (mean - leaves[leaf as usize]).powi(2)).collect()
            }
            Self::Codes { classes } => {
                classes.iter().map(|code| if *code == leaf { 0.0 } else { 1.0 }).collect()
            }
        })
    }
}

impl Fits {
    /// The candidates of who knows these attributes, ascending.
    pub(crate) fn classes(&self, known: &[usize]) -> Vec<u32> {
        let known = || known.iter().map(|&attribute| &self.by[attribute]);
        if known().any(|fit| matches!(fit, Fit::Far(_))) {
            return self.nearest(known());
        }
        let mut marks: Option<Vec<u64>> = None;
        for fit in known() {
            match (fit, &mut marks) {
                (Fit::Marked(of), Some(marks)) => marks.iter_mut().zip(of).for_each(|(mark, of)| *mark &= of),
                (Fit::Marked(of), None) => marks = Some(of.clone()),
                _ => {}
            }
        }
        match marks {
            None => (0..self.classes as u32).collect(),
            Some(marks) => marked(&marks),
        }
    }

    fn nearest<'f>(&self, known: impl Iterator<Item = &'f Fit>) -> Vec<u32> {
        let mut sums = vec![0.0; self.classes];
        for fit in known {
            if let Fit::Far(squares) = fit {
                sums.iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
            }
        }
        let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
        // Equal distances are summed in one order, so that they are equal here.
        (0..).zip(&sums).filter(|(_, sum)| **sum <= least).map(|(class, _)| class).collect()
    }
}

/// The places of the ones.
fn marked(marks: &[u64]) -> Vec<u32> {
    let mut classes = Vec::new();
    for (place, &word) in (0u32..).zip(marks) {
        let mut left = word;
        while left != 0 {
            classes.push(place * 64 + left.trailing_zeros());
            left &= left - 1;
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_whose_labels_cover() {
        // Attribute 0: label 0 covers leaf 0, label 1 leaves 1 and 2, label 2 (`*`) all. Attribute 1: `*`.
        let cover: Cover<'_> = Box::new(|q, leaf| match (q, leaf) {
            (0, 0) => vec![0, 2],
            (0, _) => vec![1, 2],
            _ => vec![0],
        });
        let labels = [vec![0, 1, 2], vec![0, 0, 0]];
        let finder = Finder::Covering(Covering::new(&labels, &[3, 1], 3, cover));
        let fits = finder.person([0, 7].into_iter());
        assert_eq!(
            (fits.classes(&[0, 1]), fits.classes(&[1]), fits.classes(&[])),
            (vec![0, 2], vec![0, 1, 2], vec![0, 1, 2])
        );
        assert_eq!(finder.person([2, 0].into_iter()).classes(&[0]), [1, 2]);
    }

    #[test]
    fn means_are_searched_for_the_nearest() {
        let by = vec![
            Near::Numbers { classes: vec![1.0, 2.0, 3.0], leaves: vec![1.4, 1.5] },
            Near::Codes { classes: vec![0, 1, 1] },
        ];
        let finder = Finder::Nearest(Nearest { classes: 3, by });
        let fits = finder.person([1, 1].into_iter());
        assert_eq!(
            (fits.classes(&[0]), fits.classes(&[0, 1]), fits.classes(&[1])),
            (vec![0, 1], vec![1], vec![1, 2])
        );
        assert_eq!(finder.person([0, 0].into_iter()).classes(&[0]), [0]);
    }
}
