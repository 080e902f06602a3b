//! All mistakes of a recipe that can be found at once. Reading ends at the first mistake; here what it is in (an attribute, a
//! model, a section) is replaced in the text by something harmless of the same number of lines, and reading begins anew.

use std::path::Path;

use velamen_search::method::REGISTRY;

use super::{Overrides, Recipe, parse};
use crate::{Code, JobError};

/// The search for mistakes ends at this many.
const MOST: usize = 20;

impl Recipe {
    /// The mistakes of a recipe's file, the first one as [`Self::load`] and [`Self::resolve`] find it: at most one for each
    /// attribute, model and section. Empty where there is none.
    pub fn mistakes(path: &Path, overrides: &Overrides) -> Vec<JobError> {
        let base = path.parent().unwrap_or(Path::new(""));
        let read = |text: &str| parse::recipe(text, path, base, overrides)?.resolve().map(drop);
        match Self::load(path, overrides).and_then(|recipe| recipe.resolve()) {
            Ok(_) => Vec::new(),
            Err(first) => from(first, std::fs::read_to_string(path).unwrap_or_default(), &read),
        }
    }

    /// The same of a text, read by `read`.
    pub fn mistakes_of(text: &str, read: &dyn Fn(&str) -> Result<(), JobError>) -> Vec<JobError> {
        read(text).err().map_or_else(Vec::new, |first| from(first, text.to_owned(), read))
    }
}

/// The first mistake, and those that show when the sections of earlier ones are replaced.
fn from(first: JobError, text: String, read: &dyn Fn(&str) -> Result<(), JobError>) -> Vec<JobError> {
    let (mut error, mut text) = (first, text);
    let (mut found, mut replaced): (Vec<JobError>, Vec<String>) = (Vec::new(), Vec::new());
    while found.len() < MOST {
        let line = blamed(&error, &text);
        let follows = !found.is_empty() && (line.is_none() || follows(&error, &replaced));
        let without = line.and_then(|line| replace(&text, line));
        // A section that is wrong though it was replaced would be found again and again.
        let again = without.as_ref().is_some_and(|(_, header)| replaced.contains(header));
        if !follows && !again {
            found.push(error);
        }
        let Some((without, header)) = without.filter(|_| !again) else { break };
        replaced.push(header);
        text = without;
        match read(&text) {
            Ok(()) => break,
            Err(next) => error = next,
        }
    }
    found
}

/// The line of the text that a mistake is about: that which names its file, as of a hierarchy that cannot be read, or its own.
fn blamed(error: &JobError, text: &str) -> Option<u64> {
    let place = error.place();
    let name = place.file.as_ref().and_then(|file| file.file_name()?.to_str());
    let names = |line: &str, name: &str| line.split('"').any(|part| part.ends_with(name));
    let row = name.and_then(|name| text.lines().position(|line| line.contains('=') && names(line, name)));
    row.map(|row| row as u64 + 1).or(place.line)
}

/// Whether a mistake can be one only because something was replaced: it names an attribute that was.
fn follows(error: &JobError, replaced: &[String]) -> bool {
    let names = replaced.iter().filter_map(|header| header.strip_prefix("[attributes."));
    let mut names = names.map(|name| name.trim_end_matches(']').trim_matches(['"', '\''])).peekable();
    // Whether its role was what is wrong with it is not known; models and methods ask for roles.
    let lost_role = [Code::MODEL_ATTRIBUTE, Code::METHOD].contains(&error.code()) && names.peek().is_some();
    lost_role || names.any(|name| error.is_about(name))
}

/// A text whose section around a line (counted from 1) is harmless, and the section's header, with its line where headers repeat;
/// of what stands before every header, the line alone. `None` where nothing harmless has as few lines.
fn replace(text: &str, line: u64) -> Option<(String, String)> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = usize::try_from(line).ok()?.checked_sub(1).filter(|at| *at < lines.len())?;
    let Some(start) = start(&lines, at) else {
        let before = std::mem::take(&mut lines[at]);
        return Some((lines.join("\n"), before));
    };
    let header = lines[start].trim().to_owned();
    let nested = format!("{}.", header.trim_end_matches(']'));
    let belongs = |line: &&String| !is_header(line) || line.trim().starts_with(&nested);
    let end = start + 1 + lines[start + 1..].iter().take_while(belongs).count();
    let mut harmless = harmless(&header, &lines[start + 1..end]);
    if harmless.len() > end - start {
        return None;
    }
    harmless.resize(end - start, String::new());
    lines.splice(start..end, harmless);
    let key = if header.starts_with("[[") { format!("{header} {start}") } else { header };
    Some((lines.join("\n"), key))
}

