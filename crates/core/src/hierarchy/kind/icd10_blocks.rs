//! The chapters and blocks of ICD-10: facts of the classifications, which rule and checker read alike.
//!
//! WHO: the edition of 2019, 22 chapters and 263 blocks, those of the lowest grouping where blocks nest
//! \[@who2019icd10]. A90 and A91, which older editions have, are left in their block, so that older data can
//! be read. CM: fiscal year 2025 \[@nchs2025icd10cm].

use std::sync::LazyLock;

/// A chapter and its blocks, separated by spaces.
type Chapter = (&'static str, &'static str);

/// ICD-10 of the World Health Organization.
pub const WHO: [Chapter; 22] = [
    (
        "A00-B99",
        "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 B00-B09 B15-B19 B20-B24 \
         B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99",
    ),
    (
        "C00-D48",
        "C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 \
         C81-C96 C97-C97 D00-D09 D10-D36 D37-D48",
    ),
    ("D50-D89", "D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D80-D89"),
    ("E00-E90", "E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90"),
    ("F00-F99", "F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99"),
    ("G00-G99", "G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G90-G99"),
    ("H00-H59", "H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59"),
    ("H60-H95", "H60-H62 H65-H75 H80-H83 H90-H95"),
    ("I00-I99", "I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99"),
    ("J00-J99", "J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99"),
    ("K00-K93", "K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93"),
    ("L00-L99", "L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99"),
    (
        "M00-M99",
        "M00-M03 M05-M14 M15-M19 M20-M25 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M68 M70-M79 M80-M85 M86-M90 \
         M91-M94 M95-M99",
    ),
    ("N00-N99", "N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98 N99-N99"),
    ("O00-O99", "O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99"),
    ("P00-P96", "P00-P04 P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96"),
    ("Q00-Q99", "Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99"),
    (
        "R00-R99",
        "R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99",
    ),
    (
        "S00-T98",
        "S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19 \
         T20-T25 T26-T28 T29-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98",
    ),
    (
        "V01-Y98",
        "V01-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V79 V80-V89 V90-V94 V95-V97 V98-V99 W00-W19 \
         W20-W49 W50-W64 W65-W74 W75-W84 W85-W99 X00-X09 X10-X19 X20-X29 X30-X39 X40-X49 X50-X57 X58-X59 X60-X84 \
         X85-Y09 Y10-Y34 Y35-Y36 Y40-Y59 Y60-Y69 Y70-Y82 Y83-Y84 Y85-Y89 Y90-Y98",
    ),
    ("Z00-Z99", "Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99"),
    ("U00-U99", "U00-U49 U82-U85"),
];

/// ICD-10-CM, the clinical modification of the United States.
pub const CM: [Chapter; 22] = [
    (
        "A00-B99",
        "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 B00-B09 B10-B10 B15-B19 \
         B20-B20 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B97 B99-B99",
    ),
    (
        "C00-D49",
        "C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 \
         C7A-C7A C7B-C7B C81-C96 D00-D09 D10-D36 D37-D48 D3A-D3A D49-D49",
    ),
    ("D50-D89", "D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D78-D78 D80-D89"),
    ("E00-E89", "E00-E07 E08-E13 E15-E16 E20-E35 E36-E36 E40-E46 E50-E64 E65-E68 E70-E88 E89-E89"),
    ("F01-F99", "F01-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99"),
    ("G00-G99", "G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G65 G70-G73 G80-G83 G89-G99"),
    (
        "H00-H59",
        "H00-H05 H10-H11 H15-H22 H25-H28 H30-H36 H40-H42 H43-H44 H46-H47 H49-H52 H53-H54 H55-H57 H59-H59",
    ),
    ("H60-H95", "H60-H62 H65-H75 H80-H83 H90-H94 H95-H95"),
    ("I00-I99", "I00-I02 I05-I09 I10-I1A I20-I25 I26-I28 I30-I5A I60-I69 I70-I79 I80-I89 I95-I99"),
    ("J00-J99", "J00-J06 J09-J18 J20-J22 J30-J39 J40-J4A J60-J70 J80-J84 J85-J86 J90-J94 J95-J95 J96-J99"),
    ("K00-K95", "K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K68 K70-K77 K80-K87 K90-K95"),
    ("L00-L99", "L00-L08 L10-L14 L20-L30 L40-L45 L49-L54 L55-L59 L60-L75 L76-L76 L80-L99"),
    (
        "M00-M99",
        "M00-M02 M04-M04 M05-M14 M15-M19 M20-M25 M26-M27 M30-M36 M40-M43 M45-M49 M50-M54 M60-M63 M65-M67 M70-M79 \
         M80-M85 M86-M90 M91-M94 M95-M95 M96-M96 M97-M97 M99-M99",
    ),
    ("N00-N99", "N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N53 N60-N65 N70-N77 N80-N98 N99-N99"),
    ("O00-O9A", "O00-O08 O09-O09 O10-O16 O20-O29 O30-O48 O60-O77 O80-O82 O85-O92 O94-O9A"),
    (
        "P00-P96",
        "P00-P04 P05-P08 P09-P09 P10-P15 P19-P29 P35-P39 P50-P61 P70-P74 P76-P78 P80-P83 P84-P84 P90-P96",
    ),
    ("Q00-Q99", "Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99"),
    (
        "R00-R99",
        "R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R97-R97 \
         R99-R99",
    ),
    (
        "S00-T88",
        "S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T07-T07 T14-T14 T15-T19 \
         T20-T25 T26-T28 T30-T32 T33-T34 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88",
    ),
    (
        "V00-Y99",
        "V00-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V79 V80-V89 V90-V94 V95-V97 V98-V99 W00-W19 \
         W20-W49 W50-W64 W65-W74 W85-W99 X00-X08 X10-X19 X30-X39 X50-X50 X52-X58 X71-X83 X92-Y09 Y21-Y33 Y35-Y38 \
         Y62-Y69 Y70-Y82 Y83-Y84 Y90-Y99",
    ),
    (
        "Z00-Z99",
        "Z00-Z13 Z14-Z15 Z16-Z16 Z17-Z17 Z18-Z18 Z19-Z19 Z20-Z29 Z30-Z39 Z40-Z53 Z55-Z65 Z66-Z66 Z67-Z67 Z68-Z68 \
         Z69-Z76 Z77-Z99",
    ),
    ("U00-U85", "U00-U49 U50-U85"),
];

