//! Resources of FHIR that lack what R4 asks of them, or say it in another way.

use velamen_contract::linked::{Column, Dates, SECURITY, Shape, Table, Unit};

use super::super::fhir::Resources;
use super::super::rows::{Row, Source as _};
use super::super::source::{Alone, Folder, of_table};
use super::super::{Host, Unreadable, certify};
use super::made::{Made, broken, quasi_identifier, reference};

/// Each row of a file whose columns are these, and the first that is not as it should be.
fn read(
    kind: &str,
    names: &str,
    file: &[u8],
    said: (Dates, &[String]),
) -> Result<(Vec<Vec<String>>, Resources), Unreadable> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ndjson");
    std::fs::write(&path, file).unwrap();
    let columns: Vec<(String, Column)> = names
        .split(' ')
        .map(|name| match name.strip_suffix("[]") {
            Some(name) => (name.to_owned(), Column::Band { bounds: vec![], by: vec![] }),
            None => (name.to_owned(), Column::Insensitive),
        })
        .collect();
    let mut source = Resources::open(path, kind, columns.iter().map(|(name, column)| (name, column)), said)?;
    let (mut row, mut rows) = (Row::new(), Vec::new());
    while source.next(&mut row)? {
        rows.push(row.iter().map(str::to_owned).collect());
    }
    assert_eq!(source.columns().len(), columns.len());
    assert!(source.needless_row().is_none() || source.has_needless_bytes());
    Ok((rows, source))
}

const MONTHS: Dates = Dates::Relative(Unit::Month);

/// A resource with a key and its security label, and elements behind them.
fn line(kind: &str, elements: &str) -> String {
    format!("{{\"resourceType\":\"{kind}\",\"id\":\"1\",\"meta\":{SECURITY}{elements}}}\n")
}

/// Whether a resource of a key and these elements is as it should be.
fn is_right(kind: &str, names: &str, elements: &str) -> bool {
    let file = line(kind, elements);
    let (_, source) = read(kind, &format!("id {names}"), file.as_bytes(), (MONTHS, &[])).unwrap();
    source.needless_row().is_none()
}

const CODE: &str = r#","code":{"coding":[{"system":"urn:s","code":"c"}]}"#;
const SUBJECT: &str = r#","subject":{"reference":"Patient/1"}"#;

