//! Different values of sensitive columns in a first recipe: asked for where they cost little.
//!
//! k-anonymity does not hide what a whole class has in common. So l = 2 is tried with the method that keeps most: for all sensitive
//! columns together, and if that costs too much, for one after the other beside those that were taken. Taken is what costs at
//! most [`MOST_COST`] of loss more.

use velamen_recipe::{JobError, quoted};

/// The most that different values of a column may cost, as a difference of mean losses.
pub(super) const MOST_COST: f64 = 0.05;

/// What is asked of sensitive columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Diversity {
    /// The columns of which each class is to have two values.
    asked: Vec<String>,
    /// What that costs in all.
    cost: f64,
    /// The others that were tried, with what they would cost besides; `None` if no release is possible with them.
    costly: Vec<(String, Option<f64>)>,
}

/// Which columns are asked for; `loss` gives what is lost with some of them, or `None` where nothing can be released. `without` is
/// lost with none.
///
/// # Errors
/// Those of `loss`.
pub(super) fn tried(
    columns: &[&str],
    without: f64,
    mut loss: impl FnMut(&Diversity) -> Result<Option<f64>, JobError>,
) -> Result<Diversity, JobError> {
    let mut taken = Diversity::default();
    if columns.is_empty() {
        return Ok(taken);
    }
    let all = Diversity::of(columns.iter().copied());
    let of_all = loss(&all)?.map(|with| with - without);
    if let Some(cost) = of_all.filter(|cost| *cost <= MOST_COST) {
        return Ok(Diversity { cost, ..all });
    }
    for &column in columns {
        let more = Diversity::of(taken.asked.iter().map(String::as_str).chain([column]));
        let cost = if columns.len() == 1 { of_all } else { loss(&more)?.map(|with| with - without) };
        let besides = cost.map(|cost| cost - taken.cost);
        match cost.filter(|_| besides.is_some_and(|besides| besides <= MOST_COST)) {
            Some(cost) => (taken.asked, taken.cost) = (more.asked, cost),
            None => taken.costly.push((column.to_owned(), besides)),
        }
    }
    Ok(taken)
}

impl Diversity {
    fn of<'n>(columns: impl Iterator<Item = &'n str>) -> Self {
        Self { asked: columns.map(str::to_owned).collect(), ..Self::default() }
    }

    /// As a recipe writes it, below the first model.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if !self.asked.is_empty() {
            text += &format!(
                "\n# Two values of a sensitive attribute in each class: k-anonymity does not hide what all of a class have in\n\
                 # common. On this table it costs {:.2} of loss.\n",
                self.cost.max(0.0)
            );
        }
        text.extend(self.asked.iter().map(|column| model(column)));
        text.extend(self.costly.iter().map(not_asked));
        text
    }
}

fn model(column: &str) -> String {
    format!("[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\nattribute = {}\n", quoted(column))
}

/// A column that costs too much, as remarks.
fn not_asked((column, cost): &(String, Option<f64>)) -> String {
    let why = match cost {
        Some(cost) => format!("would cost {cost:.2} of loss"),
        None => "leaves no release of this method".to_owned(),
    };
    let remarks: String = model(column).lines().map(|line| format!("# {line}\n")).collect();
    format!("\n# Not asked for: two values of this attribute in each class, which {why}.\n{remarks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is tried, of columns that each cost something; one that costs 1 cannot be.
    fn of(costs: &[(&str, f64)]) -> (Diversity, usize) {
        let (mut runs, names) = (0, costs.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        let found = tried(&names, 0.3, |diversity| {
            runs += 1;
            let cost = |name: &String| costs.iter().find(|(known, _)| known == name).unwrap().1;
            let all: f64 = diversity.asked.iter().map(cost).sum();
            Ok((all < 1.0).then_some(0.3 + all))
        });
        (found.unwrap(), runs)
    }

    fn names(found: &Diversity) -> (Vec<&str>, Vec<&str>) {
        (found.asked.iter().map(|n| &**n).collect(), found.costly.iter().map(|(n, _)| &**n).collect())
    }

    #[test]
    fn what_costs_little_is_asked_for() {
        let (found, runs) = of(&[("a", 0.01), ("b", 0.03)]);
        assert_eq!((names(&found), runs), ((vec!["a", "b"], vec![]), 1));
        let (found, _) = of(&[("a", 0.2), ("b", 0.03), ("c", 1.0), ("d", 0.04)]);
        assert_eq!(names(&found), (vec!["b", "d"], vec!["a", "c"]));
        assert!((found.cost - 0.07).abs() < 1e-9, "each by itself costs little");
        let (found, runs) = of(&[("a", 0.2)]);
        assert_eq!((names(&found), runs), ((vec![], vec!["a"]), 1));
        assert_eq!(of(&[]), (Diversity::default(), 0));
    }

    #[test]
    fn the_recipe_says_what_is_asked_and_what_is_not() {
        let text = of(&[("a", 0.2), ("b \"x\"", 0.03), ("c", 1.0)]).0.text();
        assert!(
            text.contains("costs 0.03 of loss.\n[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n"),
            "{text}"
        );
        assert!(text.contains("attribute = \"b \\\"x\\\"\"\n"), "{text}");
        assert!(
            text.contains("would cost 0.20 of loss.\n# [[privacy]]\n")
                && text.contains("# attribute = \"c\"\n"),
            "{text}"
        );
    }
}
