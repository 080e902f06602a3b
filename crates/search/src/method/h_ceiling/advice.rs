//! What to ask for instead, where no node is admitted.

use velamen_core::context::Interrupted;
use velamen_core::error::Problem;
use velamen_core::lattice::Node;

use super::catalog_risk;
use super::limits::{Census, Limits, share};
use super::search::NodeSearch;
use super::{DEGREE_TOLERANCE, Draw, Evaluation, HCeiling, HCeilingParams, MethodError};

/// Nodes whose class sizes are looked at for an answer, the most general ones first.
const MOST_COUNTED: usize = 2048;

/// Nodes that are padded for one figure of an answer, the most promising first.
const MOST_PADDED: usize = 64;

/// More suppressed records are no advice.
const MOST_SUPPRESSED: f64 = 0.25;

/// What would do, each by itself.
#[derive(Debug, Default)]
struct Advice {
    counterfeits: Option<f64>,
    suppressed: Option<f64>,
    h: Option<f64>,
}

impl<const W: usize> NodeSearch<'_, W> {
    /// Why nothing was found, and the least limits and the least h of the nodes looked at that would do.
    pub(super) fn infeasible(&self, examined: usize, least_risk: Option<f64>) -> MethodError {
        if let Some(least) = least_risk {
            let tried = format!("{examined} nodes tried");
            return MethodError::Infeasible(catalog_risk::too_high(least, &tried));
        }
        let reason = self.without_limits(examined);
        if !self.method.params.limits.bind() && !self.method.judges_real() {
            return MethodError::Infeasible(reason);
        }
        let advice = match self.advice() {
            Ok(advice) => advice,
            Err(interrupted) => return interrupted.into(),
        };
        let Limits { counterfeits, suppressed, least_real } = self.method.params.limits;
        let ceiling = if self.method.params.h.is_some() { " under the ceiling" } else { "" };
        let unlike = self.method.or_unlike();
        let problem = match least_real >= self.method.params.k && counterfeits == 0.0 {
            true => format!(
                "every node{ceiling} suppresses more than suppression-limit = {suppressed}: the classes with fewer than \
                 {least_real} real records{unlike}"
            ),
            false => format!(
                "no node{ceiling} has a safe catalog with counterfeits up to counterfeit-limit = {counterfeits} and \
                 suppressed records, those of classes with fewer than {least_real} real ones{unlike}, up to \
                 suppression-limit = {suppressed}"
            ),
        };
        MethodError::Infeasible(Problem::new(problem).mend(advice.words()))
    }

    fn without_limits(&self, examined: usize) -> Problem {
        let advice = match self.method.params.draw {
            Draw::Uniform => "raise h, lower k, try another seed, or draw = \"empirical\"",
            Draw::Near | Draw::Empirical => "raise h or lower k",
        };
        match examined {
            0 => Problem::new(
                "at every node of the lattice the ceiling is broken or the models need too many counterfeits",
            )
            .mend("raise h or relax a model"),
            _ => Problem::new(format!("no node under the ceiling has a safe catalog ({examined} tried)"))
                .mend(advice),
        }
    }

    fn advice(&self) -> Result<Advice, Interrupted> {
        let Limits { counterfeits, suppressed, .. } = self.method.params.limits;
        let within = |limits: Limits| HCeiling { params: HCeilingParams { limits, ..self.method.params } };
        let (records, under) = (self.table.records(), self.counted(self.method.params.h)?);
        let many = within(Limits { counterfeits: 1.0, ..self.method.params.limits });
        let sparse = within(Limits { suppressed: 1.0, ..self.method.params.limits });
        let free = HCeiling { params: HCeilingParams { h: None, ..self.method.params } };
        let all = if self.method.params.h.is_some() { self.counted(None)? } else { Vec::new() };
        let of_counterfeits = |_: &Node, census: &Census| share(census.padding, records);
        let of_suppressed = |_: &Node, census: &Census| census.suppressed as f64 / records as f64;
        let advice = Advice {
            counterfeits: self.least(many, &under, of_counterfeits, |e| share(e.counterfeits, records))?,
            suppressed: self
                .least(sparse, &under, of_suppressed, |e| e.suppressed as f64 / records as f64)?,
            h: self.least(free, &all, |node, _| self.least_degree(node), |e| e.degree)?,
        };
        Ok(Advice {
            counterfeits: advice.counterfeits.map(rounded_up).filter(|&share| share > counterfeits),
            suppressed: advice.suppressed.map(rounded_up).filter(|&s| s > suppressed && s <= MOST_SUPPRESSED),
            h: advice.h.map(rounded_up).filter(|&h| h < 1.0),
        })
    }

    /// The most general nodes under a ceiling, with what their class sizes say.
    fn counted(&self, h: Option<f64>) -> Result<Vec<(Node, Census)>, Interrupted> {
        let open = self.open(h).into_iter().map(|(_, index)| self.lattice.node(index));
        let mut nodes: Vec<Node> = open.collect();
        nodes.sort_by_key(|node| std::cmp::Reverse(node.height()));
        nodes.truncate(MOST_COUNTED);
        let all = nodes.len() as u64;
        let counted = (0..).zip(nodes).map(|(done, node)| {
            self.context.check()?;
            self.context.progress.step("looking for limits that would do", done, all);
            let census = self.census(&node);
            Ok((node, census))
        });
        counted.collect()
    }

    /// The least figure of the nodes that are admitted as the method is changed, in the order of what is known of
    /// it beforehand, which it is never below.
    fn least(
        &self,
        method: HCeiling,
        nodes: &[(Node, Census)],
        bound: impl Fn(&Node, &Census) -> f64,
        figure: impl Fn(&Evaluation) -> f64,
    ) -> Result<Option<f64>, Interrupted> {
        let records = self.table.records();
        let may = nodes.iter().filter(|(_, census)| method.params.limits.may_admit(census, records));
        let mut open: Vec<(f64, &Node)> = may.map(|(node, census)| (bound(node, census), node)).collect();
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
        let mut least: Option<f64> = None;
        for (bound, node) in open.into_iter().take(MOST_PADDED) {
            if least.is_some_and(|least| bound > least + DEGREE_TOLERANCE) {
                break;
            }
            self.context.check()?;
            let found = self.evaluate_as(method, node).filter(|found| found.figure.is_finite());
            least = found.map(|found| figure(&found)).into_iter().chain(least).reduce(f64::min);
        }
        Ok(least)
    }
}

/// To three digits, so that it can be pasted and holds.
fn rounded_up(figure: f64) -> f64 {
    ((figure * 1e3 - 1e-6).ceil() / 1e3).clamp(0.0, 1.0)
}

impl Advice {
    fn words(&self) -> String {
        let key = |key: &str, value: Option<f64>| value.map(|value| format!("{key} = {value}"));
        let keys = [
            key("counterfeit-limit", self.counterfeits),
            key("suppression-limit", self.suppressed),
            key("h", self.h),
        ];
        let keys: Vec<String> = keys.into_iter().flatten().collect();
        match keys.is_empty() {
            true => "raise one of the limits together with h, or lower k".into(),
            false => format!("one of these would do: {}", keys.join(", or ")),
        }
    }
}
