//! An original text in every column of Synthea's tables: what nobody releases, all patients share; what may be released, one
//! patient alone has.

use std::fmt::Write as _;

use super::fhir_planted::with_any;
use super::folder::Made;

/// The tables with their columns, as versions 2 and 3 write them (Synthea's wiki, "CSV File Data Dictionary").
const TABLES: [(&str, &str); 18] = [
    (
        "patients",
        "Id,BIRTHDATE,DEATHDATE,SSN,DRIVERS,PASSPORT,PREFIX,FIRST,MIDDLE,LAST,SUFFIX,MAIDEN,MARITAL,RACE,ETHNICITY,GENDER,BIRTHPLACE,ADDRESS,CITY,STATE,COUNTY,FIPS,ZIP,LAT,LON,HEALTHCARE_EXPENSES,HEALTHCARE_COVERAGE,INCOME",
    ),
    (
        "encounters",
        "Id,START,STOP,PATIENT,ORGANIZATION,PROVIDER,PAYER,ENCOUNTERCLASS,CODE,DESCRIPTION,BASE_ENCOUNTER_COST,TOTAL_CLAIM_COST,PAYER_COVERAGE,REASONCODE,REASONDESCRIPTION",
    ),
    ("conditions", "START,STOP,PATIENT,ENCOUNTER,SYSTEM,CODE,DESCRIPTION"),
    (
        "allergies",
        "START,STOP,PATIENT,ENCOUNTER,CODE,SYSTEM,DESCRIPTION,TYPE,CATEGORY,REACTION1,DESCRIPTION1,SEVERITY1,REACTION2,DESCRIPTION2,SEVERITY2",
    ),
    (
        "medications",
        "START,STOP,PATIENT,PAYER,ENCOUNTER,CODE,DESCRIPTION,BASE_COST,PAYER_COVERAGE,DISPENSES,TOTALCOST,REASONCODE,REASONDESCRIPTION",
    ),
    (
        "procedures",
        "START,STOP,PATIENT,ENCOUNTER,SYSTEM,CODE,DESCRIPTION,BASE_COST,REASONCODE,REASONDESCRIPTION",
    ),
    ("immunizations", "DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,BASE_COST"),
    ("careplans", "Id,START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION,REASONCODE,REASONDESCRIPTION"),
    ("devices", "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION,UDI"),
    ("supplies", "DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,QUANTITY"),
    ("observations", "DATE,PATIENT,ENCOUNTER,CATEGORY,CODE,DESCRIPTION,VALUE,UNITS,TYPE"),
    (
        "imaging_studies",
        "Id,DATE,PATIENT,ENCOUNTER,SERIES_UID,BODYSITE_CODE,BODYSITE_DESCRIPTION,MODALITY_CODE,MODALITY_DESCRIPTION,INSTANCE_UID,SOP_CODE,SOP_DESCRIPTION,PROCEDURE_CODE",
    ),
    ("organizations", "Id,NAME,ADDRESS,CITY,STATE,ZIP,LAT,LON,PHONE,REVENUE,UTILIZATION"),
    (
        "providers",
        "Id,ORGANIZATION,NAME,GENDER,SPECIALITY,ADDRESS,CITY,STATE,ZIP,LAT,LON,ENCOUNTERS,PROCEDURES",
    ),
    ("payers", "Id,NAME,OWNERSHIP,ADDRESS,CITY,STATE_HEADQUARTERED,ZIP,PHONE"),
    (
        "payer_transitions",
        "PATIENT,MEMBERID,START_DATE,END_DATE,PAYER,SECONDARY_PAYER,PLAN_OWNERSHIP,OWNER_NAME",
    ),
    ("claims", "Id,PATIENTID,PROVIDERID,DIAGNOSIS1,APPOINTMENTID,STATUS1,OUTSTANDING1,LASTBILLEDDATE1"),
    ("claims_transactions", "ID,CLAIMID,PATIENTID,TYPE,AMOUNT,METHOD,FROMDATE,PLACEOFSERVICE,NOTES,LINENOTE"),
];

