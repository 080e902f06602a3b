//! What a column could be in a recipe.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{
    Atc, AtcCodes, DateLevel, Dates, Definition, Edition, Icd10, Postcodes, Rule, Side, UkPostcode, UsZip,
};
use velamen_core::written::dates::DateFormat;
use velamen_core::written::number;
use velamen_measure::profile::finding::{Finding, Sure};
use velamen_measure::profile::header::About;
use velamen_measure::profile::identifier::Identifier;
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::{Cells, header};

use super::free_text::{of_few_records, remarks, told_in_confidence, written_freely};

/// The k that is suggested.
pub(super) const K: u64 = 5;

/// Ages end here, unless some are higher.
const AGES: f64 = 119.0;

/// From this age on all are one group.
pub(super) const OLD: f64 = 90.0;

/// Numbers of more values than this are put in intervals; fewer are codes of categories.
const CATEGORIES: usize = 10;

/// The longest code that is masked.
const LONGEST_MASK: usize = 12;

/// A role, why, and how values could be generalized.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Suggestion {
    /// Its part.
    pub role: Role,
    /// Why.
    pub why: String,
    /// Its hierarchy; `None`: a value or `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Definition>,
    /// Numbers from here up become one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// What the hierarchy does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<String>,
    /// Whether the ends of the domain are the table's, rounded outward.
    pub from_data: bool,
    /// What the name says, where no finding decided; figures can still ask for more.
    #[serde(skip)]
    pub(super) by_name: Option<Said>,
    /// Whether the recipe has to say whose the records of one value are.
    #[serde(skip)]
    pub(super) asks: bool,
}

/// What a name says of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Others may know it.
    Known,
    /// It is told in confidence.
    Confidential,
    Nothing,
}

impl Suggestion {
    fn new(role: Role, why: impl Into<String>) -> Self {
        Self {
            role,
            why: why.into(),
            hierarchy: None,
            top: None,
            levels: None,
            from_data: false,
            by_name: None,
            asks: false,
        }
    }
}

/// A role by findings and name, and a hierarchy that holds all values; `missing` records have none.
pub(super) fn suggestion(
    name: &str,
    kind: &Kind,
    cells: Cells<'_>,
    missing: u64,
    findings: &[Finding],
) -> Suggestion {
    let mut suggestion = role(name, kind, cells, missing, findings);
    if let Some(form) = forms(name, kind, cells, findings).into_iter().find(|form| form.holds(cells)) {
        suggestion.hierarchy = Some(form.definition);
        suggestion.top = form.top;
        suggestion.levels = Some(form.levels);
        suggestion.from_data = form.from_data;
    }
    suggestion
}

fn role(name: &str, kind: &Kind, cells: Cells<'_>, missing: u64, findings: &[Finding]) -> Suggestion {
    let likely = findings.iter().find(|finding| finding.sure >= Sure::Likely);
    let of = |finding: &Finding| {
        format!("({}) {}: {}", finding.identifier.letter(), finding.title, finding.why.join("; "))
    };
    match likely {
        Some(finding) if finding.identifier == Identifier::Date => {
            return Suggestion::new(Role::QuasiIdentifier, of(finding));
        }
        Some(finding)
            if finding.identifier == Identifier::Geographic
                && !finding.is_exact()
                && !is_address(name, kind, cells) =>
        {
            return Suggestion::new(Role::QuasiIdentifier, of(finding));
        }
        Some(finding) => return Suggestion::new(Role::Identifier, of(finding)),
        None => {}
    }
    if *kind == Kind::Empty {
        let why =
            "no record has a value: there is nothing to release, and the next table may have texts here";
        return Suggestion::new(Role::Identifier, why);
    }
    if header::tells_births(name) && matches!(kind, Kind::Text { .. } | Kind::Code { .. }) {
        let why = "a birth in a form that is not read as a day, so that nothing coarser could be released; write it as 1980-12-31";
        return Suggestion::new(Role::Identifier, why);
    }
    let about = header::about(name);
    let confidential = matches!(about, Some((About::Confidential, _)));
    let free = remarks(name, kind, cells, about.is_some())
        .or_else(|| written_freely(kind, cells, missing, about.is_some()))
        .or_else(|| told_in_confidence(kind, cells, missing).filter(|_| confidential))
        .or_else(|| of_few_records(kind, cells).filter(|_| about.is_none()));
    if let Some(why) = free {
        return Suggestion::new(Role::Identifier, why);
    }
    let (said, role, why) = match about {
        Some((About::Confidential, word)) => {
            (Said::Confidential, Role::Sensitive, format!("its name contains `{word}`: confidential"))
        }
        Some((About::Age | About::Known, word)) => {
            (Said::Known, Role::QuasiIdentifier, format!("its name contains `{word}`: others may know it"))
        }
        None => (Said::Nothing, Role::QuasiIdentifier, "until its figures say otherwise".into()),
    };
    Suggestion { by_name: Some(said), ..Suggestion::new(role, why) }
}

