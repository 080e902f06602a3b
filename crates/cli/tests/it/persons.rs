//! Tables with several records of a person: who is counted, what is asked, what is noted.

use crate::common::Folder;

/// Visits of 200 people, five each, in mixed order; a number of the person headed so.
pub(crate) fn visits(header: &str) -> String {
    let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
    let row = |n: usize| {
        let person = n * 37 % 1000 / 5;
        let (sex, year, zip) = (
            ["m", "w"][mixed(person) % 2],
            1930 + mixed(person + 300) % 70,
            10_100 + mixed(person + 600) % 90,
        );
        format!("{},{sex},{year},{zip},Ward {},E{}\n", 70_000 + 7 * person, n % 4, 10 + mixed(n) % 6)
    };
    format!("{header},sex,birth_year,zip,ward,diagnosis\n") + &(0..1000).map(row).collect::<String>()
}

/// Eight rows of a person each are no crowd: k counts people, or somebody has to say whose the rows are.
#[test]
fn repeated_rows_are_counted_by_person() {
    for header in ["patient_id", "k1", "id", "pseudo"] {
        let folder = Folder::new();
        folder.write("visits.csv", visits(header));
        let run = folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
        assert!(run.err.contains("200 people"), "{}", run.err);
        let recipe = folder.read("recipe.toml");
        let said = format!("[attributes.{header}]\nrole = \"person\"");
        assert!(recipe.contains(&said), "{recipe}");
        folder.ok(&["anonymize", "recipe.toml"]);
        assert!(!folder.read("visits-release/data.csv").contains("70007"));
        // Dropped without a word, or released, it is refused; both answers are told, no cell is.
        for role in ["identifier", "insensitive", "quasi-identifier"] {
            folder.write(
                "other.toml",
                recipe.replace(&said, &format!("[attributes.{header}]\nrole = \"{role}\"")),
            );
            let call = ["anonymize", "other.toml", "--overwrite"];
            if role == "identifier" {
                let answers = ["E0517", "role = \"person\"", "rows = \"independent\"", "200 people"];
                let run = folder.refused(&call, 5, &answers);
                assert!(!run.err.contains("70007"), "{}", run.err);
            } else {
                assert_eq!(folder.run(&call).code, 5, "{header} {role}");
            }
        }
    }
}

/// A number that by its name is a stay's is asked for: k would count stays.
#[test]
fn numbers_of_stays_are_asked_for() {
    for header in ["case", "Fallnummer"] {
        let folder = Folder::new();
        folder.write("visits.csv", visits(header));
        let run = folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
        assert!(run.err.contains("by its name it is a stay's"), "{}", run.err);
        folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", "role = \"person\""]);
    }
}

/// Nor does one number people whose values share days of birth as no different people do.
#[test]
fn numbers_of_a_person_that_differ_are_told_by_births() {
    let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
    let row = |n: usize| {
        let (stay, person) = (n * 7 % 800 / 2, n * 7 % 800 / 8);
        let birth = format!(
            "{}-{:02}-{:02}",
            1930 + mixed(person) % 70,
            1 + mixed(person + 9) % 12,
            1 + mixed(person + 5) % 28
        );
        format!(
            "{},{birth},{},E{}\n",
            70_000 + 3 * stay,
            ["m", "w"][mixed(person + 3) % 2],
            10 + mixed(n) % 6
        )
    };
    let folder = Folder::new();
    folder.write("t.csv", "k1,born,sex,diagnosis\n".to_owned() + &(0..800).map(row).collect::<String>());
    let run = folder.ok(&["profile", "t.csv", "--recipe", "recipe.toml"]);
    assert!(run.err.contains("share a day of birth in `born`"), "{}", run.err);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", "`k1`"]);
    // Whoever says that it numbers people is believed, and warned.
    folder.write(
        "recipe.toml",
        folder
            .read("recipe.toml")
            .replace("[attributes.k1]\nrole = \"identifier\"", "[attributes.k1]\nrole = \"person\""),
    );
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("k counts them and not people"), "{}", run.err);
}

