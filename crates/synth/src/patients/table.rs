//! The tables and their columns.

/// A table of OMOP CDM 5.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum Table {
    Person,
    ObservationPeriod,
    VisitOccurrence,
    ConditionOccurrence,
    DrugExposure,
    ProcedureOccurrence,
    Measurement,
    Observation,
    Death,
    Note,
    Provider,
    CareSite,
    Location,
    CdmSource,
    Concept,
    ConceptRelationship,
    ConceptAncestor,
}

/// All tables that are written.
pub const TABLES: [Table; 17] = [
    Table::Person,
    Table::ObservationPeriod,
    Table::VisitOccurrence,
    Table::ConditionOccurrence,
    Table::DrugExposure,
    Table::ProcedureOccurrence,
    Table::Measurement,
    Table::Observation,
    Table::Death,
    Table::Note,
    Table::Provider,
    Table::CareSite,
    Table::Location,
    Table::CdmSource,
    Table::Concept,
    Table::ConceptRelationship,
    Table::ConceptAncestor,
];

impl Table {
    /// The name in upper case, as exports spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMED[self as usize].0
    }

    /// The name of the table's file.
    #[must_use]
    pub fn file(self) -> String {
        format!("{}.csv", self.name())
    }

    /// The names of the columns, between commas.
    #[must_use]
    pub fn header(self) -> &'static str {
        NAMED[self as usize].1
    }
}

/// Name and columns of each table.
const NAMED: [(&str, &str); TABLES.len()] = [
    (
        "PERSON",
        "person_id,gender_concept_id,year_of_birth,month_of_birth,day_of_birth,birth_datetime,\
         race_concept_id,ethnicity_concept_id,location_id,provider_id,care_site_id,person_source_value,\
         gender_source_value,gender_source_concept_id,race_source_value,race_source_concept_id,\
         ethnicity_source_value,ethnicity_source_concept_id",
    ),
    (
        "OBSERVATION_PERIOD",
        "observation_period_id,person_id,observation_period_start_date,observation_period_end_date,\
         period_type_concept_id",
    ),
    (
        "VISIT_OCCURRENCE",
        "visit_occurrence_id,person_id,visit_concept_id,visit_start_date,visit_start_datetime,\
         visit_end_date,visit_end_datetime,visit_type_concept_id,provider_id,care_site_id,\
         visit_source_value,visit_source_concept_id,admitted_from_concept_id,admitted_from_source_value,\
         discharged_to_concept_id,discharged_to_source_value,preceding_visit_occurrence_id",
    ),
    (
        "CONDITION_OCCURRENCE",
        "condition_occurrence_id,person_id,condition_concept_id,condition_start_date,\
         condition_start_datetime,condition_end_date,condition_end_datetime,condition_type_concept_id,\
         condition_status_concept_id,stop_reason,provider_id,visit_occurrence_id,visit_detail_id,\
         condition_source_value,condition_source_concept_id,condition_status_source_value",
    ),
    (
        "DRUG_EXPOSURE",
        "drug_exposure_id,person_id,drug_concept_id,drug_exposure_start_date,\
         drug_exposure_start_datetime,drug_exposure_end_date,drug_exposure_end_datetime,\
         verbatim_end_date,drug_type_concept_id,stop_reason,refills,quantity,days_supply,sig,\
         route_concept_id,lot_number,provider_id,visit_occurrence_id,visit_detail_id,drug_source_value,\
         drug_source_concept_id,route_source_value,dose_unit_source_value",
    ),
    (
        "PROCEDURE_OCCURRENCE",
        "procedure_occurrence_id,person_id,procedure_concept_id,procedure_date,procedure_datetime,\
         procedure_end_date,procedure_end_datetime,procedure_type_concept_id,modifier_concept_id,\
         quantity,provider_id,visit_occurrence_id,visit_detail_id,procedure_source_value,\
         procedure_source_concept_id,modifier_source_value",
    ),
    (
        "MEASUREMENT",
        "measurement_id,person_id,measurement_concept_id,measurement_date,measurement_datetime,\
         measurement_time,measurement_type_concept_id,operator_concept_id,value_as_number,\
         value_as_concept_id,unit_concept_id,range_low,range_high,provider_id,visit_occurrence_id,\
         visit_detail_id,measurement_source_value,measurement_source_concept_id,unit_source_value,\
         unit_source_concept_id,value_source_value,measurement_event_id,meas_event_field_concept_id",
    ),
    (
        "OBSERVATION",
        "observation_id,person_id,observation_concept_id,observation_date,observation_datetime,\
         observation_type_concept_id,value_as_number,value_as_string,value_as_concept_id,\
         qualifier_concept_id,unit_concept_id,provider_id,visit_occurrence_id,visit_detail_id,\
         observation_source_value,observation_source_concept_id,unit_source_value,\
         qualifier_source_value,value_source_value,observation_event_id,obs_event_field_concept_id",
    ),
    (
        "DEATH",
        "person_id,death_date,death_datetime,death_type_concept_id,cause_concept_id,cause_source_value,\
         cause_source_concept_id",
    ),
    (
        "NOTE",
        "note_id,person_id,note_date,note_datetime,note_type_concept_id,note_class_concept_id,\
         note_title,note_text,encoding_concept_id,language_concept_id,provider_id,visit_occurrence_id,\
         visit_detail_id,note_source_value,note_event_id,note_event_field_concept_id",
    ),
    (
        "PROVIDER",
        "provider_id,provider_name,npi,dea,specialty_concept_id,care_site_id,year_of_birth,\
         gender_concept_id,provider_source_value,specialty_source_value,specialty_source_concept_id,\
         gender_source_value,gender_source_concept_id",
    ),
    (
        "CARE_SITE",
        "care_site_id,care_site_name,place_of_service_concept_id,location_id,care_site_source_value,\
         place_of_service_source_value",
    ),
    (
        "LOCATION",
        "location_id,address_1,address_2,city,state,zip,county,location_source_value,country_concept_id,\
         country_source_value,latitude,longitude",
    ),
    (
        "CDM_SOURCE",
        "cdm_source_name,cdm_source_abbreviation,cdm_holder,source_description,\
         source_documentation_reference,cdm_etl_reference,source_release_date,cdm_release_date,\
         cdm_version,cdm_version_concept_id,vocabulary_version",
    ),
    (
        "CONCEPT",
        "concept_id,concept_name,domain_id,vocabulary_id,concept_class_id,standard_concept,concept_code,\
         valid_start_date,valid_end_date,invalid_reason",
    ),
    (
        "CONCEPT_RELATIONSHIP",
        "concept_id_1,concept_id_2,relationship_id,valid_start_date,valid_end_date,invalid_reason",
    ),
    (
        "CONCEPT_ANCESTOR",
        "ancestor_concept_id,descendant_concept_id,min_levels_of_separation,max_levels_of_separation",
    ),
];
