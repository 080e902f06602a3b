//! The records that are in no cluster yet, and how clusters are taken from them.

use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::Member;

use super::held;

/// Records of equal numbers.
#[derive(Debug)]
pub(super) struct Point {
    /// Standardized.
    pub(super) at: Vec<f64>,
    /// Their entries; spent from the back.
    pub(super) members: Vec<Member>,
    pub(super) count: u64,
}

pub(super) fn points(table: &FrequencyTable, numbers: &[Option<Vec<f64>>]) -> Vec<Point> {
    let used: Vec<(usize, Vec<f64>)> = numbers
        .iter()
        .enumerate()
        .filter_map(|(q, numbers)| Some((q, standardised(&table.marginal(q), numbers.as_ref()?))))
        .collect();
    let codes = |entry: u32| used.iter().map(move |(q, _)| table.codes[*q][entry as usize]);
    let mut entries: Vec<u32> = (0..table.len() as u32).collect();
    entries.sort_by(|&a, &b| codes(a).cmp(codes(b)).then(b.cmp(&a)));
    let point = |run: &[u32]| Point {
        at: used.iter().map(|(q, at)| at[table.codes[*q][run[0] as usize] as usize]).collect(),
        members: run.iter().map(|&entry| (entry, table.counts[entry as usize])).collect(),
        count: run.iter().map(|&entry| table.counts[entry as usize]).sum(),
    };
    entries.chunk_by(|&a, &b| codes(a).eq(codes(b))).map(point).collect()
}

/// Mean 0 and standard deviation 1 over the records; all 0 where they are all equal.
fn standardised(marginal: &[u64], numbers: &[f64]) -> Vec<f64> {
    let counts: Vec<(u32, u64)> = (0..).zip(marginal.iter().copied()).collect();
    let mean = held::mean(&counts, numbers);
    let total = marginal.iter().sum::<u64>() as f64;
    let square = |(number, &count): (&f64, &u64)| count as f64 * (number - mean).powi(2);
    let deviation = (numbers.iter().zip(marginal).map(square).sum::<f64>() / total).sqrt();
    numbers.iter().map(|number| if deviation > 0.0 { (number - mean) / deviation } else { 0.0 }).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// (point, records of it).
pub(super) type Cluster = Vec<(usize, u64)>;

/// The records that are in no cluster yet.
pub(super) struct Left<'a> {
    points: &'a [Point],
    /// (point, records left of it), ascending by point.
    open: Vec<(usize, u64)>,
    pub(super) records: u64,
    /// Whose they are, where people are counted.
    people: Option<PeopleLeft>,
    /// Numbers per point.
    width: usize,
    /// The positions of the open points, one after the other.
    at: Vec<f64>,
    distances: Vec<(f64, usize)>,
}

impl<'a> Left<'a> {
    /// `whose` each entry is, where people are counted.
    pub(super) fn new(points: &'a [Point], whose: Option<Vec<u32>>) -> Self {
        let open: Vec<(usize, u64)> = points.iter().map(|point| point.count).enumerate().collect();
        let at = points.iter().flat_map(|point| point.at.iter().copied()).collect();
        let (records, width) = (open.iter().map(|o| o.1).sum(), points[0].at.len());
        let people = whose.map(|whose| PeopleLeft::new(points, whose));
        Self { points, open, records, people, width, at, distances: Vec::new() }
    }

    /// How many records are left, or people with records left.
    pub(super) fn number(&self) -> u64 {
        self.people.as_ref().map_or(self.records, |people| people.left)
    }

    /// One round: two clusters, or the last one or two.
    pub(super) fn cluster(&mut self, k: u64, clusters: &mut Vec<Cluster>) {
        if self.number() < 2 * k {
            clusters.push(std::mem::take(&mut self.open));
            self.records = 0;
            return;
        }
        let several = self.number() >= 3 * k;
        let first = self.farthest(&self.centroid());
        let second = self.farthest(&self.points[first].at);
        clusters.push(self.nearest(first, k));
        if several {
            clusters.push(self.nearest(second, k));
        }
    }

