//! The report for a person.

use velamen_assess::risk::{
    Attribute, PopulationFigures, RiskFigures, RiskReport, RiskyRecord, Source, Verdict,
};
use velamen_core::uniqueness::Estimator;
use velamen_measure::risk::reidentification::{Risk, Risks};

use crate::terminal::{self, grouped, line};

/// All figures, what came before first.
pub(super) fn report(report: &RiskReport) {
    let names = report.quasi_identifiers.join(", ");
    if let Some(before) = &report.before {
        line("BEFORE");
        figures(before, &names);
        line("\nAFTER");
    }
    figures(&report.figures, &names);
    if let Some(before) = &report.before {
        line("\nBEFORE AND AFTER");
        beside(before, &report.figures);
    }
    riskiest(&report.riskiest);
    if !report.remarks.is_empty() {
        line("");
    }
    for remark in &report.remarks {
        line(format!("Note: {remark}."));
    }
}

fn figures(figures: &RiskFigures, names: &str) {
    let RiskFigures { records, suppressed, classes, uniques, .. } = figures;
    let [records, hidden, classes, uniques] =
        [records, suppressed, classes, uniques].map(|count| grouped(*count));
    let hidden = if *suppressed > 0 { format!(", {hidden} of them suppressed") } else { String::new() };
    let people = figures.people.map_or(String::new(), |people| format!("; {} people", grouped(people)));
    line(format!(
        "{records} records{hidden}{people}; {classes} classes of {names}; {uniques} {} alone in theirs",
        counted(figures)
    ));
    class_sizes(figures);
    if let Some(risks) = &figures.risks {
        adversaries(risks, figures);
    }
    thresholds(figures);
    counterfeits(figures);
    if let Some(population) = &figures.population {
        uniqueness(population, counted(figures));
    }
    special_uniques(figures);
    attributes(&figures.attributes);
}

/// What the figures count.
fn counted(figures: &RiskFigures) -> &'static str {
    if figures.people.is_some() { "people" } else { "records" }
}

fn class_sizes(figures: &RiskFigures) {
    line(format!("\n{:<16}{:>9}{:>11}{:>9}", "class size", "classes", counted(figures), "share"));
    let all: u64 = figures.class_sizes.iter().map(|bin| bin.records).sum();
    for bin in &figures.class_sizes {
        let range =
            if bin.from >= bin.to { bin.to.to_string() } else { format!("{} to {}", bin.from, bin.to) };
        let share = percent(bin.records as f64 / all.max(1) as f64);
        line(format!("{range:<16}{:>9}{:>11}{share:>9}", grouped(bin.classes), grouped(bin.records)));
    }
}

fn adversaries(risks: &Risks, figures: &RiskFigures) {
    let of_population = match figures.population.as_ref().map(|population| population.source) {
        None => "the table is taken for the population",
        Some(Source::Table) => "classes counted in the population",
        Some(Source::Size | Source::StatedFraction) => {
            "classes of the population estimated; the highest is what the table does not rule out"
        }
    };
    line(format!(
        "\n{:<12}{:>9}{:>9}   risk of re-identification; {of_population}",
        "adversary", "highest", "mean"
    ));
    let row = |name: &str, highest: f64, mean: f64, knows: &str| {
        line(format!("{name:<12}{highest:>9.4}{mean:>9.4}   {knows}"));
    };
    let Risks { prosecutor, journalist, marketer } = risks;
    row("prosecutor", prosecutor.highest, prosecutor.mean, "looks for one person, known to be in the table");
    let differs = |picked: &&Risk| {
        (picked.highest, picked.records_at_risk) != (prosecutor.highest, prosecutor.records_at_risk)
    };
    if let Some(Risk { highest, mean, .. }) = figures.person_picked.as_ref().filter(differs) {
        let ways = "the same, who picks one of the people of a class, not one of its records";
        row("  by person", *highest, *mean, ways);
    }
    row("journalist", journalist.highest, journalist.mean, "looks for anybody of the population");
    let all = figures.people.unwrap_or(figures.records - figures.suppressed);
    let (right, each) =
        (marketer.mean * all as f64, if figures.people.is_some() { "person" } else { "record" });
    let knows = format!("matches every {each}; {right:.1} right matches to be expected");
    row("marketer", marketer.highest, marketer.mean, &knows);
}

