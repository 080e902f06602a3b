//! One run, and what several come to.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::write;

/// Exit code of a run that finds no release within its limits.
const REFUSED: i32 = 3;

/// What the means of the figures may be: three areas, the right record over chance, provably real of all records.
const LIMITS: [f64; 5] = [0.6, 0.6, 0.68, 1.05, 0.001];

/// What the figures are called where one exceeds its limit.
const NAMES: [&str; 5] = ["AUC", "counting", "known", "right record", "provably real"];

/// The standard errors of a one-sided bound of 95 %.
const BOUND: f64 = 1.645;

/// Figures of a release, by the custodian's folder.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figures {
    /// AUC, by counting, with three in ten known, right record over chance, provably real of all records.
    told: [Option<f64>; 5],
    /// The counterfeits that the areas are of.
    judged: f64,
    /// Counterfeits and suppressed records, as shares of the release.
    cost: [f64; 2],
    loss: f64,
}

/// What a run came to; no figures where it was refused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen(Option<Figures>);

impl Seen {
    pub(super) fn of(velamen: &Path, recipe: &str, seed: u64, work: &Path) -> Result<Self, String> {
        let (file, release) = (work.join("recipe.toml"), work.join("release"));
        write(&file, recipe)?;
        // What an earlier run left would be kept where its classes stand.
        for folder in [release.clone(), work.join("release.custodian")] {
            if folder.exists() {
                std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            }
        }
        let mut command = Command::new(velamen);
        command
            .args(["anonymize", "--quiet", "--seed", &seed.to_string(), "--output"])
            .arg(&release)
            .arg(&file);
        let run = command.output().map_err(|error| format!("{}: {error}", velamen.display()))?;
        if run.status.code() == Some(REFUSED) {
            return Ok(Self(None));
        }
        if !run.status.success() {
            return Err(String::from_utf8_lossy(&run.stderr).into_owned());
        }
        let manifest = json(&release.join("release.json"))?;
        let custodian = json(&work.join("release.custodian/custodian.json"))?;
        Ok(Self(Some(Figures::new(&manifest, &custodian))))
    }
}

impl Figures {
    fn new(manifest: &Value, custodian: &Value) -> Self {
        let records = manifest["records"].as_f64().unwrap_or(1.0).max(1.0);
        let number = |name: &str| manifest[name].as_f64().unwrap_or(0.0);
        let adversary = &custodian["adversary"];
        let few = &adversary["fewer-than-k"];
        let persons = few["persons"].as_u64().filter(|persons| *persons > 0);
        let right = persons.and_then(|_| Some(few["right"].as_f64()? / few["by-chance"].as_f64()?));
        let proven = manifest["adversary"]["provably-real"].as_f64().map(|real| real / records);
        let area = |name: &str| adversary[name].as_f64();
        let areas = ["auc-where-possible", "auc-by-counting", "auc-knowing-some"].map(area);
        Self {
            told: [areas[0], areas[1], areas[2], right, proven],
            judged: adversary["counterfeits"].as_f64().unwrap_or(0.0) * share_judged(adversary),
            cost: [number("counterfeits") / records, number("suppressed") / records],
            loss: manifest["utility"]["loss"]["value"].as_f64().unwrap_or(f64::NAN),
        }
    }

    fn has_counterfeits(&self) -> bool {
        self.cost[0] > 0.0
    }

    /// Whether an area is above its limit by more than chance: by its lower bound of 95 %.
    fn exceeds(&self, which: usize) -> bool {
        let lower = |area: f64| area - BOUND * (area * (1.0 - area) / self.judged.max(1.0)).sqrt();
        self.told[which].is_some_and(|area| lower(area) > LIMITS[which])
    }
}

/// The share of the doubtful records that the adversary judged.
fn share_judged(adversary: &Value) -> f64 {
    let sampled = &adversary["sampled"];
    let share = || Some(sampled["judged"].as_f64()? / sampled["of"].as_f64()?);
    share().unwrap_or(1.0)
}

