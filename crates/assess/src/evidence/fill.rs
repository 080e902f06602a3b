//! Fills a form: the first case of an item that holds, and whose figures are there, answers it.

use std::collections::BTreeMap;

use serde_json::Value;
use velamen_recipe::JobError;

use super::ask::EvidenceRequest;
use super::facts::Facts;
use super::filled::{Counts, Evidence, Figure, Item, Section, State};
use super::form::{Case, Form, FormItem, figures};
use super::pick::{Asked, Unit};
use super::source::Sources;
use super::words::{shown, with_figures};

/// What is said where a person has several records.
const OF_PEOPLE: &str = " The risks are of people, as the release states them: its files do not show whose the records are, and sizes of groups are in \
                         records. A person with many of a group's records is found more often by somebody who picks one of them.";

/// Stands for what the sizes of groups count.
pub(super) const COUNTED: &str = "counted";

/// What fills items.
struct Filling<'a> {
    figures: BTreeMap<String, Asked>,
    sources: &'a Sources<'a>,
    facts: &'a Facts,
}

/// A form for a release.
pub(super) fn fill(
    request: &EvidenceRequest,
    sources: &Sources<'_>,
    facts: &Facts,
) -> Result<Evidence, JobError> {
    let form = Form::load(request.form)?;
    if !facts.hold(&form.needs) {
        let refusal = form.refusal.unwrap_or_else(|| "the form is not for such a release".to_owned());
        return Err(
            JobError::usage(format!("{}: {refusal}", request.release.display())).mend("choose another form")
        );
    }
    let filling = Filling { figures: figures()?, sources, facts };
    let sections = form.section.iter().map(|section| Section {
        title: section.title.clone(),
        items: section.item.iter().map(|item| filling.item(item)).collect(),
    });
    let mut evidence = Evidence {
        form: request.form,
        title: form.title.clone(),
        edition: form.edition.clone(),
        not_seen: form.not_seen.clone(),
        release: request.release.display().to_string(),
        velamen: env!("CARGO_PKG_VERSION").to_owned(),
        custodian: false,
        counts: Counts::default(),
        sections: sections.collect(),
        document: None,
        remarks: Vec::new(),
        unchecked: None,
    };
    evidence.custodian = evidence.has_originals();
    Ok(evidence)
}

impl Filling<'_> {
    fn item(&self, item: &FormItem) -> Item {
        let answered = item.case.iter().filter(|case| self.facts.hold(&case.when));
        let Answered { state, answer, note, figures, value } =
            answered.filter_map(|case| self.case(case)).next().unwrap_or_else(|| self.open(item));
        Item {
            id: item.id.clone(),
            clause: item.clause.clone(),
            ask: item.ask.clone(),
            side: item.side,
            state,
            answer,
            note,
            figures,
            changed: Vec::new(),
            field: item.field.clone(),
            value,
        }
    }

    /// What a case answers; nothing where one of its figures is missing.
    fn case(&self, case: &Case) -> Option<Answered> {
        let figures: Vec<Figure> =
            case.figures.iter().map(|name| self.figure(name)).collect::<Result<_, _>>().ok()?;
        if let Some(why) = &case.out {
            return Some(Answered { note: Some(why.clone()), figures, ..Answered::of(State::DoesNotApply) });
        }
        let said = |name: &str| self.said(name, &figures);
        let mut says = case.says.as_deref().map(|text| with_figures(text, said))?;
        // Of invented records nobody is found.
        if self.facts.has("people") && !self.facts.has("invented") {
            says.push_str(self.unit(&case.figures));
        }
        let named = |name: &String| figures.iter().find(|one| one.name == *name).map(|one| one.value.clone());
        let short = case.short.as_deref().map(|text| with_figures(text, said).into());
        let value = case.value.as_ref().and_then(named).or(short);
        Some(Answered { answer: Some(says), figures, value, ..Answered::of(State::Filled) })
    }

    /// What stands in the place of a name in braces.
    fn said(&self, name: &str, figures: &[Figure]) -> Option<String> {
        match name {
            COUNTED if self.facts.has("by-pseudonym") => Some("people".to_owned()),
            COUNTED => Some("records".to_owned()),
            _ => figures.iter().find(|one| one.name == name).map(|one| one.shown.clone()),
        }
    }

    /// An item that nothing answers, with what helps, and why a check did not.
    fn open(&self, item: &FormItem) -> Answered {
        // Nobody can be found among invented records, which have lost no detail of anybody.
        let helps = |name: &&String| !(self.facts.has("invented") && self.is_of_groups(name));
        let help = item.help.iter().filter(helps).filter_map(|name| self.figure(name).ok()).collect();
        let named =
            item.case.iter().filter(|case| self.facts.hold(&case.when)).flat_map(|case| &case.figures);
        let missing = named.filter_map(|name| self.figure(name).err()).next();
        let no_check = missing.map(|why| format!("No check fills it here: {why}."));
        let without = item.without_custodian.clone().filter(|_| !self.facts.has("custodian"));
        let note: Vec<String> = item.write.clone().into_iter().chain(without).chain(no_check).collect();
        let note = (!note.is_empty()).then(|| note.join(" "));
        Answered { note, figures: help, ..Answered::of(State::Yours) }
    }

    /// Whether a figure is of the release's groups, or of what its records lost.
    fn is_of_groups(&self, name: &str) -> bool {
        self.figures.get(name).is_some_and(Asked::is_of_groups)
    }

    /// What is said of the risks among figures where a person has several records.
    fn unit(&self, figures: &[String]) -> &'static str {
        let mut units = figures.iter().filter_map(|name| self.figures.get(name)?.counts_of_risk());
        match units.next() {
            Some(Unit::People) => OF_PEOPLE,
            Some(Unit::Records) => " These figures count records, and not people.",
            None => "",
        }
    }

    /// A figure, or why it is not there.
    fn figure(&self, name: &str) -> Result<Figure, String> {
        let asked = self.figures.get(name).ok_or_else(|| format!("there is no figure `{name}`"))?;
        let answer = self.sources.answer(asked.from).map_err(str::to_owned)?;
        let value = asked.pick(answer, &self.sources.models);
        let value = value.ok_or_else(|| asked.why_missing(answer))?;
        Ok(Figure {
            name: name.to_owned(),
            label: asked.label.clone(),
            shown: shown(&value, asked.shown),
            columns: asked.columns.iter().map(|column| column.title.clone()).collect(),
            command: self.sources.command(asked),
            is_custodians: asked.from.is_custodians(),
            value,
        })
    }
}

/// What is answered of an item.
struct Answered {
    state: State,
    answer: Option<String>,
    note: Option<String>,
    figures: Vec<Figure>,
    value: Option<Value>,
}

impl Answered {
    /// Nothing but a state.
    fn of(state: State) -> Self {
        Self { state, answer: None, note: None, figures: Vec::new(), value: None }
    }
}
