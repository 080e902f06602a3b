//! The README's lines that leave counterfeits and suppressed records out of counts and means.

use std::fmt::Write;

use velamen_checker::CLASS_ID;
use velamen_core::frequency::Role;
use velamen_core::number::count;

use super::snippet::{Snippet, identifier, quoted, to_average};
use super::types::{Column, Kind};
use crate::Manifest;

/// Where a release's counterfeits are counted.
const CATALOG: &str = "catalog.csv";

/// A section for releases whose catalog counts counterfeits by the values of one sensitive column. What has a type in the data
/// file and is text in the catalog could be told apart where it is the same: then there is none.
pub(super) fn section(
    manifest: &Manifest,
    columns: &[Column],
    programs: &[Snippet],
    delimiter: Option<&str>,
) -> Option<String> {
    let number = manifest.counterfeits.filter(|number| *number > 0)?;
    let mut sensitive = columns.iter().filter(|column| column.role == Some(Role::Sensitive));
    let (Some(of), None) = (sensitive.next(), sensitive.next()) else { return None };
    let is_text = delimiter.is_some() || of.kind == Kind::Text;
    let has_catalog = manifest.privacy.iter().any(|promise| promise.model == velamen_core::release::CATALOG);
    if !is_text || !has_catalog {
        return None;
    }
    let mut text = format!(
        "\n## Leave counterfeits out\n\n{} records are counterfeits, and only the custodian knows which. These lines give each record a \
         weight: the share of the records of its groups with its value that is genuine. Suppressed records have no group and are left \
         out. Sums of weights are counts without counterfeits, by group or by value; for other columns they are estimates, as \
         weighted means are. `velamen truthful . --output truthful.csv` makes a table in which each record is true, and \
         `velamen query` answers SQL with bounds.\n",
        count(number)
    );
    let (delimiter, value) = (delimiter.unwrap_or(","), of.name.as_str());
    let mean = to_average(columns);
    for Snippet { program, language, .. } in programs {
        let code = match *program {
            "pandas" => pandas(delimiter, value, mean),
            "polars" => polars(delimiter, value, mean),
            "R" => r(delimiter, value, mean),
            _ => sql(delimiter, value, mean),
        };
        let _ = write!(text, "\n{program}:\n\n```{language}\n{code}```\n");
    }
    Some(text)
}

fn pandas(delimiter: &str, value: &str, mean: Option<(&str, &str)>) -> String {
    let (value, delimiter) = (quoted(value), quoted(delimiter));
    let mut code = format!(
        "from collections import Counter\n\n\
         catalog = pd.read_csv(\"{CATALOG}\", sep={delimiter}, dtype=str, keep_default_na=False)\n\
         catalog[\"group\"] = (catalog[\"ClassID list\"] != \"\").cumsum()\n\
         heads = zip(catalog[\"ClassID list\"], catalog[\"group\"])\n\
         groups = {{one: group for ids, group in heads for one in ids.split()}}\n\
         false = dict(zip(zip(catalog[\"group\"], catalog[{value}]), catalog[\"Count\"].astype(int)))\n\
         shown = data.dropna(subset=[\"{CLASS_ID}\"])\n\
         values = shown[{value}].fillna(\"\").astype(str)\n\
         keys = [(groups.get(str(one)), value) for one, value in zip(shown[\"{CLASS_ID}\"], values)]\n\
         counted = Counter(keys)\n\
         shown = shown.assign(weight=[1 - false.get(key, 0) / counted[key] for key in keys])\n\
         print(shown.groupby({value})[\"weight\"].sum())\n"
    );
    if let Some((numbers, by)) = mean {
        let (mid, by) = (quoted(&format!("{numbers}_mid")), quoted(by));
        let _ = write!(
            code,
            "known = shown.dropna(subset=[{mid}])\n\
             print((known[{mid}] * known[\"weight\"]).groupby(known[{by}]).sum() / known.groupby({by})[\"weight\"].sum())\n"
        );
    }
    code
}

