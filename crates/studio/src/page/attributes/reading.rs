//! How the table's file is read, as spreadsheets ask it: what was found out is shown, and each answer is a key of `[input]`.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_recipe::{Decimal, JobError, Recipe, SheetSection};
use velamen_report::language::{mark, t};

use super::PAGE;
use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::page::{changed, show, with_project};
use crate::project::read_again;

/// How long the page waits for a small table.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(1500);

/// What text is often encoded by, with a word on where it comes from.
const ENCODINGS: [(&str, &str); 8] = [
    ("", "UTF-8"),
    ("windows-1252", mark("windows-1252: Western Europe, older Excel")),
    ("windows-1250", mark("windows-1250: Central Europe")),
    ("iso-8859-15", mark("iso-8859-15: Western Europe, Unix")),
    ("macintosh", mark("macintosh: older Macs")),
    ("utf-16le", mark("utf-16le: Excel's \"Unicode text\"")),
    ("shift_jis", mark("shift_jis: Japan")),
    ("euc-kr", mark("euc-kr: Korea")),
];

const DELIMITERS: [(&str, &str); 5] = [
    ("", mark("found out from the first line")),
    (",", mark("comma")),
    (";", mark("semicolon")),
    ("\t", mark("tab")),
    ("|", mark("bar")),
];

const HEADERS: [(&str, &str); 3] = [
    ("", mark("names the columns, unless it looks like a record")),
    ("yes", mark("names the columns, whatever it looks like")),
    ("no", mark("is a record: columns are called 1, 2, …")),
];

/// Whose the records are, where no column shows it.
const ROWS: [(&str, &str); 2] = [
    ("", mark("a column shows it, or the run asks")),
    ("independent", mark("every record is of another person")),
];

const DECIMALS: [(&str, &str); 2] = [("", mark("point: 70.5")), (",", mark("comma: 70,5"))];

/// The form, with what stands below it. It is open where nothing could be read yet.
pub(super) fn section(recipe: &Recipe, sheets: &[String], open: bool, below: &Markup) -> Markup {
    let input = &recipe.input;
    if input.path.is_none() {
        return html! {};
    }
    let header = match input.header {
        None => "",
        Some(true) => "yes",
        Some(false) => "no",
    };
    let encoding = input.encoding.as_deref().unwrap_or_default();
    html! {
        details #reading open[open] {
            summary { (t("How the file is read")) }
            form #reading-form.fields hx-post="attributes/reading" {
                div.field { label for="skip-lines" { (t("Lines or rows above the names of the columns")) }
                    input.narrow #skip-lines name="skip-lines" type="number" min="0" step="1" value=(input.skip_lines); }
                (choice("header", t("The first line below"), header, &HEADERS))
                (choice("encoding", t("Text is encoded as"), encoding, &ENCODINGS))
                (choice("delimiter", t("Cells are parted by"), input.delimiter.as_deref().unwrap_or_default(), &DELIMITERS))
                (choice("decimal", t("Decimals stand behind a"), if input.decimal == Decimal::Comma { "," } else { "" }, &DECIMALS))
                (sheet(input.sheet.as_ref(), sheets))
                div.field { label for="null" { (t("Cells that mean a missing value, with commas between")) }
                    input #null name="null" value=(input.null.join(",")); }
                (choice("rows", t("Whose the records are"), input.rows.map_or("", |_| "independent"), &ROWS))
                button #read-again type="submit" { (t("Read it so")) }
                span.note { (t("Dates are recognized in each column; how one is written is a key of its hierarchy.")) }
            }
            (below)
        }
    }
}

