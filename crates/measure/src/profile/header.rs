//! What the name of a column promises, in English and Korean, and by the commonest words in German.

use super::identifier::Identifier;

/// Words of a column's name in lower case: `dateOfBirth`, `DATE_OF_BIRTH` and `date of birth` have the same.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let letters: Vec<char> = name.chars().collect();
    for (place, &letter) in letters.iter().enumerate() {
        let next_is_small = letters.get(place + 1).is_some_and(|next| next.is_lowercase());
        let begins = !before.is_alphanumeric()
            || (before.is_lowercase() && letter.is_uppercase())
            || (before.is_uppercase() && letter.is_uppercase() && next_is_small)
            || (before.is_ascii_alphabetic() && letter.is_ascii_digit());
        if letter.is_alphanumeric() {
            match words.last_mut().filter(|_| !begins) {
                Some(word) => word.extend(letter.to_lowercase()),
                None => words.push(letter.to_lowercase().collect()),
            }
        }
        before = letter;
    }
    words
}

/// Phrases of names by identifier. The first that fits decides, so the narrower stand first.
const PHRASES: &[(Identifier, &str)] = &[
    (Identifier::IpAddress, "ip|ip address|ip addr|ipaddress|ipv"),
    (Identifier::Email, "email|e mail|mail address|emailaddress|email address"),
    (Identifier::Url, "url|uri|website|web site|web address|homepage"),
    (
        Identifier::Device,
        "mac address|macaddress|imei|udi|device id|device serial|deviceid|serial|serial number|\
        serial no|serialnumber|implant id|pacemaker id",
    ),
    (Identifier::Fax, "fax|fax number|faxnumber"),
    (
        Identifier::Telephone,
        "phone|telephone|tel|tel no|mobile|cellphone|mobilephone|phone number|phonenumber|\
        homephone|workphone|phone no|contact number|telefon|telefonnummer|handy|handynummer",
    ),
    (
        Identifier::SocialSecurity,
        "ssn|social security|socialsecurity|social security number|national id|rrn|\
        resident registration number|resident number|jumin|nin|national insurance|personnummer|\
        tax id|tin",
    ),
    (
        Identifier::HealthPlan,
        "health plan|beneficiary|mbi|hicn|hic|member id|memberid|member no|member number|\
        insurance id|insurance no|insurance number|insurance policy|policy number|policy no|\
        policy id|medicaid id|medicare id|bene id|subscriber id|nhs number|nhs no|\
        versichertennummer|krankenversichertennummer|versicherungsnummer",
    ),
    (
        Identifier::MedicalRecord,
        "mrn|medical record|medical record number|medicalrecordnumber|chart no|chart number|\
        chart id|patient id|patientid|patient no|patient number|patient nbr|pat id|patid|pid|\
        ptid|pt id|subject id|subjectid|person id|personid|participant id|case no|case number|\
        case id|encounter id|encounterid|visit id|hadm id|admission id|record id|\
        hospital number|hospital no|accession number|accession no|specimen id|sample id|\
        fallnummer|fallnr|fall nr|fall id|patientennummer|patientennr|patienten nr|patienten id",
    ),
    (
        Identifier::Account,
        "account|acct|account number|account no|iban|credit card|card number|card no|\
        bank account|cc number",
    ),
    (
        Identifier::Vehicle,
        "vin|license plate|licence plate|plate number|plate no|numberplate|vehicle id|\
        registration plate",
    ),
    (
        Identifier::License,
        "npi|dea|licence|license|license number|licence number|license no|driver license|\
        drivers license|certificate number|certificate no|passport|passport no",
    ),
    (
        Identifier::Biometric,
        "fingerprint|finger print|iris|iris scan|retina scan|voiceprint|voice print|\
        voice recording|faceprint|face template|biometric|dna sequence",
    ),
    (Identifier::Photograph, "photo|photograph|face image|picture|portrait|selfie|headshot"),
    (
        Identifier::Date,
        "date|dob|birthdate|birthday|dateofbirth|date of birth|birth date|dod|date of death|\
        deathdate|death date|admission date|admit date|discharge date|timestamp|datetime|\
        admittime|dischtime|datum|geburtsdatum|aufnahmedatum|entlassungsdatum|entlassdatum|sterbedatum",
    ),
    (
        Identifier::Geographic,
        "zip|zipcode|zip code|zip5|zip9|zcta|postal|postal code|postalcode|postcode|post code|\
        plz|outcode|outward code|address|addr|street|street address|city|town|county|fips|precinct|census tract|\
        tract|district|neighborhood|neighbourhood|latitude|longitude|lat|lon|lng|geocode|\
        geohash|village|municipality|postleitzahl|wohnort|anschrift|adresse|strasse|straße",
    ),
    (
        Identifier::Name,
        "name|firstname|lastname|surname|forename|fullname|middlename|maidenname|patientname|\
        givenname|familyname|nickname|first name|last name|full name|middle name|given name|\
        family name|maiden name|patient name|person name|doctor name|physician name|nurse name|\
        guardian name|contact name|mother name|father name|next of kin|initials|vorname|nachname|\
        familienname",
    ),
    (
        Identifier::Other,
        "id|uuid|guid|identifier|row id|rowid|username|user name|user id|userid|login|\
        employee id|staff id|customer id|client id|barcode|qr code",
    ),
];

