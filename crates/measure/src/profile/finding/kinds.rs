//! Kinds of identifiers under a name that says nothing, and ordinary columns: which are told apart.

use velamen_dp::{Seed, below};

use super::*;
use crate::profile::kind;
use crate::profile::patterns::{gs1, verhoeff};

/// What is found in a column that is called `x7`, as a run looks at it.
fn found(values: &[String]) -> Option<String> {
    let mut sorted: Vec<&str> = values.iter().map(String::as_str).filter(|value| !value.is_empty()).collect();
    sorted.sort_unstable();
    let cells: Vec<(&str, u64)> =
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    let cells = Cells(&cells);
    let some: Vec<(&str, u64)> =
        cells.0.iter().step_by(cells.distinct().div_ceil(2_000).max(1)).copied().collect();
    let kind = kind::of(Cells(&some)).0;
    direct(Column { name: "x7", kind: &kind, cells }).first().map(|finding| finding.why.join("; "))
}

type Make = Box<dyn Fn(u64) -> String>;

fn column(rows: usize, make: &Make) -> Vec<String> {
    let mut stream = Seed::from_number(7).stream(1);
    (0..rows).map(|_| make(below(&mut stream, 1 << 50))).collect()
}

fn of(make: impl Fn(u64) -> String + 'static) -> Make {
    Box::new(make)
}

/// One of a list.
fn one(list: &'static str) -> Make {
    of(move |n| pick(list, n).to_owned())
}

