//! From a recipe to checked parameters: everything that can be refused before the data are read.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use velamen_core::attribute::Attribute as ResolvedAttribute;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{CodedRule, Definition, HierarchyError, IntervalRule, Rule};
use velamen_core::impossible::Impossible;
use velamen_core::sample::Share;
use velamen_core::step::Step;
use velamen_dp::Seed;
use velamen_engine::FileFormat;
use velamen_engine::source::ReadOptions;
use velamen_search::method::{Counterfeits, Facts, Task};
use velamen_search::model;
use velamen_search::model::{Asked as AskedModel, ParameterError, Population};

use super::database::{Origin, Target};
use super::hierarchy::Settled;
use super::output::written_format;
use super::preset::safe_harbor_level;
use super::reads::Read;
use super::{
    About, AskedMethod, AttributeSection, ClusterEngine, DerivedSection, Formulas, Identities, Missing,
    Preset, Recipe, ResolvedBudget, SeedSection, Unnamed, Words,
};
use crate::code::{Code, Coded};
use crate::error::JobError;
use crate::nearest::{did_you_mean, explained, one_of, unknown};
use crate::places::Places;
use crate::population::ResolvedPopulation;

/// A recipe that can be run.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Where the records come from.
    pub input: Origin,
    /// The published rule whose settings were added.
    pub preset: Option<Preset>,
    /// How it is read.
    pub read: ReadOptions,
    /// The share of records that are kept, drawn at random; `None` for all.
    pub sample: Option<Share>,
    /// What a missing quasi-identifier value matches.
    pub missing: Missing,
    /// What becomes of columns that it does not name; `None`: they are refused.
    pub unnamed: Option<Unnamed>,
    /// What `release.json` says of derived columns.
    pub derived: Vec<(String, DerivedSection)>,
    /// Columns that have no role, since others follow from them: they are not released.
    pub only_sources: Vec<String>,
    /// The attributes that the recipe names.
    pub attributes: Vec<ResolvedAttribute>,
    /// The population, if one is given.
    pub population: Option<ResolvedPopulation>,
    /// The privacy models.
    pub models: Vec<AskedModel>,
    /// Pairs of values that nobody has; none where no counterfeit is made.
    pub impossible: Vec<Impossible>,
    /// The method.
    pub method: AskedMethod,
    /// The ledger that counts what the run spends, and the total.
    pub budget: Option<ResolvedBudget>,
    /// The seed, if the recipe fixes one.
    pub seed: Option<Seed>,
    /// The release folder.
    pub output: PathBuf,
    /// The table of a database that gets the release, too.
    pub table: Option<Target>,
    /// The released file's format, if the recipe fixes one.
    pub format: Option<FileFormat>,
    /// Columns of which records of one value are said to be of different persons.
    pub independent: Vec<String>,
    /// The records of a person at most; `None` for all.
    pub records_per_person: Option<NonZeroU32>,
    /// What becomes of identifiers and dates before anything else sees them.
    pub identities: Identities,
    /// The highest risk of re-identification that the recipe asks for.
    pub risk: Option<f64>,
    /// What the custodian says of the release.
    pub about: About,
    /// What the custodian says of attributes.
    pub words: BTreeMap<String, Words>,
    /// Files that go with the release, as the recipe names them and where they lie.
    pub attach: Vec<(String, PathBuf)>,
    /// What becomes of cells that look like formulas.
    pub formulas: Formulas,
    /// Whether the folders are brought to the disk before they appear.
    pub sync: bool,
    /// The files that the run reads, none of which it may write over.
    pub reads: Vec<Read>,
    /// The bytes of memory that the run may need; `None` for what the machine has free.
    pub memory: Option<u64>,
    /// The cluster that reads the table; `None` where this process does.
    pub engine: Option<ClusterEngine>,
    /// Where the recipe says all this.
    pub places: Places,
    /// What of the recipe's file the command line left out.
    pub notes: Vec<String>,
}

impl Resolved {
    /// Whether a column of the input has no role of its own because others follow from it.
    #[must_use]
    pub fn is_only_source(&self, column: &str) -> bool {
        self.only_sources.iter().any(|source| source == column)
    }

