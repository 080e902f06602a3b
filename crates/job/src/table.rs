//! A recipe's table: opened, its columns matched with the recipe's attributes, read.

use std::num::NonZeroU32;
use std::sync::Arc;

use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_core::key::{Layout, bits_for};
use velamen_core::sample::{Share, records_per_person, sample};
use velamen_engine::sink::ColumnKind;
use velamen_engine::source::{Input, ReadOptions, is_value_like};
use velamen_engine::{ColumnRequest, KeptRecords, Outside, Survey};
use velamen_recipe::{
    Code, Identities, JobError, Missing, Origin, Resolved, ResolvedAttribute, Unnamed, WhereSection, unnamed,
};

use crate::engine::Engine;
use crate::{flat, identity, spellings};

/// An opened table with the part of each column.
pub struct OpenedTable {
    pub(crate) input: Input,
    pub(crate) engine: Engine,
    /// Released columns in the order of the file.
    pub(crate) requests: Vec<ColumnRequest>,
    /// The columns that are read, where they are not those that are released.
    read_first: Option<(Vec<ColumnRequest>, Identities)>,
    pub(crate) warnings: Vec<String>,
    /// Whether columns are released as text, whatever they were.
    text: bool,
    /// The share of records that are kept; `None` for all.
    sample: Option<Share>,
    /// The records of a person at most; `None` for all.
    per_person: Option<NonZeroU32>,
    /// The pseudonyms that may be those of people with several records.
    pseudonyms: Vec<String>,
    missing: Missing,
    /// Whether nothing but the released records may depend on a record.
    private: bool,
    /// Whether an insensitive column is left out.
    pub(crate) drops_insensitive: bool,
}

/// The bits of a record's codes that the engine can hold, in words of 64.
const MOST_WORDS: usize = 16;
/// The bits of one code at most, and those that the engine keeps to spare.
const MOST_BITS: u32 = 32;
const SPARE_BITS: u32 = 2;

/// How the recipe's table is read: where the method is private, such that no record decides whether it can be.
fn read_options(recipe: &Resolved, show_values: bool) -> ReadOptions {
    // Columns that conditions lack are refused with their place in the recipe.
    let wanted = KeptRecords { where_absent: true, ..recipe.read.wanted.clone() };
    let options = ReadOptions { show_values, wanted, ..recipe.read.clone() };
    if !recipe.method.is_private() {
        return ReadOptions { refuse_mark: true, ..options };
    }
    let names = recipe.attributes.iter().map(|attribute| attribute.name.clone()).collect();
    ReadOptions { outside: Outside::Apart, declared: Some(names), ..options }
}

/// Refuses what single records would decide: the delimiter, the shape of a sheet, whether bytes can be decoded.
fn refuse_told_by_records(input: &Input, options: &ReadOptions) -> Result<(), Problem> {
    if !input.format.format.is_written() || options.encoding.is_some() {
        return Err(Problem::new(
            "input: a differentially private method reads no workbook and no `encoding`: a single record \
                could decide whether they can be read",
        )
        .mend("export the table as csv in UTF-8"));
    }
    if input.format.free_delimiter().is_some() && options.columns.is_some() && options.delimiter.is_none() {
        return Err(Problem::new(
            "input.delimiter: with header = false it would be read off the first record, which is not differentially private",
        )
        .mend("give it, for example \",\""));
    }
    Ok(())
}

impl OpenedTable {
    /// Opens the input and gives every column its part.
    pub fn open(recipe: &Resolved, path: &std::path::Path, show_values: bool) -> Result<Self, JobError> {
        let options = read_options(recipe, show_values);
        if recipe.method.is_private() && options.headerless && options.columns.is_none() {
            let problem = "input.columns: with header = false their number would be read off the first record, which is \
                           not differentially private";
            return Err(JobError::recipe(path, problem).mend("name the columns"));
        }
        let (engine, origin) = Engine::open(recipe, show_values)?;
        let input = origin.open(&options)?;
        refuse_lacking(recipe, &input)?;
        if recipe.method.is_private() {
            refuse_told_by_records(&input, &options).map_err(|problem| JobError::recipe(path, problem))?;
        }
        for attribute in &recipe.attributes {
            if !input.columns.contains(&attribute.name) {
                let name = &attribute.name;
                let problem =
                    Problem::new(format!("attribute `{name}` is not a column of {}", recipe.input.label()))
                        .mend(flat::nearest(name, &flat::shown(&input)));
                let refusal = recipe.places.refuse(path, &["attributes", name], problem);
                return Err(refusal.coded(Code::NO_SUCH_COLUMN));
            }
        }
        let mut warnings = recipe.notes.clone();
        warnings.extend(of_unnamed(recipe, path, &input)?);
        let (mut requests, mut drops_insensitive) = (Vec::new(), false);
        for (index, name) in input.columns.iter().enumerate() {
            let named = recipe.attributes.iter().find(|attribute| attribute.name == *name);
            let role = match (named, recipe.unnamed) {
                (Some(attribute), _) => attribute.role,
                (None, _) if recipe.is_only_source(name) => continue,
                (None, Some(Unnamed::Insensitive)) => Role::Insensitive,
                (None, _) => continue,
            };
            if let Some(why) = recipe.method.drops_insensitive().filter(|_| role == Role::Insensitive) {
                warnings.push(format!("column `{name}` is insensitive and dropped, {why}"));
                drops_insensitive = true;
                continue;
            }
            if role != Role::Identifier {
                requests.push(request(index, name, role, named));
            }
        }
        if requests.iter().any(|request| request.name == CLASS_ID) {
            let message = Problem::new(format!(
                "the input has a column `{CLASS_ID}`, the name of the released class ids"
            ))
            .mend("rename it");
            return Err(JobError::data(message));
        }
        let read_first = identity::requests(&recipe.identities, &input.columns, &mut requests)
            .map(|first| (first, recipe.identities.clone()));
        Ok(Self {
            input,
            engine,
            requests,
            read_first,
            warnings,
            text: false,
            sample: recipe.sample,
            // A private method bounds them itself, by no draw that another person's records could change.
            per_person: recipe.records_per_person.filter(|_| !recipe.method.is_private()),
            pseudonyms: identity::of_people(recipe),
            missing: recipe.missing,
            private: recipe.method.is_private(),
            drops_insensitive,
        })
    }