/// A number with the visit behind it, and a number that each clinic begins anew: no column alone shows the people.
#[test]
fn numbers_in_parts_and_in_two_columns_are_found() {
    let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
    let table = |header: &str, of: &dyn Fn(usize, usize) -> String| {
        let row = |n: usize| {
            let (person, visit) = (n * 37 % 1000 / 5, n * 37 % 1000 % 5);
            format!(
                "{},{},{},E{}\n",
                of(person, visit),
                20 + mixed(person) % 70,
                ["m", "w"][mixed(person + 3) % 2],
                10 + mixed(n) % 6
            )
        };
        format!("{header},age,sex,diagnosis\n") + &(0..1000).map(row).collect::<String>()
    };
    for (header, of, says) in [
        (
            "no",
            &(|person: usize, visit: usize| format!("{}-{}", 20_000 + person, visit + 1))
                as &dyn Fn(usize, usize) -> String,
            "of `no` tells 200 people apart",
        ),
        (
            "clinic,no",
            &|person, _| format!("{},{}", ["north", "south"][person % 2], 1 + person / 2),
            "together tell 200 people apart",
        ),
    ] {
        let folder = Folder::new();
        folder.write("t.csv", table(header, of));
        let run = folder.ok(&["profile", "t.csv", "--recipe", "recipe.toml"]);
        assert!(run.err.contains(says), "{}", run.err);
        folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", says, "rows = \"independent\""]);
        let answered = folder.read("recipe.toml").replace("[input]\n", "[input]\nrows = \"independent\"\n");
        folder.write("recipe.toml", answered);
        folder.ok(&["anonymize", "recipe.toml"]);
    }
}

/// Taken for one person, records without a number would make every class one person larger.
#[test]
fn records_without_a_number_are_nobodys() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("patient_id"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let whole = folder.read("visits.csv");
    let blank = |(at, line): (usize, &str)| match at {
        5 | 90 | 700 => format!("{}\n", &line[line.find(',').unwrap()..]),
        _ => format!("{line}\n"),
    };
    folder.write("visits.csv", whole.lines().enumerate().map(blank).collect::<String>());
    let says = ["3 records have no value in `patient_id`", "fill it in", "recipe.toml"];
    folder.refused(&["anonymize", "recipe.toml"], 5, &says);
    let measure =
        ["measure", "visits.csv", "--qi", "sex,zip", "--sensitive", "diagnosis", "--person", "patient_id"];
    folder.refused(&measure, 4, &["--person", "3 records have no value in `patient_id`"]);
    // A marker of missing values is one, too.
    let marked = whole.replace("\n70007,", "\nnone,");
    assert_ne!(marked, whole);
    folder.write("visits.csv", marked);
    let null = folder.read("recipe.toml").replace("[input]\n", "[input]\nnull = [\"none\"]\n");
    folder.write("recipe.toml", null);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["5 records have no value in `patient_id`"]);
}

/// The cap holds for every person, draws are those of the seed, and both pages say so.
#[test]
fn nobody_keeps_more_records_than_the_recipe_says() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("k1"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    let set = ["--set", "attributes.k1.records-per-person=2", "--set", "method.seed=4"];
    let run = |output: &str| {
        folder.ok(&[&["anonymize", "recipe.toml", "--output", output][..], &set].concat());
        folder.read(&format!("{output}/data.csv"))
    };
    let released = run("capped");
    assert_eq!(released, run("again"));
    // 200 people have five records each.
    assert_eq!(released.lines().count(), 1 + 200 * 2);
    let manifest: serde_json::Value = serde_json::from_str(&folder.read("capped/release.json")).unwrap();
    assert_eq!((&manifest["records-per-person"], &manifest["records"]), (&2.into(), &400.into()));
    assert!(
        folder.read("capped/report.html").contains("Of each person at most 2 records, chosen at random.")
    );
    let verified = folder.ok(&["verify", "capped", "--json"]);
    assert!(verified.out.contains("records-per-person"), "{}", verified.out);
    // No cap without a person.
    folder.write(
        "other.toml",
        recipe.replace("role = \"person\"", "role = \"identifier\"\nrows = \"independent\""),
    );
    folder.refused(
        &[&["anonymize", "other.toml"][..], &set].concat(),
        5,
        &["records-per-person", "role = \"person\""],
    );
    let zero = ["--set", "attributes.k1.records-per-person=0"];
    assert_eq!(folder.run(&[&["anonymize", "recipe.toml"][..], &zero].concat()).code, 2);
}