    fn centroid(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.width];
        for (at, &(_, count)) in self.at.chunks_exact(self.width).zip(&self.open) {
            sum.iter_mut().zip(at).for_each(|(sum, at)| *sum += at * count as f64);
        }
        sum.into_iter().map(|sum| sum / self.records as f64).collect()
    }

    /// The open point farthest from a place.
    fn farthest(&self, from: &[f64]) -> usize {
        let (mut best, mut point) = (-1.0, 0);
        for (at, &(open, _)) in self.at.chunks_exact(self.width).zip(&self.open) {
            let distance = distance(from, at);
            if distance > best {
                (best, point) = (distance, open);
            }
        }
        point
    }

    /// The k records nearest to a point, or the nearest until k people have some; these are open no more.
    fn nearest(&mut self, point: usize, k: u64) -> Cluster {
        let from = &self.points[point].at;
        self.distances.clear();
        let far = self.at.chunks_exact(self.width).map(|at| distance(from, at));
        self.distances.extend(far.zip(0..));
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let (mut wanted, mut cluster, mut sorted) = (Wanted { number: k, people: Vec::new() }, Vec::new(), 0);
        let all = self.distances.len();
        // Each point has a record at least; those of k people can be many more.
        let mut needed = (k as usize).min(all);
        while wanted.number > 0 && sorted < all {
            let open = &mut self.distances[sorted..];
            if needed < all {
                open.select_nth_unstable_by(needed - sorted, order);
            }
            open[..needed - sorted].sort_unstable_by(order);
            for place in sorted..needed {
                let position = self.distances[place].1;
                self.take(position, &mut wanted, &mut cluster);
            }
            (sorted, needed) = (needed, (2 * needed).min(all));
        }
        self.drop_spent();
        cluster
    }

    /// Takes what is wanted of a point.
    fn take(&mut self, position: usize, wanted: &mut Wanted, cluster: &mut Cluster) {
        let (point, count) = &mut self.open[position];
        let taken = match &mut self.people {
            None => wanted.records(*count),
            Some(people) => people.take(*point, &self.points[*point], wanted),
        };
        if taken > 0 {
            cluster.push((*point, taken));
        }
        *count -= taken;
        self.records -= taken;
    }

    /// Keeps the points that have records left.
    fn drop_spent(&mut self) {
        let mut kept = 0;
        for position in 0..self.open.len() {
            if self.open[position].1 > 0 {
                self.open[kept] = self.open[position];
                self.at.copy_within(position * self.width..(position + 1) * self.width, kept * self.width);
                kept += 1;
            }
        }
        self.open.truncate(kept);
        self.at.truncate(kept * self.width);
    }
}

/// SSE / SST over the standardized numbers.
pub(super) fn information_loss(points: &[Point], clusters: &[Cluster]) -> f64 {
    let within = |cluster: &Cluster| within(points, cluster);
    let squares: f64 = points.iter().map(|p| p.at.iter().map(|x| x * x).sum::<f64>() * p.count as f64).sum();
    if squares > 0.0 { clusters.iter().map(within).sum::<f64>() / squares } else { 0.0 }
}

/// The squared distances of a cluster's records from their mean.
fn within(points: &[Point], cluster: &Cluster) -> f64 {
    let total = cluster.iter().map(|c| c.1).sum::<u64>() as f64;
    let width = points[0].at.len();
    let mean: Vec<f64> = (0..width)
        .map(|d| cluster.iter().map(|&(p, n)| points[p].at[d] * n as f64).sum::<f64>() / total)
        .collect();
    cluster.iter().map(|&(p, n)| distance(&points[p].at, &mean) * n as f64).sum()
}

/// What a cluster still lacks.
struct Wanted {
    /// Records, or people.
    number: u64,
    /// The people that it has.
    people: Vec<u32>,
}

impl Wanted {
    /// Takes as many of some records as are wanted.
    fn records(&mut self, of: u64) -> u64 {
        let taken = self.number.min(of);
        self.number -= taken;
        taken
    }
}

/// Whose the records are that are in no cluster yet.
struct PeopleLeft {
    /// By entry.
    whose: Vec<u32>,
    /// By person, how many entries are left.
    entries: Vec<u64>,
    /// By point, how many of its members are left: they are spent from the back.
    members: Vec<usize>,
    /// How many people have records left.
    left: u64,
}

impl PeopleLeft {
    fn new(points: &[Point], whose: Vec<u32>) -> Self {
        let mut entries = vec![0; whose.iter().max().map_or(0, |most| *most as usize + 1)];
        let held = points.iter().flat_map(|point| &point.members).filter(|member| member.1 > 0);
        held.for_each(|member| entries[whose[member.0 as usize] as usize] += 1);
        let left = entries.iter().filter(|entries| **entries > 0).count() as u64;
        Self { whose, entries, members: points.iter().map(|point| point.members.len()).collect(), left }
    }

    /// Takes whole entries of a point until no more people are wanted: their records.
    fn take(&mut self, number: usize, point: &Point, wanted: &mut Wanted) -> u64 {
        let (members, mut taken) = (&mut self.members[number], 0);
        while *members > 0 && wanted.number > 0 {
            *members -= 1;
            let (entry, count) = point.members[*members];
            let person = self.whose[entry as usize];
            taken += count;
            if !wanted.people.contains(&person) {
                wanted.people.push(person);
                wanted.number -= 1;
            }
            let open = &mut self.entries[person as usize];
            *open -= 1;
            self.left -= u64::from(*open == 0);
        }
        taken
    }
}
