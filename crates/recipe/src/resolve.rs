//! From a recipe to checked parameters: everything that can be refused before the data are read.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen_core::attribute::Attribute as ResolvedAttribute;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{CodedRule, Definition, HierarchyError, IntervalRule, Rule};
use velamen_core::impossible::Impossible;
use velamen_core::sample::Share;
use velamen_core::step::Step;
use velamen_dp::Seed;
use velamen_engine::FileFormat;
use velamen_engine::source::ReadOptions;
use velamen_search::method::{Counterfeits, Facts, Records, Task};
use velamen_search::model::{Asked as AskedModel, Population};

use super::database::{Origin, Target};
use super::hierarchy::Settled;
use super::output::written_format;
use super::preset::safe_harbor_level;
use super::reads::Read;
use super::{
    About, AskedMethod, AttributeSection, ClusterEngine, DerivedSection, DomainSection, Formulas, Identities,
    Missing, Preset, Recipe, ResolvedBudget, SeedSection, Unnamed, WhereSection, Words,
};
use crate::places::Places;
use crate::population::ResolvedPopulation;
use crate::{Code, JobError};

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
    /// What `release.json` says of which records were kept.
    pub kept: Vec<WhereSection>,
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
    /// Whether every record of the table is said to be of another person.
    pub one_record_each: bool,
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
    /// The recipe's file: what messages call it.
    pub file: PathBuf,
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
        let (method, others) = (&self.method, &other.method);
        let parts = [
            ("where", self.kept == other.kept),
            ("input", self.reads_the_records_of(other)),
            ("unnamed", self.unnamed == other.unnamed),
            ("attributes", self.attributes.iter().map(as_read).eq(other.attributes.iter().map(as_read))),
            ("attributes: rows", self.persons() == other.persons()),
            ("population", self.population == other.population),
            ("key", self.identities == other.identities),
            ("engine", self.engine == other.engine),
            ("method: whether it is private", method.is_private() == others.is_private()),
            (
                "method: whether insensitive columns are dropped",
                method.drops_insensitive() == others.drops_insensitive(),
            ),
        ];
        parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part)
    }

    /// Whether both take the same records from the same place in the same way.
    fn reads_the_records_of(&self, other: &Self) -> bool {
        let how = |recipe: &Self| (recipe.sample, recipe.missing);
        self.input.is_same(&other.input) && self.read == other.read && how(self) == how(other)
    }

    /// Whose the records are.
    fn persons(&self) -> (&[String], Option<NonZeroU32>) {
        (&self.independent, self.records_per_person)
    }

    /// What models see of the population, if the recipe names one.
    pub fn population_of(&self, table: &FrequencyTable) -> Option<Population> {
        let counted = table.population.as_ref().map_or(0, |population| population.counts.iter().sum());
        self.population.as_ref().map(|population| population.seen(counted))
    }
}

/// What of an attribute decides how its column is read.
fn as_read(attribute: &ResolvedAttribute) -> impl PartialEq + '_ {
    let ResolvedAttribute { name, role, definition, bottom, top, from_data, .. } = attribute;
    (name, role, definition, bottom, top, from_data)
}

impl Recipe {
    /// Checks everything that needs no data and reads the hierarchies.
    ///
    /// # Errors
    /// [`JobError::recipe`], [`JobError::io`].
    pub fn resolve(&self) -> Result<Resolved, JobError> {
        let path = &*self.file;
        let wrong = |problem: Problem| JobError::of_recipe(path, &problem);
        let at = |place: &[&str], problem: Problem| self.refuse(path, place, problem);
        let (input, table) = (self.origin(path)?, self.target(path)?);
        self.refuse_unknown_method(path)?;
        let attributes = self
            .attributes
            .iter()
            .map(|(name, section)| self.resolve_attribute(path, &input, name, section))
            .collect::<Result<Vec<_>, _>>()?;
        if !attributes.iter().any(|attribute| attribute.role == Role::QuasiIdentifier) {
            let problem = Problem::new("no attribute has the role \"quasi-identifier\"");
            let mend = "name those that an adversary may know, for example [attributes.age] role = \"quasi-identifier\"";
            return Err(wrong(problem.mend(mend)).coded(Code::NO_QUASI_IDENTIFIER));
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
                Problem::new(format!(
                    "preset \"{}\" counts records of persons, and counterfeits are none: what the catalog \
                        leaves of a class can be smaller than its k",
                    preset.name()
                ))
                .mend("choose name = \"optimal\", \"mondrian\" or a clustering"),
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
            return Err(at(
                &["engine", "kind"],
                Problem::new(
                    "engine: a cluster refuses a table for what is in its records, which differential \
                        privacy does not allow",
                )
                .mend("leave [engine] kind out"),
            ));
        }
        if matches!(input, Origin::Query(_)) && method.is_private() {
            return Err(at(
                &["input", "query"],
                Problem::new(
                    "input.query: a database can refuse a query for what is in a record, which \
                        differential privacy does not allow",
                )
                .mend("export its records to a file, and give input.path"),
            ));
        }
        let derived = self.derived(path, &attributes)?;
        let population = Self::derived_where_absent(self.population(path)?, &derived);
        let only_sources = self.only_sources(&derived);
        Ok(Resolved {
            input,
            preset: self.preset,
            read: ReadOptions {
                derived,
                wanted: self.wanted(path, &attributes)?,
                ..self.read_options(path)?
            },
            kept: self.kept.clone(),
            derived: self.stated_derived(&attributes),
            only_sources,
            sample: sample.map_err(|problem| at(&["input", "sample"], problem.into()))?,
            unnamed: self.unnamed,
            attributes,
            missing: self.input.missing,
            budget: self.ledger(path, &models, &method)?,
            method,
            population,
            models,
            impossible,
            seed: seed.map_err(|error| at(&["method", "seed"], format!("method.seed: {error}").into()))?,
            output: self.output.path.clone(),
            table,
            format: format.map_err(|error| at(&["output", "format"], error.after("output.format: ")))?,
            attach: self.attached(path).map_err(|problem| at(&["output", "attach"], problem))?,
            formulas: self.output.formulas,
            sync: self.output.sync,
            reads: self.reads(path),
            memory: self.memory(path)?,
            engine,
            independent: self.independent().map_err(|problem| at(&["attributes"], problem))?,
            one_record_each: self.one_record_each().map_err(|problem| at(&["input", "rows"], problem))?,
            records_per_person: self.records_per_person().map_err(|problem| at(&["attributes"], problem))?,
            identities,
            file: self.file.clone(),
            places: self.places.clone(),
            notes: self.notes.iter().cloned().chain(idle).collect(),
            risk: self.report.checked_risk().map_err(|problem| at(&["report"], problem))?,
            about: self.report.about().map_err(|problem| at(&["report"], problem))?,
            words: self.words(path)?,
        })
    }