/// The columns that are released, and what all patients have there; a code is that of all patients, too.
const RELEASED: [(&str, &str); 13] = [
    ("BIRTHDATE", "1960-05-17"),
    ("GENDER", "F"),
    ("START", "2015-03-01T10:11:12Z"),
    ("STOP", "2015-03-01T10:11:12Z"),
    ("DATE", "2015-03-01T10:11:12Z"),
    ("ENCOUNTERCLASS", "ambulatory"),
    ("CODE", "185349003"),
    ("CATEGORY", "vital-signs"),
    ("BODYSITE_CODE", "40983000"),
    ("MODALITY_CODE", "DX"),
    ("DISPENSES", "7770777"),
    ("QUANTITY", "7770777"),
    ("allergies.TYPE", "allergy"),
];

fn cell(table: &str, column: &str, person: usize) -> String {
    let known = |name: &str| name == column || name.strip_prefix(table) == Some(&format!(".{column}"));
    match column {
        "Id" => format!("planted-{table}-{person}"),
        "PATIENT" => format!("planted-patients-{person}"),
        "ENCOUNTER" => format!("planted-encounters-{person}"),
        _ => RELEASED.iter().find(|(name, _)| known(name)).map_or("planted", |(_, cell)| cell).to_owned(),
    }
}

/// Patients with a row in each table; one of them has `other` in a column of a table.
fn export(persons: usize, other: (&str, &str, &str)) -> Made {
    let made = Made::empty();
    for (table, columns) in TABLES {
        let mut text = format!("{columns}\n");
        for person in 0..persons {
            let of = |column: &str| match (person, table, column) == (3, other.0, other.1) {
                true => other.2.to_owned(),
                false => cell(table, column, person),
            };
            let cells: Vec<String> = columns.split(',').map(of).collect();
            writeln!(text, "{}", cells.join(",")).unwrap();
        }
        made.table(&format!("{table}.csv"), &text);
    }
    made
}

const RECIPE: &str = "[input]\nfolder = \"in\"\nshape = \"synthea\"\nrows = \"independent\"\n[persons]\ndates = \"year\"\nwindow = [\"2010-01-01\", \"2019-12-31\"]\n\
     [[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n[output]\npath = \"release\"\n";

#[test]
fn what_all_patients_share_but_nobody_releases_is_nowhere() {
    let made = export(20, ("", "", ""));
    let outcome = made.run(RECIPE).unwrap();
    assert_eq!(outcome.survived.persons, [20, 20]);
    for (table, _) in &TABLES[..12] {
        assert_eq!(made.released(&format!("{table}.csv")).len(), 20, "{table}");
    }
    for (table, _) in &TABLES[12..] {
        assert!(!made.path("release/data").join(format!("{table}.csv")).exists(), "{table}");
    }
    let texts = ["planted", "7770777", "10:11:12", "05-17", "03-01"];
    assert_eq!(with_any(&made.path("release/data"), &texts), Vec::<String>::new());
    assert_eq!(with_any(&made.path("release"), &texts[..3]), Vec::<String>::new());
}

#[test]
fn what_one_patient_has_in_a_released_column_is_nowhere_or_refused_with_its_place() {
    let mut refused = Vec::new();
    for (table, columns) in &TABLES[..12] {
        let is_released = |column: &&str| cell(table, column, 0) != "planted";
        for column in columns.split(',').filter(is_released) {
            let made = export(12, (table, column, "unique place"));
            match made.run(RECIPE) {
                Ok(_) => {
                    let left = with_any(&made.path("release"), &["unique", "planted"]);
                    assert!(left.is_empty(), "{table}.{column}: {left:?}");
                }
                Err(error) => {
                    let text = error.to_string();
                    let is_key = column == "Id" && text.contains("row 4");
                    let is_there = text.contains(&format!("table `{table}`, row 4, column `{column}`"));
                    assert!(is_there || is_key, "{table}.{column}: {text}");
                    assert!(!text.contains("unique"), "{table}.{column}: {text}");
                    refused.push(format!("{table}.{column}"));
                }
            }
        }
    }
    for place in ["encounters.START", "patients.Id", "conditions.PATIENT", "observations.ENCOUNTER"] {
        assert!(refused.iter().any(|one| one == place), "{place}: {refused:?}");
    }
    assert!(!refused.iter().any(|one| one == "encounters.ENCOUNTERCLASS"), "{refused:?}");
}
