//! What is said of files, entries and resources that are not what they should be.

use serde_json::json;
use velamen_contract::linked::Shape;
use velamen_core::error::Class;
use velamen_patients::profile;

use super::fhir_odd::{changed, is, years};
use super::folder::{Made, with_context};

/// The refusal of a folder of two patients beside a file.
#[track_caller]
fn refused(file: &str, bytes: &[u8], words: &[&str]) {
    let made = Made::empty();
    let patient = "{\"resourceType\":\"Patient\",\"id\":\"1\",\"gender\":\"male\",\"birthDate\":\"1970\"}\n";
    made.table("Patient.ndjson", patient);
    std::fs::write(made.path("in").join(file), bytes).unwrap();
    let error = made.run(&years()).unwrap_err();
    let text = error.to_string();
    assert!(error.class() == Class::Data && text.contains(file), "{text}");
    assert!(words.iter().all(|words| text.contains(words)) && !text.contains("secret"), "{text}");
}

#[test]
fn what_is_no_resource_is_named() {
    for (line, what) in
        [("null", "null"), ("5", "a number"), ("\"secret\"", "a text"), ("true", "true or false")]
    {
        let text = format!("{{\"resourceType\":\"Basic\"}}\n{line}\n");
        refused("Basic.ndjson", text.as_bytes(), &["line 2: ", &format!("{what} in the place of an object")]);
    }
    refused("all.json", b"[]", &["the resource: a list in the place of an object"]);
    let bundle = |entry: &str| format!("{{\"resourceType\":\"Bundle\",\"entry\":{entry}}}");
    for (entry, words) in [
        ("\"secret\"", "the resource, Bundle.entry: of another JSON type; expected a list of entries"),
        ("{\"secret\":1}", "the resource, Bundle.entry: of another JSON type"),
        ("[{},null]", "entry 2: null in the place of an entry"),
        ("[\"secret\"]", "entry 1: a text in the place of an entry"),
        ("[{\"fullUrl\":5}]", "entry 1: an element of another JSON type"),
    ] {
        refused("all.json", bundle(entry).as_bytes(), &[words]);
    }
    refused(
        "all.json",
        (bundle("[]") + "secret").as_bytes(),
        &["more text behind the object, at character "],
    );
    let twice = b"{\"resourceType\":\"Bundle\",\"resourceType\":\"secret\"}";
    refused("all.json", twice, &["`resourceType` twice in one object"]);
    refused("all.json", b"{\"resourceType\":5}", &["resourceType: of another JSON type"]);
}

#[test]
fn null_is_no_element_of_a_bundle_either() {
    let made = changed(60, |_, _| {});
    made.table("empty.json", "{\"resourceType\":\"Bundle\",\"entry\":null}");
    made.table("null.json", "{\"resourceType\":\"Bundle\",\"entry\":[{\"resource\":null}]}");
    let warnings = made.run(&years()).unwrap().warnings.join("\n");
    assert!(
        warnings.contains("an entry has no resource") && warnings.contains("null.json: entry 1"),
        "{warnings}"
    );
}

