//! What the cluster is asked, in SQL that every executor of Ballista understands.

use crate::table::{ClusterColumn, ClusterTable, LINE, NAME, Spelling, TIMES};

/// The digits of a checksum: some 48 bits, and the sum over 10²² records still fits 38 digits.
const DIGITS: u32 = 15;

/// Distinct combinations as `k0`, `k1`, … with their numbers of records as `n`.
pub(crate) fn reduction(table: &ClusterTable) -> String {
    let cells: Vec<String> = table.cells.iter().map(value).collect();
    let named = cells.iter().enumerate().map(|(place, cell)| format!("{cell} AS {}, ", key(place)));
    format!("SELECT {}COUNT(*) AS n FROM {NAME} GROUP BY {}", named.collect::<String>(), cells.join(", "))
}

/// How many records there are, as `n`, and the sum of their checksums, as `h`: no groups, so that nothing
/// of the reduction's way of working takes part.
pub(crate) fn checksum(table: &ClusterTable) -> String {
    let cells: Vec<(String, Spelling)> = table.cells.iter().map(|cell| (value(cell), cell.form)).collect();
    format!("SELECT COUNT(*) AS n, SUM(CAST({} AS DECIMAL(38, 0))) AS h FROM {NAME}", hash(&cells))
}

/// Of the groups that a reduction gave: their counts as `n`, the checksum of a record of each as `h`.
pub(crate) fn groups(table: &ClusterTable) -> String {
    let cells: Vec<(String, Spelling)> =
        table.cells.iter().enumerate().map(|(place, cell)| (key(place), cell.form)).collect();
    format!("SELECT n, {} AS h FROM {NAME}", hash(&cells))
}

/// Each line of a part as often as it is to stand in the release, into a file, in their order.
pub(crate) fn expansion(output: &str) -> String {
    let output = output.replace('\'', "''");
    format!("COPY (SELECT repeat({LINE}, {TIMES}) AS block FROM {NAME}) TO '{output}' STORED AS PARQUET")
}

/// The name of a reduction's column.
pub(crate) fn key(place: usize) -> String {
    format!("k{place}")
}

fn value(cell: &ClusterColumn) -> String {
    let name = format!("\"{}\"", cell.name.replace('"', "\"\""));
    match cell.form {
        Spelling::Delimited => format!("COALESCE({name}, '')"),
        Spelling::Float(_) => format!("CAST({name} AS VARCHAR)"),
        _ => name,
    }
}

/// MD5 of all cells, each with its length in front, as a number. Hexadecimal digits above 9 become 0 to 5,
/// since SQL has no way to read them.
fn hash(cells: &[(String, Spelling)]) -> String {
    let tagged = |(cell, form): &(String, Spelling)| {
        let text = match form {
            Spelling::Delimited | Spelling::Text | Spelling::Printed | Spelling::Float(_) => {
                format!("CAST({cell} AS VARCHAR)")
            }
            Spelling::Number(bits) => format!("CAST(arrow_cast({cell}, 'Int{bits}') AS VARCHAR)"),
        };
        let length = format!("CAST(octet_length({text}) AS VARCHAR)");
        format!("CASE WHEN {cell} IS NULL THEN '-' ELSE concat({length}, ':', {text}) END")
    };
    let cells: Vec<String> = cells.iter().map(tagged).collect();
    let whole = std::iter::once("''".to_owned()).chain(cells).collect::<Vec<_>>().join(", ");
    format!("CAST(substr(translate(md5(concat({whole})), 'abcdef', '012345'), 1, {DIGITS}) AS BIGINT)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes() {
        let cell = ClusterColumn { name: "a\" FROM u; --".into(), form: Spelling::Text };
        assert_eq!(value(&cell), "\"a\"\" FROM u; --\"");
        assert!(expansion("it's").contains("TO 'it''s' STORED"));
    }
}
