//! The steps of a session: one reading for many searches, memory and folders alike.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use std::sync::Arc;

use velamen::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use velamen::arrow_schema::DataType;
use velamen::{After, Batches, Class, Job, Recipe, Resolved, RunOptions, Seed, Session, anonymize};

/// 240 patients.
fn batches() -> Batches {
    let ages = (0..240i64).map(|i| 20 + i * i * 7 % 61);
    let found = (0..240usize).map(|i| ["I63", "J18", "E11"][i * i % 11 % 3]);
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values(ages));
    let found: ArrayRef = Arc::new(StringArray::from_iter_values(found));
    let stays: ArrayRef = Arc::new(Int64Array::from_iter_values((0..240i64).map(|i| i % 9)));
    let batch = RecordBatch::try_from_iter([("age", ages), ("stay", stays), ("diagnosis", found)]).unwrap();
    Batches { schema: batch.schema(), batches: vec![batch] }
}

fn text(method: &str, k: u64) -> String {
    format!(
        "[attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [5, 10, 20], min = 0, max = 99 }}\n\
         [attributes.stay]\nrole = \"insensitive\"\n[attributes.diagnosis]\nrole = \"sensitive\"\n\
         [[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n[method]\n{method}\n"
    )
}

fn recipe(method: &str, k: u64) -> Resolved {
    Recipe::in_memory(&text(method, k)).unwrap().over(batches()).resolve().unwrap()
}

fn job() -> Job {
    Job::seeded(Seed::from_number(5)).threads(2)
}

#[test]
fn one_reading_serves_many_searches() {
    let (first, second) = (recipe("name = \"optimal\"", 5), recipe("name = \"mondrian\"", 20));
    let found = job().run(|context| {
        let mut table = Session::open(&first, &RunOptions::default(), context)?.read(context)?;
        let one = table.search(context)?.in_memory(context)?.certify(context)?.manifest().classes;
        let again = table.search(context)?.in_memory(context)?.certify(context)?.manifest().classes;
        let mut table = table.with(&second)?;
        let other = table.search(context)?.in_memory(context)?.certify(context)?;
        assert_eq!(other.manifest().method.name(), Some("mondrian"));
        let mut alone = Session::open(&second, &RunOptions::default(), context)?.read(context)?;
        let fresh = alone.search(context)?.in_memory(context)?;
        assert_eq!(other.files(), fresh.certify(context)?.files());
        Ok((one, again))
    });
    let (one, again) = found.unwrap();
    assert!(one == again && one > 1);
}

#[test]
fn another_table_has_to_be_read_again() {
    let first = recipe("name = \"optimal\"", 5);
    let other = text("name = \"optimal\"", 5).replace("insensitive", "identifier");
    let other = Recipe::in_memory(&other).unwrap().over(batches()).resolve().unwrap();
    let refused = job().run(|context| {
        let table = Session::open(&first, &RunOptions::default(), context)?.read(context)?;
        table.with(&other).map(|_| ())
    });
    let refused = refused.unwrap_err();
    assert!(
        refused.class() == Class::Usage && refused.problem().contains("differs in attributes"),
        "{refused}"
    );
}

