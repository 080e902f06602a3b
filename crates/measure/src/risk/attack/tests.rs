//! Tiny releases whose figures are counted by hand, and what privacy models imply for any release.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use velamen_core::context::Silent;
use velamen_dp::Seed;

use super::*;

const OPTIONS: Options = Options { targets: 1000, confidence: 0.95, background: 2 };

fn attack(name: &str, scene: &Scene<'_>) -> Outcome {
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let entry = REGISTRY.iter().find(|entry| entry.name == name).unwrap();
    entry.attack(scene, &Context { seed: &seed, progress: &Silent, cancel: &cancel }).unwrap()
}

fn figure<'o>(outcome: &'o Outcome, what: &str) -> &'o Figure {
    let found = outcome.figures.iter().find(|figure| figure.what.contains(what));
    found.unwrap_or_else(|| panic!("no {what:?} in {outcome:#?}"))
}

fn rate(outcome: &Outcome, what: &str) -> f64 {
    figure(outcome, what).rate
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

fn held(records: &[(u32, u64)]) -> Vec<Held> {
    records.iter().map(|&(content, count)| Held { content, count, real: 1.0 }).collect()
}

/// Pairs of person and content of one class.
fn linked(pairs: &[(u32, u32)]) -> Option<Linked> {
    let has = |&(person, content): &(u32, u32)| Has { person, content, real: 1.0 };
    Some(Linked { classes: vec![pairs.iter().map(has).collect()], suppressed: Vec::new() })
}

/// A release at one level per attribute: `level[q]` makes a label of a leaf. Contents are sensitive values.
struct Table<'a> {
    people: &'a [(Vec<u32>, u32)],
    level: &'a [fn(u32) -> u32],
    least: usize,
}

impl Table<'_> {
    fn labels(&self, leaves: &[u32]) -> Vec<u32> {
        leaves.iter().zip(self.level).map(|(&leaf, level)| level(leaf)).collect()
    }

    /// Classes below the least size are suppressed.
    fn view(&self) -> View<'static> {
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (leaves, value) in self.people {
            classes.entry(self.labels(leaves)).or_default().push(*value);
        }
        let bag = |values: &[u32]| -> Vec<Held> {
            let distinct: BTreeSet<u32> = values.iter().copied().collect();
            let count = |value: u32| values.iter().filter(|other| **other == value).count() as u64;
            distinct.into_iter().map(|content| Held { content, count: count(content), real: 1.0 }).collect()
        };
        let (kept, small): (Vec<_>, Vec<_>) =
            classes.into_iter().partition(|(_, values)| values.len() >= self.least);
        let own = |leaves: &Vec<u32>| {
            kept.iter().position(|(labels, _)| *labels == self.labels(leaves)).map_or(NOWHERE, |at| at as u32)
        };
        let m = self.level.len();
        let labels: Vec<Vec<u32>> =
            (0..m).map(|q| kept.iter().map(|(labels, _)| labels[q]).collect()).collect();
        let level = self.level.to_vec();
        let cover: Cover<'static> = Box::new(move |q, leaf| vec![level[q](leaf)]);
        let most = self.people.iter().map(|(_, value)| value + 1).max().unwrap_or(0);
        View {
            names: (0..m).map(|q| format!("q{q}")).collect(),
            trace: Trace::Levels,
            sampled: false,
            classes: kept.iter().map(|(_, values)| bag(values)).collect(),
            suppressed: bag(&small.iter().flat_map(|(_, values)| values.clone()).collect::<Vec<u32>>()),
            blank: false,
            linked: None,
            sensitive: vec![Sensitive {
                name: "s".into(),
                of: (0..most).collect(),
                parents: BTreeMap::new(),
            }],
            people: People {
                leaves: (0..m).map(|q| self.people.iter().map(|(leaves, _)| leaves[q]).collect()).collect(),
                content: self.people.iter().map(|person| person.1).collect(),
                counts: vec![1; self.people.len()],
                own: self.people.iter().map(|(leaves, _)| own(leaves)).collect(),
                whose: Vec::new(),
            },
            finder: Finder::Covering(Covering::new(&labels, &vec![100; m], kept.len(), cover)),
        }
    }
}