#[test]
fn whoever_says_that_rows_are_independent_is_believed() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("k1"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    let answered = recipe.replace("role = \"person\"", "role = \"identifier\"\nrows = \"independent\"");
    folder.write("recipe.toml", answered);
    folder.ok(&["anonymize", "recipe.toml"]);
    // Columns that the recipe does not name are dropped with as little right.
    let unnamed = recipe.replace("[attributes.k1]\nrole = \"person\"", "");
    folder.write("recipe.toml", format!("unnamed = \"drop\"\n{unnamed}"));
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 5, &["E0517", "`k1`"]);
    folder.write(
        "recipe.toml",
        recipe.replace("role = \"person\"", "role = \"person\"\nrows = \"independent\""),
    );
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 5, &["keep one of them"]);
}

#[test]
fn several_numbers_of_people_are_asked_for() {
    let folder = Folder::new();
    let lines = visits("patient_no");
    let mut lines = lines.lines().enumerate();
    let header = lines.next().unwrap().1;
    let rows: String = lines
        .map(|(n, line)| {
            let person = line.split(',').next().unwrap();
            format!("{person}{},{line}\n", n % 2)
        })
        .collect();
    folder.write("visits.csv", format!("case_no,{header}\n{rows}"));
    let run = folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    assert!(run.err.contains("2 columns could number the people"), "{}", run.err);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", "case_no", "patient_no"]);
    let recipe = folder.read("recipe.toml");
    let answered = recipe.replace(
        "[attributes.patient_no]\nrole = \"identifier\"",
        "[attributes.patient_no]\nrole = \"person\"",
    );
    let method = answered.find("[method]").unwrap();
    folder.write(
        "recipe.toml",
        format!(
            "{}[method]\nname = \"optimal\"\nsuppression-limit = 0.05\n[output]\npath = \"release\"\n",
            &answered[..method]
        ),
    );
    folder.ok(&["anonymize", "recipe.toml"]);
}

/// Surnames, wards, physicians and telephones repeat, too.
#[test]
fn other_numbers_that_repeat_are_dropped_without_a_word() {
    let folder = Folder::new();
    let row = |n: usize| {
        let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
        format!(
            "{},Meyer{},{},{},0171 55{:05},{},{},E1{}\n",
            5000 + n,
            mixed(n) % 90,
            100 + mixed(n + 1) % 40,
            n / 25,
            mixed(n) % 600,
            ["m", "w"][mixed(n + 2) % 2],
            20 + mixed(n + 3) % 60,
            n % 5
        )
    };
    let rows: String = (0..800).map(row).collect();
    folder.write(
        "stays.csv",
        format!("Fallnummer,Nachname,Arztnr,Station,Telefon,Geschlecht,Alter,Diagnose\n{rows}"),
    );
    let run = folder.ok(&["profile", "stays.csv", "--recipe", "recipe.toml"]);
    assert!(!run.err.contains("people"), "{}", run.err);
    folder.ok(&["anonymize", "recipe.toml"]);
}

