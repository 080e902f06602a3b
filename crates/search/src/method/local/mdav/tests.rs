use super::held::{mean, median, mode};
use super::left::Point;
use super::*;

fn point(at: f64, count: u64) -> Point {
    Point { at: vec![at], members: vec![(0, count)], count }
}

fn clusters(points: &[Point], k: u64) -> Vec<Cluster> {
    let (mut left, mut clusters) = (Left::new(points, None), Vec::new());
    while left.records > 0 {
        left.cluster(k, &mut clusters);
    }
    clusters
}

#[test]
fn extremes_are_clustered_first() {
    // Centroid of 0 … 8 is 4: x_r = 0 (first of two), x_s = 8.
    let points: Vec<Point> = (0..9).map(|x| point(f64::from(x), 1)).collect();
    let of = |cluster: &Cluster| cluster.iter().map(|c| c.0).collect::<Vec<_>>();
    let found: Vec<Vec<usize>> = clusters(&points, 3).iter().map(of).collect();
    assert_eq!(found, [vec![0, 1, 2], vec![8, 7, 6], vec![3, 4, 5]]);
}

#[test]
fn points_are_shared_where_they_are_large() {
    let points = [point(0.0, 7), point(1.0, 1)];
    let found = clusters(&points, 3);
    assert_eq!(found, [vec![(1, 1), (0, 2)], vec![(0, 5)]]);
    assert!((0.0..1.0).contains(&information_loss(&points, &found)));
}

#[test]
fn aggregates() {
    let (counts, numbers) = (vec![(0, 1), (1, 1), (2, 2)], [1.0, 2.0, 9.0]);
    assert_eq!(mean(&counts, &numbers), 5.25);
    assert_eq!((median(counts.clone(), &numbers), mode(&counts), mode(&[(4, 1), (7, 1)])), (1, 2, 4));
    assert_eq!((shown(5.25, 0), shown(5.0, 0), shown(-0.001, 0)), ("5.25".into(), "5".into(), "0".into()));
}

/// Three points of the first person, of which one has two records: a cluster goes on until it has three people.
#[test]
fn clusters_go_on_until_they_have_k_people() {
    let people = [0, 0, 0, 1, 2, 3, 3, 4, 5, 6];
    let points: Vec<Point> = (0..10u32)
        .map(|x| Point {
            at: vec![f64::from(x)],
            members: vec![(x, 1 + u64::from(x == 0))],
            count: 1 + u64::from(x == 0),
        })
        .collect();
    let (mut left, mut found) = (Left::new(&points, Some(people.to_vec())), Vec::new());
    assert_eq!(left.number(), 7);
    while left.records > 0 {
        left.cluster(3, &mut found);
    }
    let of = |cluster: &Cluster| cluster.iter().map(|c| c.0).collect::<Vec<_>>();
    // The mean of the records is 45/11, so that 9 is the farthest; of the four people left no two clusters can be made.
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [vec![9, 8, 7], vec![0, 1, 2, 3, 4, 5, 6]]);
}

#[test]
fn each_person_counts_once_in_what_is_released() {
    // One has 40, 41 and 42; four have 50.
    let held = Held::People(vec![(0, 0), (0, 1), (0, 2), (1, 3), (2, 3), (3, 3), (4, 3)]);
    let numbers = [40.0, 41.0, 42.0, 50.0];
    assert!((held.mean(&numbers) - (41.0 + 200.0) / 5.0).abs() < 1e-9);
    assert_eq!((held.median(&numbers), held.mode()), (3, 3));
    let two = Held::People(vec![(0, 0), (1, 3)]);
    assert_eq!(two.median(&numbers), 0);
}