/// Whether a place is as narrow as a house: streets, coordinates, and what most records have for themselves.
fn is_address(name: &str, kind: &Kind, cells: Cells<'_>) -> bool {
    let narrow = ["lat", "lon", "lng", "latitude", "longitude", "geohash", "geocode"];
    let words = header::words(name);
    let korean = ["위도", "경도"].iter().any(|word| name.contains(word));
    let own = matches!(kind, Kind::Text { .. } | Kind::Decimal { .. })
        && cells.distinction() > 0.5
        && !postcodes().any(|form| form.holds(cells));
    header::is_address(name) || korean || own || words.iter().any(|word| narrow.contains(&word.as_str()))
}

/// A hierarchy with what it does.
struct SuggestedForm {
    definition: Definition,
    top: Option<f64>,
    levels: String,
    from_data: bool,
}

impl SuggestedForm {
    fn new(definition: Definition, levels: impl Into<String>) -> Self {
        Self { definition, top: None, levels: levels.into(), from_data: false }
    }

    /// Whether all values belong to its domain.
    fn holds(&self, cells: Cells<'_>) -> bool {
        Rule::try_from(&self.definition).is_ok_and(|rule| cells.values().all(|value| rule.contains(value)))
    }
}

/// How a column's values could be generalized, best first: the one place where this is decided. A form is
/// tried against all values afterwards, so it may promise too much here.
fn forms(name: &str, kind: &Kind, cells: Cells<'_>, findings: &[Finding]) -> Vec<SuggestedForm> {
    let place = findings.iter().any(|finding| finding.identifier == Identifier::Geographic);
    let aged = matches!(header::about(name), Some((About::Age, _)));
    let of_kind = match kind {
        Kind::WholeNumber if place => Vec::new(),
        Kind::WholeNumber | Kind::Decimal { .. } if aged => {
            vec![age(name, kind, cells), interval(kind, cells)]
        }
        Kind::WholeNumber | Kind::Decimal { .. } => vec![interval(kind, cells)],
        Kind::Date { format, time, .. } => vec![days(format, cells), date(format, *time)],
        Kind::Code { .. } | Kind::Empty | Kind::Text { .. } => Vec::new(),
    };
    let british = place.then(postcodes).into_iter().flatten().map(Some);
    let coded = matches!(kind, Kind::Code { .. }) || (place && *kind == Kind::WholeNumber);
    let length = if let Kind::Code { length } = kind { *length } else { None };
    let of_code = || [zip_plus_4(name, place, cells), standard(name), code(cells, length)].into_iter();
    of_kind.into_iter().chain(british).chain(coded.then(of_code).into_iter().flatten()).flatten().collect()
}

/// Areas of three digits where few people live, by the census of 2000, as the guidance on the rule prints them.
const SMALL_AREAS: &str = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893";

/// ZIP codes of the United States.
fn zip(plus_4: bool) -> SuggestedForm {
    let us_zip = SMALL_AREAS.split(' ').map(str::to_owned).collect();
    let levels =
        "the first three digits, and 000 in the listed areas, which are from the census of 2000: check them";
    SuggestedForm::new(Definition::of(&UsZip { us_zip, plus_4 }), levels)
}

/// ZIP codes of nine digits, where the name says so: no other country has such.
fn zip_plus_4(name: &str, place: bool, cells: Cells<'_>) -> Option<SuggestedForm> {
    let is_longer = cells.values().any(|value| value.len() > 5);
    (place && is_called_zip(name) && is_longer).then(|| zip(true))
}

fn is_called_zip(name: &str) -> bool {
    header::words(name).iter().any(|word| word.starts_with("zip"))
}