#[test]
fn other_encodings_are_named_with_the_remedy() {
    let latin: Vec<u8> = "{\"resourceType\":\"Basic\",\"secret\":\"ä\"}\n".chars().map(|c| c as u8).collect();
    refused("Basic.ndjson", &latin, &["line 1: ", "Latin-1", "expected UTF-8", "iconv -f ISO-8859-1"]);
    refused("all.json", &latin, &["the resource: ", "Latin-1"]);
    let wide = |marked: &str| -> Vec<u8> { marked.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    refused("Basic.ndjson", &wide("\u{feff}{\"secret\":1}"), &["line 1: text of UTF-16", "iconv -f UTF-16"]);
    refused("Basic.ndjson", &wide("{\"secret\":1}"), &["line 1: text of UTF-16"]);
}

#[test]
fn other_versions_and_kinds_are_shown_without_what_they_hold() {
    let old = br#"{"resourceType":"Condition","id":"1","context":{"reference":"secret"}}"#;
    refused("Condition.ndjson", old, &["line 1, Condition.context: an element of FHIR STU3"]);
    let later = br#"{"resourceType":"Encounter","id":"1","class":[{"coding":[]}]}"#;
    refused("Encounter.ndjson", later, &["line 1, Encounter.class: an element of FHIR R5"]);
    let unknown = br#"{"resourceType":"secretly"}"#;
    refused("other.ndjson", unknown, &["line 1: a kind of resources that R4 does not have", "drop = true"]);
    let without = br#"{"resourceType":"Condition","id":"1","subject":null}"#;
    refused(
        "Condition.ndjson",
        without,
        &["line 1, Condition.subject: it is missing; expected a reference to a Patient"],
    );
    refused("Patient.ndjson.gz", b"", &["Patient.ndjson.gz: a second file beside "]);
}

#[test]
fn the_earlier_row_of_a_key_is_named() {
    let made = changed(20, |_, _| {});
    made.change("Patient.ndjson", |text| {
        let third = text.lines().nth(2).unwrap().to_owned();
        text + &third + "\n"
    });
    let error = made.run(&years()).unwrap_err().to_string();
    assert!(error.contains("Patient.ndjson: line 21, Patient.id: the key of an earlier row"), "{error}");
    assert!(error.contains("Patient.ndjson: line 3;"), "{error}");
}

#[test]
fn a_folder_without_persons_is_said_to_be_one() {
    let shown = |made: &Made, shape: Shape| {
        let found = with_context(|context| profile(&made.path("in"), shape, made.folder.path(), context));
        let error = found.unwrap_err();
        assert_eq!(error.class(), Class::Data, "{error}");
        error.to_string()
    };
    let made = Made::empty();
    made.table("Basic.ndjson", "{\"resourceType\":\"Basic\",\"id\":\"1\"}\n");
    let words = "no table `Patient`; expected Patient.ndjson with at least one resource";
    assert!(shown(&made, Shape::Fhir).contains(words), "{}", shown(&made, Shape::Fhir));
    made.table("Patient.ndjson", "");
    let error = made.run(&years()).unwrap_err();
    assert!(error.class() == Class::Data && error.to_string().contains(words), "{error}");
    assert!(shown(&made, Shape::Synthea).contains("it looks like FHIR"), "{}", shown(&made, Shape::Synthea));
    let made = Made::empty();
    made.table("conditions.csv", "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION\n");
    let words = "expected patients.csv with at least one row";
    assert!(shown(&made, Shape::Synthea).contains(words), "{}", shown(&made, Shape::Synthea));
    made.table("patients.csv", "Id,BIRTHDATE,GENDER\n");
    assert!(shown(&made, Shape::Synthea).contains("table `patients` has no persons"));
    std::fs::create_dir(made.path("in/2024")).unwrap();
    made.table("2024/conditions.csv", "");
    assert!(shown(&made, Shape::Synthea).contains("2024: a folder of tables within the folder"));
}

#[test]
fn patients_who_are_one_human_are_refused() {
    let linked = |kind: &'static str| {
        changed(60, move |number, resource| {
            if is(resource, "Patient") && number == 1 {
                resource["link"] = json!([{ "other": { "reference": "Patient/planted-9" }, "type": kind }]);
            }
        })
    };
    for kind in ["replaced-by", "replaces", "seealso", "refer"] {
        let error = linked(kind).run(&years()).unwrap_err().to_string();
        let words = "Patient.ndjson: line 10, beside ";
        assert!(error.contains(words) && error.contains("Patient.ndjson: line 2."), "{kind}: {error}");
    }
    let independent = years().replace("shape = \"fhir\"\n", "shape = \"fhir\"\nrows = \"independent\"\n");
    let warnings = linked("replaces").run(&independent).unwrap().warnings.join("\n");
    assert!(warnings.contains("a patient seems to be the same human as an earlier one"), "{warnings}");
    // Who is not in the folder counts nowhere.
    let gone = changed(60, |number, resource| {
        if is(resource, "Patient") && number == 1 {
            resource["link"] = json!([{ "other": { "reference": "Patient/elsewhere" }, "type": "replaces" }]);
        }
    });
    gone.run(&years()).unwrap();
}

