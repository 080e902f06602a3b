//! Mistakes and remarks of the program, in the language that is spoken: whole where that has a line for each part, else what the
//! code of the mistake means and what to do, above the English words.

use maud::{Markup, html};
use velamen_recipe::Mistake;
use velamen_report::language::messages::{headline, message};
use velamen_report::language::{Language, say, spoken, text};
use velamen_report::number::grouped_message;

use crate::schema::coded;
use crate::words::of_pages;

/// A mistake with its place.
pub(crate) fn mistake(mistake: &Mistake) -> Markup {
    html! {
        @match whole(mistake) {
            Some(own) => { (line_of(mistake)) (with_lines(&own)) }
            None => {
                (headline(&mistake.code().to_string()).unwrap_or_default()) " "
                span.details lang="en" { (line_of(mistake)) (with_lines(&mistake.message())) }
            }
        }
    }
}

/// The line of the recipe that is to blame.
fn line_of(mistake: &Mistake) -> Markup {
    html! {
        @if let Some(line) = mistake.place_apart().and_then(|place| place.line) { (say!("Line {} of the recipe:", line)) " " }
    }
}

/// A message; lines of a recipe that it proposes stand as lines.
fn with_lines(message: &str) -> Markup {
    let lines: Vec<&str> = message.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 {
        return coded(message);
    }
    html! {
        @for (number, part) in lines.chunk_by(|one, next| is_recipe(one) == is_recipe(next)).enumerate() {
            @if is_recipe(part[0]) { code.lines { (part.join("\n")) } }
            @else { @if number > 0 { " " } (coded(&part.join(" "))) }
        }
    }
}

/// Whether a line of a message is one of a recipe.
fn is_recipe(line: &str) -> bool {
    line.trim_start().starts_with('[') || line.split_whitespace().nth(1) == Some("=")
}

/// What is wrong, what was expected and how to mend it, without the place of a recipe; `None` if a part of it has no line.
fn whole(mistake: &Mistake) -> Option<String> {
    if spoken() == Language::English {
        return Some(begun(&grouped_message(&mistake.message())));
    }
    let sentence = [
        place(mistake),
        own(mistake.problem())?,
        part(mistake.expectation(), |expected| text!("; expected: {}", expected))?,
        part(mistake.remedy(), |mend| format!("; {mend}"))?,
        part(mistake.cause(), |cause| text!(". Hint: {}", cause))?,
    ];
    Some(begun(&grouped_message(&sentence.concat())))
}

/// A part of a mistake in the language, put as it is to be said; nothing where the mistake has none.
fn part(english: Option<&str>, put: fn(String) -> String) -> Option<String> {
    match english {
        Some(english) => own(english).map(put),
        None => Some(String::new()),
    }
}

/// The place before a message that is not about a recipe.
fn place(mistake: &Mistake) -> String {
    let place = mistake.place();
    let file = place.file.as_ref().filter(|_| mistake.place_apart().is_none());
    let line = place.line.filter(|_| mistake.place_apart().is_none());
    let file = file.map(|file| format!("{}: ", file.display()));
    let line = line.map(|line| text!("line {}: ", line));
    file.into_iter().chain(line).collect()
}

/// A text in the language, or several that stand with semicolons between; `None` if it has no line for it.
fn own(english: &str) -> Option<String> {
    let english = of_pages(english);
    let each = || english.split("; ").map(message).collect::<Option<Vec<_>>>();
    message(&english).or_else(|| each().map(|each| each.join("; ")))
}

/// With a capital letter, as sentences begin; names of files stay.
pub(crate) fn begun(text: &str) -> String {
    if begins_with_name(text) { text.to_owned() } else { capital(text) }
}

/// Whether a text begins with a file's or a column's name: `t.csv: …`, `year_of_birth, region: …`.
fn begins_with_name(text: &str) -> bool {
    let is_name = |word: &str| word.contains(['.', '/', '`', '_']) || word.ends_with([':', ',']);
    text.split(' ').next().is_some_and(is_name)
}

/// A remark or a warning as a sentence.
pub(crate) fn remark(english: &str) -> Markup {
    match own(english) {
        Some(own) => coded(&sentence(&grouped_message(&own))),
        None => html! { span lang="en" { (coded(&sentence(english))) } },
    }
}

