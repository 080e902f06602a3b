//! What a form is besides its items, where a machine reads it: an entry of a registry, a card of a catalogue, or a statement
//! that is signed.

use std::path::Path;

use serde_json::{Map, Value, json};
use velamen_engine::{Compression, FileFormat};
use velamen_job::attestation;
use velamen_recipe::JobError;

use super::filled::{Evidence, Item, State};
use super::name::FormName;
use super::pick::Source;
use super::source::Sources;

/// The document of a form; none of those that are for people alone.
pub(super) fn document(
    evidence: &Evidence,
    release: &Path,
    sources: &Sources<'_>,
) -> Result<Option<Value>, JobError> {
    let mut document = match evidence.form {
        FormName::DpRegistry => json!({ "deployment": {} }),
        FormName::DataCard => card(release, sources)?,
        FormName::Attestation => {
            let findings = sources.answer(Source::Verify).unwrap_or(&Value::Null);
            attestation::statement(release, findings)?
        }
        _ => return Ok(None),
    };
    for item in evidence.items() {
        if let (Some(field), Some(value)) = (&item.field, said(item)) {
            put(&mut document, field, value);
        }
    }
    if evidence.form == FormName::DataCard {
        typed(&mut document);
        said_again(&mut document);
    }
    Ok(Some(document))
}

/// What an item says in a document: the value of a check, or what was written.
fn said(item: &Item) -> Option<Value> {
    match (item.state, &item.value, &item.answer) {
        (State::Filled, Some(value), _) => Some(value.clone()),
        (State::Filled | State::Yours, _, Some(answer)) => Some(json!(answer)),
        _ => None,
    }
}

/// Puts a value at a path of keys.
fn put(document: &mut Value, path: &str, value: Value) {
    let place = path.split('/').try_fold(document, |place, key| {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place.as_object_mut().map(|fields| fields.entry(key).or_insert(Value::Null))
    });
    if let Some(place) = place {
        *place = value;
    }
}

/// What those parts of a card are that somebody filled.
fn typed(card: &mut Value) {
    let kinds = [
        ("creator", "sc:Organization"),
        ("dcat:contactPoint", "vcard:Kind"),
        ("dct:provenance", "dct:ProvenanceStatement"),
        ("prov:wasGeneratedBy", "prov:Activity"),
    ];
    for (part, kind) in kinds {
        if let Some(fields) = card.get_mut(part).and_then(Value::as_object_mut) {
            fields.insert("@type".into(), json!(kind));
        }
    }
}

/// What Croissant and DCAT have under names of their own.
fn said_again(card: &mut Value) {
    let pairs = [
        ("dct:title", "name"),
        ("description", "dct:description"),
        ("license", "dct:license"),
        ("datePublished", "dct:issued"),
        ("url", "dcat:landingPage"),
    ];
    for (from, to) in pairs {
        if card[from].is_string() {
            card[to] = card[from].clone();
        }
    }
    if let Some(name) = card["creator"]["name"].as_str() {
        card["dct:publisher"] = json!({ "@type": "foaf:Agent", "foaf:name": name });
    }
}

/// A card of Croissant, with the terms of DCAT beside it: the files, and the columns of the table.
fn card(release: &Path, sources: &Sources<'_>) -> Result<Value, JobError> {
    let statement = attestation::statement(release, &Value::Null)?;
    let files = statement["subject"].as_array().cloned().unwrap_or_default();
    let name =
        release.file_name().map_or_else(|| "release".into(), |name| name.to_string_lossy().into_owned());
    let mut card = json!({
        "@context": context(),
        "@type": ["sc:Dataset", "dcat:Dataset"],
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "distribution": files.iter().map(file_object).collect::<Value>(),
        "dcat:distribution": files.iter().map(distribution).collect::<Value>(),
    });
    if let Some(fields) = fields(sources) {
        card["recordSet"] =
            json!([{ "@type": "cr:RecordSet", "@id": "records", "name": "records", "field": fields }]);
    }
    Ok(card)
}

/// The context that Croissant 1.0 recommends, and DCAT's prefix.
fn context() -> Value {
    let mut context = json!({
        "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/", "dct": "http://purl.org/dc/terms/", "dcat": "http://www.w3.org/ns/dcat#",
        "prov": "http://www.w3.org/ns/prov#", "rai": "http://mlcommons.org/croissant/RAI/",
        "foaf": "http://xmlns.com/foaf/0.1/", "vcard": "http://www.w3.org/2006/vcard/ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "conformsTo": "dct:conformsTo", "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
        "data": { "@id": "cr:data", "@type": "@json" }, "examples": { "@id": "cr:examples", "@type": "@json" },
    });
    let terms = [
        "citeAs",
        "column",
        "extract",
        "field",
        "fileObject",
        "fileProperty",
        "fileSet",
        "format",
        "includes",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
        "path",
        "recordSet",
        "references",
        "regex",
        "repeated",
        "replace",
        "separator",
        "source",
        "subField",
        "transform",
    ];
    terms.iter().for_each(|term| context[*term] = json!(format!("cr:{term}")));
    context
}

fn file_object(file: &Value) -> Value {
    let name = file["name"].as_str().unwrap_or_default();
    json!({
        "@type": "cr:FileObject", "@id": name, "name": name, "contentUrl": name,
        "encodingFormat": media(name), "sha256": file["digest"]["sha256"],
    })
}

fn distribution(file: &Value) -> Value {
    let name = file["name"].as_str().unwrap_or_default();
    // A catalogue puts its own address before the name.
    json!({
        "@type": "dcat:Distribution", "dct:title": name, "dcat:mediaType": media(name), "dcat:accessURL": { "@id": name },
    })
}

/// The media type of a released file.
fn media(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|end| end.to_str()) {
        // A document, and no records of a table.
        Some("json") => "application/json",
        Some("html") => "text/html",
        Some("md") => "text/markdown",
        Some("gz") => "application/gzip",
        _ => FileFormat::named(Path::new(name))
            .filter(|table| table.compression == Compression::None)
            .map_or("application/octet-stream", |table| table.format.facts.media_type),
    }
}

/// The columns of the released table, with the types that their values have.
fn fields(sources: &Sources<'_>) -> Option<Vec<Value>> {
    let file = sources.manifest()["data"]["file"].as_str()?;
    let columns = sources.answer(Source::Profile).ok()?["columns"].as_array()?;
    let roles = &sources.manifest()["attributes"];
    columns.iter().map(|column| field(column, file, roles)).collect()
}

/// A column of the released file.
fn field(column: &Value, file: &str, roles: &Value) -> Option<Value> {
    let name = column["name"].as_str()?;
    let role = roles[name]["role"].as_str().unwrap_or("number of the group");
    Some(json!({
        "@type": "cr:Field", "@id": format!("records/{name}"), "name": name, "description": role,
        "dataType": data_type(column),
        "source": { "fileObject": { "@id": file }, "extract": { "column": name } },
    }))
}

/// The type of a column, of which every cell has to be: a reader of the card stops at another.
fn data_type(column: &Value) -> &'static str {
    let all = column["fits"].as_f64().is_none_or(|fits| fits >= 1.0);
    match column["type"].as_str().filter(|_| all).unwrap_or_default() {
        "whole-number" => "sc:Integer",
        "decimal" => "sc:Float",
        "date" => "sc:Date",
        _ => "sc:Text",
    }
}