fn json(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// What the runs of one setting came to.
#[derive(Debug, PartialEq)]
pub(super) struct Summary {
    /// With counterfeits, without, refused.
    runs: [usize; 3],
    /// Mean and worst of the figures of releases with counterfeits.
    told: [Option<(f64, f64)>; 5],
    /// By area, how many runs exceed its limit by more than chance.
    beyond: [usize; 3],
    cost: [f64; 2],
    loss: f64,
}

impl Summary {
    pub(super) fn of(seen: &[Seen]) -> Self {
        let released: Vec<&Figures> = seen.iter().filter_map(|seen| seen.0.as_ref()).collect();
        let padded: Vec<&Figures> = released.iter().copied().filter(|f| f.has_counterfeits()).collect();
        let told = |which: usize| {
            let all: Vec<f64> = padded.iter().filter_map(|figures| figures.told[which]).collect();
            let worst = all.iter().copied().reduce(f64::max)?;
            Some((mean(&all), worst))
        };
        let of_all = |of: &dyn Fn(&Figures) -> f64| mean(&released.iter().map(|f| of(f)).collect::<Vec<_>>());
        Self {
            runs: [padded.len(), released.len() - padded.len(), seen.len() - released.len()],
            told: [0, 1, 2, 3, 4].map(told),
            beyond: [0, 1, 2].map(|area| padded.iter().filter(|figures| figures.exceeds(area)).count()),
            cost: [of_all(&|figures| figures.cost[0]), of_all(&|figures| figures.cost[1])],
            loss: of_all(&|figures| figures.loss),
        }
    }

    pub(super) fn header() -> String {
        let titles = "| table | asked | with counterfeits, without, refused | AUC | by counting | three in ten known | right record over 1/m | \
                      provably real | counterfeits | suppressed | loss | beyond its limit |";
        let columns = titles.matches('|').count() - 1;
        format!("{titles}\n|{}", " --- |".repeat(columns))
    }

    pub(super) fn line(&self, table: &str, asked: &str) -> String {
        let [padded, bare, refused] = self.runs;
        let figure = |told: &Option<(f64, f64)>| {
            told.map_or("–".to_owned(), |(mean, worst)| format!("{mean:.3} ({worst:.3})"))
        };
        let areas: Vec<String> = self.told[..4].iter().map(figure).collect();
        let percent =
            |share: f64| if share.is_nan() { "–".to_owned() } else { format!("{:.1} %", 100.0 * share) };
        let proven = self.told[4].map_or("–".to_owned(), |(_, worst)| format!("{:.2} %", 100.0 * worst));
        let loss = if self.loss.is_nan() { "–".to_owned() } else { format!("{:.3}", self.loss) };
        format!(
            "| {table} | {asked} | {padded}, {bare}, {refused} | {} | {proven} | {} | {} | {loss} | {} |",
            areas.join(" | "),
            percent(self.cost[0]),
            percent(self.cost[1]),
            self.exceeded()
        )
    }

    /// The figures whose mean is above the limit, and how many runs are by more than chance.
    fn exceeded(&self) -> String {
        let is_above = |&which: &usize| self.told[which].is_some_and(|(mean, _)| mean > LIMITS[which]);
        let means = (0..NAMES.len()).filter(is_above).map(|which| NAMES[which].to_owned());
        let alone = (0..self.beyond.len()).filter(|&area| self.beyond[area] > 0);
        let runs = alone.map(|area| format!("{} in {} of {}", NAMES[area], self.beyond[area], self.runs[0]));
        let all: Vec<String> = means.chain(runs).collect();
        if all.is_empty() { "–".to_owned() } else { all.join(", ") }
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_has_means_and_worst_runs() {
        let seen = |auc: f64, counterfeits: u64| {
            let manifest = json!({ "records": 1000, "counterfeits": counterfeits, "suppressed": 20,
                "adversary": { "provably-real": 1 }, "utility": { "loss": { "value": 0.1 } } });
            let few = json!({ "persons": 3, "right": 0.4, "by-chance": 0.2 });
            let adversary = json!({ "auc-where-possible": auc, "auc-by-counting": 0.5, "fewer-than-k": few });
            Seen(Some(Figures::new(&manifest, &json!({ "adversary": adversary }))))
        };
        let summary = Summary::of(&[seen(0.5, 40), seen(0.6, 20), seen(0.9, 0), Seen(None)]);
        assert_eq!(
            summary.line("t", "k = 5"),
            "| t | k = 5 | 2, 1, 1 | 0.550 (0.600) | 0.500 (0.500) | – | 2.000 (2.000) | 0.10 % | 2.0 % | 2.0 % | 0.100 | \
             right record |"
        );
        assert_eq!(
            Summary::header().lines().map(|line| line.matches('|').count()).collect::<Vec<_>>(),
            [13, 13]
        );
        let none = Summary::of(&[Seen(None)]).line("t", "k = 5");
        assert_eq!(none, "| t | k = 5 | 0, 0, 1 | – | – | – | – | – | – | – | – | – |");
    }

    #[test]
    fn a_run_exceeds_a_limit_by_more_than_chance() {
        let of = |area: f64, judged: f64| {
            let told = [Some(area), Some(0.5), None, None, None];
            Seen(Some(Figures { told, judged, cost: [0.01, 0.0], loss: 0.1 }))
        };
        assert_eq!(Summary::of(&[of(0.65, 100.0)]).exceeded(), "AUC");
        assert_eq!(Summary::of(&[of(0.65, 10_000.0), of(0.5, 100.0)]).exceeded(), "AUC in 1 of 2");
    }
}
