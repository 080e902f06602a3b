//! Shapes of cells that tell what they are, with their check digits and rules of plausibility.

mod contact;
mod digits;
mod finance;
mod network;
mod numbers;
mod person_number;
mod place;
mod runs;
mod states;
mod taken;
mod vehicle;

pub(crate) use digits::gs1;
pub use place::FINE;
pub(crate) use states::verhoeff;

use self::runs::Run;
pub(super) use self::taken::{Look, Taken};
use super::identifier::Identifier;

/// How much a shape says by itself.
#[derive(Debug, Clone, Copy)]
pub enum Strength {
    /// Nothing else looks like it: one find is enough, within a text, too. Where it has a check, most that have
    /// its layout must pass it.
    Unmistakable,
    /// A column of it is no accident, and neither are some finds of it in texts; single cells may be.
    Solid,
    /// A column of it is no accident, single cells may be.
    Telling,
    /// A column of many different ones is no accident: other things look like it here and there.
    Varied,
    /// Check digits that one number in so many has by chance: more must pass than chance allows.
    Checked(f64),
    /// Other things look like it: it takes the name of the column as well.
    Weak,
}

/// A shape.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What it is, for people.
    pub title: &'static str,
    /// What it identifies.
    pub identifier: Identifier,
    /// How much it says.
    pub strength: Strength,
    /// What a cell needs to be looked at.
    made: Made,
    /// Whether a cell has it.
    pub fits: fn(&str) -> bool,
    /// Whether a longer text has it within.
    within: Within,
    /// Whether a cell has the layout, checks aside.
    layout: Option<fn(&str) -> bool>,
}

/// What a cell is made of, which is asked first, since it costs next to nothing: least and most digits, letters
/// (bytes of letters that are not of ASCII), and others.
#[derive(Debug, Clone, Copy)]
struct Made {
    digits: (u32, u32),
    letters: (u32, u32),
    others: (u32, u32),
    mark: Mark,
}

/// A sign without which a cell cannot have a shape.
#[derive(Debug, Clone, Copy)]
enum Mark {
    None,
    At,
    Colon,
    Point,
}

/// Digits, letters and others, each the least and the most.
const fn made(digits: (u32, u32), letters: (u32, u32), others: (u32, u32)) -> Made {
    Made { digits, letters, others, mark: Mark::None }
}

impl Made {
    const fn with(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }
}

/// Digits with up to so many separators.
const fn digits(least: u32, most: u32, others: u32) -> Made {
    made((least, most), (0, 0), (0, others))
}

/// So many or more.
const ANY: u32 = u32::MAX;

/// How a shape is searched for in a longer text.
#[derive(Debug, Clone, Copy)]
enum Within {
    /// Word by word.
    Words,
    /// By a search of its own, where a text can have it.
    Own(fn(Traits) -> bool, fn(&str) -> bool),
    /// Number by number, with the word before it.
    Numbers(fn(Run<'_>) -> bool),
    /// Not at all.
    No,
}

/// What a cell consists of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traits {
    pub(super) digits: u32,
    pub(super) letters: u32,
    others: u32,
    points: u32,
    /// Bytes that are not of ASCII, which count as letters, too.
    wide: u32,
    at: bool,
    colon: bool,
}

impl Traits {
    pub(super) fn of(text: &str) -> Self {
        let mut traits = Self::default();
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => traits.digits += 1,
                b'A'..=b'Z' | b'a'..=b'z' => traits.letters += 1,
                0x80.. => {
                    traits.letters += 1;
                    traits.wide += 1;
                }
                other => {
                    traits.others += 1;
                    traits.points += u32::from(other == b'.');
                    traits.at |= other == b'@';
                    traits.colon |= other == b':';
                }
            }
        }
        traits
    }

    /// Whether no shape can be in it.
    pub(super) fn is_plain(self) -> bool {
        self.digits == 0 && !self.at && !self.colon && self.points == 0
    }

    /// Whether it is more than digits and points.
    fn is_parted(self) -> bool {
        self.letters + self.others > self.points
    }

    fn has_at(self) -> bool {
        self.at
    }

    fn can_be_iban(self) -> bool {
        self.digits > 11 && self.letters > 1
    }

    /// Two numbers with decimals, or two signs of degrees, which have two bytes each.
    fn can_be_place(self) -> bool {
        self.digits > 7 && (self.points > 1 || self.wide > 3)
    }
}

const fn pattern(
    title: &'static str,
    identifier: Identifier,
    strength: Strength,
    made: Made,
    fits: fn(&str) -> bool,
) -> Pattern {
    let within = match strength {
        Strength::Unmistakable | Strength::Solid => Within::Words,
        _ => Within::No,
    };
    Pattern { title, identifier, strength, made, fits, within, layout: None }
}