    /// What is asked of the method besides its own keys.
    pub fn task(&self, population: Option<Population>) -> Task<'_> {
        let Self { attributes, models, impossible, .. } = self;
        Task { population, impossible, ..Task::new(attributes, models) }
    }

    /// What of another recipe makes it read a table otherwise than this one, if anything does.
    pub fn read_otherwise(&self, other: &Self) -> Option<&'static str> {
        let parts = |recipe: &Self| -> Vec<(&'static str, String)> {
            let attribute = |attribute: &ResolvedAttribute| {
                let ResolvedAttribute { name, role, definition, bottom, top, from_data, .. } = attribute;
                format!("{:?}", (name, role, definition, bottom, top, from_data))
            };
            vec![
                ("input", format!("{:?}", (&recipe.input, &recipe.read, recipe.sample, recipe.missing))),
                ("unnamed", format!("{:?}", recipe.unnamed)),
                ("attributes", recipe.attributes.iter().map(attribute).collect()),
                ("attributes: rows", format!("{:?}", (&recipe.independent, recipe.records_per_person))),
                ("population", format!("{:?}", recipe.population)),
                ("key", format!("{:?}", recipe.identities)),
                ("engine", format!("{:?}", recipe.engine)),
                ("method: whether it is private", recipe.method.is_private().to_string()),
                (
                    "method: whether insensitive columns are dropped",
                    format!("{:?}", recipe.method.drops_insensitive()),
                ),
            ]
        };
        parts(self).into_iter().zip(parts(other)).find(|(own, other)| own != other).map(|(own, _)| own.0)
    }

    /// What models see of the population, if the recipe names one.
    pub fn population_of(&self, table: &FrequencyTable) -> Option<Population> {
        let counted = table.population.as_ref().map_or(0, |population| population.counts.iter().sum());
        self.population.as_ref().map(|population| population.seen(counted))
    }
}

impl Recipe {
    /// Checks everything that needs no data and reads the hierarchies.
    ///
    /// # Errors
    /// [`JobError::Recipe`], [`JobError::Io`].
    pub fn resolve(&self, path: &Path) -> Result<Resolved, JobError> {
        let wrong = |problem: String| JobError::recipe(path, problem);
        let at = |place: &[&str], problem: String| self.refuse(path, place, problem);
        let (input, table) = (self.origin(path)?, self.target(path)?);
        let attributes = self
            .attributes
            .iter()
            .map(|(name, section)| self.resolve_attribute(path, &input, name, section))
            .collect::<Result<Vec<_>, _>>()?;
        if !attributes.iter().any(|attribute| attribute.role == Role::QuasiIdentifier) {
            let refusal = wrong(
                "no attribute has the role \"quasi-identifier\"; name those that an adversary may know, for example \
                 [attributes.age] role = \"quasi-identifier\""
                    .into(),
            );
            return Err(refusal.coded(Code::NO_QUASI_IDENTIFIER));
        }
        refuse_large_lattice(&attributes, &self.method.facts()).map_err(wrong)?;
        let models = self.models(path)?;
        let format = self.output.format.as_deref().map(written_format).transpose();
        let method = self.method(path, &attributes, &models)?;
        self.refuse_unnamed(method.is_private()).map_err(|problem| at(&["unnamed"], problem))?;
        if let Some(preset) = self.preset.filter(|preset| preset.least_k().is_some())
            && method.facts.counterfeits != Counterfeits::None
        {
            return Err(at(
                &["preset"],
                format!(
                    "preset \"{}\" counts records of persons, and counterfeits are none: what the catalog leaves of a class \
                 can be smaller than its k; choose name = \"optimal\", \"mondrian\" or a clustering",
                    preset.name()
                ),
            ));
        }
        if self.input.missing == Missing::Wildcard {
            self.refuse_beyond_counting(&attributes, &models, &method)
                .map_err(|problem| at(&["input", "missing"], problem))?;
        }
        let (impossible, idle) = self.pairs(path, &attributes, &method)?;
        let identities = self.identities(&attributes, &method).map_err(|problem| at(&["key"], problem))?;
        let sample = self.input.sample.map(Share::try_from).transpose();
        let seed = self.seed().transpose();
        let engine = self.engine(path)?;
        if engine.is_some() && method.is_private() {
            return Err(at(&["engine", "kind"],
                "engine: a cluster refuses a table for what is in its records, which differential privacy does not \
                 allow; leave [engine] kind out"
                    .into(),
            ));
        }
        if matches!(input, Origin::Query(_)) && method.is_private() {
            return Err(at(&["input", "query"],
                "input.query: a database can refuse a query for what is in a record, which differential privacy does \
                 not allow; export its records to a file, and give input.path"
                    .into(),
            ));
        }
        let derived = self.derived(path, &attributes)?;
        let population = Self::derived_where_absent(self.population(path)?, &derived);
        let only_sources = self.only_sources(&derived);
        Ok(Resolved {
            input,
            preset: self.preset,
            read: ReadOptions { derived, ..self.read_options(path)? },
            derived: self.stated_derived(&attributes),
            only_sources,
            sample: sample.map_err(|problem| at(&["input", "sample"], problem))?,
            unnamed: self.unnamed,
            attributes,
            missing: self.input.missing,
            budget: self.ledger(path, &models, &method)?,
            method,
            population,
            models,
            impossible,
            seed: seed.map_err(|error| at(&["method", "seed"], format!("method.seed: {error}")))?,
            output: self.output.path.clone(),
            table,
            format: format.map_err(|error| at(&["output", "format"], format!("output.format: {error}")))?,
            attach: self.attached(path).map_err(|problem| at(&["output", "attach"], problem))?,
            formulas: self.output.formulas,
            sync: self.output.sync,
            reads: self.reads(path),
            memory: self.memory(path)?,
            engine,
            independent: self.independent().map_err(|problem| at(&["attributes"], problem))?,
            records_per_person: self.records_per_person().map_err(|problem| at(&["attributes"], problem))?,
            identities,
            places: self.places.clone(),
            notes: self.notes.iter().cloned().chain(idle).collect(),
            risk: self.report.checked_risk().map_err(|problem| at(&["report"], problem))?,
            about: self.report.about().map_err(|problem| at(&["report"], problem))?,
            words: self.words(path)?,
        })
    }