    /// Refuses a table of columns so wide that some table over the declared domains could not be counted.
    /// The records are not looked at.
    pub(crate) fn refuse_wide(&self) -> Result<(), JobError> {
        let bits = |request: &ColumnRequest| {
            let most = request.rule.most_values().and_then(|most| usize::try_from(most).ok());
            most.map_or(MOST_BITS, |most| (bits_for(most) + SPARE_BITS).min(MOST_BITS))
        };
        let requests = self.read_requests();
        let in_file: Vec<u32> = requests.iter().map(bits).collect();
        let is_qi = |request: &&ColumnRequest| request.role == Role::QuasiIdentifier;
        let by_role = requests.iter().filter(is_qi).chain(requests.iter().filter(|request| !is_qi(request)));
        let by_role: Vec<u32> = by_role.map(bits).collect();
        if [in_file, by_role].iter().any(|bits| Layout::new(bits).words() > MOST_WORDS) {
            return Err(JobError::data(
                "the declared domains of the released columns need more than 1024 bits a record",
            )
            .mend("drop some (role = \"identifier\"), or give hierarchies that list fewer values"));
        }
        Ok(())
    }

    /// Forgets what of the columns' order and types a single record can decide, as in ndjson: columns come
    /// in the order of their names, as text.
    pub(crate) fn forget_form(&mut self) {
        if self.input.format.is_keyed() {
            self.requests.sort_by(|a, b| a.name.cmp(&b.name));
        }
        self.text = true;
    }

    /// The type of a column of the input, for formats that have types.
    pub(crate) fn kind(&self, column: usize) -> ColumnKind {
        let name = &self.input.columns[column];
        let replaced = |(_, identities): &(_, Identities)| identities.pseudonym(name).is_some();
        if self.text || self.read_first.as_ref().is_some_and(replaced) {
            return ColumnKind::Text;
        }
        let kind = self.input.kinds().and_then(|kinds| kinds.get(column).cloned());
        kind.map_or(ColumnKind::Text, ColumnKind::As)
    }

    /// The table, or a random sample of it.
    pub fn read(&mut self, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
        let key = self.read_first.as_ref().map(|(_, identities)| identity::key(identities)).transpose()?;
        let requests = self.read_first.as_ref().map_or(&self.requests, |(first, _)| first);
        let (mut table, warnings) = self.engine.read(&self.input, requests, context)?;
        if let (Some((_, identities)), Some(key)) = (&self.read_first, key) {
            table = identity::apply(&table, identities, &key, &self.requests)?;
        }
        self.warnings.extend(warnings);
        self.drawn(table, context)
    }

