//! The minimality attack on both paddings: not in the paper, which pads to exactly k.

use velamen_core::context::Context;
use velamen_core::release::apply;
use velamen_measure::risk::minimality;
use velamen_measure::risk::minimality::Exposure;
use velamen_recipe::JobError;
use velamen_report::chart::bars;

use super::runs::{Arm, FIXED_H, KS, Runs, series};
use crate::output::{Figure, ResultTable, cell};
use crate::sample::Sample;
use crate::{NO_RELEASE, Section, Trend};

/// `minimality.csv`: both methods at every k, h = 0.3.
///
/// # Errors
/// [`JobError::interrupted`].
pub(super) fn section(sample: &Sample, runs: &Runs, context: &Context<'_>) -> Result<Section, JobError> {
    let mut exposures = Vec::new();
    for arm in Arm::CEILED {
        for k in KS {
            context.check()?;
            exposures.push((arm, k, exposure(sample, runs, arm, k, context)));
        }
    }
    Ok(Section { figures: vec![figure(&exposures)], trends: trends(&exposures) })
}

/// What is known of one arm at one k; `None` where there is no release.
type Exposed = (Arm, u64, Option<Exposure>);

fn exposure(sample: &Sample, runs: &Runs, arm: Arm, k: u64, context: &Context<'_>) -> Option<Exposure> {
    let solved = runs.get(arm, k, FIXED_H)?;
    let (release, _) = apply(&sample.table, &solved.plan, context.seed);
    Some(minimality::attack(&release, k, arm.method(k, Some(FIXED_H))?.largest_padded(), None))
}

fn figure(exposures: &[Exposed]) -> Figure {
    let header = [
        "method",
        "k",
        "counterfeits",
        "located counterfeits",
        "exposed classes",
        "exposed records",
        "least class after removal",
        "guess rate",
        "guess rate without knowing the algorithm",
    ];
    let located = |arm: Arm| {
        let of_arm = exposures.iter().filter(|one| one.0 == arm);
        of_arm.map(|one| one.2.as_ref().map_or(f64::NAN, |e| 100.0 * share(e))).collect()
    };
    let charted = Arm::CEILED.map(|arm| series(arm, located(arm)));
    let title = "Minimality attack: counterfeits located (h = 0.3)";
    Figure {
        file: "minimality".into(),
        title: title.into(),
        note: "An adversary who knows the algorithm knows which released sizes can hold counterfeits, and counts over \
               those classes alone. Located: pinned to one class; exposed: classes below k without them. Guess rate: \
               the mean chance to hit a counterfeit by picking one of the records it may be."
            .into(),
        table: ResultTable {
            header: header.map(String::from).to_vec(),
            rows: exposures.iter().map(row).collect(),
        },
        svg: bars(title, "k", "located, % of the counterfeits", &KS.map(|k| k.to_string()), &charted),
    }
}

fn share(e: &Exposure) -> f64 {
    if e.counterfeits == 0 { 0.0 } else { e.located as f64 / e.counterfeits as f64 }
}

fn row((arm, k, exposure): &Exposed) -> Vec<String> {
    let counts = exposure.as_ref().map(|e| {
        [e.counterfeits, e.located, e.exposed_classes, e.exposed_records, e.least_class]
            .map(|count| count.to_string())
    });
    let rates = exposure.as_ref().map_or([f64::NAN; 2], |e| [e.guess, e.blind_guess]);
    let counts = counts.unwrap_or_default();
    let first = [arm.name().to_owned(), k.to_string()];
    first.into_iter().chain(counts).chain(rates.map(cell)).collect()
}

fn trends(exposures: &[Exposed]) -> Vec<Trend> {
    let of_arm = |arm: Arm| exposures.iter().filter(move |one| one.0 == arm);
    let measured = |arm: Arm| {
        format!(
            "{}: {} for k = 3 / 5 / 10",
            arm.name(),
            of_arm(arm).map(located).collect::<Vec<_>>().join(" / ")
        )
    };
    let exposed = |one: &Exposed| one.2.as_ref().is_some_and(|e| e.exposed_classes > 0);
    let safe = |one: &Exposed| one.2.as_ref().is_some_and(|e| e.exposed_classes == 0);
    let (published, default) = (Arm::Published, Arm::Default);
    vec![
        Trend::new(
            "Minimality",
            "(not in the paper) padding to exactly k is exposed: located counterfeits",
            &measured(published),
            of_arm(published).all(exposed),
        ),
        Trend::new(
            "Minimality",
            "(not in the paper) random padding is not exposed: located counterfeits",
            &measured(default),
            of_arm(default).all(safe),
        ),
    ]
}

fn located((_, _, e): &Exposed) -> String {
    match e {
        Some(e) => format!("{} of {} ({} classes)", e.located, e.counterfeits, e.exposed_classes),
        None => NO_RELEASE.to_owned(),
    }
}