/// Postcodes of the United Kingdom, the narrowest form first.
fn postcodes() -> impl Iterator<Item = SuggestedForm> {
    [Postcodes::District, Postcodes::Unit, Postcodes::Any].into_iter().map(|uk_postcode| {
        let levels = match uk_postcode {
            Postcodes::District => "district, then area",
            Postcodes::Unit | Postcodes::Any => "unit, then sector, district and area",
        };
        SuggestedForm::new(Definition::of(&UkPostcode { uk_postcode }), levels)
    })
}

/// The states of the United States, with its district and territories.
const STATES: &str = "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR\
     |PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR|GU|VI|AS|MP";

/// Whether a column says that its records are from the United States: its states by their letters, or the country.
pub(super) fn is_american(name: &str, cells: Cells<'_>) -> bool {
    const COUNTRY: [&str; 6] = ["us", "usa", "u.s.", "u.s.a.", "united states", "united states of america"];
    let called = |list: &[&str]| header::words(name).iter().any(|word| list.contains(&word.as_str()));
    let all = |fits: &dyn Fn(&str) -> bool| cells.distinct() > 0 && cells.values().all(fits);
    called(&["state", "states"]) && all(&|value| STATES.split('|').any(|known| known == value))
        || called(&["country", "nation"])
            && all(&|value| COUNTRY.contains(&value.to_ascii_lowercase().as_str()))
}

impl Suggestion {
    /// Five digits of a column that is called ZIP are codes of the United States where another column says so; in Germany, France
    /// or Italy codes have five digits, too, and where few people live is another question there.
    pub(super) fn as_american(&mut self, name: &str) {
        let five = Definition::Mask { mask: Side::Right, length: 5, alphabet: 10, levels: None };
        if is_called_zip(name) && self.hierarchy.as_ref() == Some(&five) {
            let form = zip(false);
            (self.hierarchy, self.levels) = (Some(form.definition), Some(form.levels));
        }
    }
}

/// Codes of a classification that the name speaks of.
fn standard(name: &str) -> Option<SuggestedForm> {
    let words = header::words(name);
    let says = |list: &[&str]| {
        list.iter()
            .any(|entry| words.iter().any(|word| word == entry) || !entry.is_ascii() && name.contains(entry))
    };
    if says(&["icd", "dx", "diag", "diagnosis", "diagnose", "hauptdiagnose", "상병", "진단"]) {
        let definition = Definition::of(&Icd10 { icd_10: Edition::Who, longest: None, lengths: None });
        return Some(SuggestedForm::new(definition, "ICD-10: category, block, chapter"));
    }
    let definition = Definition::of(&Atc { atc: AtcCodes::AnyLevel });
    says(&["atc", "약품", "약제"])
        .then(|| SuggestedForm::new(definition, "ATC: its subgroups, then the main group"))
}

/// Months, quarters, years and decades; the domain is rounded outward to decades.
fn days(format: &str, cells: Cells<'_>) -> Option<SuggestedForm> {
    let pattern = DateFormat::all().find(|known| known.pattern() == format && known.time)?;
    let years = || cells.values().filter_map(|value| pattern.parse(value)).map(|day| day.0);
    let (first, last) = (years().min()? / 10 * 10, years().max()? / 10 * 10 + 9);
    let definition = Definition::of(&Dates {
        date: vec![DateLevel::Month, DateLevel::Quarter, DateLevel::Year, DateLevel::TenYears],
        min: format!("{first}-01-01"),
        max: format!("{last}-12-31"),
        format: strftime(format),
    });
    Some(SuggestedForm {
        from_data: true,
        ..SuggestedForm::new(definition, "days, then months, quarters, years and decades")
    })
}

/// How dates of a known format are read; `None` for ISO 8601.
pub(super) fn strftime(format: &str) -> Option<String> {
    let signs = ["YYYY", "MM", "DD", "Mon"].iter().zip(["%Y", "%m", "%d", "%b"]);
    let written = signs.fold(format.to_owned(), |text, (part, sign)| text.replace(part, sign));
    (format != "YYYY-MM-DD").then_some(written)
}

fn numbers(cells: Cells<'_>) -> Option<(f64, f64)> {
    let mut numbers = cells.values().filter_map(number::parse).map(|number| number.value);
    let first = numbers.next()?;
    Some(numbers.fold((first, first), |(low, high), number| (low.min(number), high.max(number))))
}