    fn models(&self, path: &Path) -> Result<Vec<AskedModel>, JobError> {
        let models = self.named_models(path)?;
        match self.preset {
            Some(preset) => {
                preset.completed(models).map_err(|problem| self.refuse(path, &["preset"], problem))
            }
            None => Ok(models),
        }
    }

    fn named_models(&self, path: &Path) -> Result<Vec<AskedModel>, JobError> {
        let sets_model = self.preset.is_some_and(|preset| preset.least_k().is_some());
        if self.privacy.is_empty() && !sets_model && self.method.facts().models {
            let problem = "no privacy model; add for example [[privacy]] model = \"k-anonymity\", k = 5";
            return Err(JobError::recipe(path, problem).coded(Code::NO_MODEL));
        }
        let parse = |(number, section): (usize, &super::PrivacySection)| {
            self.asked_model(section).map_err(|(code, problem)| {
                let problem = format!("privacy {}: {problem}", number + 1);
                self.refuse(path, &["privacy", &number.to_string()], problem).coded(code)
            })
        };
        self.privacy.iter().enumerate().map(parse).collect()
    }

    fn asked_model(&self, section: &super::PrivacySection) -> Result<AskedModel, (Code, String)> {
        let entry = model::find(&section.model).ok_or_else(|| {
            let known: Vec<&str> = model::REGISTRY.names().collect();
            let problem = format!("unknown model `{}`{}", section.model, one_of(&section.model, &known));
            (Code::UNKNOWN_MODEL, problem)
        })?;
        if entry.terms.facts.population && self.population.is_none() {
            let problem = format!(
                "`{}` looks at the population: add [population] with path = \"…\", a table that contains the input's \
                 records, or size = …",
                entry.terms.name
            );
            return Err((Code::PRIVACY, problem));
        }
        let mut parameters = section.parameters.clone();
        let attribute = match entry.terms.facts.sensitive {
            true => {
                let named = self.sensitive_attribute(parameters.remove("attribute"));
                Some(named.map_err(|problem| (Code::MODEL_ATTRIBUTE, problem))?)
            }
            false => None,
        };
        let shield =
            self.shield(entry, &mut parameters).map_err(|problem| (Code::MODEL_PARAMETERS, problem))?;
        let wrong = |ParameterError { model, problem }: ParameterError| {
            let word = unknown(&problem).filter(|_| entry.terms.facts.sensitive).unwrap_or_default();
            let key = mistyped(&section.parameters, &problem);
            let problem =
                format!("{model}: {key}{}{}", explained(&problem), did_you_mean(word, ["attribute"]));
            (Code::MODEL_PARAMETERS, problem)
        };
        let model = (entry.parse)(Value::Object(parameters)).map_err(wrong)?;
        Ok(AskedModel { entry, model, attribute, shield })
    }