fn scene(view: View<'static>) -> Scene<'static> {
    Scene { view, second: None, control: None, minimal: None, guessed: Guessed::None, options: OPTIONS }
}

/// Six persons: three of x, two of y, one of z, which is suppressed.
fn six() -> Vec<(Vec<u32>, u32)> {
    let person = |x: u32, p: u32, value: u32| (vec![x, p], value);
    vec![person(0, 0, 0), person(0, 1, 0), person(0, 0, 1), person(1, 0, 1), person(1, 1, 2), person(2, 0, 2)]
}

fn raw(leaf: u32) -> u32 {
    leaf
}

fn top(_: u32) -> u32 {
    99
}

fn of_six() -> Scene<'static> {
    scene(Table { people: &six(), level: &[raw, top], least: 2 }.view())
}

#[test]
fn linkage_by_hand() {
    let found = attack("linkage", &of_six());
    // Both known: three of 1/3, two of 1/2, and the suppressed one alone. The second attribute alone: five
    // of 1/5, and the suppressed one is looked for among them in vain.
    close(rate(&found, "knows 2 of 2"), 0.5);
    close(rate(&found, "knows 1 of 2"), (0.5 + 1.0 / 6.0) / 2.0);
    close(rate(&found, "the worst set"), 0.5);
    assert_eq!(found.notes, ["the worst set: q0"]);
    close(rate(&found, "one candidate only"), 1.0 / 6.0);
    let figure = figure(&found, "knows 2 of 2");
    assert_eq!(
        (figure.at_least, figure.interval, figure.baseline),
        (None, Some([0.5, 0.5]), Some(1.0 / 6.0))
    );
    assert_eq!(found.targets, Some(6));
}

/// Six records of three people: the first has the three of x, the second those of y, the third that of z, which is suppressed.
#[test]
fn people_by_hand() {
    let mut scene = of_six();
    scene.view.people.whose = vec![7, 7, 7, 8, 8, 9];
    let found = attack("linkage", &scene);
    assert_eq!(found.targets, Some(3));
    // All three records of x are hers, and so on: who knows x is always right; without x three, two and none of five.
    close(rate(&found, "knows 2 of 2"), 1.0);
    close(rate(&found, "knows 1 of 2"), (1.0 + (0.6 + 0.4) / 3.0) / 2.0);
    close(rate(&found, "all candidates are the person's"), 1.0);
    close(figure(&found, "knows 2 of 2").baseline.unwrap(), 1.0 / 3.0);
    // Two of the first person's records have 0, and one has 1; the second has 1 and 2, which are as frequent.
    let found = attack("inference", &scene);
    close(rate(&found, "the likeliest value is right"), 1.0);
    close(rate(&found, "belief in the right value"), 1.0);
    // Of three people 0, 1 and 2 are those of one, two and two: one of the two latter, which the first has half of.
    close(figure(&found, "the likeliest value is right").baseline.unwrap(), (0.5 + 1.0 + 0.5) / 3.0);
}

/// One class of three people: one has three records of 0, one has 1, one has 1 and 2.
fn three_people() -> Scene<'static> {
    let of_one = |values: &[u32]| values.iter().map(|&value| (vec![0], value)).collect::<Vec<_>>();
    let mut scene = scene(Table { people: &of_one(&[0, 0, 0, 1, 1, 2]), level: &[raw], least: 1 }.view());
    scene.view.people.whose = vec![7, 7, 7, 8, 9, 9];
    scene
}

/// Of records 0 is the likeliest, of people 1, which two have.
#[test]
fn beliefs_count_people_whom_pseudonyms_tell_apart() {
    let mut scene = three_people();
    close(rate(&attack("inference", &scene), "the likeliest value is right"), 1.0 / 3.0);
    // Without the two likeliest other values, only hers are left; the first has no other person with her value.
    let found = attack("background", &scene);
    close(rate(&found, "1 value excluded: right"), (1.0 + 1.0 + 1.0) / 3.0);
    // One of the three records of 0 is to be struck out for a tie with 1, another one to make 1 the likeliest.
    close(rate(&found, "1 other person known: right"), (1.0 + 0.5 + 0.5) / 3.0);
    close(rate(&found, "2 other persons known: right"), 1.0);
    scene.view.linked = linked(&[(0, 0), (1, 1), (2, 1), (2, 2)]);
    let found = attack("inference", &scene);
    close(rate(&found, "the likeliest value is right"), 2.0 / 3.0);
    // 1/4 for the first, 2/4 for the second, 3/4 for the third.
    close(rate(&found, "belief in the right value"), 0.5);
    // Who knows one of the two others of the first is left with a tie, with both with her value alone. For the two others
    // only the first is to be struck out.
    let found = attack("background", &scene);
    close(rate(&found, "1 other person known: right"), (0.5 + 1.0 + 1.0) / 3.0);
    close(rate(&found, "2 other persons known: certain"), 1.0);
    close(rate(&found, "1 other person known: certain"), 2.0 / 3.0);
}