/// Five, ten and thirty years, all of which have a bound at 90; of all that ages are written as, markers
/// such as -1 or 999 among them. Ages in months or days are none.
fn age(name: &str, kind: &Kind, cells: Cells<'_>) -> Option<SuggestedForm> {
    let in_parts =
        |word: &String| ["month", "months", "week", "weeks", "day", "days"].contains(&word.as_str());
    let (low, high) = numbers(cells).filter(|_| !header::words(name).iter().any(in_parts))?;
    let decimals = if let Kind::Decimal { decimals } = kind { *decimals } else { 0 };
    let unit = 10f64.powi(-(decimals as i32));
    let min = (low.min(0.0) / 30.0).floor() * 30.0;
    let max = ((high.max(AGES) + unit) / 30.0).ceil() * 30.0 - unit;
    let interval = vec![5.0, 10.0, 30.0];
    let years = Definition::Interval { interval, min, max: clean(max, decimals), decimals };
    // Whoever is older one day fits, too.
    let top = Some(OLD);
    let from_data = low < 0.0 || high > AGES;
    let plain = -OLD <= low && high < 1000.0 && decimals <= 6;
    plain.then(|| SuggestedForm {
        top,
        from_data,
        ..SuggestedForm::new(years, "years, then 5, 10 and 30 years")
    })
}

/// Intervals of round widths, their domain rounded outward to some sixteen of the narrowest.
fn interval(kind: &Kind, cells: Cells<'_>) -> Option<SuggestedForm> {
    let decimals = if let Kind::Decimal { decimals } = kind { *decimals } else { 0 };
    let (low, high) = numbers(cells)?;
    let unit = 10f64.powi(-(decimals as i32));
    let width = round_width((high - low) / 16.0, 2.0 * unit);
    let widths: Vec<f64> = [1.0, 2.0, 4.0, 8.0].iter().map(|times| clean(times * width, decimals)).collect();
    // Bounds lie on multiples of the widest interval.
    let step = 8.0 * width;
    let (min, max) = ((low / step).floor() * step, ((high + unit) / step).ceil() * step - unit);
    let definition = Definition::Interval {
        interval: widths,
        min: clean(min, decimals),
        max: clean(max, decimals),
        decimals,
    };
    let levels = "four levels of intervals, each twice as wide as the one before";
    let form = || SuggestedForm { from_data: true, ..SuggestedForm::new(definition, levels) };
    (cells.distinct() > CATEGORIES && decimals <= 6).then(form)
}

/// The least of 1, 2, 5, 10, … that is no less than either.
fn round_width(width: f64, least: f64) -> f64 {
    let mut power = 10f64.powi(least.log10().floor() as i32);
    loop {
        for step in [1.0, 2.0, 5.0] {
            if step * power >= width && step * power >= least * (1.0 - 1e-9) {
                return step * power;
            }
        }
        power *= 10.0;
    }
}

/// Without the errors of binary fractions.
fn clean(number: f64, decimals: u32) -> f64 {
    format!("{number:.*}", decimals as usize).parse().unwrap_or(number)
}

/// Day and month hidden one after the other, where they stand at fixed places.
fn date(format: &str, time: bool) -> Option<SuggestedForm> {
    let (mask, levels, alphabet) = match format {
        "YYYY-MM-DD" | "YYYY/MM/DD" | "YYYY.MM.DD" => (Side::Right, vec![3, 6, 10], 11),
        "YYYYMMDD" => (Side::Right, vec![2, 4, 8], 10),
        "DD.MM.YYYY" | "DD/MM/YYYY" | "DD-MM-YYYY" => (Side::Left, vec![3, 6, 10], 11),
        "YYYY-MM" => (Side::Right, vec![3, 7], 11),
        _ => return None,
    };
    let length = *levels.last()?;
    let definition = Definition::Mask { mask, length, alphabet, levels: Some(levels) };
    (!time).then(|| SuggestedForm::new(definition, "the day is hidden, then the month, then the year"))
}

/// Codes of one length, the last characters hidden first.
fn code(cells: Cells<'_>, length: Option<usize>) -> Option<SuggestedForm> {
    let lengths = || cells.values().map(|value| value.chars().count());
    let length = length.or_else(|| lengths().next().filter(|first| lengths().all(|l| l == *first)))?;
    let digits = cells.values().all(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    let alphabet = if digits { 10 } else { 36 };
    let says = "one character less at each level";
    let definition = Definition::Mask { mask: Side::Right, length, alphabet, levels: None };
    ((2..=LONGEST_MASK).contains(&length) && cells.distinct() > 2)
        .then(|| SuggestedForm::new(definition, says))
}
