//! What one number of a class gives away of its records.
//!
//! Parts that are cut to a size, and then padded, differ from the others in how many records they have for their room. Whoever has the
//! release can count that, and whoever runs the method on tables of her own knows which end of the scale counterfeits are at.
//!
//! # Definition
//! Of a class of |E| records, released under the labels v₁ … vₘ: ln |E|; the room Σ ln (leaves of vᵢ); the crowd that the release's own
//! marginals lead to expect, Σ ln (records under vᵢ / all); and the first less either of the others.
//!
//! # Complexity
//! O(classes · attributes).

use velamen_core::release::Release;

/// How many numbers there are of a class.
pub(super) const NUMBERS: usize = 5;

/// The numbers of some released classes.
pub(super) fn numbers_of(release: &Release, of: &[u32]) -> Vec<[f64; NUMBERS]> {
    let shares = shares(release);
    of.iter().map(|&class| of_class(release, class as usize, &shares)).collect()
}

fn of_class(release: &Release, class: usize, shares: &[Vec<f64>]) -> [f64; NUMBERS] {
    let labels = || release.class(class).iter().enumerate();
    let size = (release.sizes[class] as f64).ln();
    let room: f64 =
        labels().map(|(q, &code)| (release.qis[q].values[code as usize].leaves as f64).ln()).sum();
    let expected: f64 = labels().map(|(q, &code)| shares[q][code as usize].ln()).sum();
    [size, room, expected, size - room, size - expected]
}

/// By attribute and label, the share of the records in classes that are released under it.
fn shares(release: &Release) -> Vec<Vec<f64>> {
    let all = release.sizes.iter().sum::<u64>() as f64;
    let mut shares: Vec<Vec<f64>> = release.qis.iter().map(|qi| vec![0.0; qi.values.len()]).collect();
    for (class, &size) in release.sizes.iter().enumerate() {
        for (q, &code) in release.class(class).iter().enumerate() {
            shares[q][code as usize] += size as f64 / all;
        }
    }
    shares
}

/// The area of whoever goes by the number that separates best, from the end that does: of each number its area. Ties are in it as ½.
pub(super) fn best(areas: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    areas.flatten().map(|area| area.max(1.0 - area)).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::Rule;
    use velamen_core::release::ReleasedAttribute;

    use super::*;

    #[test]
    fn numbers_by_hand() {
        let hierarchy = Rule::Flat.over((0..3).map(|code| format!("a{code}")).collect(), false).1;
        let attribute = |level| ReleasedAttribute::at_level("a", &hierarchy, level);
        let release = Release {
            qis: vec![attribute(0), attribute(1)],
            codes: vec![0, 0, 1, 0],
            sizes: vec![5, 15],
            ..Release::default()
        };
        let found = numbers_of(&release, &[1]);
        let (size, room, expected) = (15f64.ln(), 3f64.ln(), 0.75f64.ln());
        let by_hand = [size, room, expected, size - room, size - expected];
        assert!(found[0].iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn either_end_tells() {
        assert_eq!(best([None, Some(0.25), Some(0.6)].into_iter()), Some(0.75));
        assert_eq!(best([None].into_iter()), None);
    }
}
