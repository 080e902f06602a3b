//! The list `icd-10`: diagnoses that the sex or the age excludes.
//!
//! After the sex and age conflicts of the Medicare Code Editor [@cms2020mce] and the sex and age that ICD-10-GM states of
//! its codes [@bfarm2024icd10gm]. Only what both have, of WHO's edition and the clinical modification alike: whole blocks
//! and codes that name an organ, a pregnancy or a birth. Codes on which the editions differ are left out.

/// What only women have.
pub(super) const FEMALE: &[&str] = &[
    // Obstetrical tetanus; candidiasis of the vulva and vagina.
    "A34", "B37.3", // Cancers and other tumours of the female genital organs.
    "C51-C58", "C79.6", "D06", "D07.0", "D07.1", "D07.2", "D07.3", "D25-D28", "D39",
    // Ovarian dysfunction; the puerperium; varices and itch of the vulva.
    "E28", "E89.4", "F53", "I86.3", "L29.2", // Diseases of the female pelvic organs.
    "N70-N77", "N80-N98", // Pregnancy, childbirth and the puerperium.
    "O00-O9A", // Malformations of the female genital organs; Turner's syndrome and other female karyotypes.
    "Q50-Q52", "Q96-Q97", "R87", // Wounds of the vagina, ovary, tubes and uterus; foreign bodies there.
    "S31.4", "S37.4", "S37.5", "S37.6", "T19.2", "T19.3",
    // Examinations of the cervix and in pregnancy; the outcome of delivery, in the mother's record.
    "Z01.4", "Z12.4", "Z32-Z37", "Z39", "Z3A",
];

/// What only men have.
pub(super) const MALE: &[&str] = &[
    // Orchitis of mumps; cancers and other tumours of the male genital organs.
    "B26.0", "C60-C63", "D07.4", "D07.5", "D07.6", "D29", "D40", // Testicular dysfunction.
    "E29", "E89.5", // Varices and itch of the scrotum.
    "I86.1", "L29.1", // Diseases of the male genital organs; the clinical modification goes on to N53.
    "N40-N53", // Malformations of the male genital organs; Klinefelter's syndrome and other male karyotypes.
    "Q53-Q55", "Q98", "R86", // Wounds of penis, scrotum and testes; examination of the prostate.
    "S31.2", "S31.3", "Z12.5",
];

/// What nobody has from the first birthday on.
pub(super) const NEWBORN: &[&str] = &["A33", "P00-P96", "Z38"];

/// What nobody has before [`MATERNAL`]`.0` or after [`MATERNAL`]`.1` years.
pub(super) const MATERNITY: &[&str] = &["A34", "F53", "O00-O9A", "Z33", "Z34", "Z37", "Z39", "Z3A"];

/// The ages of the Medicare Code Editor's maternity, both included.
pub(super) const MATERNAL: (f64, f64) = (9.0, 64.0);