/// One known by her number in both tables has other values in each; any is right.
#[test]
fn composition_looks_for_people() {
    let mut scene = three_people();
    let mut second = three_people().view;
    second.linked = linked(&[(0, 0), (1, 1), (2, 1), (2, 2)]);
    scene.second = Some(Second { view: second, partner: vec![0, 0, 0, 3, 4, 4] });
    let found = attack("composition", &scene);
    assert_eq!(found.targets, Some(3));
    close(rate(&found, "right by the first"), 1.0 / 3.0);
    close(rate(&found, "right by the second"), 2.0 / 3.0);
    close(figure(&found, "right by both").baseline.unwrap(), 2.0 / 3.0);
    // Who has no record in the other table is not looked for.
    scene.second.as_mut().unwrap().partner = vec![NOWHERE, NOWHERE, NOWHERE, 3, NOWHERE, 4];
    assert_eq!(attack("composition", &scene).targets, Some(2));
}

/// Both of a person's records single her out where they are seen to be hers.
#[test]
fn control_judges_people() {
    let mut scene = three_people();
    scene.control = Some(three_people().view);
    let found = attack("control", &scene);
    assert_eq!(found.targets, Some(3));
    // The record of 2 alone is the only one; it is drawn, or hers of 1 is.
    let singled = rate(&found, "singled out: of the original");
    assert!(singled < 0.5, "{singled}");
    close(rate(&found, "s inferred: of the original"), 1.0 / 3.0);
    scene.view.linked = linked(&[(0, 0), (1, 1), (2, 1), (2, 2)]);
    let found = attack("control", &scene);
    close(rate(&found, "singled out: of the original"), singled + 1.0 / 3.0);
    close(rate(&found, "s inferred: of the original"), 2.0 / 3.0);
}

#[test]
fn inference_by_hand() {
    let found = attack("inference", &of_six());
    close(rate(&found, "likeliest value is right"), 4.0 / 6.0);
    close(figure(&found, "likeliest value is right").baseline.unwrap(), 1.0 / 3.0);
    close(rate(&found, "certain of one value"), 1.0 / 6.0);
    close(rate(&found, "certain, and right"), 1.0 / 6.0);
    close(rate(&found, "belief in the right value"), (4.0 / 3.0 + 1.0 / 3.0 + 2.0) / 6.0);
    close(rate(&found, "largest gain"), 2.0 / 3.0);
    assert_eq!(found.worst, Some(5));
}

/// A suppressed record that shows nothing leaves the base rates, and nobody is certain of it.
#[test]
fn what_shows_nothing_is_not_believed() {
    let mut scene = of_six();
    scene.view.blank = true;
    let found = attack("inference", &scene);
    close(rate(&found, "certain of one value"), 0.0);
    // Each of three values is as frequent as the others.
    close(rate(&found, "belief in the right value"), (4.0 / 3.0 + 1.0 / 3.0 + 2.0 * 0.5 + 1.0 / 3.0) / 6.0);
    let found = attack("background", &scene);
    close(rate(&found, "1 value excluded: certain"), 5.0 / 6.0);
}

#[test]
fn background_by_hand() {
    let found = attack("background", &of_six());
    close(rate(&found, "1 value excluded: right"), 1.0);
    close(rate(&found, "1 value excluded: certain"), 1.0);
    // Where the person's value is the rarer of two, one of the others leaves a tie.
    close(rate(&found, "1 other person known: right"), 5.5 / 6.0);
    close(rate(&found, "1 other person known: certain"), 5.0 / 6.0);
    close(rate(&found, "2 other persons known: certain"), 1.0);
}

#[test]
fn presence_by_hand() {
    // The only combination that nobody has is z with the second value of the other attribute.
    let found = attack("presence", &of_six());
    close(rate(&found, "people in the table"), 5.0 / 6.0);
    close(rate(&found, "outsiders"), 0.0);
    close(rate(&found, "advantage"), 5.0 / 6.0);
    close(rate(&found, "belief"), 1.0);
}