/// The sheet of a workbook: a choice of their names. The recipe names it by its number, which is nobody's name.
fn sheet(asked: Option<&SheetSection>, sheets: &[String]) -> Markup {
    let stands = match asked {
        None => String::new(),
        Some(SheetSection::Number(number)) => number.to_string(),
        Some(SheetSection::Name(name)) => {
            let place = sheets.iter().position(|known| known == name);
            place.map_or_else(|| name.clone(), |place| (place + 1).to_string())
        }
    };
    html! {
        @if sheets.is_empty() {
            // No workbook: what a recipe says all the same stays.
            @if !stands.is_empty() { input type="hidden" name="sheet" value=(stands); }
        } @else {
            div.field {
                label for="sheet" { (t("Sheet of the workbook")) }
                select #sheet name="sheet" {
                    @if sheets.len() > 1 || stands.is_empty() { option value="" { (t(if sheets.len() > 1 { mark("not said") } else { mark("its only one") })) } }
                    @for (number, name) in (1..).zip(sheets) { option value=(number) selected[stands == number.to_string()] { (name) } }
                }
            }
        }
    }
}

/// A choice; what stands in the recipe is among it, whatever it is.
fn choice(name: &str, label: &str, stands: &str, known: &[(&str, &str)]) -> Markup {
    let foreign = known.iter().all(|(value, _)| *value != stands);
    html! {
        div.field {
            label for=(name) { (label) }
            select #(name) name=(name) {
                @for (value, words) in known { option value=(value) selected[*value == stands] { (t(words)) } }
                @if foreign { option value=(stands) selected { (stands) } }
            }
        }
    }
}