    /// The attribute that a model names, or the only sensitive one.
    fn sensitive_attribute(&self, named: Option<Value>) -> Result<String, String> {
        let sensitive: Vec<&String> =
            self.attributes.iter().filter(|(_, a)| a.role == Role::Sensitive).map(|(name, _)| name).collect();
        match (named, &sensitive[..]) {
            (Some(Value::String(name)), _) if sensitive.contains(&&name) => Ok(name),
            (Some(Value::String(name)), _) => {
                let near = did_you_mean(&name, sensitive.iter().map(|name| name.as_str()));
                Err(format!("the `attribute` `{name}` does not have the role \"sensitive\"{near}"))
            }
            (Some(_), _) => Err("`attribute` is the name of a sensitive attribute".into()),
            (None, [one]) => Ok((*one).clone()),
            (None, []) => {
                Err("the model looks at a sensitive attribute, but none has the role \"sensitive\"".into())
            }
            (None, _) => {
                Err("name the sensitive attribute that the model looks at: attribute = \"…\"".into())
            }
        }
    }

    fn seed(&self) -> Option<Result<Seed, velamen_dp::SeedError>> {
        self.method.seed.as_ref().map(|seed| match seed {
            SeedSection::Number(number) => Ok(Seed::from_number(*number)),
            SeedSection::Text(text) => text.parse(),
        })
    }
}

/// The parameter whose value a message of serde shows, since it does not name it.
fn mistyped(parameters: &Map<String, Value>, problem: &str) -> String {
    let shown = |value: &Value| match value {
        Value::String(_) => problem.contains(&value.to_string()),
        _ => problem.contains(&format!("`{value}`")),
    };
    let key = parameters.iter().find(|(_, value)| problem.starts_with("invalid ") && shown(value));
    key.map_or_else(String::new, |(key, _)| format!("`{key}`: "))
}

/// Refuses a lattice that the method cannot search, before the data are read.
fn refuse_large_lattice(attributes: &[ResolvedAttribute], method: &Facts) -> Result<(), String> {
    let Some(most) = method.most_nodes else { return Ok(()) };
    let qis = attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier);
    let levels = qis.map(|attribute| u128::from(attribute.levels.1 - attribute.levels.0) + 1);
    let nodes = levels.fold(1u128, u128::saturating_mul);
    if nodes <= most {
        return Ok(());
    }
    Err(format!(
        "the quasi-identifiers' levels make a lattice of {:.1e} nodes, more than the {:.1e} that can be searched; \
         coarsen or drop some, or give hierarchies fewer levels",
        nodes as f64, most as f64
    ))
}

/// Refuses what only generalization heeds where nothing is generalized.
fn refuse_idle(section: &AttributeSection) -> Result<(), String> {
    if section.role == Role::QuasiIdentifier {
        return Ok(());
    }
    let levels =
        [("level", section.level), ("min-level", section.min_level), ("max-level", section.max_level)];
    let given = levels.into_iter().find(|(_, level)| level.is_some()).map(|(key, _)| key);
    let others = [("weight", section.weight.is_some()), ("step", section.step.is_some())];
    let other = others.into_iter().find(|(_, given)| *given).map(|(key, _)| key);
    match given.or(other) {
        Some(key) => Err(format!(
            "`{key}` goes with the role \"quasi-identifier\" only: attributes of other roles are not generalized; drop it"
        )),
        None => Ok(()),
    }
}

/// Refuses a step where the ends of ranges are declared otherwise, or that no value of the domain is a multiple of.
fn refuse_step(section: &AttributeSection, rule: &Rule) -> Result<(), String> {
    let Some(step) = section.step else { return Ok(()) };
    let inner = match rule {
        Rule::Flat => return Ok(()),
        Rule::Interval(rule) => Some(rule),
        Rule::Coded(rule) => rule.intervals(),
        _ => {
            return Err("`step` goes with numbers (`interval`, `cuts` or no hierarchy) and with dates without a hierarchy: \
                        this hierarchy says already what may be released; drop `step`"
                .into());
        }
    };
    let decimals = inner.map_or(9, IntervalRule::decimals);
    match step {
        Step::Span(_) => Err("`step` of numbers is a number".into()),
        Step::Number(step) => {
            let units = step * 10f64.powi(decimals as i32);
            match units >= 0.5 && (units - units.round()).abs() < 1e-6 * units {
                true => Ok(()),
                false => Err(format!("`step` = {step} has more decimals than the hierarchy's {decimals}")),
            }
        }
    }
}

/// The weight and the levels that a section asks for.
fn weight_and_levels(section: &AttributeSection, rule: &Rule) -> Result<(f64, (u8, u8)), (Code, String)> {
    let weight = section.weight.unwrap_or(1.0);
    if !(weight >= 0.0 && weight.is_finite()) {
        return Err((Code::ATTRIBUTE, "weight is a number from 0".into()));
    }
    let top = rule.top();
    if section.level.is_some() && (section.min_level.is_some() || section.max_level.is_some()) {
        return Err((Code::LEVELS, "give either `level` or `min-level` and `max-level`".into()));
    }
    let least = section.level.or(section.min_level).unwrap_or(0);
    let most = section.level.or(section.max_level).unwrap_or(top);
    if least > most || most > top {
        let key = match (section.level, section.max_level) {
            (Some(_), _) => "level",
            (None, Some(_)) => "max-level",
            (None, None) => "min-level",
        };
        let problem =
            format!("`{key}`: levels run from 0 to {top}, and `min-level` must not exceed `max-level`");
        return Err((Code::LEVELS, problem));
    }
    Ok((weight, (least, most)))
}

