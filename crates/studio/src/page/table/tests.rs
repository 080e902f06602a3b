use super::*;
use crate::opened::Open;

const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.name]\nrole = \"identifier\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
    hierarchy = { interval = [10, 50], min = 0, max = 99 }\n[attributes.sex]\nrole = \"quasi-identifier\"\n\
    [attributes.diagnosis]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\
    [method]\nname = \"NAME\"\n[output]\npath = \"out\"\n";

fn studio(method: &str) -> Open {
    let row = |n: usize| {
        format!("p{n},{},{},{}\n", 20 + n * 7 % 40, ["F", "M"][n % 2], ["flu", "asthma", "I10"][n % 3])
    };
    let table = format!("name,age,sex,diagnosis\n{}", (0..240).map(row).collect::<String>());
    Open::new(&[("t.csv", &table), ("recipe.toml", &RECIPE.replace("NAME", method))])
}

async fn page_of(Shared(app): Shared<App>, form: Form) -> Response {
    show(&app, &PAGE, &form)
}

/// The page once its trial is made.
fn shown(studio: &Open, form: &[(&str, &str)]) -> String {
    (0..2).for_each(|_| {
        studio.post(page_of, form);
        studio.settle();
    });
    studio.post(page_of, form)
}

fn paired<T>(studio: &Open, work: impl FnOnce(&Paired) -> T) -> T {
    shown(studio, &[]);
    let project = locked(&studio.app.project);
    let crate::trial::State::Made(trial) = crate::trial::state(&studio.app, project.as_ref().unwrap()) else {
        panic!("no trial")
    };
    work(trial.paired.as_ref().unwrap())
}

#[test]
fn no_value_is_shown_before_it_is_asked_for() {
    let studio = studio("optimal");
    for form in [&[][..], &[ALONE]] {
        let page = shown(&studio, form);
        assert!(page.contains("Show the records") && !page.contains("asthma"), "{page}");
    }
    assert!(shown(&studio, &[]).contains("How many people share a class"));
    let page = studio.post(values, &[]);
    assert!(page.contains("asthma") && !page.contains("p17"), "{page}");
    let page = shown(&studio, &[ALONE]);
    assert!(page.contains("asthma") && page.contains("240 records") && !page.contains("<del>"), "{page}");
}

/// Of whatever family the method is: the original side is the table, the released side the release.
#[test]
fn both_sides_have_all_records_in_every_method() {
    for (method, more) in [
        ("optimal", ""),
        ("optimal", "suppression-limit = 0.2\n"),
        ("optimal", "local-recoding = true\nsuppression-limit = 0.1\n"),
        ("mondrian", ""),
        ("mdav", ""),
        ("k-member", ""),
        ("ce-mi-clustering", ""),
        ("h-ceiling", "h = 0.5\n"),
        ("relocation", ""),
    ] {
        let studio = studio(method);
        let text =
            studio.text().replace(&format!("name = \"{method}\"\n"), &format!("name = \"{method}\"\n{more}"));
        locked(&studio.app.project).as_mut().unwrap().replace(&studio.app.folders, text).unwrap();
        shown(&studio, &[]);
        let project = locked(&studio.app.project);
        let state = crate::trial::state(&studio.app, project.as_ref().unwrap());
        let crate::trial::State::Made(trial) = state else {
            let crate::trial::State::Failed(mistake) = state else { panic!("{method}: not made") };
            panic!("{method}: {mistake}")
        };
        let paired = trial.paired.as_ref().unwrap();
        let comparison = trial.comparison.as_ref().unwrap();
        let real = |row: &&PairedRow| !row.is_counterfeit();
        let records = |rows: &mut dyn Iterator<Item = &PairedRow>| rows.map(|row| row.count).sum::<u64>();
        assert_eq!(records(&mut paired.rows.iter().filter(real)), 240, "{method}");
        assert_eq!(paired.records(), comparison.records, "{method}");
        assert_eq!(
            records(&mut paired.rows.iter().filter(|row| row.class().is_none())),
            comparison.suppressed
        );
        assert_eq!(
            records(&mut paired.rows.iter().filter(|row| row.is_counterfeit())),
            comparison.counterfeits
        );
        assert_eq!(paired.classes as u64, comparison.classes, "{method}");
        let people: u64 = trial.people.after.iter().map(|(_, people)| people).sum();
        assert_eq!(people, 240 - comparison.suppressed, "{method}");
    }
}

#[test]
fn a_released_cell_is_that_of_its_class() {
    let studio = studio("optimal");
    paired(&studio, |paired| {
        let names: Vec<&str> = paired.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["age", "sex", "diagnosis"]);
        for row in &paired.rows {
            let age: u64 = said(paired, row, Side::Before, 0).parse().unwrap();
            let released = said(paired, row, Side::After, 0);
            let within =
                |(from, to): (&str, &str)| (from.parse::<u64>().unwrap()..to.parse().unwrap()).contains(&age);
            let ends = released.trim_start_matches('[').trim_end_matches(['[', ')', ']']);
            let ends = ends.split_once([',', '-']).map(|(from, to)| (from.trim(), to.trim()));
            assert!(
                released == "*" || released == age.to_string() || ends.is_none_or(within),
                "{age}: {released}"
            );
            assert_eq!(said(paired, row, Side::Before, 2), said(paired, row, Side::After, 2));
            assert!(!paired.is_changed(row, 2));
            assert_eq!(paired.is_changed(row, 0), released != age.to_string());
        }
    });
}

#[test]
fn rows_are_narrowed_down_sorted_and_paged_without_a_value_in_an_address() {
    let studio = studio("mondrian");
    shown(&studio, &[]);
    studio.post(values, &[]);
    let page = studio.post(find, &[("column", "bdiagnosis"), ("test", "is"), ("text", "asthma")]);
    assert!(page.contains("80 records") && page.contains("find=1"), "{page}");
    let rows = &page[page.find("id=\"records\"").unwrap()..page.find("id=\"distribution\"").unwrap()];
    assert!(!rows.contains(">flu<") && rows.contains(">asthma<"), "{rows}");
    assert!(page.split("href=\"").skip(1).all(|link| !link.split('"').next().unwrap().contains("asthma")));
    let page = shown(&studio, &[("find", "1"), ("sort", "b0"), ("down", "yes")]);
    assert!(page.contains("aria-sort=\"descending\"") && page.contains("80 records"), "{page}");
    let all = shown(&studio, &[("first", "50")]);
    assert!(all.contains("rows 51 to 100 are here") && all.contains("Earlier rows"), "{all}");
    let page = shown(&studio, &[("class", "1")]);
    assert!(page.contains("Class 1") && !page.contains("Class 2"), "{page}");
    assert!(shown(&studio, &[("only", "suppressed")]).contains("No record fits."));
    assert!(shown(&studio, &[("sort", "b99"), ("first", "x"), ("look", "77")]).contains("240 records"));
}

/// Who compares and comes back finds what was looked for.
#[test]
fn the_way_back_to_the_table_keeps_what_was_asked_of_it() {
    let studio = studio("optimal");
    shown(&studio, &[]);
    studio.post(values, &[]);
    studio.post(find, &[("column", "bdiagnosis"), ("test", "is"), ("text", "asthma"), ("only", "changed")]);
    for page in [&crate::page::compare::PAGE, &crate::page::explore::PAGE] {
        let page = studio.shown(page);
        assert!(page.contains("href=\"table?only=changed&amp;find=1\""), "{page}");
    }
    shown(&studio, &[]);
    assert!(
        studio.shown(&crate::page::compare::PAGE).contains("href=\"table\""),
        "nothing is asked any more"
    );
}