    fn seed(&self) -> Option<Result<Seed, velamen_dp::SeedError>> {
        self.method.seed.as_ref().map(|seed| match seed {
            SeedSection::Number(number) => Ok(Seed::from_number(*number)),
            SeedSection::Text(text) => text.parse(),
        })
    }
}

/// Refuses a lattice that the method cannot search, before the data are read.
fn refuse_large_lattice(attributes: &[ResolvedAttribute], method: &Facts) -> Result<(), Problem> {
    let Some(most) = method.most_nodes else { return Ok(()) };
    let qis = attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier);
    let levels = qis.map(|attribute| u128::from(attribute.levels.1 - attribute.levels.0) + 1);
    let nodes = levels.fold(1u128, u128::saturating_mul);
    if nodes <= most {
        return Ok(());
    }
    let problem = format!(
        "the quasi-identifiers' levels make a lattice of {:.1e} nodes, more than the {:.1e} that can be searched",
        nodes as f64, most as f64
    );
    Err(Problem::new(problem).mend("coarsen or drop some, or give hierarchies fewer levels"))
}

/// Refuses what only generalization heeds where nothing is generalized.
fn refuse_idle(section: &AttributeSection) -> Result<(), Problem> {
    if section.role == Role::QuasiIdentifier {
        return Ok(());
    }
    match section.of_generalization() {
        Some(key) => {
            let problem = format!(
                "`{key}` goes with the role \"quasi-identifier\" only: attributes of other roles are not generalized"
            );
            Err(Problem::of(&[key], problem).mend("drop it"))
        }
        None => Ok(()),
    }
}

/// Refuses a step where the ends of ranges are declared otherwise, or that no value of the domain is a multiple of.
fn refuse_step(section: &AttributeSection, rule: &Rule) -> Result<(), Problem> {
    let Some(step) = section.step else { return Ok(()) };
    let inner = match rule {
        Rule::Flat => return Ok(()),
        Rule::Interval(rule) => Some(rule),
        Rule::Coded(rule) => rule.intervals(),
        _ => {
            return Err(Problem::new(
                "`step` goes with numbers (`interval`, `cuts` or no hierarchy) and with dates without a \
                    hierarchy: this hierarchy says already what may be released",
            )
            .mend("drop `step`"));
        }
    };
    let decimals = inner.map_or(9, IntervalRule::decimals);
    match step {
        Step::Span(_) => Err("`step` of numbers is a number".into()),
        Step::Number(step) => {
            let units = step * 10f64.powi(decimals as i32);
            match units >= 0.5 && (units - units.round()).abs() < 1e-6 * units {
                true => Ok(()),
                false => {
                    Err(format!("`step` = {step} has more decimals than the hierarchy's {decimals}").into())
                }
            }
        }
    }
}