fn thresholds(figures: &RiskFigures) {
    let Some(first) = figures.thresholds.first() else { return };
    let of = if first.journalist.is_some() { "journalist" } else { "prosecutor" };
    line(format!("\n{:<42}{:>9}{:>9}  {} above ({of})", "threshold", "highest", "mean", counted(figures)));
    for threshold in &figures.thresholds {
        let verdict = threshold.journalist.unwrap_or(threshold.prosecutor);
        let name = match threshold.name.as_str() {
            "as asked for" => format!("{}, as asked for", threshold.threshold),
            name => name.to_owned(),
        };
        line(format!("{name:<42}{}", verdict_of(&verdict)));
    }
}

fn verdict_of(verdict: &Verdict) -> String {
    let met = |met: bool| if met { "met" } else { "not met" };
    let (highest, mean) = (met(verdict.highest_met), verdict.mean_met.map_or("–", met));
    let share = percent(verdict.share_at_risk);
    format!("{highest:>9}{mean:>9}  {} ({share})", grouped(verdict.records_at_risk))
}

fn counterfeits(figures: &RiskFigures) {
    let Some(counterfeits) = &figures.counterfeits else { return };
    line(format!(
        "\n{} counterfeits hide {} real records. If all could be recognized, the highest risk could be {:.4} and the mean {:.4}.",
        grouped(counterfeits.counterfeits),
        grouped(counterfeits.real_records),
        counterfeits.highest_if_told_apart,
        counterfeits.mean_if_told_apart
    ));
}

fn uniqueness(population: &PopulationFigures, of: &str) {
    let known = match population.source {
        Source::Table => "counted",
        Source::Size => "as given",
        Source::StatedFraction => "from the sampling fraction that the release states",
    };
    let (records, fraction) = (population.records, percent(population.sampling_fraction));
    line(format!("\nPopulation: {} {of} ({known}), {fraction} of them in the table", grouped(records)));
    if population.uniques.is_empty() && population.uniques_counted.is_none() {
        return;
    }
    line(format!(
        "{:<12}{:>13}{:>9}   {of} of the population that are unique in it",
        "estimator", "uniques", "share"
    ));
    for by in &population.uniques {
        let mut remark = if by.estimator == population.chosen { "chosen by Dankar's rule" } else { "" };
        if !by.solved {
            remark = "no solution; Zayatz' figure instead";
        }
        let text =
            format!("{:<12}{:>13.1}{:>9}   {remark}", name(by.estimator), by.uniques, percent(by.share));
        line(text.trim_end());
    }
    if let (Some(counted), Some(inside)) = (population.uniques_counted, population.uniques_counted_in_table) {
        let share = percent(counted as f64 / records.max(1) as f64);
        line(format!("{:<12}{:>13}{share:>9}   {inside} of them in the table", "counted", grouped(counted)));
    }
}

fn name(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::Pitman => "Pitman",
        Estimator::Zayatz => "Zayatz",
        Estimator::Snb => "SNB",
        Estimator::Dankar => "Dankar",
    }
}

