//! Guards the measures against definitions written down naively, over every class and every value, on random
//! tables. Shares no code with the module.
use velamen_measure::measure::{AttributeMeasures, Grouped, Options, Sensitive, measure};

/// Knuth's MMIX generator, high bits.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One record: class and value.
type Records = Vec<(usize, usize)>;

fn random_records(random: &mut Lcg) -> Records {
    let (rows, classes, values) = (1 + random.below(80), 1 + random.below(9), 1 + random.below(9));
    let skew = random.below(3);
    let mut draw = |bound: u64| {
        let first = random.below(bound);
        (0..skew).fold(first, |least, _| least.min(random.below(bound))) as usize
    };
    (0..rows).map(|_| (draw(classes), draw(values))).collect()
}

/// Counts by class and value, absent ones as 0; classes without records left out.
fn matrix(records: &Records) -> Vec<Vec<u64>> {
    let mut counts = vec![vec![0; 9]; 9];
    for &(class, value) in records {
        counts[class][value] += 1;
    }
    counts.retain(|class| class.iter().sum::<u64>() > 0);
    counts
}

fn grouped(counts: &[Vec<u64>], numeric: bool) -> Grouped {
    let cells = |class: &Vec<u64>| (0..).zip(class.iter().copied()).filter(|cell| cell.1 > 0).collect();
    let sensitive = Sensitive {
        name: "s".into(),
        values: (0..9).map(|value| value.to_string()).collect(),
        numeric,
        classes: counts.iter().map(cells).collect(),
        people: Vec::new(),
    };
    Grouped {
        sizes: counts.iter().map(|class| class.iter().sum()).collect(),
        sensitive: vec![sensitive],
        people: None,
    }
}

/// The shares of the values that occur in the table: of the table, and of each class.
struct Shares {
    p: Vec<f64>,
    q: Vec<Vec<f64>>,
}

fn shares(counts: &[Vec<u64>]) -> Shares {
    let occurring: Vec<usize> = (0..9).filter(|&value| counts.iter().any(|class| class[value] > 0)).collect();
    let all: u64 = counts.iter().flatten().sum();
    let total = |value: usize| counts.iter().map(|class| class[value]).sum::<u64>() as f64;
    let of_class = |class: &Vec<u64>| {
        let size = class.iter().sum::<u64>() as f64;
        occurring.iter().map(|&value| class[value] as f64 / size).collect()
    };
    let p = occurring.iter().map(|&value| total(value) / all as f64).collect();
    Shares { p, q: counts.iter().map(of_class).collect() }
}