/// The weight and the levels that a section asks for.
fn weight_and_levels(section: &AttributeSection, rule: &Rule) -> Result<(f64, (u8, u8)), (Code, Problem)> {
    let weight = section.weight.unwrap_or(1.0);
    if !(weight >= 0.0 && weight.is_finite()) {
        return Err((Code::ATTRIBUTE, Problem::of(&["weight"], "weight is a number from 0")));
    }
    let top = rule.top();
    if section.level.is_some() && (section.min_level.is_some() || section.max_level.is_some()) {
        let problem = "`level` goes with neither `min-level` nor `max-level`";
        return Err((
            Code::LEVELS,
            Problem::of(&["level", "min-level", "max-level"], problem).mend("give either it or them"),
        ));
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
        return Err((Code::LEVELS, Problem::of(&[key, "min-level"], problem)));
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
        let refuse = |problem: Problem| self.refuse(path, &["attributes", name], problem.in_attribute(name));
        let declared =
            super::domain::definition(path, name, section, self.method.facts().records == Records::Invented)?;
        let settled = match &section.hierarchy {
            None => {
                let definition = declared.as_ref().map(|declared| declared.definition.clone());
                Settled { definition, source: path.to_owned(), ..Settled::default() }
            }
            Some(hierarchy) => self.settle(path, input, name, hierarchy)?,
        };
        let rule = match &settled.definition {
            None => Rule::Flat,
            Some(definition) => {
                let located = |error: HierarchyError| {
                    let problem = error.problem().after(&format!("hierarchy of attribute `{name}`: "));
                    let refusal = match settled.source == path {
                        true => self.refuse(path, &["attributes", name, "hierarchy"], problem),
                        false => JobError::of_recipe(&settled.source, &problem),
                    };
                    refusal.coded(error.code())
                };
                Rule::try_from(definition).map_err(located)?
            }
        };
        let numbers = matches!(section.domain, Some(DomainSection::Numbers(_)));
        let rule = if numbers && section.role == Role::QuasiIdentifier { rule.of_numbers() } else { rule };
        if settled.top.is_some() && section.top.is_some() {
            return Err(refuse(Problem::of(
                &["top"],
                Problem::new("`age` codes the oldest already").mend("drop `top`"),
            )));
        }
        // Only quasi-identifiers are coded.
        let top = settled.top.filter(|_| section.role == Role::QuasiIdentifier);
        let section = AttributeSection { top: section.top.or(top), ..section.clone() };
        let rule = Arc::new(coded(rule, &section).map_err(refuse)?);
        refuse_idle(&section).map_err(refuse)?;
        self.refuse_missing(&section).map_err(refuse)?;
        refuse_step(&section, &rule).map_err(|problem| refuse(Problem::of(&["step"], problem)))?;
        let (weight, mut levels) =
            weight_and_levels(&section, &rule).map_err(|(code, problem)| refuse(problem).coded(code))?;
        if self.preset == Some(Preset::HipaaSafeHarbor) && section.role == Role::QuasiIdentifier {
            levels.0 = self.allowed(levels, settled.definition.as_ref()).map_err(refuse)?;
        }
        let levels_asked = section.level.or(section.min_level).or(section.max_level).is_some();
        let AttributeSection { role, bottom, top, step, ref identifier_like, .. } = section;
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
            records_per_person: section.records_per_person,
            missing: section.missing == Some(true),
            bins: declared.map_or(0, |declared| declared.bins),
            intended: identifier_like.is_some(),
        })
    }
}

impl Recipe {
    /// Refuses `missing` where no domain is declared: everywhere else missing values are released as they occur.
    fn refuse_missing(&self, section: &AttributeSection) -> Result<(), Problem> {
        let is_declared =
            self.method.facts().records == Records::Invented && section.role == Role::QuasiIdentifier;
        match section.missing {
            Some(_) if !is_declared => {
                Err(Problem::of(&["missing"], "`missing` goes with invented records only").mend("drop it"))
            }
            _ => Ok(()),
        }
    }

    /// The least level of those asked for that HIPAA's Safe Harbor allows.
    fn allowed(&self, levels: (u8, u8), definition: Option<&Definition>) -> Result<u8, Problem> {
        let least = u8::try_from(safe_harbor_level(definition)).unwrap_or(u8::MAX);
        if least > levels.1 {
            let problem = format!("the preset \"hipaa-safe-harbor\" needs level {least} at least");
            return Err(Problem::of(&["level"], problem));
        }
        if least > 0 && !self.method.facts().one_level {
            let problem = "the preset \"hipaa-safe-harbor\" needs one level for the whole table where there are dates \
                           and ZIP codes";
            return Err(Problem::of(&["level"], problem)
                .mend("choose name = \"optimal\" or h-ceiling with parts = \"full-domain\""));
        }
        Ok(levels.0.max(least))
    }
}

/// The rule with top and bottom coding, if that is asked for.
fn coded(rule: Rule, section: &AttributeSection) -> Result<Rule, Problem> {
    let inner = match rule {
        rule if section.bottom.is_none() && section.top.is_none() => return Ok(rule),
        _ if section.role != Role::QuasiIdentifier => {
            return Err(Problem::of(&["top", "bottom"], "`top` and `bottom` are for quasi-identifiers"));
        }
        Rule::Interval(rule) => Some(rule),
        Rule::Flat => None,
        _ => {
            let problem = "`top` and `bottom` go with `interval`, `cuts` or no hierarchy";
            return Err(Problem::of(&["top", "bottom"], problem));
        }
    };
    CodedRule::new(inner, section.bottom, section.top).map(Rule::Coded).map_err(|error| error.problem())
}