/// Korean names; a column's name need only contain one, spaces aside.
const KOREAN: &[(Identifier, &str)] = &[
    (Identifier::SocialSecurity, "주민등록번호|주민번호|외국인등록번호"),
    (Identifier::Email, "이메일|전자우편|메일주소"),
    (Identifier::Url, "홈페이지|웹주소"),
    (Identifier::IpAddress, "아이피"),
    (Identifier::Fax, "팩스"),
    (Identifier::Telephone, "전화|휴대폰|핸드폰|연락처"),
    (Identifier::HealthPlan, "보험증번호|보험번호|건강보험증|증번호"),
    (Identifier::MedicalRecord, "등록번호|환자번호|환자id|차트번호|병록번호|수진자번호|개인식별|접수번호"),
    (Identifier::Account, "계좌|카드번호"),
    (Identifier::License, "면허|자격번호|여권"),
    (Identifier::Vehicle, "차량번호|차대번호"),
    (Identifier::Device, "일련번호|기기번호|시리얼"),
    (Identifier::Biometric, "지문|홍채|성문|생체"),
    (Identifier::Photograph, "사진"),
    (Identifier::Date, "생년월일|일자|날짜|입원일|퇴원일|사망일|진료일|검사일|수술일"),
    (Identifier::Geographic, "주소|우편번호|시군구|읍면동|행정동|법정동|위도|경도"),
    (Identifier::Name, "성명|이름|환자명|보호자명|의사명"),
];

/// Words that make a name one of something about an identifier: a number of calls, a kind of address.
const ABOUT: &str = "count|counts|calls|total|freq|frequency|rate|score|flag|has|is|type|status|class|group|\
        pct|percent|days|duration|size|level|change|여부|구분|횟수";

/// Words of amounts and measurements: many digits, and none of them a register's.
const AMOUNTS: &str = "amount|cost|costs|price|charge|charges|fee|fees|payment|payments|income|salary|wage|revenue|\
        expenditure|expenses|count|counts|total|sum|volume|distance|steps|population|cents|cent|eur|euro|usd|krw|won|\
        betrag|kosten|preis|einkommen|gehalt|lohn|umsatz|entgelt|summe|anzahl|금액|비용|소득|진료비|급여";

/// Words that do so in front: `num_phones`, where `phone_num` is a number.
const HOW_MANY: &str = "num|n|no|nr|number";

/// Whose names are no persons'.
const THINGS: &str = "drug|hospital|test|file|country|column|product|disease|lab|medication|ward|dept|\
        department|procedure|brand|generic|item|study|site|unit|facility|gene|trial|device";

/// The identifier that a column's name promises, and the phrase that says so.
#[must_use]
pub fn identifier(name: &str) -> Option<(Identifier, &'static str)> {
    let words = words(name);
    let is_in = |list: &'static str| words.iter().any(|word| listed(list).any(|entry| entry == word));
    let in_front = words.len() > 1 && listed(HOW_MANY).any(|entry| entry == words[0]);
    let squashed = words.concat();
    let about = listed(ABOUT).any(|entry| !entry.is_ascii() && squashed.contains(entry));
    if in_front || about || is_in(ABOUT) {
        return None;
    }
    let allowed = |found: &(Identifier, &str)| {
        let of_persons = matches!(found.0, Identifier::Name | Identifier::Other);
        let alone = matches!(found.1, "id" | "identifier") && words.len() > 1;
        !(alone || of_persons && is_in(THINGS))
    };
    english(&words).filter(allowed).or_else(|| korean(&squashed))
}

