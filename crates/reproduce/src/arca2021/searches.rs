//! Table 7 and figures 8 to 10: the three searches on several shields and tables.

use std::time::Instant;

use velamen_core::context::Context;
use velamen_core::lattice::Node;
use velamen_recipe::JobError;
use velamen_report::chart::{Series, bars};
use velamen_search::method::MethodError;
use velamen_search::method::iab::{
    Answer, Iab, Reach, Requirement, RowSearchCourse, RowStrategy, USUAL_BUDGET,
};

use super::heart::Heart;
use crate::output::{Figure, ResultTable};
use crate::{Section, Trend};

/// k of every requirement.
pub(super) const K: u64 = 5;

/// One thing of each search.
#[derive(Debug, Clone, Copy)]
struct PerSearch<T> {
    exhaustive: T,
    greedy: T,
    iab: T,
}

impl<T> PerSearch<T> {
    /// In the order of the paper's tables.
    fn in_order(&self) -> [&T; 3] {
        [&self.exhaustive, &self.greedy, &self.iab]
    }

    fn map<U>(&self, of: impl Fn(&T) -> U) -> PerSearch<U> {
        PerSearch { exhaustive: of(&self.exhaustive), greedy: of(&self.greedy), iab: of(&self.iab) }
    }

    fn try_map<U, E>(&self, of: impl Fn(&T) -> Result<U, E>) -> Result<PerSearch<U>, E> {
        Ok(PerSearch { exhaustive: of(&self.exhaustive)?, greedy: of(&self.greedy)?, iab: of(&self.iab)? })
    }
}

impl PerSearch<f64> {
    /// Of each search the smaller of two figures.
    fn least(&self, other: &Self) -> Self {
        Self {
            exhaustive: self.exhaustive.min(other.exhaustive),
            greedy: self.greedy.min(other.greedy),
            iab: self.iab.min(other.iab),
        }
    }
}

/// A shield of Table 7 with the rows kept and the generalizations, as they are published.
#[derive(Clone, Copy)]
struct PublishedShield {
    shield: &'static [&'static str],
    rows: PerSearch<usize>,
    generalizations: PerSearch<u64>,
}

/// The shield of figures 8 to 10, which is the first of Table 7.
const ALL_FOUR: PublishedShield = PublishedShield {
    shield: &["Zip", "Smoker", "Sex", "Age"],
    rows: PerSearch { exhaustive: 297, greedy: 274, iab: 297 },
    generalizations: PerSearch { exhaustive: 563, greedy: 68, iab: 304 },
};

const TABLE_7: [PublishedShield; 4] = [
    ALL_FOUR,
    PublishedShield {
        shield: &["Zip", "Smoker", "Sex"],
        rows: PerSearch { exhaustive: 303, greedy: 303, iab: 303 },
        generalizations: PerSearch { exhaustive: 11, greedy: 6, iab: 6 },
    },
    PublishedShield {
        shield: &["Zip", "Smoker", "Age"],
        rows: PerSearch { exhaustive: 298, greedy: 274, iab: 298 },
        generalizations: PerSearch { exhaustive: 93, greedy: 11, iab: 51 },
    },
    PublishedShield {
        shield: &["Zip", "Age"],
        rows: PerSearch { exhaustive: 298, greedy: 274, iab: 298 },
        generalizations: PerSearch { exhaustive: 14, greedy: 12, iab: 14 },
    },
];

/// Rows of IAB in the picture of Figure 9; those of Cleveland are Table 7's.
const FIGURE_9: [(&str, usize); 2] = [("hungarian", 284), ("va", 180)];

