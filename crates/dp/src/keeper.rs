//! Who opens the door of a run that is audited from inside: it decides where answers come from, and keeps what passed.

use std::sync::{Mutex, PoisonError};

use crate::{Difference, Door, Paid, Tape, Wild};

/// Where the answers of an audited run come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// They are drawn as in every run.
    Drawn,
    /// They look at no table.
    Wild(Wild),
    /// They are those of another run.
    Taped(Tape),
}

/// What passed the door of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    /// All queries and answers.
    pub tape: Tape,
    /// What was paid for them.
    pub paid: Vec<Paid>,
    /// How they differ from those of the tape, if one was replayed, by more than was paid for.
    pub differences: Vec<Difference>,
    /// Whether two draws used the same words of a stream.
    pub words_used_twice: bool,
}

/// Opens the door of one run.
#[derive(Debug)]
pub struct Doorkeeper {
    answers: Answers,
    passed: Mutex<Option<Passed>>,
}

impl Doorkeeper {
    /// For a run with such answers.
    #[must_use]
    pub fn new(answers: Answers) -> Self {
        Self { answers, passed: Mutex::new(None) }
    }

    /// The door that such a run passes in place of its own.
    #[must_use]
    pub fn open(&self, own: Door) -> Door {
        let budget = own.budget();
        match &self.answers {
            Answers::Drawn => own.recording(),
            Answers::Wild(wild) => Door::wild(*wild, budget),
            Answers::Taped(tape) => Door::replay(tape.clone(), budget).recording(),
        }
    }

    /// Keeps what passed, however the run ends.
    pub fn close(&self, door: &Door) {
        let passed = Passed {
            tape: door.tape(),
            paid: door.paid().to_vec(),
            differences: door.differences(),
            words_used_twice: door.uses_words_twice(),
        };
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) = Some(passed);
    }

    /// What passed. Where the run came to no door, nothing was asked of it, and all that a tape has was not.
    #[must_use]
    pub fn passed(&self) -> Passed {
        let passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner).take();
        passed.unwrap_or_else(|| match &self.answers {
            Answers::Taped(tape) if !tape.0.is_empty() => {
                Passed { differences: vec![Difference::Asked { number: 0 }], ..Passed::default() }
            }
            _ => Passed::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gaussian, Rational, Seed, Zcdp};

    fn own() -> Door {
        let seed = Seed::from_number(81);
        Door::live(seed.stream(0), seed.stream(1), Zcdp::units(1 << 60))
    }

    fn run(keeper: &Doorkeeper, counts: &[i64]) -> Vec<i64> {
        let mut door = keeper.open(own());
        let law = Gaussian::new(Rational::new(4, 1).unwrap()).unwrap();
        let answer = door.noise("counts", counts, 1, law).unwrap();
        keeper.close(&door);
        answer
    }

    #[test]
    fn a_neighbour_gets_the_answers_of_the_first_run() {
        let first = Doorkeeper::new(Answers::Drawn);
        let answer = run(&first, &[3, 4]);
        let passed = first.passed();
        assert_eq!((passed.tape.0.len(), passed.paid.len(), passed.words_used_twice), (1, 1, false));
        let second = Doorkeeper::new(Answers::Taped(passed.tape.clone()));
        assert_eq!(run(&second, &[3, 5]), answer);
        assert_eq!(second.passed().differences, []);
        let far = Doorkeeper::new(Answers::Taped(passed.tape.clone()));
        run(&far, &[4, 5]);
        assert_eq!(far.passed().differences.len(), 1);
        let unopened = Doorkeeper::new(Answers::Taped(passed.tape));
        assert_eq!(unopened.passed().differences, [Difference::Asked { number: 0 }]);
        assert_eq!(Doorkeeper::new(Answers::Drawn).passed(), Passed::default());
        let empty = Doorkeeper::new(Answers::Taped(Tape::default()));
        assert_eq!(empty.passed().differences, [], "neither run asked anything");
    }

    #[test]
    fn wild_answers_are_kept() {
        let wild = Doorkeeper::new(Answers::Wild(Wild::Nothing));
        assert_eq!(run(&wild, &[3, 4]), [0, 0]);
        assert_eq!(wild.passed().tape.0.len(), 1);
    }
}