/// The categories of CM that end in a letter, each with its block.
pub const LETTERED: [(&str, &str); 10] = [
    ("C4A", "C43-C44"),
    ("C7A", "C7A-C7A"),
    ("C7B", "C7B-C7B"),
    ("D3A", "D3A-D3A"),
    ("I1A", "I10-I1A"),
    ("I5A", "I30-I5A"),
    ("J4A", "J40-J4A"),
    ("M1A", "M05-M14"),
    ("O9A", "O94-O9A"),
    ("Z3A", "Z30-Z39"),
];

/// A block of categories.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) label: &'static str,
    pub(super) chapter: &'static str,
    /// The numbers of its first and last category without a letter at the end.
    numbers: Option<(u32, u32)>,
    lettered: u64,
}

pub(super) static WHO_BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| blocks(&WHO, &[]));
pub(super) static CM_BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| blocks(&CM, &LETTERED));

fn blocks(chapters: &[Chapter], lettered: &[(&str, &str)]) -> Vec<Block> {
    let of_chapter = |&(chapter, blocks): &Chapter| {
        blocks.split(' ').map(move |label| {
            let lettered = lettered.iter().filter(|(_, block)| *block == label).count() as u64;
            Block { label, chapter, numbers: numbers(label), lettered }
        })
    };
    chapters.iter().flat_map(of_chapter).collect()
}

/// The numbered categories from the first to the last; a last one with a letter comes after all of its ten.
fn numbers(block: &str) -> Option<(u32, u32)> {
    let last = match number(&block[4..]) {
        Some(last) => last,
        None => number(&format!("{}9", &block[4..6]))?,
    };
    Some((number(&block[..3])?, last))
}

/// `A00` → 0 … `Z99` → 2599; `None` for a category with a letter at the end.
fn number(category: &str) -> Option<u32> {
    let letter = category.bytes().next().filter(u8::is_ascii_uppercase)?;
    let digits = category.get(1..3).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    Some(u32::from(letter - b'A') * 100 + digits.parse::<u32>().ok()?)
}

impl Block {
    /// How many categories the structure has room for.
    pub(super) fn categories(&self) -> u64 {
        self.numbers.map_or(0, |(first, last)| u64::from(last - first) + 1) + self.lettered
    }
}

/// The block of a category; `None` if the classification has none for it.
pub(super) fn block_of<'a>(
    blocks: &'a [Block],
    lettered: &[(&str, &str)],
    category: &str,
) -> Option<&'a Block> {
    if let Some((_, label)) = lettered.iter().find(|(known, _)| *known == category) {
        return blocks.iter().find(|block| block.label == *label);
    }
    let number = number(category)?;
    let holds = |(first, last): (u32, u32)| (first..=last).contains(&number);
    blocks.iter().find(|block| block.numbers.is_some_and(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of the classifications' own tables of contents.
    #[test]
    fn as_many_chapters_and_blocks_as_the_standard_has() {
        assert_eq!((WHO.len(), WHO_BLOCKS.len()), (22, 263));
        assert_eq!(CM.len(), 22);
        assert_eq!(WHO_BLOCKS.iter().filter(|block| block.chapter == "V01-Y98").count(), 35);
    }

    #[test]
    fn no_category_is_in_two_blocks_and_blocks_ascend() {
        for blocks in [&*WHO_BLOCKS, &*CM_BLOCKS] {
            let mut taken = vec![false; 2600];
            for (first, last) in blocks.iter().filter_map(|block| block.numbers) {
                assert!(first <= last);
                for number in first..=last {
                    assert!(!std::mem::replace(&mut taken[number as usize], true), "{number}");
                }
            }
            for block in blocks {
                let (first, last) = block.chapter.split_once('-').unwrap();
                assert!(first <= &block.label[..3] && &block.label[4..] <= last, "{}", block.label);
            }
        }
        assert!(LETTERED.iter().all(|(_, label)| CM_BLOCKS.iter().any(|block| block.label == *label)));
    }

    #[test]
    fn categories_are_counted_by_structure() {
        let count = |label: &str| CM_BLOCKS.iter().find(|b| b.label == label).unwrap().categories();
        assert_eq!(["A00-A09", "X92-Y09", "C43-C44", "C7A-C7A", "O94-O9A"].map(count), [10, 18, 3, 1, 7]);
        assert_eq!(block_of(&WHO_BLOCKS, &[], "E11").unwrap().label, "E10-E14");
        assert!(block_of(&WHO_BLOCKS, &[], "E09").is_none());
        assert_eq!(block_of(&CM_BLOCKS, &LETTERED, "M1A").unwrap().label, "M05-M14");
        assert!(block_of(&CM_BLOCKS, &LETTERED, "M2A").is_none());
    }
}