/// A search and the paper's name of it.
type NamedSearch = (RowStrategy, &'static str);

const SEARCHES: PerSearch<NamedSearch> = PerSearch {
    exhaustive: (RowStrategy::Exhaustive, "Method 1"),
    greedy: (RowStrategy::Greedy, "Method 2"),
    iab: (RowStrategy::Iab, "IAB"),
};

/// The tables that a search by subtrees may make here: they are too many to make all.
const SUBTREE_BUDGET: u64 = 5_000;

/// Runs of each search, of which the fastest counts.
const TIMED_RUNS: u32 = 5;

/// One search's result.
pub(super) struct SearchRun {
    pub(super) found: RowSearchCourse,
    /// The levels, where each attribute has one.
    pub(super) node: Option<Node>,
    seconds: f64,
}

/// A search on one table for ⟨shield, 5⟩; `None` where no generalization keeps it.
pub(super) fn run(
    heart: &Heart,
    shield: &[&str],
    search: RowStrategy,
    reach: Reach,
    context: &Context<'_>,
) -> Result<Option<SearchRun>, JobError> {
    let requirements = [Requirement { shield: Heart::shield(shield), k: K }];
    let budget = if reach == Reach::Subtree { SUBTREE_BUDGET } else { USUAL_BUDGET };
    let lattice = heart.table.lattice();
    let (most_rows, lattice, expired) = (u64::MAX, &lattice, None);
    let task = Iab { requirements: &requirements, search, reach, budget, most_rows, lattice, expired };
    let start = Instant::now();
    match task.plan(&heart.table, context) {
        Ok((answer, found)) => {
            let seconds = start.elapsed().as_secs_f64();
            let node = match answer {
                Answer::FullDomain(plan) => Some(plan.node),
                Answer::Subtree(_) => None,
            };
            Ok(Some(SearchRun { found, node, seconds }))
        }
        Err(MethodError::Infeasible(_) | MethodError::Unfit(_) | MethodError::OutOfBudget(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The three searches by levels.
fn three(heart: &Heart, shield: &[&str], context: &Context<'_>) -> Result<PerSearch<SearchRun>, JobError> {
    SEARCHES.try_map(|(search, _)| {
        let none = || JobError::promise(format!("{}: fewer than {K} records", heart.name));
        run(heart, shield, *search, Reach::FullDomain, context)?.ok_or_else(none)
    })
}

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Table 7 on Cleveland, with the searches by subtrees below those by levels.
pub(super) fn table_7(heart: &Heart, context: &Context<'_>) -> Result<Section, JobError> {
    let header = [
        "shield",
        "method",
        "rows published",
        "rows",
        "generalizations published",
        "generalizations",
        "proven optimal",
    ];
    let mut table = ResultTable { header: strings(&header), rows: Vec::new() };
    let (mut trends, mut kept) = (Vec::new(), Vec::new());
    for published in &TABLE_7 {
        let runs = three(heart, published.shield, context)?;
        table.rows.extend(by_levels(published, &runs));
        table.rows.extend(by_subtrees(heart, published.shield, context)?);
        trends.extend(of_shield(heart, published, &runs));
        kept.push(runs.map(|run| run.found.answer.rows as f64));
    }
    let categories: Vec<String> = TABLE_7.iter().map(|row| row.shield.join(", ")).collect();
    let svg = bars("Rows kept on Cleveland", "shield", "distinct rows", &categories, &series(&kept));
    let note = "k = 5. Generalizations are the tables that a search made. Published figures stand beside: the authors' \
                zip codes are not public, and how far one generalization reached is not told.";
    let title = "Table 7: rows kept and generalizations by shield";
    let figure = Figure { file: "table7".into(), title: title.into(), note: note.into(), table, svg };
    Ok(Section { figures: vec![figure], trends })
}

/// What Table 7 says of a shield.
fn of_shield(heart: &Heart, published: &PublishedShield, runs: &PerSearch<SearchRun>) -> Vec<Trend> {
    let name = published.shield.join(", ");
    let mut trends = compared(&format!("table 7, {name}"), published, runs);
    let figure = format!("table 7, {name}");
    trends.extend(heart.real.then(|| near_published(&figure, published.rows.iab, &runs.iab)));
    trends
}

/// The trends of Table 7 alone.
pub(super) fn trends_of_shields(heart: &Heart, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    let mut trends = Vec::new();
    for published in &TABLE_7 {
        let runs = three(heart, published.shield, context)?;
        trends.extend(of_shield(heart, published, &runs));
    }
    Ok(trends)
}

/// The trends of figures 8 and 9 on one table alone.
pub(super) fn trends_of(heart: &Heart, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    Ok(of_table(heart, &three(heart, ALL_FOUR.shield, context)?))
}

/// Rows of Table 7, published and measured.
fn by_levels(published: &PublishedShield, runs: &PerSearch<SearchRun>) -> Vec<Vec<String>> {
    let [names, rows] = [SEARCHES.map(|(_, name)| (*name).to_owned()), published.rows.map(usize::to_string)];
    let generalizations = published.generalizations.map(u64::to_string);
    let figures = names.in_order().into_iter().zip(rows.in_order()).zip(generalizations.in_order());
    figures
        .zip(runs.in_order())
        .map(|(((name, rows), generalizations), run)| {
            vec![
                published.shield.join(", "),
                name.clone(),
                rows.clone(),
                run.found.answer.rows.to_string(),
                generalizations.clone(),
                run.found.generated.to_string(),
                run.found.proven.to_string(),
            ]
        })
        .collect()
}

/// Rows of Table 7 that the paper does not have: searches by subtrees, which are too many for an exhaustive one.
fn by_subtrees(heart: &Heart, shield: &[&str], context: &Context<'_>) -> Result<Vec<Vec<String>>, JobError> {
    let mut rows = Vec::new();
    for (search, name) in [SEARCHES.greedy, SEARCHES.iab] {
        let found = run(heart, shield, search, Reach::Subtree, context)?.map(|run| run.found);
        rows.push(vec![
            shield.join(", "),
            format!("{name} by subtrees"),
            String::new(),
            answer(found.map(|found| found.answer.rows.to_string())),
            String::new(),
            answer(found.map(|found| found.generated.to_string())),
            answer(found.map(|found| found.proven.to_string())),
        ]);
    }
    Ok(rows)
}

fn answer(text: Option<String>) -> String {
    text.unwrap_or_else(|| "no answer within the budget".into())
}

/// One series per search from figures in the order of the categories.
fn series(figures: &[PerSearch<f64>]) -> Vec<Series> {
    let of = |name: &str, of: fn(&PerSearch<f64>) -> f64| Series {
        name: name.into(),
        values: figures.iter().map(of).collect(),
    };
    vec![
        of(SEARCHES.exhaustive.1, |of| of.exhaustive),
        of(SEARCHES.greedy.1, |of| of.greedy),
        of(SEARCHES.iab.1, |of| of.iab),
    ]
}

/// What the paper says of every shield and table.
fn compared(figure: &str, published: &PublishedShield, runs: &PerSearch<SearchRun>) -> Vec<Trend> {
    let PublishedShield { rows, generalizations: tables, .. } = published;
    let kept = runs.map(|run| run.found.answer.rows);
    let made = runs.map(|run| run.found.generated);
    vec![
        Trend::new(
            figure,
            &format!("IAB keeps as many rows as Method 1 ({} and {})", rows.iab, rows.exhaustive),
            &format!("{} and {}", kept.iab, kept.exhaustive),
            kept.iab == kept.exhaustive,
        ),
        Trend::new(
            figure,
            &format!("Method 2 keeps no more rows than IAB ({} and {})", rows.greedy, rows.iab),
            &format!("{} and {}", kept.greedy, kept.iab),
            kept.greedy <= kept.iab,
        ),
        Trend::new(
            figure,
            &format!(
                "generalizations of Method 2 ≤ IAB ≤ Method 1 ({}, {}, {})",
                tables.greedy, tables.iab, tables.exhaustive
            ),
            &format!("{}, {}, {}", made.greedy, made.iab, made.exhaustive),
            made.greedy <= made.iab && made.iab <= made.exhaustive,
        ),
    ]
}

/// Rows kept, within one row of a hundred.
fn near_published(figure: &str, published: usize, run: &SearchRun) -> Trend {
    let measured = run.found.answer.rows;
    Trend::new(
        figure,
        &format!("IAB keeps {published} rows (within 1 %)"),
        &measured.to_string(),
        measured.abs_diff(published) * 100 <= published,
    )
}

/// Figures 8 and 9 on all tables, and figure 10, which is not the same twice.
pub(super) fn figures_8_to_10(
    hearts: &[Heart],
    context: &Context<'_>,
) -> Result<(Section, Section), JobError> {
    let shield = ALL_FOUR.shield;
    let (mut made, mut kept, mut seconds) = (Vec::new(), Vec::new(), Vec::new());
    let mut section = Section { figures: Vec::new(), trends: Vec::new() };
    for heart in hearts {
        let runs = three(heart, shield, context)?;
        section.trends.extend(of_table(heart, &runs));
        made.push(runs.map(|run| run.found.generated as f64));
        kept.push(runs.map(|run| run.found.answer.rows as f64));
        let mut fastest = runs.map(|run| run.seconds);
        for _ in 1..TIMED_RUNS {
            fastest = fastest.least(&three(heart, shield, context)?.map(|run| run.seconds));
        }
        seconds.push(fastest);
    }
    let names: Vec<String> = hearts.iter().map(|heart| heart.name.to_owned()).collect();
    section.figures.push(figure("fig8", "Figure 8: generalizations", "tables made", &names, &made));
    section.figures.push(figure("fig9", "Figure 9: rows kept", "distinct rows", &names, &kept));
    let times = Section {
        figures: vec![figure("fig10", "Figure 10: time", "seconds", &names, &seconds)],
        trends: times(&names, &seconds, &made),
    };
    Ok((section, times))
}

fn figure(file: &str, title: &str, what: &str, names: &[String], figures: &[PerSearch<f64>]) -> Figure {
    let methods = SEARCHES.in_order().map(|(_, name)| *name);
    let header = strings(&[&["data set"], &methods[..]].concat());
    Figure {
        file: file.into(),
        title: title.into(),
        note: "Shield Zip, Smoker, Sex, Age; k = 5.".into(),
        table: ResultTable { header, rows: names.iter().zip(figures).map(row).collect() },
        svg: bars(title, "data set", what, names, &series(figures)),
    }
}

fn row((name, figures): (&String, &PerSearch<f64>)) -> Vec<String> {
    std::iter::once(name.clone()).chain(figures.in_order().map(f64::to_string)).collect()
}

/// Figures 8 and 9 of a table: the orders, and the rows that the picture has of tables other than Table 7's.
fn of_table(heart: &Heart, runs: &PerSearch<SearchRun>) -> Vec<Trend> {
    let published = FIGURE_9.iter().find(|(name, _)| heart.real && *name == heart.name);
    let near = published.map(|(name, rows)| near_published(&format!("figure 9, {name}"), *rows, &runs.iab));
    in_order(heart.name, runs).into_iter().chain(near).collect()
}

/// Figures 8 and 9 as the text states them.
fn in_order(name: &str, runs: &PerSearch<SearchRun>) -> [Trend; 2] {
    let PerSearch { exhaustive: every, greedy, iab } = runs;
    [
        Trend::new(
            &format!("figure 8, {name}"),
            "fewest generalizations by Method 2, most by Method 1",
            &format!("{}, IAB {}, {}", greedy.found.generated, iab.found.generated, every.found.generated),
            greedy.found.generated <= iab.found.generated && iab.found.generated <= every.found.generated,
        ),
        Trend::new(
            &format!("figure 9, {name}"),
            "IAB and Method 1 keep equally many rows, Method 2 no more",
            &format!(
                "{}, {} and {}",
                iab.found.answer.rows, every.found.answer.rows, greedy.found.answer.rows
            ),
            iab.found.answer.rows == every.found.answer.rows
                && greedy.found.answer.rows <= iab.found.answer.rows,
        ),
    ]
}

/// Figure 10 by the clock, and by the tables made, with which the paper explains its times.
fn times(names: &[String], seconds: &[PerSearch<f64>], made: &[PerSearch<f64>]) -> Vec<Trend> {
    let by_clock = names.iter().zip(seconds).map(by_clock);
    by_clock.chain(names.iter().zip(made).map(by_tables)).collect()
}

fn by_clock((name, seconds): (&String, &PerSearch<f64>)) -> Trend {
    let PerSearch { exhaustive: every, greedy, iab } = seconds.map(|seconds| seconds * 1e3);
    let measured = format!("{greedy:.2}, IAB {iab:.2}, {every:.2} ms");
    in_order_of_effort("clock", name, seconds, &measured).timed()
}

fn by_tables((name, made): (&String, &PerSearch<f64>)) -> Trend {
    let PerSearch { exhaustive: every, greedy, iab } = made;
    in_order_of_effort("tables made", name, made, &format!("{greedy}, IAB {iab}, {every} tables"))
}

fn in_order_of_effort(arm: &str, name: &str, effort: &PerSearch<f64>, measured: &str) -> Trend {
    let PerSearch { exhaustive: every, greedy, iab } = effort;
    let met = greedy <= iab && iab <= every;
    Trend::by(arm, &format!("figure 10, {name}"), "Method 2 is fastest, Method 1 slowest", measured, met)
}
