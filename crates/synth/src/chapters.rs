//! The blocks and chapters of ICD-10 (WHO, before 2010: haemorrhoids are still I84).

/// The blocks of categories.
const BLOCKS: &str = "\
    A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 \
    B00-B09 B15-B19 B20-B24 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B97 B99-B99 \
    C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 \
    C76-C80 C81-C96 C97-C97 D00-D09 D10-D36 D37-D48 \
    D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D80-D89 \
    E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90 \
    F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99 \
    G00-G09 G10-G13 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G90-G99 \
    H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59 \
    H60-H62 H65-H75 H80-H83 H90-H95 \
    I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99 \
    J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99 \
    K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K63 K65-K67 K70-K77 K80-K87 K90-K93 \
    L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99 \
    M00-M03 M05-M14 M15-M19 M20-M25 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68 M70-M79 M80-M85 \
    M86-M90 M91-M94 M95-M99 \
    N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98 N99-N99 \
    O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O95-O99 \
    P00-P04 P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96 \
    Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 \
    R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 \
    R95-R99 \
    S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 \
    T15-T19 T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98 \
    Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99";

/// The chapters.
const CHAPTERS: &str = "\
    A00-B99 C00-D48 D50-D89 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K93 L00-L99 \
    M00-M99 N00-N99 O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 V01-Y98 Z00-Z99 U00-U99";

/// The block of a category, such as `I60-I69`.
pub(crate) fn block(category: &str) -> Option<&'static str> {
    range_around(BLOCKS, category)
}

/// The chapter of a category, such as `I00-I99`.
pub(crate) fn chapter(category: &str) -> Option<&'static str> {
    range_around(CHAPTERS, category)
}

/// The range that holds the category. Letters and digits sort like the classification itself.
fn range_around(ranges: &'static str, category: &str) -> Option<&'static str> {
    ranges.split_whitespace().find(|range| {
        range.split_once('-').is_some_and(|(first, last)| first <= category && category <= last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::categories;

    #[test]
    fn every_category_has_block_and_chapter() {
        for code in categories().map(|c| c.code) {
            let block = block(code).unwrap_or_else(|| panic!("{code} lies in no block"));
            assert_eq!(chapter(&block[..3]), chapter(code), "{code}");
            assert_eq!(chapter(&block[4..]), chapter(code), "{code}");
        }
        assert_eq!((block("I63"), chapter("I63")), (Some("I60-I69"), Some("I00-I99")));
    }

    #[test]
    fn ranges_do_not_overlap() {
        let ranges: Vec<&str> = BLOCKS.split_whitespace().collect();
        assert!(ranges.windows(2).all(|pair| pair[0][4..] < pair[1][..3]));
    }
}
