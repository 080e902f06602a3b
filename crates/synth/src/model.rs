//! The tables that a record is drawn from, built once: they depend on no seed.

use std::sync::LazyLock;

use velamen_dp::Stream;

use crate::alias::AliasTable;
use crate::curves::{AGE_GROUPS, age_group};
use crate::diagnosis::{self, categories};
use crate::habits::Habits;
use crate::stay::{self, DECADES, KINDS};
use crate::{Record, SEXES, demography, geography};

/// The model of the whole sample.
pub(crate) static MODEL: LazyLock<Model> = LazyLock::new(Model::new);

/// Age and sex first; then the location given the age, the diagnosis given age and sex, the surgery
/// given the diagnosis, and the length of stay given all but the location. Habits of coding come between
/// diagnosis and surgery.
pub(crate) struct Model {
    people: AliasTable,
    locations: Vec<AliasTable>,
    /// By age group and sex.
    diagnoses: Vec<AliasTable>,
    habits: Habits,
    /// By diagnosis: surgery if a random 32-bit word is below.
    surgery_thresholds: Vec<u32>,
    /// By sex and diagnosis.
    kinds: [Vec<u8>; SEXES],
    /// By kind of stay, decade of age and surgery.
    stays: Vec<AliasTable>,
}

impl Model {
    fn new() -> Self {
        let group_and_sex = (0..AGE_GROUPS).flat_map(|group| [(group, 0), (group, 1)]);
        let stays = (0..KINDS * DECADES * 2).map(|table| {
            AliasTable::new(&stay::weights(table / 2 / DECADES, table % 2 == 1, table / 2 % DECADES))
        });
        Self {
            people: AliasTable::new(&demography::weights()),
            locations: (0..AGE_GROUPS).map(|group| AliasTable::new(&geography::weights(group))).collect(),
            diagnoses: group_and_sex
                .map(|(group, sex)| AliasTable::new(&diagnosis::weights(group, sex)))
                .collect(),
            habits: Habits::new(),
            surgery_thresholds: categories()
                .map(|c| ((c.surgery_per_thousand << 32) / 1000) as u32)
                .collect(),
            kinds: [0, 1].map(|sex| categories().map(|c| stay::kind(c.stay, sex) as u8).collect()),
            stays: stays.collect(),
        }
    }

    /// One record, from three random words.
    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> Record {
        let (first, second, third) = (stream.word(), stream.word(), stream.word());
        let person = self.people.draw(first as u32);
        let (age, sex) = (person / SEXES, person % SEXES);
        let group = age_group(age);
        let location = self.locations[group].draw((first >> 32) as u32);
        let diagnosis = self.diagnoses[group * SEXES + sex].draw(second as u32);
        let diagnosis = self.habits.written(diagnosis, location, (third >> 32) as u32);
        let surgery = ((second >> 32) as u32) < self.surgery_thresholds[diagnosis];
        let kind = usize::from(self.kinds[sex][diagnosis]);
        let stay = self.stays[(kind * DECADES + age / 10) * 2 + usize::from(surgery)].draw(third as u32);
        Record {
            age: age as u8,
            sex: sex as u8,
            length_of_stay: stay as u8,
            location: location as u16,
            surgery: surgery.into(),
            diagnosis: diagnosis as u16,
        }
    }
}
