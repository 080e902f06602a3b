//! (ε, δ)-differential privacy: what is promised.

use super::{Facts, Terms};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "differential-privacy",
    summary: "one record changes the probability of any release by a factor of at most e^epsilon, but for delta",
    words: |_| {
        "The release would have come out almost as likely without any one person in the data: nothing that happens to \
             a person because of it depends much on being in it. The smaller ε, the stronger the promise.".into()
    },
    limits: "What holds of people in general can still be learned, and used about anybody. It protects \
             one record: a person with several loses more, and the losses of several releases add up.",
    facts: Facts { table_level: true, private: true, ..Facts::NONE },
};