impl Pattern {
    const fn within(self, within: Within) -> Self {
        Self { within, ..self }
    }

    /// With the layout that chance is counted among.
    const fn of(self, layout: fn(&str) -> bool) -> Self {
        Self { layout: Some(layout), ..self }
    }

    /// Whether it names a place as narrow as a house.
    pub(super) fn is_exact(&self) -> bool {
        self.identifier == Identifier::Geographic
            && matches!(self.strength, Strength::Unmistakable | Strength::Varied)
    }

    /// Whether a whole cell can have the shape.
    fn can_be(&self, traits: Traits) -> bool {
        let within = |number: u32, (least, most): (u32, u32)| least <= number && number <= most;
        within(traits.digits, self.made.digits)
            && within(traits.letters, self.made.letters)
            && within(traits.others, self.made.others)
            && match self.made.mark {
                Mark::None => true,
                Mark::At => traits.at,
                Mark::Colon => traits.colon,
                Mark::Point => traits.points > 0,
            }
    }
}

use Identifier as I;
use Strength::{Checked, Solid, Telling, Unmistakable, Varied, Weak};

/// One number in ten passes.
const TENTH: Strength = Checked(0.1);
const ELEVENTH: Strength = Checked(1.0 / 11.0);
const HUNDREDTH: Strength = Checked(0.01);

