use super::*;

#[test]
fn every_search_has_a_share_of_the_seconds() {
    let until = Clock::of(1000.0).until().expect("a time");
    let share = until.duration_since(Instant::now()).as_secs_f64();
    assert!((110.0..=120.0).contains(&share), "{share}");
    let over = Clock { began: Instant::now(), seconds: 0.0 };
    assert!(over.left() <= 0.0 && over.until().is_some_and(|until| until <= Instant::now()));
}
