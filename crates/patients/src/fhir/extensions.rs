//! Extensions of patients that can be released: of US Core, by name.

use super::json::Node;

/// An extension with the codes that it can have.
pub(crate) struct Extension {
    /// The last part of its address.
    pub(crate) name: &'static str,
    /// The extension within it that has the code; none where it has a code of the standard itself.
    part: Option<&'static str>,
    /// System, code and name.
    codes: &'static [(&'static str, &'static str, &'static str)],
}

/// What addresses of US Core begin with.
const CORE: &str = "http://hl7.org/fhir/us/core/StructureDefinition/";

/// The system of the categories of the US Office of Management and Budget.
const OMB: &str = "urn:oid:2.16.840.1.113883.6.238";

/// The system of what is said in place of a value.
const NULL_FLAVOR: &str = "http://terminology.hl7.org/CodeSystem/v3-NullFlavor";

/// What a cell without an extension shows.
pub(super) const MISSING: &str = "missing";

/// The extensions.
pub(crate) const EXTENSIONS: [Extension; 3] = [
    Extension {
        name: "us-core-race",
        part: Some("ombCategory"),
        codes: &[
            (OMB, "1002-5", "American Indian or Alaska Native"),
            (OMB, "2028-9", "Asian"),
            (OMB, "2054-5", "Black or African American"),
            (OMB, "2076-8", "Native Hawaiian or Other Pacific Islander"),
            (OMB, "2106-3", "White"),
            (NULL_FLAVOR, "ASKU", "asked but unknown"),
            (NULL_FLAVOR, "UNK", "unknown"),
        ],
    },
    Extension {
        name: "us-core-ethnicity",
        part: Some("ombCategory"),
        codes: &[
            (OMB, "2135-2", "Hispanic or Latino"),
            (OMB, "2186-5", "Not Hispanic or Latino"),
            (NULL_FLAVOR, "ASKU", "asked but unknown"),
            (NULL_FLAVOR, "UNK", "unknown"),
        ],
    },
    Extension {
        name: "us-core-birthsex",
        part: None,
        codes: &[("", "F", "Female"), ("", "M", "Male"), ("", "UNK", "Unknown")],
    },
];

impl Extension {
    fn address(&self) -> String {
        format!("{CORE}{}", self.name)
    }

    /// The cell of a list of extensions, `system|code` or a code; empty where this one is not there or has a code of its own.
    pub(super) fn cell(&self, all: Node<'_, '_>) -> String {
        let address = self.address();
        let Some(one) = named(all, &address) else { return String::new() };
        let Some(part) = self.part else {
            return self.known("", one.get("valueCode").text().unwrap_or_default());
        };
        let coding = named(one.get("extension"), part).map(|one| one.get("valueCoding"));
        let text = |name: &str| coding.and_then(|coding| coding.get(name).text()).unwrap_or_default();
        self.known(text("system"), text("code"))
    }

    fn known(&self, system: &str, code: &str) -> String {
        let is_known = self.codes.iter().any(|known| (known.0, known.1) == (system, code));
        match (is_known, system) {
            (false, _) => String::new(),
            (true, "") => code.to_owned(),
            (true, _) => format!("{system}|{code}"),
        }
    }

    /// The extension as JSON; nothing for a cell that shows nothing.
    pub(super) fn json(&self, cell: &str) -> Option<String> {
        let (system, code) = cell.rsplit_once('|').unwrap_or(("", cell));
        let (_, _, text) = self.codes.iter().find(|known| (known.0, known.1) == (system, code))?;
        let url = self.address();
        Some(match self.part {
            None => format!("{{\"url\":\"{url}\",\"valueCode\":\"{code}\"}}"),
            Some(part) => format!(
                "{{\"url\":\"{url}\",\"extension\":[{{\"url\":\"{part}\",\"valueCoding\":{{\"system\":\"{system}\",\
                 \"code\":\"{code}\"}}}},{{\"url\":\"text\",\"valueString\":\"{text}\"}}]}}"
            ),
        })
    }
}

/// The first of a list of extensions that has an address.
fn named<'t, 'a>(all: Node<'t, 'a>, url: &str) -> Option<Node<'t, 'a>> {
    all.list().find(|one| one.get("url").text() == Some(url))
}

#[cfg(test)]
mod tests {
    use super::super::json::Tape;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for extension in &EXTENSIONS {
            for (system, code, _) in extension.codes {
                let cell = if system.is_empty() { (*code).to_owned() } else { format!("{system}|{code}") };
                let text = format!("[{}]", extension.json(&cell).unwrap());
                assert_eq!(extension.cell(Tape::of(&text).unwrap().node()), cell);
            }
            assert_eq!((extension.json("missing"), extension.json("*")), (None, None));
        }
    }

    #[test]
    fn an_unknown_code_is_none() {
        let text = r#"[{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex","valueCode":"planted"}]"#;
        assert_eq!(EXTENSIONS[2].cell(Tape::of(text).unwrap().node()), "");
    }
}