fn condition(status: &str, end: &str) -> bool {
    let system = "http://terminology.hl7.org/CodeSystem/condition-clinical";
    let status = match status {
        "" => String::new(),
        status => format!(r#","clinicalStatus":{{"coding":[{{"system":"{system}","code":"{status}"}}]}}"#),
    };
    let end = if end.is_empty() { String::new() } else { format!(r#","abatementDateTime":"{end}""#) };
    is_right(
        "Condition",
        "clinicalStatus code subject abatementDateTime",
        &format!("{status}{CODE}{SUBJECT}{end}"),
    )
}

#[test]
fn what_has_ended_is_not_active() {
    for status in ["inactive", "resolved", "remission"] {
        assert!(condition(status, "2001-01-01") && condition(status, ""), "{status}");
    }
    for status in ["active", "recurrence", "relapse"] {
        assert!(!condition(status, "2001-01-01") && condition(status, ""), "{status}");
    }
    assert!(!condition("", "2001-01-01") && condition("", ""));
    assert!(!condition("over", ""), "no code of R4");
}

#[test]
fn a_code_of_another_system_is_none_of_r4s() {
    let coding = |element: &str, system: &str, code: &str| {
        format!(
            r#","{element}":{{"coding":[{{"system":"http://terminology.hl7.org/CodeSystem/{system}","code":"{code}"}}]}}"#
        )
    };
    for (kind, patient, element, system, code) in [
        ("Condition", "subject", "clinicalStatus", "condition-clinical", "active"),
        ("Condition", "subject", "verificationStatus", "condition-ver-status", "differential"),
        ("AllergyIntolerance", "patient", "clinicalStatus", "allergyintolerance-clinical", "active"),
        (
            "AllergyIntolerance",
            "patient",
            "verificationStatus",
            "allergyintolerance-verification",
            "confirmed",
        ),
    ] {
        let allergy = kind == "AllergyIntolerance" && element == "verificationStatus";
        let before = if allergy {
            coding("clinicalStatus", "allergyintolerance-clinical", "active")
        } else {
            String::new()
        };
        let names = if allergy { format!("clinicalStatus {element}") } else { element.to_owned() };
        let is_right = |system: &str, code: &str| {
            let subject = SUBJECT.replace("subject", patient);
            let elements = format!("{before}{}{CODE}{subject}", coding(element, system, code));
            is_right(kind, &format!("{names} code {patient}"), &elements)
        };
        assert!(is_right(system, code), "{kind} {element}");
        assert!(!is_right("v3-ActCode", code) && !is_right(system, "suspected"), "{kind} {element}");
    }
}

#[test]
fn a_value_is_of_one_type() {
    let names = "status code subject valueQuantity.value valueQuantity.code valueCodeableConcept";
    let number = r#","valueQuantity":{"value":7,"unit":"kg"}"#;
    let concept = r#","valueCodeableConcept":{"coding":[{"system":"urn:s","code":"x"}]}"#;
    for (values, expected) in
        [("", true), (number, true), (concept, true), (&*format!("{number}{concept}"), false)]
    {
        let elements = format!(r#","status":"final"{CODE}{SUBJECT}{values}"#);
        assert_eq!(is_right("Observation", names, &elements), expected, "{values}");
    }
}

#[test]
fn a_period_ends_no_earlier_than_it_begins() {
    let names = "status code subject performedDateTime performedPeriod.start performedPeriod.end";
    let day = r#","performedDateTime":"2001-02-01""#;
    let period = |days: &str| format!(r#","performedPeriod":{{{days}}}"#);
    let [start, end, before] = [r#""start":"2001-02-01""#, r#""end":"2001-02-01""#, r#""end":"2001-01-01""#];
    for (performed, expected) in [
        (day.to_owned(), true),
        (period(start), true),
        (period(end), true),
        (period(&format!("{start},{end}")), true),
        (period(&format!("{start},{before}")), false),
        (format!("{day}{}", period(start)), false),
    ] {
        let elements = format!(r#","status":"completed"{CODE}{SUBJECT}{performed}"#);
        assert_eq!(is_right("Procedure", names, &elements), expected, "{performed}");
    }
    let encounter = |days: &str| {
        let elements = format!(
            r#","status":"finished","class":{{"system":"urn:s","code":"AMB"}}{SUBJECT},"period":{{{days}}}"#
        );
        is_right("Encounter", "status class subject period.start period.end", &elements)
    };
    assert!(encounter(&format!("{start},{end}")) && !encounter(&format!("{start},{before}")));
}

#[test]
fn what_r4_asks_for_is_there() {
    let names = "status code subject";
    let is = |elements: &str| is_right("Observation", names, elements);
    assert!(is(&format!(r#","status":"final"{CODE}{SUBJECT}"#)));
    assert!(!is(&format!(r#","status":"final"{SUBJECT}"#)));
    assert!(!is(&format!("{CODE}{SUBJECT}")));
    assert!(!is(&format!(r#","status":"done"{CODE}{SUBJECT}"#)), "no code of R4");
    assert!(!is(&format!(r#","status":"final"{CODE},"subject":{{"reference":"Group/1"}}"#)));
    assert!(!is(&format!(r#","status":"final"{CODE}{SUBJECT},"note":[{{"text":"x"}}]"#)));
    let without = read("Observation", "id code subject", b"", (MONTHS, &[])).unwrap().1;
    assert!(without.has_needless_bytes(), "each observation has a status");
    let whole = read("Observation", "id status code subject", b"", (MONTHS, &[])).unwrap().1;
    assert!(!whole.has_needless_bytes());
}

#[test]
fn a_unit_is_one_of_the_list_or_declared() {
    let names = "id status code subject valueQuantity.value valueQuantity.code";
    let is = |unit: &str, units: &[String]| {
        let elements =
            format!(r#","status":"final"{CODE}{SUBJECT},"valueQuantity":{{"value":7,"unit":"{unit}"}}"#);
        let file = line("Observation", &elements);
        read("Observation", names, file.as_bytes(), (MONTHS, units)).unwrap().1.needless_row().is_none()
    };
    assert!(is("kg", &[]) && !is("Dr Smith", &[]) && is("Dr Smith", &["Dr Smith".to_owned()]));
}

const RACE: &str = r#","extension":[{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-race","extension":[{"url":"ombCategory","valueCoding":{"system":"urn:oid:2.16.840.1.113883.6.238","code":"2028-9"}},{"url":"text","valueString":"Asian"}]},{"url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex","valueCode":"F"}]"#;

#[test]
fn a_patient_is_read_as_json_and_written_again() {
    let names = "id extension.us-core-race extension.us-core-birthsex gender birthDate";
    let read = |elements: &str| {
        let file = line("Patient", elements);
        let (mut rows, source) = read("Patient", names, file.as_bytes(), (MONTHS, &[])).unwrap();
        (rows.remove(0), source.needless_row())
    };
    let rest = r#","gender":"female","birthDate":"1940""#;
    let race = "urn:oid:2.16.840.1.113883.6.238|2028-9";
    let cells = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
    assert_eq!(read(&format!("{RACE}{rest}")), (cells(["1", race, "F", "female", "1940"]), None));
    assert_eq!(read(""), (cells(["1", "missing", "missing", "", "*"]), None));
    for wrong in [
        format!("{}{rest}", RACE.replace("Asian", "Dr Smith")),
        format!("{}{rest}", RACE.replace("2028-9", "2028-8")),
        format!("{}{rest}", RACE.replace(r#""valueCode":"F""#, r#""valueCode":"f""#)),
        format!("{RACE}{rest},\"name\":\"x\""),
        format!("{RACE}{}", rest.replace("female", "f")),
        format!("{RACE}{}", rest.replace("1940", "*")),
        format!("{rest}{RACE}"),
    ] {
        assert_eq!(read(&wrong).1, Some(1), "{wrong}");
    }
}

#[test]
fn a_year_is_a_day_of_its_rows() {
    let names = "id status code subject effectiveDateTime";
    let read = |day: &str| {
        let elements = format!(r#","status":"final"{CODE}{SUBJECT},"effectiveDateTime":"{day}""#);
        let file = line("Observation", &elements);
        let (rows, source) = read("Observation", names, file.as_bytes(), (Dates::Year, &[])).unwrap();
        (rows[0][4].clone(), source.needless_row())
    };
    assert_eq!(read("2015"), ("2015-01-01".to_owned(), None));
    // An escape makes it the long way.
    assert_eq!(read("201\\u0035"), ("2015-01-01".to_owned(), Some(1)));
}

#[test]
fn a_band_has_one_unit() {
    let names = "id status code subject valueQuantity.value[] valueQuantity.code";
    let read = |range: &str| {
        let elements = format!(r#","status":"final"{CODE}{SUBJECT},"valueRange":{range}"#);
        let file = line("Observation", &elements);
        let (rows, source) = read("Observation", names, file.as_bytes(), (MONTHS, &[])).unwrap();
        (rows[0][4..].join(" "), source.needless_row())
    };
    let of = |low: &str, high: &str| format!(r#"{{"low":{{"value":0{low}}},"high":{{"value":2.5{high}}}}}"#);
    let [kg, g] = [r#","unit":"kg""#, r#","unit":"g""#];
    assert_eq!(read(&of(kg, kg)), ("[0, 2.5) |kg".to_owned(), None));
    assert_eq!(read(&of("", "")), ("[0, 2.5) ".to_owned(), None));
    for wrong in [of(kg, g), of(kg, ""), of("", kg), r#"{"low":{"value":0}}"#.to_owned()] {
        assert_eq!(read(&wrong).1, Some(1), "{wrong}");
    }
}

#[test]
fn each_element_is_written_as_r4_writes_it() {
    let category = r#","category":[{"coding":[{"system":"urn:s","code":"k"}]}]"#;
    let visit = r#","encounter":{"reference":"Encounter/4"}"#;
    let [condition, encounter, order] = [
        format!(r#"{category}{CODE}{SUBJECT}{visit},"recordedDate":"2001-02-01""#),
        format!(
            r#","status":"finished","class":{{"system":"urn:s","code":"AMB"}}{}{SUBJECT}"#,
            category.replace("category", "type")
        ),
        format!(
            r#","status":"active","intent":"order"{}{SUBJECT}{visit},"authoredOn":"2001-02-01""#,
            CODE.replace("code\":{", "medicationCodeableConcept\":{")
        ),
    ];
    for (kind, names, elements) in [
        ("Condition", "category code subject encounter recordedDate", condition),
        ("Encounter", "status class type subject", encounter),
        ("MedicationRequest", "status intent medicationCodeableConcept subject encounter authoredOn", order),
    ] {
        assert!(is_right(kind, names, &elements), "{elements}");
        assert!(!is_right(kind, names, &elements.replace("Patient/", "Encounter/")), "{elements}");
        assert!(!is_right(kind, names, &elements.replace("urn:s", "urn:\\u0073")), "{elements}");
    }
}

#[test]
fn the_first_line_of_another_form_is_named() {
    let right = line(
        "Immunization",
        r#","status":"completed","vaccineCode":{"coding":[{"code":"c"}]},"patient":{"reference":"Patient/1"},"occurrenceDateTime":"2001-01-01""#,
    );
    let names = "id status vaccineCode patient occurrenceDateTime";
    let row = |file: &str| {
        let (rows, source) = read("Immunization", names, file.as_bytes(), (MONTHS, &[])).unwrap();
        (rows.len(), source.needless_row())
    };
    let spaced = right.replacen(':', ": ", 1);
    assert_eq!(row(&right.repeat(3)), (3, None));
    assert_eq!(row(&format!("{right}{spaced}{spaced}")), (3, Some(2)));
    assert_eq!(row(right.trim_end()), (1, Some(1)), "no line feed");
    assert_eq!(row(&right.replace('\n', "\r\n")), (1, Some(1)));
    let bytes = [right.as_bytes(), b"\xff\n"].concat();
    let error = read("Immunization", names, &bytes, (MONTHS, &[])).err();
    assert!(matches!(error, Some(Unreadable::Text { row: 2, column: 1, .. })), "{error:?}");
}

#[test]
fn a_structure_stands_in_one_piece() {
    let names = "period.start status class subject period.end";
    let of = |first: &str, last: &str| {
        let class = r#""class":{"system":"urn:s","code":"c"}"#;
        is_right(
            "Encounter",
            names,
            &format!(r#","period":{{{first}}},"status":"finished",{class}{SUBJECT}{last}"#),
        )
    };
    let (start, end) = (r#""start":"2001-01-01""#, r#""end":"2001-02-01""#);
    assert!(of(&format!("{start},{end}"), "") && of(start, ""));
    assert!(!of(start, &format!(r#","period":{{{end}}}"#)), "the same name twice");
}

#[test]
fn a_birth_that_is_not_shown_is_not_written() {
    let patient =
        |birth: &str| is_right("Patient", "gender birthDate", &format!(r#","gender":"male"{birth}"#));
    assert!(patient(r#","birthDate":"1930""#) && patient(""));
    assert!(!patient(r#","birthDate":"*""#) && !patient(r#","birthDate":"""#));
}

#[test]
fn a_folder_is_no_file_of_resources() {
    let folder = tempfile::tempdir().unwrap();
    let found = std::fs::read(folder.path()).unwrap_err().kind();
    let (name, column) = ("id".to_owned(), Column::Key);
    let columns = std::iter::once((&name, &column));
    let opened = Resources::open(folder.path().to_path_buf(), "Patient", columns, (MONTHS, &[]));
    let error = opened.and_then(|mut source| source.next(&mut Row::new())).err();
    assert!(matches!(&error, Some(Unreadable::File { source, .. }) if source.kind() == found), "{error:?}");
}

#[test]
fn resources_have_an_ending_of_their_own() {
    let mut made = Made::new();
    let folder = made.write();
    std::fs::copy(folder.path().join("data/LAB.csv"), folder.path().join("data/LAB.ndjson")).unwrap();
    let release = Folder { path: folder.path(), host: &Alone };
    for (shape, ending, is_read) in [
        (Shape::Fhir, "ndjson", true),
        (Shape::Fhir, "csv", false),
        (Shape::Omop, "csv", true),
        (Shape::Omop, "ndjson", false),
    ] {
        made.manifest.shape = shape;
        made.manifest.tables["LAB"].file = format!("data/LAB.{ending}");
        let opened = of_table(release, &made.manifest, ("LAB", &made.manifest.tables["LAB"]));
        assert_eq!(opened.is_ok(), is_read, "{shape:?} {ending}");
        assert!(is_read || matches!(opened.err(), Some(Unreadable::Format { .. })));
    }
}

const CATEGORY: &str = r#","category":[{"coding":[{"system":"urn:c","code":"p"}]}]"#;

/// Three women, each with a condition of one code, and whether codes of public events are looked for.
fn of_women(code: &str, events: &[&str]) -> Vec<String> {
    let mut made = Made::new();
    let manifest = &mut made.manifest;
    (manifest.shape, manifest.ages, manifest.persons.table) = (Shape::Fhir, None, "Patient".into());
    let persons = manifest.tables.swap_remove("PERSON").unwrap();
    let table = |name: &str, columns: Vec<(&str, Column)>| Table {
        file: format!("data/{name}.ndjson"),
        records: 3,
        columns: columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect(),
        ..persons.clone()
    };
    let patient =
        table("Patient", vec![("id", Column::Key), ("gender", quasi_identifier(&[("female", "f")]))]);
    let columns = vec![
        ("id", Column::Key),
        ("category", Column::Code),
        ("code", Column::Set { items: None }),
        ("subject", reference("Patient")),
    ];
    let condition = Table { parent: Some("subject".into()), ..table("Condition", columns) };
    manifest.tables = [("Patient".to_owned(), patient), ("Condition".to_owned(), condition)].into();
    manifest.persons.records = 3;
    manifest.public_events = events.iter().map(|name| (*name).to_owned()).collect();
    made.files.clear();
    let folder = made.write();
    for (kind, elements) in
        [("Patient", r#","gender":"female""#.to_owned()), ("Condition", format!("{CATEGORY}{CODE}{SUBJECT}"))]
    {
        let line = line(kind, &elements.replace("urn:s\",\"code\":\"c", code));
        let of = |at: i32| {
            line.replace("\"id\":\"1\"", &format!("\"id\":\"{at}\""))
                .replace("Patient/1", &format!("Patient/{at}"))
        };
        let lines: String = (1..=3).map(of).collect();
        std::fs::write(folder.path().join(format!("data/{kind}.ndjson")), lines).unwrap();
    }
    broken(certify(folder.path(), &made.manifest).unwrap())
}

#[test]
fn a_code_of_a_public_event_is_told_by_its_system() {
    let icd = "http://hl7.org/fhir/sid/icd-10\",\"code\":\"";
    let [fall, asthma] = [format!("{icd}W19"), format!("{icd}J45")];
    assert_eq!(of_women(&asthma, &["Condition.code"]), [""; 0]);
    assert_eq!(of_women(&fall, &[]), [""; 0], "nobody says that there are none");
    assert_eq!(of_women(&fall, &["Condition.code"]), ["public-events"]);
    assert_eq!(of_women(&fall, &["Patient.gender"]), ["public-events"], "whichever column is named");
    assert_eq!(of_women(&fall, &["Condition.category"]), ["public-events"], "be it one of codes without any");
    assert_eq!(of_women("urn:s\",\"code\":\"W19", &["Condition.code"]), [""; 0], "no code of the ICD-10");
}

/// Ends the check when it is asked.
struct Ended;

impl Host for Ended {
    fn is_stopped(&self) -> bool {
        true
    }
}

#[test]
fn whether_to_end_is_asked_once_in_many_rows() {
    let of = |host: &dyn Host, row: u64| Folder { path: "".as_ref(), host }.check(row).is_err();
    assert_eq!([0, 1, 4_095, 4_096, 4_097].map(|row| of(&Ended, row)), [true, false, false, true, false]);
    assert!(!of(&Alone, 0) && !of(&Alone, 4_096));
}
