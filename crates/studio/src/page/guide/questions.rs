//! The form of the five questions.

use maud::{Markup, html};
use velamen_assess::guide::{Knows, Recipients};
use velamen_assess::profile::ColumnProfile;
use velamen_recipe::Recipe;
use velamen_report::language::{mark, say, t};

use super::answers::{
    Answer, COLUMN, EACH_ROW, INTENTS, KNOWS, PERSON, POSTED, RECIPIENTS, SECRET, UNKNOWN, WORST, field_of,
    knows, names, person, secrets, strictest,
};
use crate::form::Form;
use crate::reasons;
use crate::schema::coded;

pub(super) fn form(recipe: &Recipe, columns: &[ColumnProfile], asked: &Form) -> Markup {
    html! {
        form #guide-form hx-post="guide/take" {
            input type="hidden" name=(POSTED) value="yes";
            (who(asked))
            (intent(asked))
            (others(recipe, columns, asked))
            (rows(recipe, columns, asked))
            (worst(recipe, columns, asked))
            p.note { (t("This replaces the models and the method of the recipe.")) }
            button.main #take type="submit" { (t("Set up the recipe and show releases")) }
        }
    }
}

/// An answer to click, with what it means where it stands.
fn option(name: &str, word: &str, label: &str, meaning: &Markup, asked: &Form) -> Markup {
    let id = format!("{name}-{word}");
    html! {
        div.answer {
            input #(id) type="radio" name=(name) value=(word) checked[asked.text(name) == word] aria-describedby={ (id) "-means" };
            div { label for=(id) { (t(label)) } p.note #{ (id) "-means" } { (meaning) } }
        }
    }
}

fn options<T>(name: &str, answers: &[Answer<T>], asked: &Form) -> Markup {
    html! { @for answer in answers { (option(name, answer.word, answer.label, &html! { (t(answer.meaning)) }, asked)) } }
}

/// What counts while nothing is answered.
fn unanswered(strictest: &str) -> Markup {
    html! { p.care.unanswered { (say!("Not answered yet. Then the strictest answer counts: {}.", html! { strong { (t(strictest)) } })) } }
}

fn who(asked: &Form) -> Markup {
    html! {
        fieldset.question #question-who {
            legend { h3 { (t("1. Who gets the release?")) } }
            @for answer in &RECIPIENTS { (option("who", answer.word, answer.label, &of_recipients(answer), asked)) }
            (unanswered(strictest(&RECIPIENTS)))
        }
    }
}

fn of_recipients(answer: &Answer<Recipients>) -> Markup {
    html! { (t(answer.meaning)) " " (say!("At least {} people or rows will look alike in all that others may know.", answer.value.k())) }
}

fn intent(asked: &Form) -> Markup {
    html! {
        fieldset.question #question-use {
            legend { h3 { (t("2. What is it for?")) } }
            (options("use", &INTENTS, asked))
            (unanswered(strictest(&INTENTS)))
        }
    }
}

fn others(recipe: &Recipe, columns: &[ColumnProfile], asked: &Form) -> Markup {
    let known = knows(asked, recipe, columns);
    html! {
        fieldset.question #question-knows {
            legend { h3 { (t("3. What may others know about a person?")) } }
            p { (t("Think of a neighbour, an employer, a newspaper, a register. What they may know, they can look for in the release: it is made coarser. The answers are filled in from the names and figures of the columns: correct them.")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Who may know each column")) { table.knows {
                thead { tr { th scope="col" { (t("Column")) } th scope="col" { (t("Who may know it")) } th scope="col" { (t("Why it is filled in so")) } } }
                tbody {
                    @for (number, name) in names(recipe, columns).iter().enumerate() {
                        tr {
                            th scope="row" { label for={ "knows-" (number) } { (name) } }
                            td { (who_knows(number, name, known.get(name).copied())) }
                            td.note { (why(name, columns)) }
                        }
                    }
                }
            } }
        }
    }
}

fn who_knows(number: usize, name: &str, known: Option<Knows>) -> Markup {
    html! {
        select #{ "knows-" (number) } name=(field_of(name)) {
            @if known.is_none() { option value="" selected { (t("Not answered: it is left out")) } }
            @for answer in &KNOWS { option value=(answer.word) selected[known == Some(answer.value)] { (t(answer.label)) } }
        }
    }
}

/// Why the profile suggests a role for the column.
fn why(name: &str, columns: &[ColumnProfile]) -> Markup {
    let column = columns.iter().find(|column| column.name == name);
    html! { @match column { Some(column) => (coded(&reasons::reason(column))), None => (t("it follows from other columns")) } }
}

fn rows(recipe: &Recipe, columns: &[ColumnProfile], asked: &Form) -> Markup {
    let named = person(asked, recipe);
    html! {
        fieldset.question #question-rows {
            legend { h3 { (t("4. Who is in the table more than once?")) } }
            (option("rows", EACH_ROW, mark("Nobody: each row is another person"), &html! { (t("Rows are counted as people.")) }, asked))
            (option("rows", COLUMN, mark("Some are, and a column says whose row it is"), &html! { (t("People are counted, and not rows. The column itself is left out.")) }, asked))
            div.field.of-answer {
                label for="person" { (t("That column")) }
                select #person name=(PERSON) {
                    option value="" { (t("choose a column")) }
                    @for name in names(recipe, columns) { option value=(name) selected[name == named] { (name) } }
                }
            }
            (option("rows", UNKNOWN, mark("That is not known"), &unknown(recipe), asked))
            (unanswered(mark("That is not known")))
        }
    }
}

/// What becomes of a table of which nobody knows whose the rows are.
fn unknown(recipe: &Recipe) -> Markup {
    let none = Form::default();
    html! {
        @match person(&none, recipe) {
            "" => (t("A run looks for signs that a person has several rows, and refuses the table if it finds some.")),
            name => (say!("People are counted by {}, which looks like the number of a person.", html! { code { (name) } })),
        }
    }
}

fn worst(recipe: &Recipe, columns: &[ColumnProfile], asked: &Form) -> Markup {
    let chosen = secrets(asked, recipe);
    let [found, secret, anything] = &WORST;
    html! {
        fieldset.question #question-worst {
            legend { h3 { (t("5. What would be the worst?")) } }
            (option("worst", found.word, found.label, &html! { (t(found.meaning)) }, asked))
            (option("worst", secret.word, secret.label, &html! { (t(secret.meaning)) }, asked))
            fieldset.of-answer {
                legend { (t("The secrets are in")) }
                @for (number, name) in names(recipe, columns).iter().enumerate() {
                    span.check {
                        input #{ "secret-" (number) } type="checkbox" name=(SECRET) value=(name) checked[chosen.contains(name)];
                        label for={ "secret-" (number) } { (name) }
                    }
                }
                p.note { (t("With none chosen, all columns that only you know count. A column that others may know is made coarser, and is no secret.")) }
            }
            (option("worst", anything.word, anything.label, &html! { (t(anything.meaning)) }, asked))
            (unanswered(anything.label))
        }
    }
}