fn max(figures: impl IntoIterator<Item = f64>) -> f64 {
    figures.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

impl Shares {
    /// max over classes and values of a function of (q, p).
    fn worst(&self, figure: impl Fn(f64, f64) -> f64) -> f64 {
        max(self.q.iter().flat_map(|q| q.iter().zip(&self.p)).map(|(&q, &p)| figure(q, p)))
    }

    fn equal(&self) -> f64 {
        max(self.q.iter().map(|q| q.iter().zip(&self.p).map(|(q, p)| (q - p).abs()).sum::<f64>() / 2.0))
    }

    fn ordered(&self) -> f64 {
        let of_class = |q: &Vec<f64>| {
            let cumulated = |i: usize| (0..=i).map(|j| q[j] - self.p[j]).sum::<f64>();
            (0..q.len()).map(|i| cumulated(i).abs()).sum::<f64>()
        };
        max(self.q.iter().map(of_class)) / (self.p.len().max(2) - 1) as f64
    }

    fn entropy_l(&self) -> f64 {
        let entropy = |q: &Vec<f64>| -q.iter().filter(|&&q| q > 0.0).map(|q| q * q.ln()).sum::<f64>();
        -max(self.q.iter().map(|q| -entropy(q).exp()))
    }

    fn enhanced_holds(&self, beta: f64) -> bool {
        let pairs = || self.q.iter().flat_map(|q| q.iter().zip(&self.p));
        pairs().filter(|(q, p)| q > p).all(|(q, p)| (q - p) / p <= beta.min(-p.ln()) + 1e-12)
    }
}

fn recursive_holds(counts: &[Vec<u64>], c: f64, l: usize) -> bool {
    counts.iter().all(|class| {
        let mut r = class.clone();
        r.sort_unstable_by(|a, b| b.cmp(a));
        let tail: u64 = r[l - 1..].iter().sum();
        (r[0] as f64) < c * tail as f64
    })
}

fn pycanon_recursive(counts: &[Vec<u64>], l: usize) -> u64 {
    let of_class = |class: &Vec<u64>| {
        let mut r: Vec<u64> = class.iter().copied().filter(|&count| count > 0).collect();
        r.sort_unstable();
        (r[0] as f64 / r[l - 1..].iter().sum::<u64>() as f64 + 1.0).floor() as u64
    };
    counts.iter().map(of_class).max().unwrap()
}

fn assert_near(what: &str, ours: Option<f64>, naive: f64) {
    assert!((ours.unwrap() - naive).abs() <= 1e-9, "{what}: {ours:?}, by definition {naive}");
}

fn check_recursive(counts: &[Vec<u64>], ours: &AttributeMeasures, l: usize) {
    assert_eq!(ours.recursive_l, Some(l as u64));
    match (ours.recursive_c, ours.recursive_c_whole) {
        (Some(c), Some(whole)) => {
            assert!(recursive_holds(counts, c * (1.0 + 1e-9), l));
            assert!(!recursive_holds(counts, c * (1.0 - 1e-9), l));
            assert!(recursive_holds(counts, whole as f64, l));
            assert!(!recursive_holds(counts, (whole - 1) as f64, l));
        }
        _ => assert!(ours.recursive_c_whole.is_none() && !recursive_holds(counts, 1e9, l)),
    }
}

fn check_pycanon(counts: &[Vec<u64>], shares: &Shares, ours: &AttributeMeasures) {
    let figures = &ours.pycanon;
    let beta = shares.worst(|q, p| (q - p) / p);
    assert_near("enhanced", figures.enhanced_beta, max(shares.p.iter().map(|p| beta.min(-p.ln()))));
    assert_near("delta", figures.delta, shares.worst(|q, p| if q > 0.0 { (q / p).ln().abs() } else { 0.0 }));
    match figures.t {
        None => assert!(ours.numeric && shares.p.len() == 1),
        t => assert_near("t", t, if ours.numeric { shares.ordered() } else { shares.equal() }),
    }
    let l = figures.l.unwrap() as usize;
    assert_eq!(figures.recursive_c, (l > 1).then(|| pycanon_recursive(counts, l)));
    assert!(ours.entropy_l_whole.unwrap() - figures.entropy_l.unwrap() <= 1);
}

fn check_table(counts: &[Vec<u64>], numeric: bool, l: Option<u32>) {
    let measures = measure(&grouped(counts, numeric), &Options { l });
    let ours = &measures.sensitive[0];
    let shares = shares(counts);
    let distinct = counts.iter().map(|class| class.iter().filter(|&&count| count > 0).count()).min().unwrap();
    let sizes: Vec<u64> = counts.iter().map(|class| class.iter().sum()).collect();
    assert_eq!(measures.k, sizes.iter().copied().min());
    assert_eq!(measures.records, sizes.iter().sum::<u64>());
    assert_near("mean", measures.mean_class, sizes.iter().sum::<u64>() as f64 / sizes.len() as f64);
    assert_eq!(ours.values as usize, shares.p.len());
    assert_eq!(ours.distinct_l, Some(distinct as u64));
    assert_near("alpha", ours.alpha, shares.worst(|q, _| q));
    assert_near("entropy", ours.entropy_l, shares.entropy_l());
    assert_eq!(ours.entropy_l_whole, Some((shares.entropy_l() + 1e-9).floor() as u64));
    assert_near("equal", ours.t_equal, shares.equal());
    assert_near("ordered", ours.t_ordered, shares.ordered());
    let beta = shares.worst(|q, p| (q - p) / p);
    assert_near("basic", ours.basic_beta, beta);
    assert_eq!(ours.enhanced_beta.is_some(), shares.enhanced_holds(beta));
    assert!(ours.enhanced_beta.is_none_or(|enhanced| (enhanced - beta).abs() <= 1e-9));
    assert_near("delta", ours.delta, shares.worst(|q, p| if q > 0.0 { (q / p).log2().abs() } else { 0.0 }));
    check_recursive(counts, ours, l.map_or(distinct, |l| l as usize));
    check_pycanon(counts, &shares, ours);
}

#[test]
fn measures_equal_the_definitions_on_random_tables() {
    let mut random = Lcg(2024);
    for _ in 0..20_000 {
        let counts = matrix(&random_records(&mut random));
        let l = (random.below(2) == 0).then(|| 1 + random.below(6) as u32);
        check_table(&counts, random.below(2) == 0, l);
    }
}