#[test]
fn memory_and_folders_hold_the_same_bytes() {
    let folder = std::env::temp_dir().join(format!("velamen-steps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for method in
        ["name = \"optimal\"", "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3", "name = \"mondrian\""]
    {
        let output = folder.join("release");
        let with_output = format!("{}[output]\npath = {:?}\n", text(method, 5), output.display().to_string());
        let to_folder = Recipe::in_memory(&with_output).unwrap().over(batches()).resolve().unwrap();
        let options = RunOptions { overwrite: true, ..RunOptions::default() };
        job().run(|context| anonymize(&to_folder, &options, context)).unwrap();
        let in_memory = recipe(method, 5);
        let files = job().run(|context| {
            let mut table = Session::open(&in_memory, &RunOptions::default(), context)?.read(context)?;
            Ok(table.search(context)?.in_memory(context)?.certify(context)?.files())
        });
        let files = files.unwrap();
        assert!(files.len() >= 3, "{:?}", files.keys());
        for (name, bytes) in files {
            assert!(std::fs::read(output.join(&name)).unwrap() == bytes, "{method}: {name}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn unchanged_columns_keep_their_types_and_the_front_is_made_by_its_nodes() {
    let recipe = recipe("name = \"optimal\"\nsuppression-limit = 0.3", 5);
    let checked = job().run(|context| {
        let table = Session::open(&recipe, &RunOptions::default(), context)?.read(context)?;
        let mut events = 0;
        let front = table.front(None, &mut |_| events += 1, context)?;
        assert!(events >= front.solutions.len() && !front.solutions.is_empty());
        for solution in &front.solutions {
            let level = solution.levels["age"].as_u64().and_then(|level| u8::try_from(level).ok());
            let certified = table
                .node(&velamen::Node(vec![level.unwrap()]), context)?
                .in_memory(context)?
                .certify(context)?;
            let manifest = certified.manifest();
            assert_eq!((manifest.suppressed, manifest.classes), (solution.suppressed, solution.classes));
            let released = certified.batches()?;
            assert_eq!(released.schema.field_with_name("stay").unwrap().data_type(), &DataType::Int64);
        }
        Ok(())
    });
    checked.unwrap();
}

/// 80 people with one to five records each.
fn stays() -> Batches {
    let stays =
        (0..80i64).flat_map(|who| (0..=who * 7 % 5).map(move |visit| (who, visit))).collect::<Vec<_>>();
    let people: ArrayRef =
        Arc::new(Int64Array::from_iter_values(stays.iter().map(|(who, _)| 7000 + 13 * who)));
    let ages: ArrayRef =
        Arc::new(Int64Array::from_iter_values(stays.iter().map(|(who, _)| 20 + who * who * 7 % 61)));
    let found = stays.iter().map(|(who, visit)| ["I63", "J18", "E11"][((who + visit) % 3) as usize]);
    let found: ArrayRef = Arc::new(StringArray::from_iter_values(found));
    let batch =
        RecordBatch::try_from_iter([("patient", people), ("age", ages), ("diagnosis", found)]).unwrap();
    Batches { schema: batch.schema(), batches: vec![batch] }
}

/// Where a person has several records, the risks of a front are those of the people of the release that each solution makes.
#[test]
fn a_front_counts_people() {
    let of = |level: Option<u64>| {
        let level = level.map(|level| format!("level = {level}\n")).unwrap_or_default();
        let text = text("name = \"optimal\"\nsuppression-limit = 0.3", 5)
            .replace("[attributes.stay]\nrole = \"insensitive\"", "[attributes.patient]\nrole = \"person\"")
            .replace("max = 99 }\n", &format!("max = 99 }}\n{level}"));
        Recipe::in_memory(&text).unwrap().over(stays()).resolve().unwrap()
    };
    let asked = of(None);
    let checked = job().run(|context| {
        let table = Session::open(&asked, &RunOptions::default(), context)?.read(context)?;
        let front = table.front(None, &mut |_| (), context)?;
        assert!(front.nodes && front.solutions.len() > 1, "{front:?}");
        for solution in &front.solutions {
            let one = of(solution.levels["age"].as_u64());
            let made = Session::open(&one, &RunOptions::default(), context)?.read(context)?.best(context)?;
            let made = &made.solutions[0];
            let counts = |of: &velamen::Solution| (of.suppressed, of.classes);
            assert_eq!(counts(made), counts(solution));
            assert!((made.highest_risk - solution.highest_risk).abs() < 1e-12, "{made:?} {solution:?}");
            assert!((made.mean_risk - solution.mean_risk).abs() < 1e-9, "{made:?} {solution:?}");
            assert!(solution.highest_risk > 0.0 && solution.highest_risk < 1.0);
        }
        Ok(())
    });
    checked.unwrap();
}

/// Whatever models, methods and limits a table was explored by before, its front is that of a table just read.
#[test]
fn a_front_does_not_depend_on_the_fronts_before_it() {
    let asked = |k: u64, more: &str, method: &str| {
        // Padding drops insensitive columns, so that the table would be read again for it.
        let text = text(method, k).replace("insensitive", "identifier");
        let text = text.replace("[method]", &format!("{more}[method]"));
        Recipe::in_memory(&text).unwrap().over(batches()).resolve().unwrap()
    };
    let diverse = |l: u64| format!("[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = {l}\n");
    let close = |t: f64| format!("[[privacy]]\nmodel = \"t-closeness\"\nt = {t}\n");
    let (whole, some) = ("name = \"optimal\"", "name = \"optimal\"\nsuppression-limit = 0.3");
    let padded =
        "name = \"h-ceiling\"\nadversary-limit = 1\ncounterfeit-limit = 0.2\nsuppression-limit = 0.1";
    let without = [
        asked(5, "", whole),
        asked(20, "", some),
        asked(2, &diverse(3), some),
        asked(3, &close(0.4), some),
        asked(3, &close(0.2), some),
        asked(2, "", "name = \"optimal\"\nmetric = \"discernibility\"\nsuppression-limit = 0.5"),
        asked(5, "", whole),
    ];
    let with =
        [asked(5, "", padded), asked(2, &diverse(2), padded), asked(10, "", padded), asked(5, "", padded)];
    for recipes in [&without[..], &with] {
        let checked = job().run(|context| {
            let mut table = Session::open(&recipes[0], &RunOptions::default(), context)?.read(context)?;
            for recipe in recipes.iter().chain(recipes.iter().rev()) {
                table = table.with(recipe)?;
                let fresh = Session::open(recipe, &RunOptions::default(), context)?.read(context)?;
                let front = table.front(None, &mut |_| (), context)?;
                assert!(!front.solutions.is_empty() && !front.partial);
                assert_eq!(front, fresh.front(None, &mut |_| (), context)?);
            }
            Ok(())
        });
        checked.unwrap();
    }
}

#[test]
fn counterfeits_of_an_earlier_release_are_kept() {
    let folder = std::env::temp_dir().join(format!("velamen-after-{}", std::process::id()));
    let mut first = recipe("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.1", 5);
    first.output = folder.join("first");
    job().run(|context| anonymize(&first, &RunOptions::default(), context)).unwrap();
    let after = After::find(&first, Some(&folder.join("first.custodian"))).unwrap().unwrap();
    let read = |seed: Seed| {
        Job::seeded(seed).run(|context| {
            let options = RunOptions { after: Some(after.clone()), ..RunOptions::default() };
            let mut table = Session::open(&first, &options, context)?.read(context)?;
            let certified = table.search(context)?.in_memory(context)?.certify(context)?;
            Ok((certified.warnings(), certified.files()))
        })
    };
    let (warnings, files) = read(after.seed().clone()).unwrap();
    assert!(!warnings.iter().any(|warning| warning.contains("earlier release")), "{warnings:?}");
    assert_eq!(files["catalog.csv"], std::fs::read(folder.join("first/catalog.csv")).unwrap());
    let (warnings, _) = read(Seed::from_number(77)).unwrap();
    assert!(warnings.iter().any(|warning| warning.contains("earlier release")), "{warnings:?}");
    std::fs::remove_dir_all(folder).unwrap();
}
