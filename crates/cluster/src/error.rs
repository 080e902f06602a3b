//! What can go wrong with a cluster. No message holds a cell value: what the cluster itself says may hold
//! some, and is shown only where values may be shown.

use std::net::IpAddr;

use thiserror::Error;
use velamen_core::context::Interrupted;
use velamen_core::error::Problem;
use velamen_engine::EngineError;

/// An error of the cluster or of its nodes.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The run was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The table is not what it should be.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The cluster would not read the table as it is read in process.
    #[error("{}", refused(.0))]
    Refused(Problem),
    /// A node cannot start, or an object cannot be fetched.
    #[error("{0}")]
    Io(Problem),
    /// The call does not make sense.
    #[error("{0}")]
    Usage(Problem),
    /// A node would serve everyone who reaches it.
    #[error("{}", unprotected(.0))]
    Unprotected(IpAddr),
    /// Certificates are missing, damaged, or do not belong together.
    #[error("{0}")]
    Certificate(Problem),
    /// A certificate is not valid at this time.
    #[error("{0}")]
    Expired(Problem),
    /// Node and scheduler do not accept each other.
    #[error("{scheduler}: {problem}")]
    Untrusted {
        /// `df://host:port`
        scheduler: String,
        /// Why.
        problem: Problem,
    },
    /// No attempt ended with an answer that was proven.
    #[error("{}", unproven(.0))]
    Unproven(Vec<Fault>),
}

impl ClusterError {
    /// What is wrong.
    #[must_use]
    pub fn problem(self) -> Problem {
        match self {
            Self::Refused(problem) => refused(&problem),
            Self::Unprotected(address) => unprotected(&address),
            Self::Io(problem)
            | Self::Usage(problem)
            | Self::Certificate(problem)
            | Self::Expired(problem) => problem,
            Self::Untrusted { scheduler, problem } => problem.after(&format!("{scheduler}: ")),
            Self::Unproven(ref faults) => unproven(faults),
            Self::Interrupted(_) | Self::Engine(_) => self.to_string().into(),
        }
    }
}

fn unproven(faults: &[Fault]) -> Problem {
    Problem::new(format!(
        "the cluster gave no answer that could be proven, nothing was released: {}",
        listed(faults)
    ))
    .mend_if(faults.last().and_then(Fault::remedy))
}

fn refused(problem: &Problem) -> Problem {
    problem.clone().mend("leave [engine] out to run in process")
}

fn unprotected(address: &IpAddr) -> Problem {
    Problem::new(format!(
        "{address} can be reached from elsewhere, and without certificates nothing is encrypted and everyone is served"
    ))
    .mend(
        "make some (velamen cluster certificates DIR --nodes NAME) and give them by --certificates FOLDER, or say \
         --plaintext where the network itself keeps all others out",
    )
}

/// What a cluster says of its failure, as far as it may be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// All of it.
    Shown(String),
    /// What kind of failure it is, if it is one of those that have nothing to do with values.
    Hidden(Option<&'static str>),
}

/// What the engine says of failures that have nothing to do with values, and what is told of them.
const KINDS: [(&str, &str); 9] = [
    ("No space left on device", "a node's disk is full"),
    ("Permission denied", "a node may not read or write a file"),
    ("No such file", "a node does not find a file, and every node must see the same folders"),
    ("Resources exhausted", "a node has too little memory (--memory)"),
    ("InvalidCertificate", "a node's certificate has expired, or is not of this authority or for its name"),
    ("AlertReceived", "a node does not accept the certificate of another"),
    ("Connection refused", "a node cannot be reached"),
    ("Connection reset", "a node is gone"),
    ("transport error", "a node cannot be reached"),
];

impl Words {
    /// What may be told of a failure.
    pub(crate) fn new(words: String, show_values: bool) -> Self {
        if show_values {
            return Self::Shown(words);
        }
        Self::Hidden(KINDS.iter().find(|(said, _)| words.contains(said)).map(|(_, told)| *told))
    }
}

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rest = "its own words may hold values of the table; --show-values shows them";
        match self {
            Self::Shown(words) => write!(f, ": {words}"),
            Self::Hidden(Some(kind)) => write!(f, ": {kind} ({rest})"),
            Self::Hidden(None) => write!(f, " ({rest})"),
        }
    }
}

/// Why the answer of one attempt was not used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// Nobody listens.
    #[error("no scheduler answers at {0}")]
    Unreachable(String),
    /// Driver and scheduler do not accept each other.
    #[error("{scheduler}: {problem}")]
    Untrusted {
        /// Who was asked.
        scheduler: String,
        /// Why.
        problem: Problem,
    },
    /// The cluster gave up, with its words where values may be shown.
    #[error("the cluster failed{}", .0)]
    Failed(Words),
    /// No answer in time.
    #[error("no answer within {0} seconds ([engine] timeout)")]
    TimedOut(u64),
    /// Not even a question without a table is answered.
    #[error("no executor took up any work within {seconds} seconds ([engine] timeout)")]
    Idle {
        /// The time limit.
        seconds: u64,
        /// Whom executors ask for work.
        scheduler: String,
    },
    /// The counts do not add up.
    #[error("the {what} counts {found} records, but the table has {expected}")]
    Records {
        /// Of what.
        what: &'static str,
        /// The sum of the counts.
        found: u128,
        /// What was counted here.
        expected: u64,
    },
    /// The counts add up, but not for the right combinations.
    #[error("the groups' checksum is not that of the records")]
    Checksum,
    /// A written part is not what it must be.
    #[error("a part of the release was written wrong, cut off or not at all")]
    Part,
    /// The answer has another form than was asked for.
    #[error("the answer does not have the form that was asked for")]
    Form,
}

impl Fault {
    /// How to mend it, where that is known.
    fn remedy(&self) -> Option<String> {
        match self {
            Self::Unreachable(_) => Some("start one with: velamen cluster scheduler".into()),
            Self::TimedOut(_) => Some("start an executor if none is running, or raise the limit".into()),
            Self::Idle { scheduler, .. } => Some(format!(
                "start one with: velamen cluster executor --scheduler {scheduler}, or raise the limit if all are busy"
            )),
            _ => None,
        }
    }
}

fn listed(faults: &[Fault]) -> String {
    let one = |(number, fault): (usize, &Fault)| format!("attempt {}: {fault}", number + 1);
    faults.iter().enumerate().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attempt_is_told() {
        let faults = vec![
            Fault::Records { what: "reduction", found: 19_252_533, expected: 14_000_000 },
            Fault::Failed(Words::new("IO error: No space left on device, record 7".into(), false)),
        ];
        let text = ClusterError::Unproven(faults).to_string();
        assert!(
            text.contains("attempt 1: the reduction counts 19252533 records, but the table has 14000000")
        );
        assert!(text.contains("attempt 2: the cluster failed: a node's disk is full"), "{text}");
        assert!(!text.contains("record 7"), "{text}");
    }
}
