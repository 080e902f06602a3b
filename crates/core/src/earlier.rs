//! An earlier release of the same table: which counterfeits its classes hold.
//!
//! Two releases with counterfeits drawn afresh betray them: what is real is in both. So a class that stands in both, under
//! the same labels at the same levels, keeps its counterfeits, or keeps having none.

use std::collections::BTreeMap;

use crate::classes::ClassTable;
use crate::frequency::FrequencyTable;
use crate::lattice::Node;
use crate::release::Release;

/// Counterfeits by sensitive value.
pub type Values = BTreeMap<String, u64>;

/// The classes of a release, by labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    /// The quasi-identifiers with their levels; `None` where classes had values of their own.
    pub qis: Vec<(String, Option<u8>)>,
    /// By the labels of each class, in the order of the quasi-identifiers, its counterfeits.
    pub classes: BTreeMap<Vec<String>, Values>,
    /// Whether a release that keeps none of them is refused.
    pub binds: bool,
}

/// Per class what it keeps, (sensitive code, count) ascending; `None` for a class that did not stand.
pub type Kept = Vec<Option<Vec<(u32, u64)>>>;

impl Earlier {
    /// The same with the quasi-identifiers in the order of a table's; as it is if they are others.
    #[must_use]
    pub fn in_order_of(mut self, table: &FrequencyTable) -> Self {
        let place = |name: &str| self.qis.iter().position(|(own, _)| own == name);
        let places: Option<Vec<usize>> = table.qis.iter().map(|qi| place(&qi.name)).collect();
        let Some(places) = places.filter(|places| places.len() == self.qis.len()) else { return self };
        let ordered = |labels: Vec<String>| places.iter().map(|&place| labels[place].clone()).collect();
        self.classes = self.classes.into_iter().map(|(labels, values)| (ordered(labels), values)).collect();
        self.qis = places.iter().map(|&place| self.qis[place].clone()).collect();
        self
    }

    /// What the classes at a node keep, or those with values of their own; `None` at other levels. `labels` gives the labels
    /// of a quasi-identifier by code.
    ///
    /// Time: O(classes · attributes · log classes).
    #[must_use]
    pub fn kept<'a>(
        &self,
        table: &FrequencyTable,
        node: Option<&Node>,
        labels: impl Fn(usize) -> Vec<&'a str>,
        classes: &ClassTable,
    ) -> Option<Kept> {
        let level = |q: usize| node.map(|node| node.0[q]);
        let same =
            |(q, (name, own)): (usize, &(String, Option<u8>))| *name == table.qis[q].name && *own == level(q);
        if self.qis.len() != table.qis.len() || !self.qis.iter().enumerate().all(same) {
            return None;
        }
        let column = &table.rest.columns[table.rest.sensitive().next()?];
        let codes: BTreeMap<&str, u32> = column.values.iter().map(String::as_str).zip(0..).collect();
        let labels: Vec<Vec<&str>> = (0..table.qis.len()).map(labels).collect();
        let of_class = |class: usize| {
            let own = classes.codes(class).iter().zip(&labels);
            self.coded(&own.map(|(&code, labels)| labels[code as usize].to_owned()).collect(), &codes)
        };
        Some((0..classes.len()).map(of_class).collect())
    }

    /// The counterfeits of a class by code; `None` where it is not there, or has a value without a code.
    fn coded(&self, labels: &Vec<String>, codes: &BTreeMap<&str, u32>) -> Option<Vec<(u32, u64)>> {
        let coded = |(value, count): (&String, &u64)| Some((*codes.get(value.as_str())?, *count));
        let mut values = self.classes.get(labels)?.iter().map(coded).collect::<Option<Vec<_>>>()?;
        values.sort_unstable();
        Some(values)
    }

    /// How many of its counterfeits a release has no more, and how many that one has besides.
    #[must_use]
    pub fn changed(&self, now: &Self) -> (u64, u64) {
        let total = |of: &Self| of.classes.values().flat_map(Values::values).sum::<u64>();
        let same = now.classes.iter().map(|(labels, values)| self.in_both(labels, values));
        let same: u64 = if self.qis == now.qis { same.sum() } else { 0 };
        (total(self) - same, total(now) - same)
    }

    /// The counterfeits of another release's class that the class of these labels has, too.
    fn in_both(&self, labels: &Vec<String>, values: &Values) -> u64 {
        let own = self.classes.get(labels);
        let both = |(value, count): (&String, &u64)| own?.get(value).map(|own| *own.min(count));
        values.iter().filter_map(both).sum()
    }

    /// The classes of a release, with the counterfeits of some of them by id and value.
    #[must_use]
    pub fn of(release: &Release, counterfeits: impl IntoIterator<Item = (u64, String, u64)>) -> Self {
        let mut classes: Vec<Values> = vec![Values::new(); release.sizes.len()];
        for (id, value, count) in counterfeits {
            let class = usize::try_from(id).ok().and_then(|id| classes.get_mut(id.checked_sub(1)?));
            if let Some(class) = class {
                *class.entry(value).or_default() += count;
            }
        }
        Self {
            qis: release.qis.iter().map(|qi| (qi.name.clone(), qi.level)).collect(),
            classes: (0..).zip(classes).map(|(class, values)| (labels(release, class), values)).collect(),
            binds: false,
        }
    }
}

/// The labels of a class.
fn labels(release: &Release, class: usize) -> Vec<String> {
    let codes = release.class(class).iter().zip(&release.qis);
    codes.map(|(&code, qi)| qi.label(code).to_owned()).collect()
}