fn pick(list: &'static str, n: u64) -> &'static str {
    let entries = list.bytes().filter(|byte| *byte == b'|').count() as u64 + 1;
    list.split('|').nth((n % entries) as usize).unwrap()
}

/// Numbers of a layout with the digit, 0 to 9, that makes them pass.
fn checked(
    layout: impl Fn(u64) -> (String, String) + 'static,
    fits: impl Fn(&str) -> bool + 'static,
) -> Make {
    of(move |n| {
        let tried = |n: u64| {
            let (before, after) = layout(n);
            let own = (0..=9).map(|digit| format!("{before}{digit}{after}"));
            own.into_iter().find(|text| fits(text))
        };
        (n..n + 100).find_map(tried).unwrap()
    })
}

/// A number that passes a shape of the list, found by trying.
fn passing(title: &'static str, layout: impl Fn(u64) -> String + 'static) -> Make {
    let pattern = super::super::patterns::PATTERNS.iter().find(|pattern| pattern.title == title).unwrap();
    of(move |n| {
        (0..40_000u64)
            .map(|more| layout((n ^ more.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 14))
            .find(|text| (pattern.fits)(text))
            .unwrap()
    })
}

fn luhn(text: &str) -> bool {
    text.chars().rev().filter_map(|c| c.to_digit(10)).enumerate().map(weighed).sum::<u32>() % 10 == 0
}

fn weighed((at, digit): (usize, u32)) -> u32 {
    if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
}

fn iban(n: u64) -> String {
    let account = format!("{:08}{:010}", 10_000_000 + n % 89_999_999, n % 9_999_999_999);
    let rest = format!("{account}131400")
        .chars()
        .fold(0u64, |rest, c| (rest * 10 + u64::from(c.to_digit(10).unwrap())) % 97);
    format!("DE{:02}{account}", 98 - rest)
}

fn upper(n: u64, length: u32) -> String {
    (0..length).map(|at| char::from(b"ABCDEFGHJKLMNPRSTUVWXYZ"[(n / 23u64.pow(at) % 23) as usize])).collect()
}

const GIVEN: &str =
    "Anna|Peter|Sabine|Jürgen|Mehmet|Heike|Lukas|Emma|Olivia|James|Sophie|Karl|Ursula|Wolfgang|Noah|Mia";
const FAMILY: &str = "Müller|Schmidt|Krüger|Smith|Jones|Meyer|Yilmaz|Nowak|Hoffmann|Lehmann|Becker|Johnson|Davis|Krause|Schulz|Hartmann|Bauer|Lange";
const DONE: &str = "Sturz im Bad|Kontrolle ohne Befund|keine Auffälligkeiten|seen again, better than before|sent home with advice|Wundkontrolle nach OP";

/// A text of many; one in fifty holds what is given.
fn remark(held: impl Fn(u64) -> String + 'static) -> Make {
    of(move |n| {
        if n % 50 == 0 {
            format!("{}, {}", pick(DONE, n / 50), held(n / 300))
        } else {
            pick(DONE, n).to_owned()
        }
    })
}

/// The kinds that a run refuses, whatever the column is called.
fn kinds() -> Vec<(&'static str, Make)> {
    vec![
        (
            "e-mail",
            of(|n| {
                format!(
                    "{}.{}{}@mail.example.org",
                    pick("anna|peter|emma", n),
                    pick("doe|roe", n / 3),
                    n / 6 % 9_000
                )
            }),
        ),
        ("e-mail in a remark", remark(|n| format!("write to jane{n}@example.org."))),
        ("telephone, international", of(|n| format!("+49 171 {:07}", n % 10_000_000))),
        ("telephone, international without spaces", of(|n| format!("+49171{:07}", n % 10_000_000))),
        ("telephone, two zeros", of(|n| format!("0049 171 {:07}", n % 10_000_000))),
        ("telephone in a remark", remark(|n| format!("Tochter Tel. 0171 {:07}", n % 10_000_000))),
        ("telephone in a remark, no word", remark(|n| format!("Tochter 0171 {:07}", n % 10_000_000))),
        ("telephone, German", of(|n| format!("0{}/{:07}", 151 + n % 28, n / 28 % 10_000_000))),
        ("telephone, German mobile", of(|n| format!("017{}{:07}", n % 10, n / 10 % 10_000_000))),
        ("telephone, American", of(|n| format!("({}) 555-{:04}", 212 + n % 500, n / 500 % 10_000))),
        (
            "telephone, French",
            of(|n| {
                format!(
                    "06 {:02} {:02} {:02} {:02}",
                    n % 100,
                    n / 100 % 100,
                    n / 10_000 % 100,
                    n / 1_000_000 % 100
                )
            }),
        ),
        ("telephone, British", of(|n| format!("020 7{:03} {:04}", n % 1_000, n / 1_000 % 10_000))),
        (
            "US social security, hyphens",
            of(|n| format!("{:03}-{:02}-{:04}", n % 600 + 1, n / 600 % 99 + 1, n / 60_000 % 9_999 + 1)),
        ),
        ("US social security, digits", of(|n| format!("{:09}", n % 665_999_999 + 1_000_000))),
        (
            "NHS number, grouped",
            passing("NHS numbers in groups, with check digit", |n| {
                format!("4{:02} {:03} {:04}", n % 100, n / 100 % 1_000, n / 7 % 10_000)
            }),
        ),
        (
            "NHS number, digits",
            passing("NHS numbers with check digit", |n| format!("4{:09}", n % 1_000_000_000)),
        ),
        (
            "German insured person",
            passing("German insurance numbers with check digit", |n| {
                format!("{}{:09}", upper(n, 1), n % 1_000_000_000)
            }),
        ),
        (
            "German pension insurance",
            of(|n| {
                format!(
                    "{:02}{:02}{:02}{:02}{}{:03}",
                    n % 90 + 10,
                    n % 28 + 1,
                    n % 12 + 1,
                    n % 100,
                    upper(n, 1),
                    n / 7 % 1_000
                )
            }),
        ),
        (
            "German tax number",
            passing("German tax numbers with check digit", |n| {
                // Nine different digits and one of them again, in a place that depends on the number.
                let turned: String =
                    (0..9).map(|at| char::from(b"123456789"[((at + n) % 9) as usize])).collect();
                let (before, after) = turned.split_at((n / 9 % 9) as usize);
                format!("{before}{}{after}{}", n / 81 % 9 + 1, n / 729 % 10)
            }),
        ),
        (
            "French insurance",
            passing("French insurance numbers with key", |n| {
                format!(
                    "{}{:02}{:02}{:08}{:02}",
                    n % 2 + 1,
                    n % 100,
                    n % 12 + 1,
                    n % 100_000_000,
                    n / 3 % 97 + 1
                )
            }),
        ),
        (
            "Polish PESEL",
            passing("Polish personal numbers with check digit", |n| {
                format!("{:02}{:02}{:02}{:05}", n % 100, n % 12 + 1, n % 28 + 1, n % 99_999)
            }),
        ),
        (
            "Dutch BSN",
            passing("Dutch citizen numbers with check digit", |n| {
                (100_000_000 + n % 899_999_999).to_string()
            }),
        ),
        (
            "Italian tax code",
            passing("Italian tax codes with check letter", |n| {
                format!(
                    "{}{:02}{}{:02}{}{:03}{}",
                    upper(n, 6),
                    n % 100,
                    upper(n, 1),
                    n % 28 + 1,
                    upper(n / 5, 1),
                    n % 1_000,
                    upper(n, 1)
                )
            }),
        ),
        (
            "Spanish identity card",
            passing("Spanish identity numbers with check letter", |n| {
                format!("{:08}{}", n % 100_000_000, upper(n, 1))
            }),
        ),
        (
            "Swedish personal number",
            passing("Swedish personal numbers with check digit", |n| {
                format!("{:02}{:02}{:02}-{:04}", n % 100, n % 12 + 1, n % 28 + 1, n % 10_000)
            }),
        ),
        (
            "Danish personal number",
            of(|n| format!("{:02}{:02}{:02}-{:04}", n % 28 + 1, n % 12 + 1, n % 100, n / 9 % 10_000)),
        ),
        (
            "Swiss AHV",
            passing("Swiss insurance numbers with check digit", |n| {
                format!("756.{:04}.{:04}.{:02}", n % 10_000, n / 7 % 10_000, n / 3 % 100)
            }),
        ),
        (
            "Canadian SIN",
            passing("Canadian insurance numbers with check digit", |n| {
                format!("{:03} {:03} {:03}", n % 600 + 100, n / 7 % 1_000, n / 3 % 1_000)
            }),
        ),
        (
            "British national insurance",
            of(|n| {
                format!(
                    "A{} {:02} {:02} {:02} C",
                    pick("B|C|E|G", n),
                    n / 4 % 100,
                    n / 400 % 100,
                    n / 40_000 % 100
                )
            }),
        ),
        (
            "Korean resident number",
            of(|n| {
                format!(
                    "{:02}{:02}{:02}-{}{:06}",
                    n % 100,
                    n % 12 + 1,
                    n % 28 + 1,
                    n % 2 + 1,
                    n / 9 % 1_000_000
                )
            }),
        ),
        (
            "Indian Aadhaar",
            checked(
                |n| {
                    (
                        format!("{:04} {:04} {:03}", n % 7_000 + 2_000, n / 7 % 10_000, n / 3 % 1_000),
                        String::new(),
                    )
                },
                |text| verhoeff(&text.chars().filter_map(|c| c.to_digit(10)).collect::<Vec<_>>()),
            ),
        ),
        (
            "Medicare beneficiary",
            of(|n| format!("{}E{}4-TE{}-MK{:02}", n % 9 + 1, n % 10, n / 10 % 10, n / 100 % 100)),
        ),
        ("card number", checked(|n| (format!("4{:014}", n % 100_000_000_000_000), String::new()), luhn)),
        (
            "card number, grouped",
            checked(
                |n| {
                    (
                        format!(
                            "4{:03} {:04} {:04} {:03}",
                            n % 1_000,
                            n / 7 % 10_000,
                            n / 11 % 10_000,
                            n / 3 % 1_000
                        ),
                        String::new(),
                    )
                },
                luhn,
            ),
        ),
        ("IBAN", of(iban)),
        ("IBAN in a remark", remark(|n| format!("paid from {}", iban(n)))),
        (
            "provider (NPI)",
            checked(
                |n| (format!("1{:08}", n % 100_000_000), String::new()),
                |text| luhn(&format!("80840{text}")),
            ),
        ),
        ("DEA", passing("DEA numbers with check digit", |n| format!("{}{:07}", upper(n, 2), n % 10_000_000))),
        (
            "license plate, German",
            of(|n| format!("{}-{} {}", pick("B|HH|M|K|TÜ", n), upper(n, 2), n % 9_000 + 10)),
        ),
        ("license plate, British", of(|n| format!("{}{:02} {}", upper(n, 2), n % 80 + 10, upper(n / 9, 3)))),
        ("license plate, American", of(|n| format!("{}-{:04}", upper(n, 3), n % 10_000))),
        (
            "vehicle with check digit",
            passing("vehicle identification numbers with check digit", |n| {
                format!("1M8{}{}A{}KP{:06}", upper(n, 1), upper(n / 3, 3), n % 10, n % 1_000_000)
            }),
        ),
        ("vehicle without", of(|n| format!("WVW{}ZJZXW{:06}", upper(n, 3), n % 1_000_000))),
        ("IP address", of(|n| format!("192.168.{}.{}", n % 256, n / 256 % 256))),
        ("IPv6 address", of(|n| format!("2001:db8::{:x}:{:x}", n % 65_536, n / 65_536 % 65_536))),
        (
            "MAC address",
            of(|n| format!("00:1B:44:{:02x}:{:02x}:{:02x}", n % 256, n / 256 % 256, n / 65_536 % 256)),
        ),
        ("IMEI", checked(|n| (format!("49{:012}", n % 1_000_000_000_000), String::new()), luhn)),
        ("UUID", of(|n| format!("{:08x}-e89b-12d3-a456-{:012x}", n % 0xffff_ffff, n % 0xffff_ffff_ffff))),
        (
            "hash of a name",
            of(|n| {
                format!(
                    "{:016x}{:016x}{:016x}{:016x}",
                    n ^ 0xabcd_ef01_2345_6789,
                    n * 3,
                    !n,
                    n | 0xfafa_fafa_fafa_fafa
                )
            }),
        ),
        (
            "image study (UID)",
            of(|n| format!("1.2.840.113619.2.5.{}.{}", n % 1_000_000_000, n / 7 % 1_000_000)),
        ),
        ("web address of a user", of(|n| format!("https://example.org/users/{n}"))),
        ("web address of a user in a remark", remark(|n| format!("see www.example.org/~jane{n}"))),
        ("web address", of(|n| format!("https://example.org/p/{n}"))),
        ("name of a user", of(|n| format!("@{}_{}", pick("anna|peter", n), n % 9_999))),
        (
            "coordinates in a cell",
            of(|n| format!("{}.{:06}, {}.{:06}", 47 + n % 7, n % 1_000_000, 7 + n % 8, n / 7 % 1_000_000)),
        ),
        (
            "coordinates in a remark",
            remark(|n| format!("found at 52.{:05} 13.{:05}", n % 90_000 + 10_001, n / 7 % 90_000 + 10_001)),
        ),
        ("full name", of(|n| format!("{} {}", pick(GIVEN, n), pick(FAMILY, n / 16)))),
        ("full name, family name first", of(|n| format!("{}, {}", pick(FAMILY, n / 16), pick(GIVEN, n)))),
        (
            "full name in capitals",
            of(|n| format!("{} {}", pick(FAMILY, n / 16), pick(GIVEN, n)).to_uppercase()),
        ),
        ("family name", one(FAMILY)),
        ("given name", one(GIVEN)),
        ("title and name", of(|n| format!("{} {}", pick("Dr.|Frau|Herr|Prof. Dr.", n), pick(FAMILY, n / 4)))),
        (
            "address",
            of(|n| {
                format!("{} {}", pick("Hauptstraße|Gartenweg|Lindenallee|Bahnhofstr.", n), n / 4 % 180 + 1)
            }),
        ),
        ("address, English", of(|n| format!("{} {} Street", n % 900 + 1, pick("Main|Oak|Mill", n)))),
        ("picture", of(|n| format!("faces/{n}.jpg"))),
        ("recording", of(|n| format!("voice_{n}.wav"))),
        ("record number with letters", of(|n| format!("MRN-{:08}", n % 100_000_000))),
        ("record number with zeros", of(|n| format!("{:09}", n % 90_000_000))),
        ("record number", of(|n| (10_000_000 + n % 89_999_999).to_string())),
        ("account number", of(|n| (1_000_000_001 + n % 8_999_999_998).to_string())),
    ]
}

const ICD: &str = "I10|E11.9|J45.0|I63.9|C50.4|F32.1|M54.5|K21.9|N18.3|Z00.0|S72.0|A41.9|G20|H25.1|L40.0|O80|R07.4|T78.4|U07.1|B34.2";
const CITIES: &str = "Berlin|Hamburg|München|Köln|Frankfurt am Main|Lincoln|Jackson|Madison|Washington|Houston|Austin|Charlotte|Aurora|San José|Santa Maria|Paris|Florence|Sydney|St. Louis|Wayne";
const WARDS: &str = "Station 3A|Station 12|ICU|Innere Medizin|Ward 7 North|Haus B|Notaufnahme|Cardiology|Station Röntgen|Chirurgie 2";
const DRUGS: &str = "Metformin 500 mg|Ramipril 5 mg|Insulin glargin|Bisoprolol 2,5 mg|Simvastatin|ASS 100|Ibuprofen 600|Pantoprazol|L-Thyroxin|Torasemid|Amoxicillin|Prednisolone";
const JOBS: &str = "Koch|Schneider|Fischer|Bauer|Jäger|Zimmermann|Richter|Lehrerin|Krankenpfleger|Baker|Taylor|Nurse|Software Engineer|Carpenter|Butler|Mason|Weber|Schreiner|Gärtner|Polizist";
const LONG: &str = "Diseases of the circulatory system|Injury, poisoning and other external causes|Neoplasms|Diseases of the skin and subcutaneous tissue|Certain infectious and parasitic diseases|Mental and behavioural disorders";

/// Columns that nobody should have to defend.
fn ordinary() -> Vec<(&'static str, Make)> {
    vec![
        ("ICD-10", one(ICD)),
        ("ICD-10 of any kind", of(|n| format!("{}{:02}.{}", upper(n, 1), n / 23 % 100, n / 2_300 % 10))),
        (
            "ICD-10-PCS",
            of(|n| format!("0{}{}{}{}0Z", upper(n, 1), upper(n / 5, 1), n % 10, upper(n / 11, 1))),
        ),
        ("ATC", one("A10BA02|C09AA05|C07AB07|N02BE01|J01CA04|B01AC06|A02BC02|H03AA01|C03CA04|R03AC02")),
        (
            "ATC of any kind",
            of(|n| format!("{}{:02}{}{:02}", upper(n, 1), n % 16 + 1, upper(n / 9, 2), n / 7 % 60 + 1)),
        ),
        ("LOINC", of(|n| format!("{}-{}", n % 99_999 + 1, n / 7 % 10))),
        (
            "SNOMED CT",
            one(
                "73211009|44054006|38341003|195967001|22298006|13645005|84114007|35489007|271737000|59621000",
            ),
        ),
        (
            "SNOMED CT of any kind",
            checked(
                |n| ((n % 99_999_999 + 1).to_string(), String::new()),
                |text| verhoeff(&text.chars().filter_map(|c| c.to_digit(10)).collect::<Vec<_>>()),
            ),
        ),
        ("OPS", of(|n| format!("{}-{:03}.{}", n % 9 + 1, n / 9 % 1_000, n / 9_000 % 10))),
        ("CPT", of(|n| (99_201 + n % 300).to_string())),
        ("HCPCS", of(|n| format!("{}{:04}", pick("J|A|G", n), n % 900))),
        ("NDC", of(|n| format!("{:04}-{:04}-{:02}", n % 9_000, n / 9 % 9_000, n % 60))),
        ("PZN", of(|n| format!("{:08}", n % 400 * 41_113 + 1_000_000))),
        ("DRG", of(|n| format!("{}{:02}{}", upper(n, 1), n % 90, upper(n / 90, 1)))),
        ("RxNorm", of(|n| (n % 2_000_000).to_string())),
        ("CAS number", of(|n| format!("{}-{:02}-{}", n % 900_000 + 50, n % 100, n % 10))),
        ("HPO term", of(|n| format!("HP:{:07}", n % 3_000))),
        ("postcode DE", of(|n| format!("{:05}", n % 98_000 + 1_000))),
        (
            "postcode UK",
            of(|n| format!("{}{} {}{}", pick("SW|M|EH|LS|B", n), n % 30 + 1, n % 10, upper(n / 7, 2))),
        ),
        ("postcode US", of(|n| (10_000 + n % 89_999).to_string())),
        ("postcode NL", of(|n| format!("{} {}", 1_000 + n % 8_999, upper(n, 2)))),
        (
            "postcode CA",
            of(|n| format!("K{}{} {}{}{}", n % 10, upper(n, 1), n / 7 % 10, upper(n / 3, 1), n / 11 % 10)),
        ),
        ("lab value", of(|n| format!("{}.{}", n % 20, n / 20 % 10))),
        ("lab value, many decimals", of(|n| format!("{}.{:06}", n % 9, n % 1_000_000))),
        ("lab value with a sign", of(|n| format!("+{}.{:02}", n % 99, n % 100))),
        ("lab value with a unit", of(|n| format!("{}.{} mg/dl", n % 300, n % 10))),
        (
            "lab value below",
            of(|n| if n % 5 == 0 { "<0.01".to_owned() } else { format!("0.{:03}", n % 1_000) }),
        ),
        ("platelets", of(|n| (150_000 + n % 300_000).to_string())),
        ("amount", of(|n| format!("{}.{:02}", n % 90_000, n / 7 % 100))),
        ("amount with a comma", of(|n| format!("{},{:02}", n % 90_000, n / 7 % 100))),
        (
            "amount with thousands",
            of(|n| format!("{},{:03}.{:02} €", n % 900 + 1, n / 7 % 1_000, n / 3 % 100)),
        ),
        ("amount in cents", of(|n| (n % 3_000 * (n / 3_000 % 3_000)).to_string())),
        ("income", of(|n| (20_000 + n % 90_000).to_string())),
        ("income in won", of(|n| ((2_000 + n % 8_000) * 10_000).to_string())),
        ("date ISO", of(|n| format!("{}-{:02}-{:02}", 1930 + n % 90, n / 90 % 12 + 1, n / 1_080 % 28 + 1))),
        ("date German", of(|n| format!("{:02}.{:02}.{}", n % 28 + 1, n / 28 % 12 + 1, 1930 + n / 336 % 90))),
        ("date British", of(|n| format!("{:02}/{:02}/{}", n % 28 + 1, n / 28 % 12 + 1, 1930 + n / 336 % 90))),
        ("date American", of(|n| format!("{}/{}/{}", n / 28 % 12 + 1, n % 28 + 1, 1930 + n / 336 % 90))),
        ("date hyphens", of(|n| format!("{:02}-{:02}-{}", n % 28 + 1, n / 28 % 12 + 1, 1930 + n / 336 % 90))),
        ("date digits", of(|n| format!("{}{:02}{:02}", 1930 + n % 90, n / 90 % 12 + 1, n / 1_080 % 28 + 1))),
        (
            "date English",
            of(|n| format!("{} {} {}", n % 28 + 1, pick("January|March|May|August", n), 1930 + n / 336 % 90)),
        ),
        ("date short year", of(|n| format!("{:02}/{:02}/{:02}", n % 12 + 1, n / 12 % 28 + 1, n / 336 % 100))),
        (
            "date and time",
            of(|n| {
                format!(
                    "{}-{:02}-{:02} {:02}:{:02}:{:02}",
                    2020 + n % 5,
                    n / 5 % 12 + 1,
                    n / 60 % 28 + 1,
                    n % 24,
                    n / 7 % 60,
                    n / 11 % 60
                )
            }),
        ),
        (
            "date and time with zone",
            of(|n| {
                format!(
                    "{}-{:02}-{:02}T{:02}:{:02}:{:02}+01:00",
                    2020 + n % 5,
                    n / 5 % 12 + 1,
                    n / 60 % 28 + 1,
                    n % 24,
                    n / 7 % 60,
                    n / 11 % 60
                )
            }),
        ),
        (
            "date and time digits",
            of(|n| {
                format!(
                    "{}{:02}{:02}{:02}{:02}{:02}",
                    2020 + n % 5,
                    n / 5 % 12 + 1,
                    n / 60 % 28 + 1,
                    n % 24,
                    n / 7 % 60,
                    n / 11 % 60
                )
            }),
        ),
        ("seconds since 1970", of(|n| (1_600_000_000 + n % 100_000_000).to_string())),
        ("time", of(|n| format!("{:02}:{:02}", n % 24, n / 24 % 60))),
        ("time with seconds", of(|n| format!("{:02}:{:02}:{:02}", n % 24, n / 24 % 60, n / 1_440 % 60))),
        ("duration", of(|n| format!("PT{}H{}M", n % 24, n / 24 % 60))),
        ("duration in words", of(|n| format!("{} days", n % 90))),
        ("year", of(|n| (1930 + n % 90).to_string())),
        ("quarter", of(|n| format!("{}-Q{}", 2000 + n % 24, n / 24 % 4 + 1))),
        ("yes or no", one("yes|no")),
        ("ja oder nein", one("ja|nein|unbekannt")),
        ("sex", one("F|M")),
        ("free code", of(|n| format!("{}{}", upper(n, 2), n % 100))),
        ("free code of four", of(|n| upper(n, 4))),
        ("study arm", of(|n| format!("ARM-{}{:02}", upper(n, 1), n % 12))),
        ("site and visit", of(|n| format!("{:03}-V{:02}", n % 40, n / 40 % 12))),
        ("ward", one(WARDS)),
        ("bed", of(|n| format!("{}-{} {}", pick("A|B|C", n), pick("N|S", n / 3), n / 6 % 40))),
        ("city", one(CITIES)),
        ("country", one("Germany|France|Jordan|Georgia|Chad|Israel|Turkey|Poland|Spain|Italy|Kenya|India")),
        (
            "hospital",
            one(
                "St. Elisabeth Krankenhaus|Klinikum Nord|Charité Berlin|Johns Hopkins Hospital|St Thomas Hospital|Mayo Clinic|Marien Hospital|Haus Anna|St. Josef Spital|Uniklinik Köln|Klinik Bad Hersfeld",
            ),
        ),
        ("drug", one(DRUGS)),
        ("occupation", one(JOBS)),
        (
            "disease",
            one(
                "Morbus Crohn|Parkinson|Alzheimer|Wilson Disease|Hodgkin Lymphoma|Diabetes mellitus|Asthma|Down Syndrome|Graves Disease|Angina|Gout|Hashimoto",
            ),
        ),
        ("chapter of the ICD", one(LONG)),
        ("colour", one("Black|White|Brown|Green|Gray|Rose|Schwarz|Weiß|Braun|Grün|Amber|Violet")),
        ("weight", of(|n| format!("{}.{}", 45 + n % 80, n / 80 % 10))),
        ("BMI as it was computed", of(|n| format!("{}.{:014}", 18 + n % 20, n % 100_000_000_000_000))),
        ("height", of(|n| (150 + n % 50).to_string())),
        (
            "barcode of goods",
            checked(
                |n| (format!("40{:010}", n % 10_000_000_000), String::new()),
                |text| gs1(&text.chars().filter_map(|c| c.to_digit(10)).collect::<Vec<_>>()),
            ),
        ),
        ("range of a laboratory", of(|n| format!("{}-{}", n % 120, 120 + n / 120 % 200))),
        (
            "range in figures of phones",
            of(|n| format!("{} - {}", 100_000 + n % 5_000, 200_000 + n / 5 % 5_000)),
        ),
        ("blood pressure", of(|n| format!("{}/{}", 90 + n % 100, 50 + n / 100 % 60))),
        ("ratio", of(|n| format!("1:{}", 1 << (n % 12)))),
        (
            "odds with an interval",
            of(|n| {
                format!(
                    "{}.{:02} ({}.{:02}, {}.{:02})",
                    n % 3,
                    n % 100,
                    n % 2,
                    n / 7 % 100,
                    n % 5 + 1,
                    n / 9 % 100
                )
            }),
        ),
        ("version", of(|n| format!("{}.{}.{}", n % 5, n / 5 % 20, n / 100 % 40))),
        ("version of four", of(|n| format!("{}.{}.{}.{}", n % 5 + 1, n / 5 % 20, n / 100 % 40, n % 13))),
        (
            "study code like an ISBN",
            of(|n| format!("978-3-{:02}-{:06}-{}", n % 90, n / 90 % 1_000_000, n % 10)),
        ),
        (
            "study code like an ISBN of ten",
            of(|n| format!("{}-{:03}-{:05}-{}", n % 5, n / 5 % 1_000, n / 5_000 % 100_000, n % 10)),
        ),
        ("percent", of(|n| format!("{} %", n % 101))),
        ("dose", of(|n| format!("{}x{} mg", n % 4 + 1, n / 4 % 20 * 25))),
        ("rhythm of a drug", of(|n| format!("{}-{}-{}", n % 3, n / 3 % 3, n / 9 % 3))),
        ("TNM", of(|n| format!("T{}N{}M{}", n % 5, n / 5 % 4, n / 20 % 2))),
        ("gene", one("BRCA1|TP53|EGFR|KRAS|HER2|ALK|BRAF|PIK3CA|MET|RET")),
        ("variant", of(|n| format!("c.{}A>G", n % 9_000 + 1))),
        ("blood group", one("A Rh+|0 Rh-|B Rh+|AB Rh+")),
        (
            "insurance plan",
            one(
                "Blue Cross|Aetna|Humana|United Health|Cigna|AOK Bayern|Techniker|Barmer|DAK|Medicare Part B|Medicaid",
            ),
        ),
        ("counter", of(|n| (n % 4_000).to_string())),
        (
            "web address of a code",
            one("http://loinc.org|http://snomed.info/sct|http://hl7.org/fhir/sid/icd-10"),
        ),
        ("OID", one("2.16.840.1.113883.6.1|2.16.840.1.113883.6.96|2.16.840.1.113883.6.3|1.2.276.0.76.5.409")),
        (
            "time span with words",
            one("for 3 weeks|since 2 days|since 2019|after 12 months|for 10 years|since 03/2020"),
        ),
        ("short remark", one(DONE)),
        ("file of a laboratory", one("panel_a.csv|panel_b.csv|panel_c.csv")),
    ]
}

/// 300 and 5,000 records: a kind is found in both, or in neither.
#[test]
fn kinds_of_identifiers_are_found_under_a_name_that_says_nothing() {
    let kinds = kinds();
    assert!(kinds.len() >= 36);
    let missed: Vec<String> = [300, 5_000]
        .iter()
        .flat_map(|&rows| kinds.iter().map(move |kind| (rows, kind)))
        .filter(|(rows, (_, make))| found(&column(*rows, make)).is_none())
        .map(|(rows, (kind, _))| format!("{kind} ({rows})"))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// What a name or the person must say, since other columns look the same.
#[test]
fn kinds_that_look_like_ordinary_columns_are_left_to_the_name() {
    let kinds: [(&str, Make); 6] = [
        // One coordinate is a measurement; both are refused by their names, in one cell without.
        ("latitude", of(|n| format!("{}.{:06}", 47 + n % 7, n % 1_000_000))),
        // A date of birth is a date, an age an age.
        (
            "date of birth",
            of(|n| format!("{}-{:02}-{:02}", 1930 + n % 90, n / 90 % 12 + 1, n / 1_080 % 28 + 1)),
        ),
        // Initials are codes of two letters, as for countries.
        ("initials", of(|n| upper(n, 2))),
        // A counter is a number of visits, too.
        ("patient 1 to n", of(|n| (n % 300).to_string())),
        // Record numbers of persons with many records recur as codes do: `role = "person"` is for them.
        ("record number of visits", of(|n| format!("P{:05}", n % 37))),
        // Words are words.
        ("login", of(|n| format!("{}{}", pick("blue|red|tall", n), pick("cat|dog", n / 3)))),
    ];
    let told: Vec<&str> =
        kinds.iter().filter(|(_, make)| found(&column(300, make)).is_some()).map(|(kind, _)| *kind).collect();
    assert!(told.is_empty(), "{told:?}");
}

/// The probability that one of these columns is refused by chance is below 10⁻⁴: 20 checks of 10⁻⁶ each.
#[test]
fn ordinary_columns_are_not_refused() {
    let ordinary = ordinary();
    assert!(ordinary.len() >= 60);
    let many = if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 20_000 } else { 5_000 };
    let refused: Vec<String> = [300, many]
        .iter()
        .flat_map(|&rows| ordinary.iter().map(move |column| (rows, column)))
        .filter_map(|(rows, (name, make))| Some(format!("{name} ({rows}): {}", found(&column(rows, make))?)))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn names_have_one_answer_at_any_number_of_rows() {
    let make: Make = of(|n| format!("{} {}", pick(GIVEN, n), pick(FAMILY, n / 16)));
    for rows in [100, 2_000, 3_000, 100_000] {
        assert!(found(&column(rows, &make)).is_some(), "{rows} rows");
    }
}

/// One find among 20,000 is enough, and its reason shows a count and no text.
#[test]
fn one_find_of_what_cannot_be_mistaken_is_enough() {
    let held: [fn() -> String; 7] = [
        || "jane@example.org".into(),
        || "+49 171 5554433".into(),
        || "Tel. 0171 5554433".into(),
        || "DE89 3704 0044 0532 0130 00".into(),
        || "943 476 5919".into(),
        || "https://example.org/users/jane".into(),
        || "52.52000, 13.40495".into(),
    ];
    for held in held {
        let mut values = column(20_000, &one(DONE));
        values.push(format!("Sturz, {}", held()));
        let why = found(&values).unwrap_or_default();
        assert!(why.starts_with("1 of 7 different"), "{}: {why}", held());
        assert!(!why.contains(&held()));
    }
}

#[test]
fn numbers_that_fail_the_check_show_that_others_pass_by_chance() {
    let random = of(|n| format!("DE{:020}", n % 100_000_000_000_000));
    assert_eq!(found(&column(5_000, &random)), None);
}