/// Whether a name is that of an amount or a measurement, and of no number beside it: `cost`, but not `cost_id`.
#[must_use]
pub fn tells_amount(name: &str) -> bool {
    let words = words(name);
    let numbers = |word: &String| matches!(&**word, "id" | "no" | "nr" | "number" | "nummer" | "code");
    let amount = words
        .iter()
        .any(|word| listed(AMOUNTS).any(|entry| entry == word || !entry.is_ascii() && word.contains(entry)));
    amount && !words.iter().any(numbers)
}

/// Whether a name promises where a person lives, to the house or the street.
#[must_use]
pub fn is_address(name: &str) -> bool {
    const ADDRESS: [&str; 7] = ["address", "addr", "street", "anschrift", "adresse", "strasse", "straße"];
    words(name).iter().any(|word| ADDRESS.contains(&word.as_str())) || name.contains("주소")
}

fn listed(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|')
}

fn english(words: &[String]) -> Option<(Identifier, &'static str)> {
    let has = |phrase: &&str| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        words.windows(parts.len()).any(|window| window.iter().zip(&parts).all(|(word, part)| word == part))
    };
    let longest = |phrases| listed(phrases).filter(has).max_by_key(|phrase| phrase.len());
    PHRASES.iter().find_map(|(identifier, phrases)| longest(phrases).map(|phrase| (*identifier, phrase)))
}

fn korean(squashed: &str) -> Option<(Identifier, &'static str)> {
    let part = |names| listed(names).find(|name| squashed.contains(name));
    KOREAN.iter().find_map(|(identifier, names)| part(names).map(|name| (*identifier, name)))
}

/// What an attribute is about, where its name tells, apart from the eighteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Years of age.
    Age,
    /// Something else that others may know of a person.
    Known,
    /// Something of health or wealth that is told in confidence.
    Confidential,
}

const AGE: &str = "age|alter|나이|연령";

const KNOWN: &str = "sex|gender|race|ethnicity|ethnic|marital|education|occupation|profession|job|religion|\
        country|nationality|citizenship|native|province|state|region|location|birth|birthyear|\
        yob|dob|height|weight|bmi|workclass|employment|language|los|stay|admission|discharge|\
        insurance|payer|ward|department|hospital|surgery|smoker|smoking|year|children|parity|\
        household|geschlecht|beruf|familienstand|nationalitaet|bundesland|gewicht|groesse|aufnahme|\
        entlassung|verweildauer|성별|흡연|음주|지역|시도|직업|학력|결혼|혼인|국적|종교|출생|재원|입원|퇴원|진료과|키|신장|체중|수술";

const CONFIDENTIAL: &str = "diagnosis|diagnoses|diag|dx|icd|icd10|disease|condition|hiv|aids|drug|medication|\
        prescription|atc|procedure|treatment|therapy|outcome|death|died|deceased|mortality|\
        target|salary|income|wage|stroke|cancer|tumor|tumour|pregnancy|pregnant|psychiatric|\
        depression|std|readmitted|hba1c|creatinine|egfr|glucose|cholesterol|hdl|ldl|triglycerides|\
        hemoglobin|haemoglobin|albumin|bilirubin|crp|alt|ast|wbc|platelets|lab|diagnose|diagnosen|\
        hauptdiagnose|nebendiagnose|erkrankung|krankheit|medikament|therapie|befund|todesursache|\
        einkommen|gehalt|당화혈색소|\
        크레아티닌|혈당|콜레스테롤|혈색소|진단|상병|질병|질환|병명|투약|약품|약제|처방|사망|소득";

/// What a name says of an attribute.
#[must_use]
pub fn about(name: &str) -> Option<(About, &'static str)> {
    let words = words(name);
    let squashed = words.concat();
    // Short Korean words must stand alone: they are part of many others.
    let whole = |entry: &str| entry.is_ascii() || entry.chars().count() == 1;
    let fits = |entry: &&'static str| match whole(entry) {
        true => words.iter().any(|word| word == entry),
        false => squashed.contains(entry),
    };
    let has = |list| listed(list).find(fits);
    let lists = [(About::Age, AGE), (About::Confidential, CONFIDENTIAL), (About::Known, KNOWN)];
    lists.into_iter().find_map(|(about, list)| has(list).map(|entry| (about, entry)))
}

