//! Words and values by which columns of people are known.

/// Values of a sex, in lower case.
pub(super) const SEXES: &str = "m|f|w|d|x|u|v|h|k|herr|vrouw|homme|femme|hombre|mujer|uomo|donna|kvinna|kvinde|kvinne|mand|male|female|man|woman|männlich|weiblich|divers|maennlich|mann|frau|unknown|unbekannt|other|남|여|남자|여자|남성|여성";

/// Words of names of the sex.
pub(super) const SEX: &str = "sex|gender|geschlecht|geschl|성별";

/// Words of names of a birth besides those that the header knows.
pub(super) const BIRTH: &str = "geb|gebdat|gebdatum|gebjahr|jahrgang|geburtsmonat|birthmonth";

/// Words of where somebody lives.
pub(super) const PLACE: &str = "zip|zip3|zip5|zipcode|plz|postal|postcode|postleitzahl|county|kreis|landkreis|gemeinde|city|town|ort|wohnort|region|district|province|state|bundesland|municipality|시도|지역";

/// Words that say that a number is a person's, whatever else the table has.
pub(super) const PERSONS: &str = "patient|patienten|pat|person|personen|subject|subjectid|proband|probanden|participant|teilnehmer|\
    member|memberid|insured|versicherten|versichertennummer|versicherter|beneficiary|bene|mrn|pid|ptid|patid|patientid|\
    personid|kvnr|vnr|egk|ahvnr|svnr|krankenkassennr|versichertennr|patnr|probandennr|probandennummer|studienid|studiennummer|studiennr|\
    usubjid|subjid|client|clientid|enrolee|enrollee|kunden|kundennr|kundennummer|mitglied|mitglieds|mitgliedsnummer|personal|personalnummer|\
    personalnr|steuer|연구번호|주민번호|patientennummer|patientennr|patientenid|personnummer|pseudonym|pseudo|fallperson|환자|수진자|개인식별|등록번호";

/// Words that say the number of what.
pub(super) const NUMBER: &str = "id|nr|no|num|number|nummer|code|key|hash|pseudonym|kennung|kennzeichen|번호";

/// Words that say that a number is a stay's or a case's, of which a person may have several.
pub(super) const STAYS: &str = "fall|fallnummer|fallnr|fallid|fälle|case|caseid|visit|visitid|stay|stayid|encounter|encounterid|episode|\
    episodeid|aufnahme|aufnahmenummer|aufnahmenr|aufenthalt|aufenthaltsnummer|hadm|admission|admissionid|csn|fin";