#[test]
fn a_human_of_two_visits_with_a_patient_each_is_refused() {
    for what in ["identifier", "name"] {
        let made = changed(60, |number, resource| {
            if is(resource, "Patient") {
                let human = number / 2;
                resource["birthDate"] = json!(format!("19{:02}-03-17", 20 + human));
                resource["gender"] = json!("female");
                resource["name"] =
                    json!([{ "family": format!("F{number}"), "given": ["A"] }, { "family": "Unknown" }]);
                match what {
                    "name" => {
                        resource["name"] = json!([{ "family": format!("f{human}"), "given": ["A", "B"] }])
                    }
                    _ => {
                        resource["identifier"] = json!([{ "system": "urn:mrn", "value": human.to_string() }])
                    }
                }
            }
        });
        let error = made.run(&years()).unwrap_err();
        assert_eq!(error.code().to_string(), "E0517", "{error}");
        assert!(error.to_string().contains("30 patients seem to be the same humans"), "{error}");
    }
}

#[test]
fn codes_that_name_or_date_somebody_are_refused() {
    let with = |codes: [&'static str; 3]| {
        changed(60, move |number, resource| {
            if is(resource, "Condition") {
                resource["code"]["coding"][0] = json!({ "system": "urn:local", "code": codes[number % 3] });
            }
        })
    };
    for codes in [
        ["Anna Krüger", "Peter Meyer", "Jane Smith"],
        ["I10", "anna@clinic.example", "E11"],
        ["I10", "E11", "1957-03-04"],
    ] {
        let error = with(codes).run(&years()).unwrap_err().to_string();
        assert!(error.contains("table `Condition`, column `code`"), "{error}");
        assert!(codes.iter().all(|code| code.len() < 4 || !error.contains(code)), "{error}");
        let meant = "[tables.Condition.attributes.code]\nrole = \"set\"\nidentifier-like = \"intended\"\n";
        with(codes).run(&(years() + meant)).unwrap();
        let strict = format!("preset = \"hipaa-safe-harbor\"\n{}{meant}", years());
        with(codes).run(&strict).unwrap_err();
    }
    with(["I10", "E11", "J45"]).run(&years()).unwrap();
}

#[test]
fn a_file_of_resources_without_its_ending_is_refused() {
    for name in ["Condition", "Condition.fhir"] {
        let made = changed(60, |_, _| ());
        std::fs::rename(made.path("in/Condition.ndjson"), made.path("in").join(name)).unwrap();
        let error = made.run(&years()).unwrap_err().to_string();
        assert!(error.contains(&format!("{name}: no file of FHIR resources by its name")), "{error}");
    }
    let made = changed(60, |_, _| ());
    std::fs::write(made.path("in/Condition.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    assert!(made.run(&years()).unwrap_err().to_string().contains("Condition.gz: no file of FHIR resources"));
    let made = changed(60, |_, _| ());
    made.table("README", "an export\n");
    made.table("_SUCCESS", "");
    made.run(&years()).unwrap();
}

#[test]
fn a_bundle_on_one_line_is_broken_at_an_entry() {
    let made = Made::empty();
    let entry = |id: u32| format!("{{\"resource\":{{\"resourceType\":\"Patient\",\"id\":\"{id}\"}}}}");
    let entries = [entry(1), entry(2), "{\"resource\": nonsense}".to_owned(), entry(4)].join(",");
    made.table("all.json", &format!("{{\"resourceType\":\"Bundle\",\"entry\":[{entries}]}}"));
    let error = made.run(&years()).unwrap_err().to_string();
    assert!(error.contains("all.json: entry 3: no JSON at character"), "{error}");
}

#[test]
fn a_release_without_a_code_is_warned_of() {
    let warnings = changed(12, |number, resource| {
        if is(resource, "Condition")
            || is(resource, "Immunization")
            || is(resource, "Observation")
            || is(resource, "Encounter")
        {
            let path = if is(resource, "Immunization") { "vaccineCode" } else { "code" };
            if resource.get(path).is_some() {
                resource[path]["coding"][0]["code"] = json!(format!("C{number}"));
            }
        }
    })
    .run(
        &years()
            .replace("\n[[privacy]]", "\n[method]\nname = \"thin\"\nsuppression-limit = 1.0\n[[privacy]]"),
    )
    .map(|outcome| outcome.warnings.join("\n"))
    .unwrap();
    assert!(warnings.contains("no code is released"), "{warnings}");
}