/// Visits without any number, one person's after the other's: the recipe has to say whose they are.
#[test]
fn rows_that_stand_together_are_asked_for() {
    let folder = Folder::new();
    let mixed = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1009;
    let row = |n: usize| {
        let person = n / 6;
        let (sex, year) = (["m", "w"][mixed(person) % 2], 1930 + mixed(person + 300) % 70);
        format!("{sex},{year},E{}\n", 10 + mixed(n) % 6)
    };
    folder.write("t.csv", "sex,birth_year,diagnosis\n".to_owned() + &(0..1200).map(row).collect::<String>());
    let note = "neighbouring pairs of records agree in all quasi-identifiers";
    let run = folder.ok(&["profile", "t.csv", "--recipe", "recipe.toml"]);
    assert!(run.out.contains(note) || run.err.contains(note), "{}{}", run.out, run.err);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", note, "[input]:\n\nrows = \"independent\""]);
    let recipe = folder.read("recipe.toml");
    folder.write("recipe.toml", recipe.replace("[input]\n", "[input]\nrows = \"independent\"\n"));
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.write("recipe.toml", recipe);
    // In another order the sexes show it, which change too much from year to year.
    let rows: String = (0..1200).map(|n| row(n * 701 % 1200)).collect();
    folder.write("t.csv", "sex,birth_year,diagnosis\n".to_owned() + &rows);
    folder.refused(
        &["anonymize", "recipe.toml", "--overwrite"],
        5,
        &["E0517", "from one value of `birth_year` to the next `sex`"],
    );
}

/// Without a header the values alone say which column is the sex: a number that is dropped unanswered is refused as with one.
#[test]
fn numbers_of_people_are_asked_for_without_a_header_too() {
    let folder = Folder::new();
    let row = |n: u32| format!("P{:03},{},{},F32\n", n / 4, ["M", "F"][(n / 4 % 2) as usize], 30 + n % 7);
    folder.write("table.csv", (0..240).map(row).collect::<String>());
    let recipe = |answer: &str| {
        format!(
            "[input]\npath = \"table.csv\"\nheader = false\n[attributes.1]\n{answer}\n\
             [attributes.4]\nrole = \"insensitive\"\n[attributes.2]\nrole = \"quasi-identifier\"\n[attributes.3]\nrole = \"quasi-identifier\"\n\
             [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"optimal\"\n[output]\npath = \"release\"\n"
        )
    };
    folder.write("recipe.toml", recipe("role = \"identifier\""));
    folder.refused(&["anonymize", "recipe.toml"], 5, &["E0517", "`1`", "rows = \"independent\""]);
    for answer in ["role = \"person\"", "role = \"identifier\"\nrows = \"independent\""] {
        folder.write("recipe.toml", recipe(answer));
        folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    }
}

/// What is said of one person in tables that nobody prepared.
type Said = fn(usize) -> String;

/// Some 1,000 rows of 300 people, one to six each, together or mixed; without a header.
fn unprepared(cells: &[Said], together: bool) -> String {
    let mut rows: Vec<(usize, usize)> = (0..300)
        .flat_map(|person| std::iter::repeat_n(person, 1 + drawn(person, 1) % 6))
        .enumerate()
        .map(|(at, person)| (person, at))
        .collect();
    if !together {
        rows.sort_by_key(|(_, at)| drawn(*at, 40));
    }
    let row = |(person, at): (usize, usize)| {
        let mut row: Vec<String> = cells.iter().map(|cell| cell(person)).collect();
        row.push(["West", "East", "North", "Intensive"][drawn(at, 2) % 4].to_owned());
        row.push(["E11", "I63", "J18", "K35"][drawn(at, 3) % 4].to_owned());
        row.join(",") + "\n"
    };
    rows.into_iter().map(row).collect()
}

