//! The risk of re-identification where a catalog lists counterfeits: what [`Doubts`] come to.

use super::reidentification::{Risk, is_above};
pub use velamen_core::doubts::{Doubts, Group};

/// The risk of who picks what is most likely real; `None` without a record.
#[must_use]
pub fn risk(doubts: &Doubts, threshold: f64) -> Option<Risk> {
    let (highest, mean) = doubts.risks()?;
    let records_at_risk = doubts.records_where(|risk| is_above(risk, threshold));
    let share_at_risk = records_at_risk as f64 / doubts.records() as f64;
    Some(Risk { highest, mean, records_at_risk, share_at_risk })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_catalog_helps_by_hand() {
        // Classes {a: 1, b: 2} and {a: 2, c: 1}; of the three a, two are counterfeit.
        let cells = [BTreeMap::from([(0, 1), (1, 2)]), BTreeMap::from([(0, 2), (2, 1)])];
        let group = Group { classes: vec![0, 1], counterfeits: BTreeMap::from([(0, 2)]) };
        let doubts = Doubts::new(&cells, &[group]);
        let found = risk(&doubts, 0.5).unwrap();
        // 1/(2 + 1/3) = 3/7 and 1/(1 + 2/3) = 3/5.
        assert!((found.highest - 0.6).abs() < 1e-12);
        assert!((found.mean - 2.0 / 4.0).abs() < 1e-12);
        assert_eq!((found.records_at_risk, found.share_at_risk), (3, 0.5));
        // Both a of the second class may be counterfeit: one record is left.
        assert!((doubts.highest_if_told_apart() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn without_a_catalog_it_is_one_by_the_size() {
        let doubts = Doubts::new(&[BTreeMap::from([(0, 3)]), BTreeMap::from([(0, 1), (1, 4)])], &[]);
        let found = risk(&doubts, 0.3).unwrap();
        assert!((found.highest - 1.0 / 3.0).abs() < 1e-12 && (found.mean - 0.25).abs() < 1e-12);
        assert_eq!(found.records_at_risk, 3);
        assert!(risk(&Doubts::new(&[], &[]), 0.1).is_none());
    }
}