/// All shapes; where several fit, the first is named.
pub const PATTERNS: &[Pattern] = &[
    pattern(
        "e-mail addresses",
        I::Email,
        Unmistakable,
        made((0, ANY), (3, ANY), (2, ANY)).with(Mark::At),
        network::is_email,
    )
    .within(Within::Own(Traits::has_at, network::holds_email)),
    pattern(
        "web addresses of users",
        I::Url,
        Unmistakable,
        made((0, ANY), (4, ANY), (2, ANY)),
        network::has_user,
    ),
    pattern(
        "IBANs with check digits",
        I::Account,
        Unmistakable,
        made((4, 32), (2, 28), (0, 9)),
        finance::is_iban,
    )
    .within(Within::Own(Traits::can_be_iban, finance::holds_iban))
    .of(finance::has_iban_layout),
    pattern(
        "telephone numbers in international form",
        I::Telephone,
        Unmistakable,
        digits(8, 17, 12),
        contact::is_international,
    )
    .within(Within::Numbers(contact::holds_international)),
    pattern(
        "telephone numbers after a word such as `Tel.`",
        I::Telephone,
        Unmistakable,
        made((ANY, ANY), (0, 0), (0, 0)),
        contact::is_none,
    )
    .within(Within::Numbers(contact::holds_called)),
    pattern(
        "NHS numbers in groups, with check digit",
        I::HealthPlan,
        Unmistakable,
        made((10, 10), (0, 0), (2, 2)),
        states::is_grouped_nhs,
    )
    .within(Within::Numbers(|run| states::is_grouped_nhs(run.digits)))
    .of(states::is_nhs_layout),
    pattern(
        "coordinates of a place",
        I::Geographic,
        Unmistakable,
        made((ANY, ANY), (0, 0), (0, 0)),
        place::holds_coordinates,
    )
    .within(Within::Own(Traits::can_be_place, place::holds_coordinates)),
    pattern(
        "Swiss insurance numbers with check digit",
        I::SocialSecurity,
        Unmistakable,
        made((13, 13), (0, 0), (3, 3)),
        states::is_ahv,
    ),
    pattern(
        "Brazilian tax numbers with check digits",
        I::SocialSecurity,
        Unmistakable,
        made((11, 11), (0, 0), (3, 3)),
        states::is_cpf,
    ),
    pattern(
        "Italian tax codes with check letter",
        I::SocialSecurity,
        Unmistakable,
        made((7, 7), (9, 9), (0, 0)),
        states::is_italian,
    ),
    pattern(
        "Finnish personal codes with check letter",
        I::SocialSecurity,
        Unmistakable,
        made((9, 10), (0, 2), (0, 1)),
        states::is_finnish,
    ),
    pattern(
        "Chinese identity numbers with check digit",
        I::SocialSecurity,
        TENTH,
        made((17, 18), (0, 1), (0, 0)),
        states::is_chinese,
    ),
    pattern(
        "IPv4 addresses",
        I::IpAddress,
        Solid,
        made((4, 12), (0, 0), (3, 3)).with(Mark::Point),
        network::is_ipv4,
    ),
    pattern(
        "IPv6 addresses",
        I::IpAddress,
        Solid,
        made((0, 32), (0, 32), (2, 8)).with(Mark::Colon),
        network::is_ipv6,
    ),
    pattern("MAC addresses", I::Device, Solid, made((0, 11), (1, 12), (5, 5)), network::is_mac),
    pattern("UUIDs", I::Other, Solid, made((0, 32), (0, 32), (4, 6)), network::is_uuid),
    pattern(
        "Korean resident registration numbers with their birth date",
        I::SocialSecurity,
        Solid,
        made((13, 13), (0, 0), (1, 1)),
        person_number::is_rrn_with_hyphen,
    ),
    pattern(
        "Korean resident registration numbers with birth date and check digit",
        I::SocialSecurity,
        ELEVENTH,
        digits(13, 13, 2),
        person_number::is_rrn,
    )
    .of(person_number::has_rrn_layout),
    pattern(
        "US social security numbers, written with hyphens",
        I::SocialSecurity,
        Solid,
        made((9, 9), (0, 0), (2, 2)),
        person_number::is_ssn_with_hyphens,
    ),
    pattern("US social security numbers", I::SocialSecurity, Weak, digits(9, 9, 2), person_number::is_ssn),
    pattern(
        "British national insurance numbers",
        I::SocialSecurity,
        Telling,
        made((6, 6), (3, 3), (0, 4)),
        states::is_nino,
    ),
    pattern(
        "Mexican population registry codes",
        I::SocialSecurity,
        Telling,
        made((6, 8), (10, 12), (0, 0)),
        states::is_curp,
    ),
    pattern(
        "Indian tax numbers of persons",
        I::SocialSecurity,
        Telling,
        made((4, 4), (6, 6), (0, 0)),
        states::is_pan,
    ),
    pattern(
        "German pension insurance numbers",
        I::SocialSecurity,
        Telling,
        made((11, 11), (1, 1), (0, 4)),
        states::is_rvnr_layout,
    ),
    pattern(
        "Swedish personal numbers with check digit",
        I::SocialSecurity,
        TENTH,
        made((10, 12), (0, 0), (1, 1)),
        states::is_swedish,
    )
    .of(states::is_swedish_layout),
    pattern(
        "Danish personal numbers with their birth date",
        I::SocialSecurity,
        Telling,
        made((10, 10), (0, 0), (1, 1)),
        states::is_danish,
    ),
    pattern(
        "German insurance numbers with check digit",
        I::HealthPlan,
        TENTH,
        made((9, 9), (1, 1), (0, 0)),
        states::is_kvnr,
    )
    .of(states::is_kvnr_layout),
    pattern(
        "Spanish identity numbers with check letter",
        I::SocialSecurity,
        Checked(0.05),
        made((7, 8), (1, 2), (0, 2)),
        states::is_spanish,
    )
    .of(states::is_spanish_layout),
    pattern(
        "French insurance numbers with key",
        I::SocialSecurity,
        HUNDREDTH,
        digits(15, 15, 6),
        states::is_nir,
    )
    .of(states::is_nir_layout),
    pattern(
        "Norwegian birth numbers with check digits",
        I::SocialSecurity,
        HUNDREDTH,
        digits(11, 11, 1),
        states::is_norwegian,
    )
    .of(states::is_norwegian_layout),
    pattern(
        "Turkish identity numbers with check digits",
        I::SocialSecurity,
        HUNDREDTH,
        digits(11, 11, 0),
        states::is_turkish,
    )
    .of(states::is_turkish_layout),
    pattern(
        "Belgian national numbers with check digits",
        I::SocialSecurity,
        HUNDREDTH,
        digits(11, 11, 4),
        states::is_belgian,
    )
    .of(states::is_belgian_layout),
    pattern(
        "Brazilian tax numbers with check digits",
        I::SocialSecurity,
        HUNDREDTH,
        digits(11, 11, 0),
        states::is_bare_cpf,
    )
    .of(states::is_bare_cpf_layout),
    pattern(
        "Polish personal numbers with check digit",
        I::SocialSecurity,
        TENTH,
        digits(11, 11, 0),
        states::is_pesel,
    )
    .of(states::is_pesel_layout),
    pattern(
        "German tax numbers with check digit",
        I::SocialSecurity,
        TENTH,
        digits(11, 11, 3),
        states::is_tax_id,
    )
    .of(states::is_tax_layout),
    pattern(
        "Swiss insurance numbers with check digit",
        I::SocialSecurity,
        TENTH,
        digits(13, 13, 0),
        states::is_bare_ahv,
    )
    .of(states::is_bare_ahv_layout),
    pattern(
        "Dutch citizen numbers with check digit",
        I::SocialSecurity,
        ELEVENTH,
        digits(9, 9, 0),
        states::is_bsn,
    )
    .of(states::is_bsn_layout),
    pattern(
        "Canadian insurance numbers with check digit",
        I::SocialSecurity,
        TENTH,
        digits(9, 9, 2),
        states::is_sin,
    )
    .of(states::is_sin_layout),
    pattern(
        "Indian identity numbers with check digit",
        I::SocialSecurity,
        TENTH,
        digits(12, 12, 2),
        states::is_aadhaar,
    )
    .of(states::is_aadhaar_layout),
    pattern("NHS numbers with check digit", I::HealthPlan, ELEVENTH, digits(10, 10, 0), states::is_nhs)
        .of(states::is_nhs_like),
    pattern(
        "Medicare beneficiary identifiers",
        I::HealthPlan,
        Telling,
        made((5, 9), (2, 6), (0, 2)),
        person_number::is_mbi,
    ),
    pattern("card numbers with check digit", I::Account, TENTH, digits(13, 19, 5), finance::is_card)
        .within(Within::Numbers(|run| finance::is_card(run.digits)))
        .of(finance::has_card_layout),
    pattern(
        "US provider identifiers (NPI) with check digit",
        I::License,
        TENTH,
        digits(10, 10, 0),
        numbers::is_npi,
    )
    .of(numbers::has_npi_layout),
    pattern("DEA numbers with check digit", I::License, TENTH, made((7, 8), (1, 2), (0, 0)), numbers::is_dea)
        .of(numbers::has_dea_layout),
    pattern(
        "vehicle identification numbers with check digit",
        I::Vehicle,
        ELEVENTH,
        made((4, 16), (1, 13), (0, 0)),
        numbers::is_vin,
    )
    .of(numbers::has_vin_letters),
    pattern(
        "vehicle identification numbers",
        I::Vehicle,
        Telling,
        made((4, 14), (3, 13), (0, 0)),
        vehicle::has_vin_layout,
    ),
    pattern("license plates", I::Vehicle, Varied, made((1, 6), (2, 10), (0, 2)), vehicle::is_plate),
    pattern(
        "device identifiers (UDI) with check digit",
        I::Device,
        Telling,
        made((14, ANY), (0, ANY), (2, ANY)),
        numbers::is_udi,
    ),
    pattern("IMEIs with check digit", I::Device, TENTH, digits(15, 15, 3), numbers::is_imei)
        .of(numbers::has_imei_layout),
    pattern("telephone numbers", I::Telephone, Solid, digits(8, 15, 9), contact::is_written_phone)
        .within(Within::Numbers(contact::holds_national)),
    pattern("telephone numbers", I::Telephone, Solid, digits(9, 12, 9), contact::is_national)
        .within(Within::No),
    pattern("numbers of mobile telephones", I::Telephone, Telling, digits(10, 12, 0), contact::is_mobile),
    pattern("telephone numbers", I::Telephone, Weak, digits(9, 12, 9), contact::is_bare_phone),
    pattern("ZIP+4 codes", I::Geographic, Telling, made((9, 9), (0, 0), (1, 1)), contact::is_zip_plus_4),
    pattern(
        "postcodes of the United Kingdom",
        I::Geographic,
        Telling,
        made((2, 3), (3, 5), (1, 1)),
        contact::is_british,
    ),
    pattern("postal codes", I::Geographic, Weak, made((1, 9), (0, 5), (0, 2)), contact::is_postal_code),
    pattern(
        "addresses with a house number",
        I::Geographic,
        Varied,
        made((1, 12), (3, 100), (1, 12)),
        place::is_street,
    ),
    pattern(
        "names of users",
        I::Other,
        Telling,
        made((0, 30), (0, 30), (1, 10)).with(Mark::At),
        network::is_handle,
    ),
    pattern("hash values", I::Other, Telling, made((0, 127), (1, 127), (0, 0)), network::is_hash),
    pattern(
        "numbers of studies and images (UID)",
        I::Device,
        Varied,
        made((19, 60), (0, 0), (5, 20)).with(Mark::Point),
        network::is_instance_uid,
    ),
    pattern("web addresses", I::Url, Varied, made((0, ANY), (4, ANY), (2, ANY)), network::is_url),
    pattern(
        "names of picture files",
        I::Photograph,
        Telling,
        made((0, ANY), (2, ANY), (1, ANY)).with(Mark::Point),
        network::is_picture,
    ),
    pattern(
        "names of sound or scan files",
        I::Biometric,
        Telling,
        made((0, ANY), (2, ANY), (1, ANY)).with(Mark::Point),
        network::is_recording,
    ),
];