/// A text as a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let text = &*of_pages(text);
    let end = if text.ends_with(['.', ':', '?', '!']) { "" } else { "." };
    format!("{}{end}", begun(text))
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use velamen_job::{Job, RunOptions, anonymize};
    use velamen_recipe::{Overrides, Recipe};
    use velamen_report::language::speaking;

    use super::*;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\nrows = \"independent\"\n[attributes.alter]\nrole = \"quasi-identifier\"\n\
        hierarchy = { interval = [10, 50], min = 0, max = 99 }\n[attributes.ort]\nrole = \"quasi-identifier\"\n\
        [[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"optimal\"\n[output]\npath = \"out\"\n";

    /// What a run is refused for.
    fn refused(table: &str, recipe: &str) -> Mistake {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), table).unwrap();
        let path = folder.path().join("r.toml");
        std::fs::write(&path, recipe).unwrap();
        let run = || {
            let recipe = Recipe::load(&path, &Overrides::default())?.resolve()?;
            let job = Job::seeded(velamen_dp::Seed::from_number(1)).threads(1);
            job.run(|context| anonymize(&recipe, &RunOptions::default(), context))
        };
        run().err().unwrap()
    }

    fn table() -> String {
        let row = |n: usize| format!("{},{}\n", 20 + n % 40, ["Ulm", "Bonn"][n % 2]);
        "alter,ort\n".to_owned() + &(0..60).map(row).collect::<String>()
    }

    /// What a steward meets most is whole in German: no English is left of it.
    #[test]
    fn frequent_mistakes_are_said_whole() {
        let with = |from: &str, to: &str| RECIPE.replacen(from, to, 1);
        let more = |line: &str| table() + line;
        let cases = [
            ("", RECIPE.to_owned(), "Datei ist leer"),
            ("alter,ort\n", RECIPE.to_owned(), "keinen Datensatz"),
            ("alter,alter\n1,2\n", RECIPE.to_owned(), "heißen gleich"),
            ("alter,\n1,2\n", RECIPE.to_owned(), "hat keinen Namen"),
            (&more("3\n"), RECIPE.to_owned(), "Anzahl der Felder: 1"),
            (&more("3,\"a\n"), RECIPE.to_owned(), "nie geschlossen"),
            (&more("3,*\n"), RECIPE.to_owned(), "der Wert ist"),
            (&more("103,Ulm\n"), RECIPE.to_owned(), "fehlt: 1 verschiedener Wert der Spalte (1 Datensatz)"),
            (&more("x,Ulm\n"), RECIPE.to_owned(), "in der Hierarchie des Merkmals nicht vor"),
            (&table(), with("k = 2", "k = 5000"), "weniger als k = 5000"),
            (&table(), with("k = 2", "k = 1"), "schützt niemanden"),
            (&table(), with("attributes.ort", "attributes.orte"), "meinten Sie"),
            (
                &table(),
                with("[attributes.ort]\nrole = \"quasi-identifier\"\n", ""),
                "im Rezept nicht genannt",
            ),
            (&table(), with("[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n", ""), "Kein Modell"),
            (
                &table(),
                RECIPE
                    .replace("\"quasi-identifier\"\n", "\"insensitive\"\n")
                    .replace("hierarchy = { interval = [10, 50], min = 0, max = 99 }\n", ""),
                "Kein Merkmal hat die Rolle",
            ),
            (&table(), with("interval = [10, 50]", "interval = [10, 25]"), "größeres Vielfaches"),
            (&table(), with("max = 99 }\n", "max = 99 }\nlevel = 9\n"), "Stufen gehen von"),
            (&table(), with("t.csv", "u.csv"), "kann nicht geöffnet werden"),
        ];
        for (table, recipe, said) in cases {
            let found = refused(table, &recipe);
            let german = speaking(Language::German, || mistake(&found)).into_string();
            assert!(german.contains(said), "{}: {german}", found.message());
            assert!(!german.contains("lang=\"en\""), "{}: {german}", found.message());
            assert!(mistake(&found).into_string().len() > 20, "and in English as it was");
        }
    }

    #[test]
    fn what_has_no_line_has_that_of_its_code_above() {
        let found = Mistake::data("nobody has seen such a table");
        let german = speaking(Language::German, || mistake(&found)).into_string();
        assert!(german.starts_with("Die Daten sind nicht wie erwartet."), "{german}");
        assert!(german.contains("<span class=\"details\" lang=\"en\">nobody has seen"), "{german}");
        assert_eq!(mistake(&found).into_string(), "Nobody has seen such a table");
        let named = "year_of_birth, region: nothing left";
        assert_eq!(sentence(named), format!("{named}."), "a column is called as it is");
        let remarked = |text: &str| speaking(Language::German, || remark(text)).into_string();
        assert_eq!(remarked("released records are invented"), "Die freigegebenen Datensätze sind erfunden.");
        assert_eq!(remarked("who knows"), "<span lang=\"en\">Who knows.</span>");
    }

    #[test]
    fn lines_of_a_recipe_stand_as_lines() {
        let said = with_lines(
            "give it a role:\n\n[attributes.a]\nrole = \"person\"\n\nOr write it:\n\nrows = \"independent\"",
        );
        let said = said.into_string();
        assert_eq!(said.matches("<code class=\"lines\">").count(), 2, "{said}");
        assert!(said.contains(" Or write it:"), "{said}");
        let said = with_lines(
            "under the heading:\n[attributes.a]\ndomain = [\"…\"]\n[attributes.b]\ndomain = [\"…\"]",
        );
        let said = said.into_string();
        assert!(said.starts_with("under the heading:<code class=\"lines\">[attributes.a]\ndomain"), "{said}");
        assert_eq!(said.matches("<code class=\"lines\">").count(), 1, "{said}");
    }

    #[test]
    fn what_a_release_costs_is_said_with_its_columns() {
        let cost = "the release loses much: `x` (78 % of its detail), `a, b` (28 % of its detail, mean 6.33 instead of 5.73). Drop columns that \
            recipients do not need (role = \"identifier\"), or make them coarser: the fewer values there are, the more is left of the others";
        let said = speaking(Language::German, || remark(cost)).into_string();
        assert!(
            said.contains("(78 % der Genauigkeit)") && said.contains("Mittelwert 6,33 statt 5,73"),
            "{said}"
        );
    }
}