/// Whether a name says that a column holds births.
#[must_use]
pub fn tells_births(name: &str) -> bool {
    const BIRTH: [&str; 11] = [
        "birth",
        "birthdate",
        "birthday",
        "birthyear",
        "born",
        "dob",
        "yob",
        "geburt",
        "geburtsdatum",
        "geburtstag",
        "geburtsjahr",
    ];
    words(name).iter().any(|word| BIRTH.contains(&word.as_str()))
        || ["생년", "출생", "생일"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for name in ["dateOfBirth", "DATE_OF_BIRTH", "Date of birth", "date-of-birth", "DateOFBirth"] {
            assert_eq!(words(name), ["date", "of", "birth"], "{name}");
        }
        assert_eq!(words("patientID"), ["patient", "id"]);
        assert_eq!(words("ICD10 code"), ["icd", "10", "code"]);
        assert_eq!(words("환자 성명"), ["환자", "성명"]);
    }

    #[test]
    fn names_of_identifiers_are_known() {
        for (name, letter) in [
            ("PatientName", 'A'),
            ("last_name", 'A'),
            ("surname", 'A'),
            ("환자 성명", 'A'),
            ("zip", 'B'),
            ("ZIPCODE", 'B'),
            ("home_address", 'B'),
            ("우편번호", 'B'),
            ("DOB", 'C'),
            ("admissionDate", 'C'),
            ("생년월일", 'C'),
            ("homePhone", 'D'),
            ("tel_no", 'D'),
            ("휴대폰번호", 'D'),
            ("FaxNumber", 'E'),
            ("e-mail", 'F'),
            ("emailAddress", 'F'),
            ("SSN", 'G'),
            ("주민등록번호", 'G'),
            ("MRN", 'H'),
            ("patient_id", 'H'),
            ("subjectID", 'H'),
            ("환자번호", 'H'),
            ("memberId", 'I'),
            ("보험증번호", 'I'),
            ("acct_no", 'J'),
            ("계좌번호", 'J'),
            ("driver license", 'K'),
            ("면허번호", 'K'),
            ("VIN", 'L'),
            ("license_plate", 'L'),
            ("device_serial", 'M'),
            ("IMEI", 'M'),
            ("website", 'N'),
            ("IPAddress", 'O'),
            ("client_ip", 'O'),
            ("iris_scan", 'P'),
            ("홍채", 'P'),
            ("photo", 'Q'),
            ("사진", 'Q'),
            ("id", 'R'),
            ("user_id", 'R'),
            ("Vorname", 'A'),
            ("Anschrift", 'B'),
            ("Geburtsdatum", 'C'),
            ("Telefonnummer", 'D'),
            ("Fallnummer", 'H'),
        ] {
            let found = identifier(name).map(|(identifier, _)| identifier.letter());
            assert_eq!(found, Some(letter), "{name}");
        }
    }

    #[test]
    fn names_of_other_things_are_not() {
        for name in [
            "phone_calls",
            "n_visits",
            "num_phones",
            "drug_name",
            "hospital name",
            "hospital_id",
            "has_phone",
            "address_type",
            "age",
            "chol",
            "trestbps",
            "status",
            "date_count",
            "insurance_type",
            "platelets",
            "facial_droop",
            "diagnosis",
            "tip",
            "validity",
            "카드구분",
            "전화여부",
            "thalach",
            "surgery",
            "location",
            "cellularity",
            "telomere",
            "length_of_stay",
        ] {
            assert_eq!(identifier(name), None, "{name}");
        }
    }

    #[test]
    fn names_tell_what_is_known_and_what_is_told_in_confidence() {
        for (name, expected) in [
            ("Age", Some(About::Age)),
            ("나이", Some(About::Age)),
            ("Geschlecht", Some(About::Known)),
            ("Hauptdiagnose", Some(About::Confidential)),
            ("ageAtDiagnosis", Some(About::Age)),
            ("marital-status", Some(About::Known)),
            ("length_of_stay", Some(About::Known)),
            ("성별", Some(About::Known)),
            ("ICD10", Some(About::Confidential)),
            ("주상병코드", Some(About::Confidential)),
            ("salary-class", Some(About::Confidential)),
            ("chol", None),
            ("키워드", None),
            ("page", None),
        ] {
            assert_eq!(about(name).map(|(about, _)| about), expected, "{name}");
        }
    }
}