/// The keys of `[input]` that the form says; what is usual is no key.
pub(super) fn edits(form: &Form) -> Result<Vec<Edit>, JobError> {
    let text = |name: &str| Some(form.text(name)).filter(|text| !text.is_empty()).map(Value::from);
    let lines = form.text("skip-lines").trim();
    let above: u64 = match lines {
        "" => 0,
        lines => lines.parse().map_err(|_| JobError::usage("the lines above are a whole number from 0"))?,
    };
    let header = match form.text("header") {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    let sheet = form.text("sheet").trim();
    let sheet = match sheet.parse::<u64>() {
        _ if sheet.is_empty() => None,
        Ok(number) => Some(json!(number)),
        Err(_) => Some(json!(sheet)),
    };
    let missing: Vec<&str> =
        form.text("null").split(',').map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let keys = [
        ("skip-lines", (above > 0).then(|| json!(above))),
        ("header", header.map(Value::from)),
        ("encoding", text("encoding")),
        ("delimiter", text("delimiter")),
        ("decimal", text("decimal")),
        ("sheet", sheet),
        ("rows", text("rows")),
        ("null", (!missing.is_empty()).then(|| json!(missing))),
    ];
    Ok(keys.into_iter().map(|(key, value)| Edit::set_or_remove(at(["input", key]), value)).collect())
}

/// Takes the answers into the recipe, and looks at the table anew.
pub(super) async fn read(State(app): State<App>, form: Form) -> Response {
    let made =
        edits(&form).and_then(|edits| with_project(&app, |project| project.change(&app.folders, &edits)));
    if made.is_err() {
        return changed(&app, &PAGE, &form, made);
    }
    read_again(&app);
    app.worker.idle_within(PATIENCE).await;
    show(&app, &PAGE, &form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;

    #[test]
    fn the_form_is_the_section_of_the_recipe() {
        let form = Form::of(
            "skip-lines=2&header=yes&encoding=windows-1252&delimiter=%3B&decimal=%2C&sheet=&null=NA,+%3F",
        );
        let text = crate::edit::edited("[input]\npath = \"t.csv\"\n", &edits(&form).unwrap()).unwrap();
        for line in [
            "skip-lines = 2",
            "header = true",
            "encoding = \"windows-1252\"",
            "delimiter = \";\"",
            "decimal = \",\"",
            "null = [\"NA\", \"?\"]",
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line}: {text}");
        }
        assert!(!text.contains("sheet"), "{text}");
        let plain = crate::edit::edited(&text, &edits(&Form::of("skip-lines=0")).unwrap()).unwrap();
        assert_eq!(plain, "[input]\npath = \"t.csv\"\n");
        let rows = crate::edit::edited(&text, &edits(&Form::of("rows=independent")).unwrap()).unwrap();
        assert!(rows.contains("rows = \"independent\""), "{rows}");
        assert!(edits(&Form::of("skip-lines=-1")).is_err());
    }

    #[test]
    fn a_title_and_windows_1252_open_at_the_first_try() {
        let records: String = (0..300)
            .map(|n| format!("{};{};{},5\n", 20 + n % 60, ["K\u{f6}ln", "Bonn"][n % 2], 50 + n % 40))
            .collect();
        let text = format!("Entlassungen 2024;;\nAlter;Ort;Gewicht\n{records}");
        let bytes: Vec<u8> = text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
        let open = Open::with_bytes("Stays.csv", &bytes);
        let recipe = open.text();
        for line in
            ["skip-lines = 1", "encoding = \"windows-1252\"", "decimal = \",\"", "[attributes.Gewicht]"]
        {
            assert!(recipe.contains(line), "{line}: {recipe}");
        }
        let page = open.shown(&PAGE);
        assert!(page.contains("The line above the names of the columns is left out"), "{page}");
    }

    /// Cells with more commas than there are columns mislead whoever looks at the lines alone.
    #[test]
    fn what_reads_as_it_is_is_not_guessed_at() {
        let records: String = (0..300)
            .map(|n| {
                format!(
                    "Weg {}, Hinterhaus, 50667 Ort, NRW, DE;{};{};flu\n",
                    n % 9,
                    20 + n % 60,
                    ["m", "f"][n % 2]
                )
            })
            .collect();
        let open = Open::new(&[("b.csv", &format!("address;age;sex;diagnosis\n{records}"))]);
        let recipe = open.text();
        assert!(recipe.contains("[attributes.address]") && !recipe.contains("skip-lines"), "{recipe}");
    }

    /// One undo takes back what was said of the file and the recipe that followed from it, and the columns are those of before.
    #[test]
    fn a_wrong_reading_is_taken_back_as_one_change() {
        let records: String = (0..60).map(|n| format!("{};{}\n", 20 + n, ["m", "f"][n % 2])).collect();
        let studio = Open::new(&[("t.csv", &format!("age;sex\n{records}"))]);
        let before = studio.text();
        let form = [("skip-lines", "0"), ("header", "yes"), ("delimiter", ",")];
        let page = studio.post(read, &form);
        assert!(studio.text().contains("[attributes.\"age;sex\"]"), "{page}");
        studio.post(crate::page::recipe::undo, &[("page", "attributes")]);
        assert_eq!(studio.text(), before);
        studio.settle();
        let page = studio.shown(&PAGE);
        assert!(page.contains("Role of sex") && !page.contains("Role of age;sex"), "{page}");
    }

    #[test]
    fn a_workbook_has_a_choice_of_its_sheets_by_their_names() {
        let of = |recipe: &str, sheets: &[&str]| {
            let text = format!("{recipe}[output]\npath = \"out\"\n");
            let recipe = Recipe::from_text(&text, std::path::Path::new("r.toml")).unwrap();
            let sheets: Vec<String> = sheets.iter().map(|name| (*name).to_owned()).collect();
            section(&recipe, &sheets, false, &html! {}).into_string()
        };
        let input = "[input]\npath = \"t.xlsx\"\n";
        let page = of(&format!("{input}sheet = 2\n"), &["Notes", "Records"]);
        assert!(
            page.contains("<option value=\"1\">Notes</option><option value=\"2\" selected>Records</option>"),
            "{page}"
        );
        assert!(
            of(&format!("{input}sheet = \"Notes\"\n"), &["Notes", "Records"])
                .contains("value=\"1\" selected>Notes")
        );
        assert!(of(input, &["Records"]).contains("its only one"));
        assert!(!of(input, &[]).contains("id=\"sheet\""), "a plain file has no sheet");
    }

    #[test]
    fn what_does_not_read_is_open_for_correction() {
        let open = Open::with_bytes("bad.csv", b"a,b\n1,2\n3\n4,5\n");
        let page = open.shown(&PAGE);
        assert!(page.contains("id=\"reading\" open"), "{page}");
    }
}