impl Recipe {
    fn resolve_attribute(
        &self,
        path: &Path,
        input: &Origin,
        name: &str,
        section: &AttributeSection,
    ) -> Result<ResolvedAttribute, JobError> {
        let refuse = |problem: String| self.refuse(path, &[], format!("attribute `{name}`: {problem}"));
        let declared = super::domain::definition(path, name, section)?;
        let settled = match &section.hierarchy {
            None => Settled { definition: declared, source: path.to_owned(), ..Settled::default() },
            Some(hierarchy) => self.settle(path, input, name, hierarchy)?,
        };
        let rule = match &settled.definition {
            None => Rule::Flat,
            Some(definition) => {
                let located = |error: HierarchyError| {
                    let problem = format!("hierarchy of attribute `{name}`: {error}");
                    let refusal = match settled.source == path {
                        true => self.places.refuse(path, &["attributes", name, "hierarchy"], problem),
                        false => JobError::recipe(&settled.source, problem),
                    };
                    refusal.coded(error.code())
                };
                Rule::try_from(definition).map_err(located)?
            }
        };
        if settled.top.is_some() && section.top.is_some() {
            return Err(refuse("`age` codes the oldest already: drop `top`".into()));
        }
        // Only quasi-identifiers are coded.
        let top = settled.top.filter(|_| section.role == Role::QuasiIdentifier);
        let section = AttributeSection { top: section.top.or(top), ..section.clone() };
        let rule = Arc::new(coded(rule, &section).map_err(refuse)?);
        refuse_idle(&section).map_err(refuse)?;
        refuse_step(&section, &rule).map_err(|problem| {
            self.refuse(path, &["attributes", name, "step"], format!("attribute `{name}`: {problem}"))
        })?;
        let (weight, mut levels) =
            weight_and_levels(&section, &rule).map_err(|(code, problem)| refuse(problem).coded(code))?;
        if self.preset == Some(Preset::HipaaSafeHarbor) && section.role == Role::QuasiIdentifier {
            levels.0 = self.allowed(levels, settled.definition.as_ref()).map_err(refuse)?;
        }
        let levels_asked = section.level.or(section.min_level).or(section.max_level).is_some();
        let AttributeSection { role, bottom, top, step, identifier_like, .. } = section;
        let Settled { definition, from_data, .. } = settled;
        Ok(ResolvedAttribute {
            name: name.into(),
            role,
            definition,
            rule,
            bottom,
            top,
            weight,
            levels,
            levels_asked,
            step,
            from_data,
            intended: identifier_like.is_some(),
        })
    }
}

impl Recipe {
    /// The least level of those asked for that HIPAA's Safe Harbor allows.
    fn allowed(&self, levels: (u8, u8), definition: Option<&Definition>) -> Result<u8, String> {
        let least = u8::try_from(safe_harbor_level(definition)).unwrap_or(u8::MAX);
        if least > levels.1 {
            return Err(format!("the preset \"hipaa-safe-harbor\" needs level {least} at least"));
        }
        if least > 0 && !self.method.facts().one_level {
            return Err(
                "the preset \"hipaa-safe-harbor\" needs one level for the whole table where there are dates \
                 and ZIP codes; choose name = \"optimal\" or h-ceiling with parts = \"full-domain\""
                    .into(),
            );
        }
        Ok(levels.0.max(least))
    }
}

/// The rule with top and bottom coding, if that is asked for.
fn coded(rule: Rule, section: &AttributeSection) -> Result<Rule, String> {
    let inner = match rule {
        rule if section.bottom.is_none() && section.top.is_none() => return Ok(rule),
        _ if section.role != Role::QuasiIdentifier => {
            return Err("`top` and `bottom` are for quasi-identifiers".into());
        }
        Rule::Interval(rule) => Some(rule),
        Rule::Flat => None,
        _ => return Err("`top` and `bottom` go with `interval`, `cuts` or no hierarchy".into()),
    };
    CodedRule::new(inner, section.bottom, section.top).map(Rule::Coded).map_err(|error| error.to_string())
}