fn polars(delimiter: &str, value: &str, mean: Option<(&str, &str)>) -> String {
    let (value, delimiter) = (quoted(value), quoted(delimiter));
    let mut code = format!(
        "catalog = pl.read_csv(\"{CATALOG}\", separator={delimiter}, infer_schema=False)\n\
         ids, value = pl.col(\"ClassID list\"), pl.col({value}).cast(pl.String).fill_null(\"\").alias(\"value\")\n\
         catalog = catalog.select(ids, value, group=ids.is_not_null().cum_sum(), false=pl.col(\"Count\").cast(pl.Float64))\n\
         groups = catalog.drop_nulls(\"ClassID list\").select(\"group\", one=ids.str.split(\" \")).explode(\"one\")\n\
         shown = data.drop_nulls(\"{CLASS_ID}\").with_columns(value, one=pl.col(\"{CLASS_ID}\").cast(pl.String))\n\
         shown = shown.join(groups, on=\"one\", how=\"left\")\n\
         shown = shown.join(catalog.drop(\"ClassID list\"), on=[\"group\", \"value\"], how=\"left\")\n\
         shown = shown.with_columns(weight=1 - pl.col(\"false\").fill_null(0) / pl.len().over(\"group\", \"value\"))\n\
         print(shown.group_by({value}).agg(pl.col(\"weight\").sum()).sort({value}))\n"
    );
    if let Some((numbers, by)) = mean {
        let (mid, by) = (quoted(&format!("{numbers}_mid")), quoted(by));
        let _ = write!(
            code,
            "mean = (pl.col({mid}) * pl.col(\"weight\")).sum() / pl.col(\"weight\").sum()\n\
             print(shown.drop_nulls({mid}).group_by({by}).agg(mean.alias({mid})).sort({by}))\n"
        );
    }
    code
}

fn r(delimiter: &str, value: &str, mean: Option<(&str, &str)>) -> String {
    let (value, delimiter) = (quoted(value), quoted(delimiter));
    let mut code = format!(
        "catalog <- read.csv(\"{CATALOG}\", sep = {delimiter}, colClasses = \"character\", check.names = FALSE)\n\
         heads <- catalog[[\"ClassID list\"]] != \"\"\n\
         ids <- strsplit(catalog[[\"ClassID list\"]][heads], \" \")\n\
         groups <- setNames(rep(seq_along(ids), lengths(ids)), unlist(ids))\n\
         false <- setNames(as.numeric(catalog$Count), paste(cumsum(heads), catalog[[{value}]]))\n\
         shown <- data[!is.na(data${CLASS_ID}), ]\n\
         values <- ifelse(is.na(shown[[{value}]]), \"\", as.character(shown[[{value}]]))\n\
         keys <- paste(groups[as.character(shown${CLASS_ID})], values)\n\
         counterfeit <- unname(false[keys])\n\
         counterfeit[is.na(counterfeit)] <- 0\n\
         shown$weight <- 1 - counterfeit / as.numeric(table(keys)[keys])\n\
         print(aggregate(shown[\"weight\"], by = shown[{value}], FUN = sum))\n"
    );
    if let Some((numbers, by)) = mean {
        let (mid, by) = (quoted(&format!("{numbers}_mid")), quoted(by));
        let _ = write!(
            code,
            "known <- shown[!is.na(shown[[{mid}]]), ]\n\
             sums <- aggregate(cbind(sum = known[[{mid}]] * known$weight, weight = known$weight), by = known[{by}], FUN = sum)\n\
             print(data.frame(sums[{by}], mean = sums$sum / sums$weight))\n"
        );
    }
    code
}

fn sql(delimiter: &str, value: &str, mean: Option<(&str, &str)>) -> String {
    let value = identifier(value);
    let from = if mean.is_some() { "numbers" } else { "data" };
    let mut code = format!(
        "CREATE TABLE catalog AS FROM read_csv('{CATALOG}', delim = '{delimiter}', header = true, all_varchar = true);\n\
         CREATE TABLE counterfeits AS\n\
         SELECT count(\"ClassID list\") OVER (ORDER BY rowid) AS part, \"ClassID list\" AS ids, coalesce({value}, '') AS value,\n       \
         \"Count\"::BIGINT AS number\nFROM catalog;\n\
         CREATE TABLE groups AS SELECT part, unnest(string_split(ids, ' ')) AS id FROM counterfeits WHERE ids IS NOT NULL;\n\
         CREATE TABLE shown AS\n\
         SELECT d.*, 1 - coalesce(c.number, 0) / count(*) OVER (PARTITION BY g.part, coalesce(d.{value}::VARCHAR, '')) AS weight\n\
         FROM {from} d\n\
         LEFT JOIN groups g ON g.id = d.\"{CLASS_ID}\"::VARCHAR\n\
         LEFT JOIN counterfeits c ON c.part = g.part AND c.value = coalesce(d.{value}::VARCHAR, '')\n\
         WHERE d.\"{CLASS_ID}\" IS NOT NULL;\n\
         SELECT {value}, sum(weight) AS count FROM shown GROUP BY ALL ORDER BY ALL;\n"
    );
    if let Some((numbers, by)) = mean {
        let (mid, by) = (identifier(&format!("{numbers}_mid")), identifier(by));
        let _ = writeln!(
            code,
            "SELECT {by}, sum({mid} * weight) / sum(weight) AS mean FROM shown WHERE {mid} IS NOT NULL GROUP BY ALL ORDER BY ALL;"
        );
    }
    code
}
