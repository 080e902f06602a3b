//! One sentence per figure, for people.

/// For each name in the JSON of [`crate::measure::Measures`], what it says. A name within `sensitive` is written with its
/// path, `*` for the attribute.
pub fn explain() -> &'static [(&'static str, &'static str)] {
    EXPLANATIONS
}

const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "records",
        "Records of the table that belong to an equivalence class; suppressed records belong to none.",
    ),
    ("people", "People whose records these are: the figures below count people."),
    ("classes", "Equivalence classes: groups of records that share all quasi-identifiers."),
    ("least-class", "Records, or people, in the smallest class."),
    ("mean-class", "Records, or people, per class on average."),
    ("largest-class", "Records, or people, in the largest class."),
    (
        "k",
        "Nobody can be narrowed down to fewer than this many records, or people, by the quasi-identifiers (k-anonymity).",
    ),
    ("sensitive", "The measures of each sensitive attribute, by name."),
    ("sensitive.*.numeric", "Whether the attribute's values are numbers, ordered by size."),
    ("sensitive.*.values", "Different values that occur in the table."),
    (
        "sensitive.*.alpha",
        "Who knows a person's class guesses the value right at most this often (least alpha of (alpha, k)-anonymity).",
    ),
    (
        "sensitive.*.distinct-l",
        "Every class has at least this many different values (largest l of distinct l-diversity).",
    ),
    (
        "sensitive.*.entropy-l",
        "Every class is at least as hard to guess as this many equally frequent values (entropy l-diversity).",
    ),
    ("sensitive.*.entropy-l-whole", "The largest whole l of entropy l-diversity."),
    ("sensitive.*.recursive-l", "The l that recursive-c is for: the one asked for, else distinct-l."),
    ("sensitive.*.recursive-c", "Recursive (c, l)-diversity holds for every c above this; null if for none."),
    ("sensitive.*.recursive-c-whole", "The least whole c of recursive (c, l)-diversity; null if none holds."),
    (
        "sensitive.*.t-equal",
        "No class's distribution is farther than this from the table's, all values equally far apart (t-closeness).",
    ),
    (
        "sensitive.*.t-ordered",
        "No class's distribution is farther than this from the table's, neighbouring values being near (t-closeness).",
    ),
    (
        "sensitive.*.basic-beta",
        "No value's share grows by more than this, relative to its share in the table (basic beta-likeness).",
    ),
    (
        "sensitive.*.enhanced-beta",
        "The least beta of enhanced beta-likeness; null if some value's gain exceeds what that model allows for any beta.",
    ),
    (
        "sensitive.*.delta",
        "Delta-disclosure privacy (logarithm to base 2, values present in the class) holds for every delta above this.",
    ),
    ("sensitive.*.pycanon", "What pycanon 1.3.6 computes with this sensitive attribute alone."),
    (
        "pycanon",
        "What pycanon 1.3.6 computes with all sensitive attributes at once; for comparison, not for decisions.",
    ),
    ("pycanon.alpha", "pycanon's alpha_k_anonymity, first figure."),
    ("pycanon.l", "pycanon's l_diversity."),
    (
        "pycanon.entropy-l",
        "pycanon's entropy_l_diversity: cut to a whole number after rounding, often one too low.",
    ),
    ("pycanon.recursive-l", "pycanon's recursive_c_l_diversity, second figure."),
    (
        "pycanon.recursive-c",
        "pycanon's recursive_c_l_diversity, first figure: counts taken in ascending order, so 1 or 2; null where pycanon has NaN.",
    ),
    (
        "pycanon.t",
        "pycanon's t_closeness: ordered distance for numbers, equal distance for text; null where pycanon raises an error.",
    ),
    ("pycanon.basic-beta", "pycanon's basic_beta_likeness."),
    (
        "pycanon.enhanced-beta",
        "pycanon's enhanced_beta_likeness: basic beta or the rarest value's -ln p, whichever is less.",
    ),
    ("pycanon.delta", "pycanon's delta_disclosure: natural logarithm."),
];
