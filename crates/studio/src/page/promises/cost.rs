//! What each promise costs on the open table, in words.

use maud::{Markup, html};
use velamen_job::Solution;
use velamen_recipe::{Mistake, Recipe};
use velamen_report::language::{of_below, say, t, text};

use crate::App;
use crate::cost::{RecipeCost, figures};
use crate::edit::{Edit, edited};
use crate::page::{count, fixed, percent, status};
use crate::project::Project;
use crate::told;

/// What is known of the costs of the recipe's models.
pub(super) struct Costs {
    with: Option<RecipeCost>,
    without: Vec<Option<RecipeCost>>,
    /// Whether the one model is all that is promised.
    only: bool,
    /// Whether nobody looks, because the person has not asked to: the table is large.
    is_left: bool,
}

impl Costs {
    pub(super) fn of(&self, number: usize) -> Cost<'_> {
        match (self.only, self.without.get(number)) {
            (true, _) => self.beside(None),
            (false, less) => self.beside(less.and_then(Option::as_ref)),
        }
    }

    fn beside<'a>(&'a self, less: Option<&'a RecipeCost>) -> Cost<'a> {
        Cost { more: self.with.as_ref(), less, only: self.only, is_left: self.is_left, is_told: true }
    }
}

/// A release under more promises, and one under fewer.
pub(super) struct Cost<'a> {
    pub(super) more: Option<&'a RecipeCost>,
    pub(super) less: Option<&'a RecipeCost>,
    /// Nothing would be changed without it.
    pub(super) only: bool,
    /// Nobody looks.
    pub(super) is_left: bool,
    /// Whether the page says elsewhere why no release can be made with all promises.
    pub(super) is_told: bool,
}

/// The figures with all models and without each; nothing to compare without models.
pub(super) fn costs(app: &App, project: &Project, recipe: &Recipe, asked: bool) -> Option<Costs> {
    let models = recipe.privacy.len();
    if models == 0 && recipe.preset.is_none() {
        return None;
    }
    let only = models == 1 && recipe.preset.is_none();
    let without = |number: usize| {
        let place = vec!["privacy".to_owned(), number.to_string()];
        edited(project.text(), &[Edit::Remove(place)]).unwrap_or_else(|_| project.text().to_owned())
    };
    let others = (0..if only { 0 } else { models }).map(without);
    let texts: Vec<String> = std::iter::once(project.text().to_owned()).chain(others).collect();
    let known = figures(app, project, &texts, asked || !project.is_large());
    let is_left = !known.is_on_its_way && known.figures.contains(&None);
    let mut figures = known.figures.into_iter();
    Some(Costs { with: figures.next().flatten(), without: figures.collect(), only, is_left })
}

/// What all promises together leave.
pub(super) fn whole(costs: Option<&Costs>) -> Markup {
    let figures = costs.map(|costs| &costs.with);
    html! {
        @if costs.is_some_and(|costs| costs.is_left) {
            p.care { (t("The table is large: what its promises cost is computed once you ask.")) " "
                button #weigh type="button" hx-post="promises/weigh" { (t("Look what they cost here")) } }
        } @else { @match figures {
            None => {}
            Some(None) => p.note role="status" { (t("What the promises cost here is being looked for…")) },
            Some(Some(Ok(Ok(solution)))) => {
                p.done role="status" { (say!("{}: {}.", html! { strong { (t("All promises together")) } }, said(solution))) }
            }
            Some(Some(Ok(Err(why)))) => p.care { (say!("No exact figure is shown before the release: {}", told::remark(why))) },
            Some(Some(Err(mistake))) => {
                div.alert role="alert" { (say!("No release can be made: {}", status::said(mistake))) }
                @if mistake.is_interrupted() {
                    button #again type="button" hx-post="promises/again" { (t("Look again")) }
                }
            }
        } }
    }
}

/// A release in figures.
fn said(solution: &Solution) -> String {
    let suppressed = match solution.suppressed {
        0 => t("no suppressed record").to_owned(),
        1 => t("1 suppressed record").to_owned(),
        records => text!("{} suppressed records", count(records)),
    };
    let counterfeits = match solution.counterfeits {
        0 => t("no counterfeit record").to_owned(),
        1 => t("1 counterfeit record").to_owned(),
        records => text!("{} counterfeit records", count(records)),
    };
    let (lost, risk) = (fixed(solution.value, 3), percent(solution.highest_risk));
    text!("loss {}, {}, {}, highest risk {}", lost, suppressed, counterfeits, risk)
}

/// What is said where no release can be made with a promise: the reason once on a page.
fn refused(cost: &Cost<'_>, mistake: &Mistake, less: Option<&RecipeCost>) -> Markup {
    let why = if cost.is_told {
        html! { (t("the reason stands below.")) }
    } else {
        status::said(mistake)
    };
    match less {
        Some(Err(_)) => say!("No release can be made, neither with it nor without it: {}", why),
        Some(Ok(_)) => say!("With it no release can be made, without it there is one: {}", why),
        None => say!("With it no release can be made: {}", why),
    }
}

/// What one promise costs here.
pub(super) fn cost(cost: &Cost<'_>) -> Markup {
    let waits = html! { span.note { @if cost.is_left { (t("not looked for yet")) } @else { (t("being looked for…")) } } };
    match (cost.more, cost.less) {
        (Some(Ok(Ok(more))), _) if cost.only => html! {
            (say!("{}. Without it nothing would be generalized: it is the only promise.", said(more)))
        },
        (Some(Ok(Ok(more))), Some(Ok(Ok(less)))) => {
            let added = more.value - less.value;
            let by = fixed(added.abs(), 3);
            let by = if added < 0.0 { text!("{} less", by) } else { text!("{} more", by) };
            html! {
                @if added.abs() < 0.0005 && more.suppressed == less.suppressed && more.counterfeits == less.counterfeits {
                    (t("Nothing: the other promises ask for as much already."))
                } @else {
                    (say!("Without it: {}. With it the loss is {}", said(less), html! { strong { (by) } }))
                    @if more.suppressed != less.suppressed { (say!(", and {} records are suppressed", count(more.suppressed))) }
                    "."
                }
            }
        }
        (Some(Ok(Err(why))), _) | (_, Some(Ok(Err(why)))) => {
            html! { (say!("No exact figure before the release: {}.", of_below(why))) }
        }
        (Some(Err(mistake)), less) => refused(cost, mistake, less),
        (_, Some(Err(mistake))) => {
            html! { (say!("Without it no release can be made: {}", status::said(mistake))) }
        }
        _ => waits,
    }
}