fn drawn(number: usize, of: usize) -> usize {
    let mixed = (number + 1_000_003 * of).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// Eight given names and a hundred family names: a third of the people has a namesake.
fn name(person: usize) -> String {
    let given = ["Anna", "Peter", "Maria", "Klaus", "Julia", "Martin", "Sabine", "Thomas"];
    let family =
        ["Meier", "Schulz", "Kraus", "Weber", "Berger", "Hofmann", "Lang", "Bauer", "Fritz", "Stein"];
    let (one, other) = (drawn(person, 4), drawn(person, 5));
    format!("{} {}-{}", given[drawn(person, 6) % 8], family[one % 10], family[other % 10])
}

fn odd_name(person: usize) -> String {
    format!("Name{person:03} Planted")
}

fn code(person: usize) -> String {
    format!("Q{:05}", drawn(person, 7) % 100_000)
}

fn mail(person: usize) -> String {
    format!("p{person}@mail.example")
}

fn day(person: usize) -> String {
    let drawn = drawn(person, 8);
    format!("{}-{:02}-{:02}", 1930 + drawn % 75, 1 + drawn / 75 % 12, 1 + drawn / 900 % 28)
}

fn year(person: usize) -> String {
    day(person)[..4].to_owned()
}

fn sex(person: usize) -> String {
    ["m", "w"][drawn(person, 9) % 2].to_owned()
}

fn zip(person: usize) -> String {
    format!("{}", 10_100 + drawn(person, 10) % 90)
}

fn remark(person: usize) -> String {
    format!("phone 0170 {:07} in May", drawn(person, 11) % 10_000_000)
}

fn call(person: usize) -> String {
    format!("call 0170{:07}", drawn(person, 12) % 10_000_000)
}

/// By the path of the first page, no cell that one person alone has gets out of such a table, and no class is one person: the run is
/// refused, or it counts people.
#[test]
fn tables_that_nobody_prepared_are_refused_or_count_people() {
    let tables: [&[Said]; 9] = [
        &[name, day, sex, zip, remark],
        &[odd_name, day, sex, zip, call],
        &[name, year, sex, zip, call],
        &[code, day, zip],
        &[mail, zip, sex],
        &[name, zip],
        &[day, sex, zip],
        &[odd_name, year, sex],
        &[code, sex, year, remark],
    ];
    for (number, cells) in tables.iter().enumerate() {
        for together in [true, false] {
            let folder = Folder::new();
            folder.write("t.csv", unprepared(cells, together));
            folder.ok(&["profile", "t.csv", "--no-header", "--recipe", "r.toml"]);
            let recipe = folder.read("r.toml");
            let run = folder.run(&["anonymize", "r.toml"]);
            if run.code == 0 {
                assert!(recipe.contains("role = \"person\""), "{number} {together}: {recipe}");
                holds_nobody(&folder, cells);
            } else {
                assert!(run.code == 5 && run.err.contains("E0517"), "{number} {together}: {}", run.err);
                // Whoever says that rows are independent is believed, and still no text of one person is released.
                folder.write("r.toml", recipe.replace("[input]\n", "[input]\nrows = \"independent\"\n"));
                folder.ok(&["anonymize", "r.toml"]);
                holds_no_text(&folder, cells);
            }
        }
    }
}

/// What a recipient can read.
fn released(folder: &Folder) -> Vec<String> {
    let files = std::fs::read_dir(folder.path("t-release")).unwrap();
    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

fn holds_nobody(folder: &Folder, cells: &[Said]) {
    holds_no_text(folder, cells);
    let files = released(folder);
    for person in (0..300).filter(|_| cells.iter().any(|cell| cell(0) == day(0))) {
        assert!(files.iter().all(|file| !file.contains(&day(person))), "{}", day(person));
    }
}

fn holds_no_text(folder: &Folder, cells: &[Said]) {
    let files = released(folder);
    let texts = cells.iter().filter(|cell| cell(0).contains(char::is_alphabetic) && cell(0).len() > 1);
    for cell in texts {
        for person in 0..300 {
            assert!(files.iter().all(|file| !file.contains(&cell(person))), "{}", cell(person));
        }
    }
}

/// Answers that contradict each other are told apart from a table's.
#[test]
fn rows_are_of_one_person_or_of_another() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("k1"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    let both = recipe.replace("[input]\n", "[input]\nrows = \"independent\"\n");
    folder.write("recipe.toml", &both);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["rows", "`k1`", "keep one of them"]);
    folder.write("recipe.toml", both.replace("role = \"person\"", "role = \"identifier\""));
    folder.ok(&["anonymize", "recipe.toml"]);
}