    /// Some columns of all records, whatever the recipe keeps.
    pub(crate) fn read_all(
        &self,
        requests: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, JobError> {
        self.engine.read_all(&self.input, requests, context)
    }

    /// What the columns that are read hold, without keeping it.
    pub(crate) fn survey(&self, context: &Context<'_>) -> Result<Survey, JobError> {
        Ok(self.input.survey(self.read_requests(), context)?)
    }

    /// The columns that are read.
    pub(crate) fn read_requests(&self) -> &[ColumnRequest] {
        self.read_first.as_ref().map_or(&self.requests, |(first, _)| first)
    }

    /// What a run makes of a table that was read.
    pub(crate) fn drawn(
        &self,
        table: FrequencyTable,
        context: &Context<'_>,
    ) -> Result<FrequencyTable, JobError> {
        let mut table = table;
        if !self.private {
            // Before records of a person are bounded. A private method bounds them itself.
            spellings::take_spellings_together(&mut table);
        }
        let mut table = self.sampled(table, context)?;
        if self.missing == Missing::Wildcard {
            for qi in &mut table.qis {
                qi.hierarchy = qi.hierarchy.clone().with_wildcards();
            }
        }
        if !self.private {
            identity::count_people(&mut table, &self.pseudonyms);
        }
        Ok(table)
    }

    /// A table that was read without the records beyond a person's most, or a random sample of it, as asked.
    fn sampled(&self, table: FrequencyTable, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
        if self.sample.is_none() && self.per_person.is_none() {
            return Ok(table);
        }
        let of_role =
            |qi: bool| self.requests.iter().filter(move |r| (r.role == Role::QuasiIdentifier) == qi);
        let rules: Vec<&Rule> = of_role(true).map(|request| &*request.rule).collect();
        let whole: Vec<bool> = of_role(false).map(|request| request.whole_domain).collect();
        let table = match self.per_person {
            Some(most) => records_per_person(&table, most, &rules, &whole, context.seed),
            None => table,
        };
        let Some(share) = self.sample else { return Ok(table) };
        let sample = sample(&table, share, &rules, &whole, context.seed);
        if sample.is_empty() && !self.private {
            return Err(JobError::data("the random sample holds no record").mend("raise input.sample"));
        }
        Ok(sample)
    }
}

/// Refuses a condition on a column that the table lacks.
fn refuse_lacking(recipe: &Resolved, input: &Input) -> Result<(), JobError> {
    let mut sections = recipe.kept.iter().enumerate();
    match sections.find(|(_, section)| !input.columns.contains(&section.column)) {
        None => Ok(()),
        Some((place, WhereSection { column, .. })) => {
            let problem = format!("where: `{column}` is not a column of {}", recipe.input.label());
            let mend = flat::nearest(column, &flat::shown(input));
            let problem = Problem::of(&["column"], problem).mend(mend);
            let refusal = recipe.places.refuse(&recipe.file, &["where", &place.to_string()], problem);
            Err(refusal.coded(Code::NO_SUCH_COLUMN))
        }
    }
}

/// Refuses columns that the recipe does not name, or says what becomes of them.
fn of_unnamed(recipe: &Resolved, path: &std::path::Path, input: &Input) -> Result<Vec<String>, JobError> {
    let is_named = |name: &str| recipe.attributes.iter().any(|attribute| attribute.name == name);
    let unnamed: Vec<&str> = input
        .columns
        .iter()
        .map(String::as_str)
        .filter(|name| !is_named(name) && !recipe.is_only_source(name))
        .collect();
    // Keys of ndjson come from records, and where these are private nothing may hang on one.
    let of_records = recipe.method.is_private() && input.format.is_keyed();
    let in_memory = matches!(recipe.input, Origin::Batches(_));
    let hidden = |name: &str| input.format.is_keyed() && is_value_like(name);
    let fate = match recipe.unnamed {
        _ if unnamed.is_empty() || of_records => return Ok(Vec::new()),
        None if unnamed.iter().any(|name| hidden(name)) => {
            let problem = Problem::new(format!(
                "{} keys of the records are not named in the recipe, and some look like values, so that \
                    none is shown",
                unnamed.len()
            ))
            .mend("write unnamed = \"drop\" at the top of the recipe to leave them out");
            return Err(JobError::recipe(path, problem).coded(Code::UNNAMED_COLUMNS));
        }
        None => {
            let problem = unnamed::refusal(&unnamed, !recipe.method.is_private() && !in_memory);
            return Err(JobError::recipe(path, problem).coded(Code::UNNAMED_COLUMNS));
        }
        Some(Unnamed::Insensitive) if in_memory => {
            let problem = unnamed::refusal_in_memory(&unnamed);
            return Err(recipe.places.refuse(path, &["unnamed"], problem));
        }
        Some(Unnamed::Drop) => "dropped",
        Some(Unnamed::Insensitive) if recipe.method.drops_insensitive().is_some() => "insensitive",
        Some(Unnamed::Insensitive) => "released unchanged as insensitive",
    };
    let place =
        |name: &str| input.columns.iter().position(|column| column == name).map_or(0, |place| place + 1);
    let called = |name: &str| match hidden(name) {
        true => format!("column {} (its name looks like a value)", place(name)),
        false => format!("column `{name}`"),
    };
    Ok(unnamed.iter().map(|name| format!("{} is not named in the recipe: {fate}", called(name))).collect())
}

fn request(index: usize, name: &str, role: Role, named: Option<&ResolvedAttribute>) -> ColumnRequest {
    let rule = named.map_or_else(|| Arc::new(Rule::Flat), |attribute| Arc::clone(&attribute.rule));
    let whole_domain = role == Role::Sensitive && matches!(*rule, Rule::Table(_));
    ColumnRequest { index, name: name.into(), role, rule, whole_domain }
}