#[test]
fn two_releases_tell_more() {
    let mut scene = of_six();
    let view = Table { people: &six(), level: &[top, raw], least: 2 }.view();
    scene.second = Some(Second { view, partner: (0..6).collect() });
    let found = attack("composition", &scene);
    close(rate(&found, "right by the first"), 4.0 / 6.0);
    close(rate(&found, "right by the second"), 3.0 / 6.0);
    close(rate(&found, "right by both"), 5.0 / 6.0);
    close(rate(&found, "certain by the first"), 1.0 / 6.0);
    close(rate(&found, "certain by the second"), 0.0);
    close(rate(&found, "certain by both"), 3.0 / 6.0);
    // Who is in one table only is not looked for.
    scene.second.as_mut().unwrap().partner = vec![NOWHERE, NOWHERE, 2, NOWHERE, NOWHERE, NOWHERE];
    assert_eq!(attack("composition", &scene).targets, Some(1));
    scene.second.as_mut().unwrap().partner = vec![NOWHERE; 6];
    assert!(attack("composition", &scene).left_out.is_some());
}

/// Of two copies of one release the second tells nothing, and takes nothing away.
#[test]
fn a_copy_is_no_worse_than_one_release() {
    // One class: three of a value that half of the table has, and two of one that nobody else has.
    let person = |class: u32, value: u32| (vec![class], value);
    let people = [(0, 0, 3), (0, 1, 2), (1, 0, 2), (1, 2, 3)];
    let people: Vec<_> =
        people.iter().flat_map(|&(class, value, n)| (0..n).map(move |_| person(class, value))).collect();
    let view = || Table { people: &people, level: &[raw], least: 1 }.view();
    let mut scene = scene(view());
    let entries = scene.view.people.counts.len() as u32;
    scene.second = Some(Second { view: view(), partner: (0..entries).collect() });
    let found = attack("composition", &scene);
    close(rate(&found, "right by the first"), 0.6);
    close(rate(&found, "right by the second"), 0.6);
    close(rate(&found, "right by both"), 0.6);
}

#[test]
fn a_catalog_is_used_against_its_release() {
    // Lee 2017, Tables 5 and 8: one of the four records of diabetes (1) in both classes is a counterfeit.
    let person = |class: u32, value: u32| (vec![class], value);
    let people =
        [person(0, 0), person(0, 1), person(0, 2), person(1, 1), person(1, 1), person(1, 2), person(1, 2)];
    let mut view = Table { people: &people, level: &[raw], least: 1 }.view();
    view.classes = [held(&[(0, 1), (1, 2), (2, 1)]), held(&[(1, 2), (2, 2)])].to_vec();
    view.classes.iter_mut().flatten().filter(|held| held.content == 1).for_each(|held| held.real = 0.75);
    let scene = scene(view);
    // The adversary picks among the records that are surely real, two in each class: as good as 1/3 and 1/4.
    close(rate(&attack("linkage", &scene), "knows 1 of 1"), 2.0 / 7.0);
    // Class 1: 1, 1.5, 1 of 3.5; class 2: 1.5, 2 of 3.5.
    let belief = (1.0 + 1.5 + 1.0 + 1.5 + 1.5 + 2.0 + 2.0) / 3.5 / 7.0;
    close(rate(&attack("inference", &scene), "belief in the right value"), belief);
}

#[test]
fn what_a_release_does_not_tell_is_stated_as_bounds() {
    // Two alike persons; one class could hold both, one record of their content is suppressed.
    let people = [(vec![0], 0), (vec![0], 1)];
    let mut view = Table { people: &people, level: &[raw], least: 1 }.view();
    view.people.counts = vec![2, 2];
    view.people.own = vec![NOWHERE; 2];
    view.trace = Trace::Covered;
    view.classes = vec![held(&[(0, 1), (1, 2)])];
    view.suppressed = held(&[(0, 1)]);
    let mut scene = scene(view);
    // Of content 0 just one of two is in the class: 1/2 · 1/3; of content 1 both.
    let found = attack("linkage", &scene);
    close(rate(&found, "knows 1 of 1"), (0.5 / 3.0 + 1.0 / 3.0) / 2.0);
    assert_eq!(figure(&found, "knows 1 of 1").at_least, None);
    scene.view.suppressed = held(&[(0, 2)]);
    close(figure(&attack("linkage", &scene), "knows 1 of 1").at_least.unwrap(), (0.0 + 1.0 / 3.0) / 2.0);
    scene.view.trace = Trace::Lost;
    let found = attack("linkage", &scene);
    close(figure(&found, "knows 1 of 1").at_least.unwrap(), 0.0);
    close(figure(&found, "knows 1 of 1").interval.unwrap()[1], rate(&found, "knows 1 of 1"));
    scene.view.trace = Trace::Noise;
    assert!(attack("linkage", &scene).left_out.is_some());
    // Of a sample nobody knows whether a person is in it.
    (scene.view.trace, scene.view.sampled) = (Trace::Levels, true);
    scene.view.people.own = vec![0; 2];
    close(rate(&attack("linkage", &scene), "knows 1 of 1"), (0.5 + 1.0) / 2.0 / 3.0);
}

