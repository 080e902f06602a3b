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

/// The shields of Table 7 with the rows kept by Method 1, Method 2 and IAB, and their generalizations.
const TABLE_7: [(&[&str], [usize; 3], [u64; 3]); 4] = [
    (&["Zip", "Smoker", "Sex", "Age"], [297, 274, 297], [563, 68, 304]),
    (&["Zip", "Smoker", "Sex"], [303, 303, 303], [11, 6, 6]),
    (&["Zip", "Smoker", "Age"], [298, 274, 298], [93, 11, 51]),
    (&["Zip", "Age"], [298, 274, 298], [14, 12, 14]),
];

/// The searches in the order of the paper's tables.
pub(super) const SEARCHES: [(RowStrategy, &str); 3] =
    [(RowStrategy::Exhaustive, "Method 1"), (RowStrategy::Greedy, "Method 2"), (RowStrategy::Iab, "IAB")];

/// The tables that a search by subtrees may make here: they are too many to make all.
const SUBTREE_BUDGET: u64 = 5_000;

/// Runs of each search, of which the fastest counts.
const TIMED_RUNS: u32 = 5;

/// One search's result.
pub(super) struct Run {
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
) -> Result<Option<Run>, JobError> {
    let requirements = [Requirement { shield: Heart::shield(shield), k: K }];
    let budget = if reach == Reach::Subtree { SUBTREE_BUDGET } else { USUAL_BUDGET };
    let lattice = heart.table.lattice();
    let task = Iab { requirements: &requirements, search, reach, budget, lattice: &lattice, expired: None };
    let start = Instant::now();
    match task.plan(&heart.table, context) {
        Ok((answer, found)) => {
            let seconds = start.elapsed().as_secs_f64();
            let node = match answer {
                Answer::FullDomain(plan) => Some(plan.node),
                Answer::Subtree(_) => None,
            };
            Ok(Some(Run { found, node, seconds }))
        }
        Err(MethodError::Infeasible(_) | MethodError::Unfit(_) | MethodError::OutOfBudget(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The three searches by levels.
fn three(heart: &Heart, shield: &[&str], context: &Context<'_>) -> Result<[Run; 3], JobError> {
    let one = |search| {
        let none = || JobError::promise(format!("{}: fewer than {K} records", heart.name));
        run(heart, shield, search, Reach::FullDomain, context)?.ok_or_else(none)
    };
    let [(first, _), (second, _), (third, _)] = SEARCHES;
    Ok([one(first)?, one(second)?, one(third)?])
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
    for (shield, rows, generalizations) in TABLE_7 {
        let name = shield.join(", ");
        let runs = three(heart, shield, context)?;
        for (i, run) in runs.iter().enumerate() {
            table.rows.push(vec![
                name.clone(),
                SEARCHES[i].1.into(),
                rows[i].to_string(),
                run.found.answer.rows.to_string(),
                generalizations[i].to_string(),
                run.found.generated.to_string(),
                run.found.proven.to_string(),
            ]);
        }
        table.rows.extend(by_subtrees(heart, shield, context)?);
        trends.extend(of_shield(heart, &name, rows, generalizations, &runs));
        kept.push(runs.map(|run| run.found.answer.rows as f64));
    }
    let categories: Vec<String> = TABLE_7.iter().map(|row| row.0.join(", ")).collect();
    let svg = bars("Rows kept on Cleveland", "shield", "distinct rows", &categories, &series(&kept));
    let note = "k = 5. Generalizations are the tables that a search made. Published figures stand beside: the authors' \
                zip codes are not public, and how far one generalization reached is not told.";
    let title = "Table 7: rows kept and generalizations by shield";
    let figure = Figure { file: "table7".into(), title: title.into(), note: note.into(), table, svg };
    Ok(Section { figures: vec![figure], trends })
}

/// What Table 7 says of a shield.
fn of_shield(
    heart: &Heart,
    name: &str,
    rows: [usize; 3],
    generalizations: [u64; 3],
    runs: &[Run; 3],
) -> Vec<Trend> {
    let mut trends = compared(&format!("table 7, {name}"), rows, generalizations, runs);
    trends.extend(heart.real.then(|| near_published(name, rows[2], &runs[2])));
    trends
}

/// The trends of Table 7 and of figures 8 and 9 alone.
pub(super) fn trends(hearts: &[Heart], context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    let mut trends = Vec::new();
    for (shield, rows, generalizations) in TABLE_7 {
        let runs = three(&hearts[0], shield, context)?;
        trends.extend(of_shield(&hearts[0], &shield.join(", "), rows, generalizations, &runs));
    }
    for heart in hearts {
        trends.extend(in_order(heart.name, &three(heart, TABLE_7[0].0, context)?));
    }
    Ok(trends)
}

/// Rows of Table 7 that the paper does not have.
fn by_subtrees(heart: &Heart, shield: &[&str], context: &Context<'_>) -> Result<Vec<Vec<String>>, JobError> {
    let mut rows = Vec::new();
    for (search, name) in &SEARCHES[1..] {
        let found = run(heart, shield, *search, Reach::Subtree, context)?.map(|run| run.found);
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
fn series(figures: &[[f64; 3]]) -> Vec<Series> {
    let one = |i: usize| Series {
        name: SEARCHES[i].1.into(),
        values: figures.iter().map(|figures| figures[i]).collect(),
    };
    (0..SEARCHES.len()).map(one).collect()
}

/// What the paper says of every shield and table.
fn compared(figure: &str, rows: [usize; 3], tables: [u64; 3], runs: &[Run; 3]) -> Vec<Trend> {
    let kept = [0, 1, 2].map(|i| runs[i].found.answer.rows);
    let made = [0, 1, 2].map(|i| runs[i].found.generated);
    vec![
        Trend::new(
            figure,
            &format!("IAB keeps as many rows as Method 1 ({} and {})", rows[2], rows[0]),
            &format!("{} and {}", kept[2], kept[0]),
            kept[2] == kept[0],
        ),
        Trend::new(
            figure,
            &format!("Method 2 keeps no more rows than IAB ({} and {})", rows[1], rows[2]),
            &format!("{} and {}", kept[1], kept[2]),
            kept[1] <= kept[2],
        ),
        Trend::new(
            figure,
            &format!(
                "generalizations of Method 2 ≤ IAB ≤ Method 1 ({}, {}, {})",
                tables[1], tables[2], tables[0]
            ),
            &format!("{}, {}, {}", made[1], made[2], made[0]),
            made[1] <= made[2] && made[2] <= made[0],
        ),
    ]
}

/// Rows kept, within one row of a hundred.
fn near_published(shield: &str, published: usize, run: &Run) -> Trend {
    let measured = run.found.answer.rows;
    Trend::new(
        &format!("table 7, {shield}"),
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
    let shield = TABLE_7[0].0;
    let (mut made, mut kept, mut seconds) = (Vec::new(), Vec::new(), Vec::new());
    let mut section = Section { figures: Vec::new(), trends: Vec::new() };
    for heart in hearts {
        let runs = three(heart, shield, context)?;
        section.trends.extend(in_order(heart.name, &runs));
        made.push([0, 1, 2].map(|i| runs[i].found.generated as f64));
        kept.push([0, 1, 2].map(|i| runs[i].found.answer.rows as f64));
        let mut fastest = [0, 1, 2].map(|i| runs[i].seconds);
        for _ in 1..TIMED_RUNS {
            let again = three(heart, shield, context)?;
            fastest = [0, 1, 2].map(|i: usize| fastest[i].min(again[i].seconds));
        }
        seconds.push(fastest);
    }
    let names: Vec<String> = hearts.iter().map(|heart| heart.name.to_owned()).collect();
    section.figures.push(figure("fig8", "Figure 8: generalizations", "tables made", &names, &made));
    section.figures.push(figure("fig9", "Figure 9: rows kept", "distinct rows", &names, &kept));
    let times = Section {
        figures: vec![figure("fig10", "Figure 10: time", "seconds", &names, &seconds)],
        trends: names.iter().zip(&seconds).map(|(name, seconds)| times_in_order(name, seconds)).collect(),
    };
    Ok((section, times))
}

fn figure(file: &str, title: &str, what: &str, names: &[String], figures: &[[f64; 3]]) -> Figure {
    let methods = SEARCHES.map(|(_, name)| name);
    let header = strings(&[&["data set"], &methods[..]].concat());
    Figure {
        file: file.into(),
        title: title.into(),
        note: "Shield Zip, Smoker, Sex, Age; k = 5.".into(),
        table: ResultTable { header, rows: names.iter().zip(figures).map(row).collect() },
        svg: bars(title, "data set", what, names, &series(figures)),
    }
}

fn row((name, figures): (&String, &[f64; 3])) -> Vec<String> {
    std::iter::once(name.clone()).chain(figures.iter().map(f64::to_string)).collect()
}

/// Figures 8 and 9 as the text states them.
fn in_order(name: &str, runs: &[Run; 3]) -> [Trend; 2] {
    let [every, greedy, iab] = runs;
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

fn times_in_order(name: &str, [every, greedy, iab]: &[f64; 3]) -> Trend {
    Trend::new(
        &format!("figure 10, {name}"),
        "Method 2 is fastest, Method 1 slowest",
        &format!("{:.2}, IAB {:.2}, {:.2} ms", greedy * 1e3, iab * 1e3, every * 1e3),
        greedy <= iab && iab <= every,
    )
}
