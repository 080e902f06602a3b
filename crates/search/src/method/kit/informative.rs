//! How several sensitive attributes are read: as one, or each by itself with a share of the budget.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::INFORMATIVE;
use velamen_core::error::Problem;
use velamen_dp::Rational;

use super::task::Task;

/// The key of the attributes' shares.
pub(in crate::method) const SHARES: &str = "attribute-shares";

/// How several sensitive attributes are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::method) enum Informative {
    /// A combination of their values is one value: what belongs to one record stays together.
    #[default]
    Joint,
    /// Each attribute by itself, with a share of the budget.
    Each,
}

/// An attribute and its share of a budget.
pub(in crate::method) type Share = (String, Rational);

/// The share of each sensitive attribute: as asked for, else equal parts. They add up to 1. None where attributes are read jointly,
/// which one by itself is.
///
/// # Errors
/// A [`Problem`] if attributes are read jointly but shares are given, a name is foreign or missing, or the shares do not add up to 1.
pub(in crate::method) fn shares(
    informative: Informative,
    asked: Option<&BTreeMap<String, f64>>,
    task: &Task<'_>,
) -> Result<Vec<Share>, Problem> {
    let names: Vec<&str> = task.sensitive().collect();
    let shares = match (informative, asked) {
        (Informative::Joint, None) => Ok(Vec::new()),
        (Informative::Joint, Some(_)) => {
            let problem = format!("{SHARES} are of attributes that are counted each by itself");
            Err(of_shares(problem).mend(format!("add {INFORMATIVE} = \"each\", or leave {SHARES} out")))
        }
        (Informative::Each, None) => equal(&names),
        (Informative::Each, Some(asked)) => given(&names, asked),
    }?;
    Ok(if names.len() > 1 { shares } else { Vec::new() })
}

fn equal(names: &[&str]) -> Result<Vec<Share>, Problem> {
    let share = Rational::new(1, names.len().max(1) as u64).map_err(|error| of_shares(error.to_string()))?;
    Ok(names.iter().map(|name| ((*name).to_owned(), share)).collect())
}

fn given(names: &[&str], asked: &BTreeMap<String, f64>) -> Result<Vec<Share>, Problem> {
    if let Some(foreign) = asked.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(
            of_shares(format!("{SHARES}: `{foreign}` is no sensitive attribute")).expected(named(names))
        );
    }
    let shares =
        names.iter().map(|name| share(name, names, asked)).collect::<Result<Vec<Share>, Problem>>()?;
    let sum = shares.iter().try_fold(Rational::ZERO, |sum, (_, share)| sum.checked_add(*share));
    match sum.is_some_and(|sum| Ok(sum) == Rational::new(1, 1)) {
        true => Ok(shares),
        false => Err(of_shares(format!("the {SHARES} do not add up to 1"))
            .expected("shares of the budget that are 1 together, such as 0.7 and 0.3")),
    }
}

/// The share of one attribute, above 0.
fn share(name: &str, names: &[&str], asked: &BTreeMap<String, f64>) -> Result<Share, Problem> {
    let Some(share) = asked.get(name) else {
        let problem = of_shares(format!("{SHARES}: the share of `{name}` is missing"));
        return Err(problem.expected(named(names)));
    };
    let exact = Rational::from_decimal(*share).map_err(|error| of_shares(format!("{SHARES}: {error}")))?;
    if exact == Rational::ZERO {
        let problem = format!("{SHARES}: `{name}` has no share, so that none of it could be counted");
        return Err(of_shares(problem).expected("shares above 0"));
    }
    Ok((name.to_owned(), exact))
}

fn named(names: &[&str]) -> String {
    format!(
        "a share of each of {}",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )
}

fn of_shares(problem: String) -> Problem {
    Problem::of(&[SHARES], problem)
}