#[test]
fn minimality_is_reported_beside_a_blind_guess() {
    let exposure = crate::risk::minimality::Exposure {
        counterfeits: 4,
        located: 1,
        exposed_records: 3,
        guess: 0.5,
        blind_guess: 0.25,
        ..Default::default()
    };
    let mut scene = of_six();
    scene.minimal = Some(Minimal { exposure, too_kind: true, of_records: false });
    let found = attack("minimality", &scene);
    close(rate(&found, "counting locates"), 0.25);
    close(rate(&found, "too small"), 0.5);
    assert_eq!(figure(&found, "a guess").baseline, Some(0.25));
    assert_eq!(found.notes.len(), 1);
}

#[test]
fn a_sample_of_persons_is_the_same_for_one_seed() {
    let people: Vec<(Vec<u32>, u32)> = (0..400).map(|n| (vec![n % 40, n % 7], n % 5)).collect();
    let mut scene = scene(Table { people: &people, level: &[|leaf| leaf / 8, raw], least: 3 }.view());
    scene.options.targets = 50;
    let pools = [1, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for entry in REGISTRY {
        let [one, four] = pools.each_ref().map(|pool| pool.install(|| attack(entry.name, &scene)));
        assert_eq!(one, four, "{}", entry.name);
    }
    let found = attack("linkage", &scene);
    let figure = figure(&found, "knows 2 of 2");
    let [low, high] = figure.interval.unwrap();
    assert!(low < figure.rate && figure.rate < high && found.targets == Some(50));
}

fn tables() -> impl Strategy<Value = (Vec<(Vec<u32>, u32)>, usize)> {
    let person = (proptest::collection::vec(0u32..6, 3), 0u32..5);
    (proptest::collection::vec(person, 1..40), 1usize..6)
}

proptest! {
    /// Full-domain, truthful, nothing suppressed: k-anonymity bounds linkage whatever is known, and ℓ distinct
    /// values leave some doubt after ℓ − 2 are excluded, or ℓ − 2 others are known.
    #[test]
    fn models_bound_attacks((people, least) in tables(), suppressed in any::<bool>()) {
        let least = if suppressed { least } else { 1 };
        let view = Table { people: &people, level: &[|leaf| leaf / 3, top, |leaf| leaf / 2], least }.view();
        let size = |class: &Vec<Held>| class.iter().map(|held| held.count).sum::<u64>();
        let k = view.classes.iter().map(size).chain((!view.suppressed.is_empty()).then(|| size(&view.suppressed)));
        let k = k.min().unwrap_or(1);
        let bags = view.classes.iter().chain((!view.suppressed.is_empty()).then_some(&view.suppressed));
        let l = bags.map(Vec::len).min().unwrap_or(1) as u64;
        let scene = scene(view);
        for entry in REGISTRY {
            for figure in attack(entry.name, &scene).figures {
                let least = if figure.what.contains("advantage") || figure.what.contains("gain") { -1.0 } else { 0.0 };
                prop_assert!((least..=1.0).contains(&figure.rate), "{figure:?}");
                prop_assert!(figure.interval.is_none_or(|[low, high]| low <= high), "{figure:?}");
                prop_assert!(figure.at_least.is_none_or(|least| least <= figure.rate), "{figure:?}");
            }
        }
        for figure in attack("linkage", &scene).figures.iter().filter(|figure| figure.what.contains("kno")) {
            prop_assert!(figure.rate <= 1.0 / k as f64 + 1e-12, "k = {k}: {figure:?}");
        }
        let found = attack("background", &scene);
        for known in 1..=2u64.min(l.saturating_sub(2)) {
            let figures = found.figures.iter().filter(|figure| figure.what.contains(": certain"));
            for figure in figures.filter(|figure| figure.what.starts_with(&format!("s: {known} "))) {
                prop_assert_eq!(figure.rate, 0.0, "l = {}: {:?}", l, figure);
            }
        }
        if l >= 2 {
            prop_assert_eq!(rate(&attack("inference", &scene), "certain of one value"), 0.0);
        }
    }
}