/// The row of the header that a row stands under. A hierarchy with a header of its own belongs to its attribute.
fn start(lines: &[String], at: usize) -> Option<usize> {
    let start = (0..=at).rev().find(|row| is_header(&lines[*row]))?;
    let own = lines[start].trim();
    match own.strip_suffix(".hierarchy]").filter(|own| own.starts_with("[attributes.")) {
        Some(attribute) => (0..start).rev().find(|row| lines[*row].trim() == format!("{attribute}]")),
        None => Some(start),
    }
}

fn is_header(line: &str) -> bool {
    line.starts_with('[') && !line.contains('=')
}

/// The lines that stand for a section: what other sections rest on is kept, where it can be.
fn harmless(header: &str, lines: &[String]) -> Vec<String> {
    let section = header.trim_matches(['[', ']']);
    let text = |key: &str| {
        let values = lines.iter().filter_map(|line| line.split_once('='));
        let (_, value) = values.into_iter().find(|(name, _)| name.trim() == key)?;
        let value = value.split('#').next().unwrap_or_default().trim();
        Some(value.strip_prefix('"')?.strip_suffix('"')?.to_owned())
    };
    let with = |entries: &[(&str, String)]| {
        let entries = entries.iter().map(|(key, value)| format!("{key} = {value}"));
        std::iter::once(header.to_owned()).chain(entries).collect()
    };
    match section.split('.').next().unwrap_or_default() {
        "attributes" if section.contains('.') => {
            let role = text("role").filter(|role| ROLES.contains(&role.as_str()));
            with(&[("role", format!("{:?}", role.as_deref().unwrap_or("quasi-identifier")))])
        }
        "privacy" => with(&[("model", "\"k-anonymity\"".to_owned()), ("k", "2".to_owned())]),
        "method" => {
            let name = text("name").filter(|name| REGISTRY.iter().any(|entry| entry.written() == name));
            with(&[("name", format!("{:?}", name.as_deref().unwrap_or("optimal")))])
        }
        "input" | "output" => with(&[("path", format!("{:?}", text("path").unwrap_or_default()))]),
        _ => Vec::new(),
    }
}

/// The roles that an attribute can have.
const ROLES: [&str; 5] = ["quasi-identifier", "sensitive", "insensitive", "identifier", "person"];

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "preset = \"omop\"\n[input]\npath = \"x.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        [attributes.age.hierarchy]\ninterval = [5, 12]\nmin = 0\nmax = 99\n[attributes.sex]\nroll = \"quasi-identifier\"\n\
        [attributes.diagnosis]\nrole = \"sensitive\"\nweight = 2\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 0\n[[privacy]]\n\
        model = \"l-diverse\"\nl = 2\n[method]\nname = \"optimum\"\n[output]\npath = \"r\"\nformat = \"exel\"\n";

    fn mistakes(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recipe.toml");
        std::fs::write(&path, text).unwrap();
        let found = Recipe::mistakes(&path, &Overrides::default());
        found.iter().map(|error| format!("{} {:?}", error.code(), error.place().line.unwrap_or(0))).collect()
    }

    #[test]
    fn every_section_has_its_mistake() {
        let mut found = mistakes(RECIPE);
        found.sort();
        assert_eq!(
            found,
            ["E0502 11", "E0503 1", "E0510 14", "E0522 19", "E0523 17", "E0531 22", "E0542 25", "E0565 7"]
        );
    }

    #[test]
    fn a_good_recipe_has_none_and_a_broken_one_has_one() {
        let good = "[input]\npath = \"x.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n[[privacy]]\nmodel = \"k-anonymity\"\n\
            k = 5\n[method]\nname = \"optimal\"\n[output]\npath = \"r\"\n";
        assert_eq!(mistakes(good), [""; 0]);
        assert_eq!(mistakes(&good.replace("k = 5", "k = ")), ["E0501 7"]);
        // A hierarchy that is not there does not hide the others.
        let lost = good.replace("identifier\"\n", "identifier\"\nhierarchy = \"nope.csv\"\n");
        assert_eq!(mistakes(&lost.replace("k = 5", "k = 0")), ["E0601 0", "E0523 8"]);
        // What only follows from another mistake is none of its own.
        assert_eq!(mistakes(&good.replace("role = \"quasi", "role = \"qasi")), ["E0503 4"]);
        let padded = good.replace("\"optimal\"", "\"h-ceiling\"\nh = 0.3");
        let lost = padded.replace("[[privacy]]", "[attributes.disease]\nrole = \"sensitve\"\n[[privacy]]");
        assert_eq!(mistakes(&lost), ["E0503 6"]);
        // A section has one mistake, though it stays wrong when it is replaced.
        assert_eq!(mistakes(&padded), ["E0530 9"]);
    }
}
