//! Queries that are paid for in (ε, δ): of methods whose steps add up by basic composition.
//!
//! The streams are the caller's: such methods have one for each purpose. A door that does not draw leaves them where they are.

use std::collections::BTreeMap;

use super::{Cost, Door, DoorError, Source};
use crate::cells::CellCounts;
use crate::sampled::{ClassCounts, ClassName, by_class};
use crate::seed::Place;
use crate::tape::{Answer, Query};
use crate::watch::Watched;
use crate::{CellLaw, Loss, Rational, SampleLaw, Stream, TwoSided, WatchLaw, choose};

/// What the class of a number is called.
type Named<'a> = &'a dyn Fn(usize) -> ClassName;

impl Door {
    /// A door with a budget of (ε, δ).
    #[must_use]
    pub fn paid_by(budget: Loss) -> Self {
        Self::of(Source::Passed, Cost::Loss(budget))
    }

    /// One of the candidates by the exponential mechanism, where one person moves each score by at most `sensitivity`. It costs
    /// ε.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left.
    ///
    /// # Panics
    /// As [`choose`].
    pub fn pick(
        &mut self,
        step: &str,
        scores: &[i64],
        (sensitivity, epsilon): (u64, Rational),
        stream: &mut Stream,
    ) -> Result<usize, DoorError> {
        self.pay(step, Some(Cost::Loss(Loss::pure(epsilon))))?;
        if self.draws_unseen() {
            return Ok(choose(scores, sensitivity, epsilon, stream));
        }
        let query = Query::Choice { scores: scores.to_vec(), sensitivity, epsilon };
        let draw = |stream: &mut Stream| vec![choose(scores, sensitivity, epsilon, stream) as i64];
        let answer = self.answered(step, query, [stream], |[stream]| Answer::Numbers(draw(stream)));
        Ok(answer.chosen(scores.len()))
    }

    /// Counts with two-sided geometric noise of ε, where one person moves their sum by at most 1. It costs ε.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left, or there is no such noise.
    pub fn counts(
        &mut self,
        step: &str,
        counts: &[u64],
        epsilon: Rational,
        stream: &mut Stream,
    ) -> Result<Vec<i64>, DoorError> {
        let law = TwoSided::new(epsilon, 1);
        let law = law.ok_or_else(|| DoorError::Unpayable { step: step.to_owned() })?;
        self.pay(step, Some(Cost::Loss(Loss::pure(epsilon))))?;
        let counts: Vec<i64> = counts.iter().map(|&count| i64::try_from(count).unwrap_or(i64::MAX)).collect();
        let query = Query::Counts { counts: counts.clone(), epsilon };
        let noisy =
            |stream: &mut Stream| counts.iter().map(|&count| noisy(count, law.draw(stream))).collect();
        let answer = self.answered(step, query, [stream], |[stream]| Answer::Numbers(noisy(stream)));
        Ok((0..counts.len()).map(|place| answer.number(place).unwrap_or(0)).collect())
    }

    /// The cells that are given of a domain of so many, where one person moves the sum of all counts by at most 1. `occupied` are those with records,
    /// ascending. It costs ε and, where only occupied cells are looked at, the δ that the method's threshold stands for.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left; that of `check`, which is called now and then while cells are drawn.
    pub fn cells<E: From<DoorError>>(
        &mut self,
        step: &str,
        (occupied, cells): (&[(u128, u64)], u128),
        (law, loss): (CellLaw, Loss),
        streams: [&mut Stream; 2],
        check: impl FnMut() -> Result<(), E>,
    ) -> Result<CellCounts, E> {
        self.pay(step, Some(Cost::Loss(loss)))?;
        if self.draws_unseen() {
            return law.draw(occupied, cells, streams, check);
        }
        let query = Query::Cells { occupied: occupied.to_vec(), cells, law };
        let mut stopped = None;
        let answer = self.answered(step, query, streams, |[noise, empty]| {
            let drawn = law.draw(occupied, cells, [noise, empty], check);
            Answer::Cells(drawn.unwrap_or_else(|error| {
                stopped = Some(error);
                Vec::new()
            }))
        });
        match (stopped, answer) {
            (Some(error), _) => Err(error),
            (None, Answer::Cells(given)) => Ok(given),
            (None, _) => Ok(Vec::new()),
        }
    }