fn special_uniques(figures: &RiskFigures) {
    let Some(special) = &figures.special_uniques else { return };
    line(format!(
        "\nSpecial uniques: {} {} are alone already in at most {} attributes together (mean score {:.1}, highest {:.1})",
        grouped(special.records),
        counted(figures),
        special.up_to,
        special.mean_score.max(0.0),
        special.highest_score
    ));
    let of = counted(figures);
    if special.records > 0 {
        line(format!("{:<12}{:>13}{:>9}   {of} by the smallest", "attributes", "sets", of));
        for (size, (sets, records)) in (1..).zip(special.by_size.iter().zip(&special.records_by_smallest)) {
            line(format!("{size:<12}{:>13}{:>9}", grouped(*sets), grouped(*records)));
        }
    }
    if let Some(dis) = &figures.dis {
        let highest = dis.highest_dis_suda.filter(|_| special.records > 0);
        let of_record =
            highest.map_or(String::new(), |highest| format!("; of the riskiest record {highest:.4}"));
        line(format!(
            "A unique match with the population is right with probability {:.4} (DIS){of_record}",
            dis.dis
        ));
    }
}

fn attributes(attributes: &[Attribute]) {
    let width = attributes.iter().map(|attribute| terminal::width(&attribute.name)).max().unwrap_or(0).max(9);
    line(format!(
        "\n{:<width$}{:>9}{:>11}   without it:{:>9}{:>9}{:>11}",
        "attribute", "values", "in scores", "classes", "alone", "mean risk"
    ));
    for attribute in attributes {
        let part = attribute.contribution.map_or("–".into(), percent);
        line(format!(
            "{}{:>9}{part:>11}{:>23}{:>9}{:>11.4}",
            terminal::padded(&attribute.name, width),
            grouped(attribute.values),
            grouped(attribute.classes_without),
            grouped(attribute.uniques_without),
            attribute.mean_risk_without
        ));
    }
}

/// The figures that matter most, in two columns.
fn beside(before: &RiskFigures, after: &RiskFigures) {
    line(format!("{:<38}{:>12}{:>12}", "", "before", "after"));
    let row = |name: &str, of: &dyn Fn(&RiskFigures) -> String| {
        line(format!("{name:<38}{:>12}{:>12}", of(before), of(after)));
    };
    row("records in classes", &|f| grouped(f.records - f.suppressed));
    row("suppressed records", &|f| grouped(f.suppressed));
    row("classes", &|f| grouped(f.classes));
    row("least class", &|f| f.least_class.map_or("–".into(), |least| least.to_string()));
    if before.people.or(after.people).is_some() {
        row("people in classes, where known", &|f| f.people.map_or("–".into(), grouped));
    }
    let of = match (counted(before), counted(after)) {
        (one, other) if one == other => one,
        _ => "people or records",
    };
    row(&format!("{of} alone in their class"), &|f| grouped(f.uniques));
    let risk = |pick: fn(&Risks) -> f64| {
        move |f: &RiskFigures| f.risks.as_ref().map_or("–".into(), |risks| format!("{:.4}", pick(risks)))
    };
    row("prosecutor, highest", &risk(|risks| risks.prosecutor.highest));
    row("prosecutor, mean", &risk(|risks| risks.prosecutor.mean));
    row("journalist, highest", &risk(|risks| risks.journalist.highest));
    row("journalist, mean", &risk(|risks| risks.journalist.mean));
    row("marketer, mean", &risk(|risks| risks.marketer.mean));
    let special = |f: &RiskFigures| f.special_uniques.as_ref().map_or("–".into(), |s| grouped(s.records));
    row(&format!("{of} that are special uniques"), &special);
}

fn riskiest(records: &[RiskyRecord]) {
    if records.is_empty() {
        return;
    }
    line("\nRiskiest records, for the custodian only; the first record after a header is row 1");
    line(format!(
        "{:>10}{:>12}{:>16}{:>10}{:>11}",
        "row", "class size", "special uniques", "smallest", "score"
    ));
    for record in records {
        let smallest = record.smallest.map_or("–".into(), |size| size.to_string());
        let values =
            record.values.as_ref().map_or(String::new(), |values| format!("   {}", values.join(", ")));
        line(format!(
            "{:>10}{:>12}{:>16}{smallest:>10}{:>11.1}{values}",
            record.row, record.class_size, record.special_uniques, record.score
        ));
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
