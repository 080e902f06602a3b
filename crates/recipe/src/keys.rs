//! Which keys of an attribute go with its role, its hierarchy and its hierarchy's levels.

use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;

use super::{AttributeSection, HierarchySection};

/// A key that only generalization heeds, and whether a section has it.
type Given = (&'static str, fn(&AttributeSection) -> bool);

/// What only generalization heeds, in the order in which other roles are refused it.
const GENERALIZATION: [Given; 5] = [
    ("level", |section| section.level.is_some()),
    ("min-level", |section| section.min_level.is_some()),
    ("max-level", |section| section.max_level.is_some()),
    ("weight", |section| section.weight.is_some()),
    ("step", |section| section.step.is_some()),
];

/// The ends of a domain of numbers.
const ENDS: [&str; 2] = ["top", "bottom"];

/// The keys that an attribute of that role cannot have, or that would have no effect.
pub fn foreign_to(role: Role) -> Vec<&'static str> {
    let hierarchy = ["hierarchy"].into_iter().filter(|_| role != Role::Sensitive);
    match role {
        Role::QuasiIdentifier => vec!["domain"],
        _ => hierarchy.chain(GENERALIZATION.map(|(key, _)| key)).chain(ENDS).chain(["missing"]).collect(),
    }
}

/// The keys that cannot stand beside a hierarchy: ends go with intervals, with cuts, and with none.
pub fn foreign_beside(hierarchy: Option<&HierarchySection>) -> &'static [&'static str] {
    use Definition::{Cuts, Interval};
    match hierarchy {
        None | Some(HierarchySection::Inline(Interval { .. } | Cuts { .. })) => &[],
        Some(_) => &ENDS,
    }
}

impl AttributeSection {
    /// The first key that only generalization heeds.
    pub(super) fn of_generalization(&self) -> Option<&'static str> {
        GENERALIZATION.into_iter().find(|(_, is_given)| is_given(self)).map(|(key, _)| key)
    }

    /// The keys whose level is above `top`, a hierarchy's highest.
    pub fn levels_above(&self, top: u8) -> Vec<&'static str> {
        let levels = [("level", self.level), ("min-level", self.min_level), ("max-level", self.max_level)];
        let above = levels.into_iter().filter(|(_, level)| level.is_some_and(|level| level > top));
        above.map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;

    /// A recipe of one attribute, besides one that every release needs.
    fn parsed(section: &str) -> Result<AttributeSection, crate::JobError> {
        let text = format!("[input]\npath = \"t.csv\"\n[attributes.a]\n{section}\n");
        Recipe::in_memory(&text).map(|recipe| recipe.attributes["a"].clone())
    }

    #[test]
    fn each_key_of_generalization_is_found() {
        for (key, value) in
            [("level", "1"), ("min-level", "1"), ("max-level", "1"), ("weight", "2"), ("step", "5")]
        {
            let section = parsed(&format!("role = \"sensitive\"\n{key} = {value}")).unwrap();
            assert_eq!(section.of_generalization(), Some(key));
            assert!(foreign_to(Role::Sensitive).contains(&key));
        }
    }

    #[test]
    fn a_sensitive_attribute_can_have_a_hierarchy() {
        assert!(!foreign_to(Role::Sensitive).contains(&"hierarchy"));
        assert!(foreign_to(Role::Insensitive).contains(&"hierarchy"));
        assert!(foreign_to(Role::Sensitive).contains(&"missing"));
        assert_eq!(foreign_to(Role::QuasiIdentifier), ["domain"]);
    }

    #[test]
    fn ends_go_with_intervals_cuts_and_none() {
        let of = |text: &str| parsed(&format!("role = \"quasi-identifier\"\nhierarchy = {text}")).unwrap();
        let beside = |text: &str| foreign_beside(of(text).hierarchy.as_ref());
        assert!(beside("{ interval = [5], min = 0, max = 99 }").is_empty());
        assert!(beside("{ cuts = [[5]], min = 0, max = 9 }").is_empty());
        assert_eq!(beside("\"a.csv\""), ["top", "bottom"]);
        assert!(foreign_beside(None).is_empty());
    }

    #[test]
    fn levels_above_the_highest_are_named() {
        let section = parsed("role = \"quasi-identifier\"\nmin-level = 1\nmax-level = 3").unwrap();
        assert_eq!(section.levels_above(2), ["max-level"]);
        assert!(section.levels_above(3).is_empty());
    }
}