    /// A sample of records, where one person is one record: of each class how many are in it, if at least k. `records` are drawn
    /// from in their order: the number of a class, and how many of it. `name` is what a class is called, which another table calls
    /// the same. It costs (ε, δ) as the method proves it.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left.
    pub fn sample(
        &mut self,
        step: &str,
        (records, name): (&[(usize, u64)], Named<'_>),
        (law, loss): (SampleLaw, Loss),
        stream: &mut Stream,
    ) -> Result<BTreeMap<usize, u64>, DoorError> {
        self.pay(step, Some(Cost::Loss(loss)))?;
        if self.draws_unseen() {
            return Ok(law.draw(records, stream));
        }
        let classes = by_class(records);
        let named = |counts: &BTreeMap<usize, u64>| -> ClassCounts {
            counts.iter().map(|(&class, &count)| (name(class), count)).collect()
        };
        let query = Query::Sample { classes: named(&classes), law };
        let answer = self
            .answered(step, query, [stream], |[stream]| Answer::Classes(named(&law.draw(records, stream))));
        let Answer::Classes(given) = answer else { return Ok(BTreeMap::new()) };
        // Of a tape of another run a class may not be there.
        let count = |class: &usize| given.get(&name(*class)).map(|&count| (*class, count));
        Ok(classes.keys().filter_map(count).collect())
    }

    /// A watch on distances, with all that they will cost: the noise of the threshold is drawn here.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left.
    pub fn watch(&mut self, step: &str, law: WatchLaw, stream: &mut Stream) -> Result<Watched, DoorError> {
        self.pay(step, Some(Cost::Loss(Loss::pure(law.epsilon))))?;
        let query = Query::Watch { law };
        // The noise is no answer: nobody but the watch knows it.
        let mut shift = 0;
        self.answered(step, query, [stream], |[stream]| {
            shift = law.threshold.draw(stream);
            Answer::Numbers(Vec::new())
        });
        Ok(Watched { law, shift, left: law.most() })
    }

    /// Whether a distance, which one person moves by at most 1, reaches a threshold that was not chosen by the table. It was paid for with the watch.
    ///
    /// # Errors
    /// [`DoorError`] if as many distances reached it as were paid for.
    pub fn reaches(
        &mut self,
        step: &str,
        watched: &mut Watched,
        (distance, threshold): (u64, u64),
        stream: &mut Stream,
    ) -> Result<bool, DoorError> {
        if watched.left == 0 {
            return Err(DoorError::Overspent { step: step.to_owned() });
        }
        let limit = i128::from(threshold).saturating_add(watched.shift);
        let law = watched.law.distance;
        let query = Query::Distance { distance, threshold };
        let answer = self.answered(step, query, [stream], |[stream]| {
            let reaches = i128::from(distance).saturating_add(law.draw(stream)) >= limit;
            Answer::Numbers(vec![i64::from(reaches)])
        });
        let reaches = answer.number(0) == Some(1);
        watched.left -= u64::from(reaches);
        Ok(reaches)
    }

    /// Whether answers are drawn and nobody keeps them.
    fn draws_unseen(&self) -> bool {
        matches!(self.source, Source::Passed) && self.recorded.is_none()
    }

    /// The answer to a query: drawn from these streams, or as the door's source has it.
    fn answered<const N: usize>(
        &mut self,
        step: &str,
        query: Query,
        mut streams: [&mut Stream; N],
        draw: impl FnOnce(&mut [&mut Stream; N]) -> Answer,
    ) -> Answer {
        let answer = match self.source {
            Source::Passed => {
                let before: Vec<Place> = streams.iter().map(|stream| stream.place()).collect();
                let answer = draw(&mut streams);
                self.used(before.into_iter().zip(streams.iter().map(|stream| stream.place())));
                answer
            }
            _ => self.undrawn(step, &query),
        };
        self.record(step, query, &answer);
        answer
    }
}

fn noisy(count: i64, noise: i128) -> i64 {
    let sum = i128::from(count).saturating_add(noise);
    i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// ε of 40: no draw differs from the truth, but for a probability of 1e-17.
    fn sure() -> Rational {
        Rational::new(40, 1).unwrap()
    }

    fn door() -> Door {
        Door::paid_by(Loss::pure(Rational::new(1000, 1).unwrap()))
    }

    /// A door that nobody watches and one that keeps its tape: both draw the same.
    fn doors() -> [Door; 2] {
        [door(), door().recording()]
    }

    fn streams() -> [Stream; 2] {
        [95, 96].map(|number| Seed::from_number(number).stream(0))
    }

    #[test]
    fn the_best_candidate_is_picked() {
        for mut door in doors() {
            let [mut stream, _] = streams();
            assert_eq!(door.pick("pick", &[0, 9, 0], (1, sure()), &mut stream), Ok(1));
            assert_eq!(door.pick("pick", &[9, 0, 0], (1, sure()), &mut stream), Ok(0));
            assert_eq!(door.paid().len(), 2);
        }
    }

    #[test]
    fn counts_get_the_noise_of_the_stream() {
        let weak = Rational::new(1, 10).unwrap();
        for mut door in doors() {
            let [mut stream, _] = streams();
            assert_eq!(door.counts("counts", &[3, 0, 7], sure(), &mut stream), Ok(vec![3, 0, 7]));
            let ([mut fresh, _], [mut same, _]) = (streams(), streams());
            let drawn = door.counts("counts", &[50, 60], weak, &mut fresh).unwrap();
            let law = TwoSided::new(weak, 1).unwrap();
            assert_eq!(drawn, [50, 60].map(|count: i64| count + law.draw(&mut same) as i64));
        }
        assert_eq!((noisy(3, -5), noisy(i64::MAX, 5), noisy(i64::MIN, -5)), (-2, i64::MAX, i64::MIN));
    }

    #[test]
    fn cells_and_samples_are_those_of_their_laws() {
        let loss = Loss::pure(sure());
        for mut door in doors() {
            let [mut noise, mut empty] = streams();
            let law = CellLaw::new(sure(), 3, false).unwrap();
            let occupied: &[(u128, u64)] = &[(1, 2), (4, 5)];
            let asked = (occupied, 9);
            let cells =
                door.cells::<DoorError>("cells", asked, (law, loss), [&mut noise, &mut empty], || Ok(()));
            assert_eq!(cells, Ok(vec![(4, 5)]));
            let name = |class: usize| vec![class.to_string()];
            let law = SampleLaw { epsilon: sure(), least: 3 };
            let records: &[(usize, u64)] = &[(7, 2), (8, 2), (8, 2)];
            let sample = door.sample("sample", (records, &name), (law, loss), &mut noise);
            assert_eq!(sample, Ok(BTreeMap::from([(8, 4)])));
        }
    }

    #[test]
    fn a_tape_has_all_that_passed() {
        let [plain, mut recording] = doors();
        let [mut stream, _] = streams();
        recording.counts("counts", &[3], sure(), &mut stream).unwrap();
        recording.pick("pick", &[0, 9], (1, sure()), &mut stream).unwrap();
        let steps: Vec<String> = recording.tape().0.into_iter().map(|answered| answered.step).collect();
        assert_eq!(steps, ["counts", "pick"]);
        assert!(plain.tape().0.is_empty());
    }

    #[test]
    fn a_watch_ends_when_as_many_reached_it_as_were_paid_for() {
        let law = WatchLaw::new(Rational::new(800, 1).unwrap(), 2).unwrap();
        for mut door in doors() {
            let [mut stream, _] = streams();
            let mut watched = door.watch("watch", law, &mut stream).unwrap();
            let mut reaches = |distance| door.reaches("look", &mut watched, (distance, 5), &mut stream);
            assert_eq!(
                (reaches(3), reaches(5), reaches(4), reaches(9)),
                (Ok(false), Ok(true), Ok(false), Ok(true))
            );
            assert_eq!(reaches(3), Err(DoorError::Overspent { step: "look".into() }));
        }
    }
}
