# The operations as functions, each written from its definition. This file is not edited:
# INSTA_UPDATE=always cargo nextest run -p velamen-testsuite fronts writes it again.

profile_table <- function(table, as_ = NULL, sample = NULL, seed = "1", by = "distinction", threshold = NULL, top =
  20, recipe = NULL, overwrite = FALSE, show_values = FALSE, private = FALSE, declare = NULL, missing = NULL, drop =
  NULL, person = NULL, records_per_person = NULL, epsilon = NULL, delta = NULL, method = NULL, format = NULL, delimiter
  = NULL, null = NULL, sheet = NULL, skip_lines = 0, encoding = NULL, no_header = FALSE, header = FALSE, decimal_comma
  = FALSE) {
  with_tables(list(table = table), function(path) {
    told(c(
      "profile", path$table, valued("--as", as_), valued("--sample", sample), valued("--seed", seed), valued("--by",
      by), valued("--threshold", threshold), valued("--top", top), valued("--recipe", recipe), if (overwrite)
      "--overwrite", if (show_values) "--show-values", if (private) "--private", listed("--declare", declare),
      listed("--missing", missing), listed("--drop", drop), valued("--person", person), valued("--records-per-person",
      records_per_person), valued("--epsilon", epsilon), valued("--delta", delta), valued("--method", method),
      valued("--format", format), valued("--delimiter", delimiter), listed("--null", null), valued("--sheet", sheet),
      valued("--skip-lines", skip_lines), valued("--encoding", encoding), if (no_header) "--no-header", if (header)
      "--header", if (decimal_comma) "--decimal-comma"
    ))
  })
}

check <- function(recipe, data = FALSE, table = NULL, output = NULL, set = list(), overwrite = FALSE, show_values =
  FALSE) {
  with_tables(list(table = table), function(path) {
    told(c(
      "check", recipe, if (data) "--data", valued("--input", path$table), valued("--output", output), settings(set), if
      (overwrite) "--overwrite", if (show_values) "--show-values"
    ))
  })
}

estimate <- function(table, recipe, output = NULL, set = list()) {
  with_tables(list(table = table), function(path) {
    told(c(
      "estimate", recipe, valued("--input", path$table), valued("--output", output), settings(set)
    ))
  })
}

explore <- function(table, recipe, set = list(), top = NULL, seconds = NULL) {
  with_tables(list(table = table), function(path) {
    told(c(
      "explore", recipe, valued("--input", path$table), settings(set), valued("--top", top), valued("--seconds",
      seconds)
    ))
  })
}

advise <- function(table, recipe, set = list(), analysis = NULL, within = 20.0) {
  with_tables(list(table = table), function(path) {
    told(c(
      "advise", recipe, valued("--input", path$table), settings(set), listed("--analysis", analysis),
      valued("--within", within)
    ))
  })
}

verify <- function(release, population = NULL, custodian = NULL, key = NULL, attestation = NULL) {
  with_tables(list(release = release), function(path) {
    told(c(
      "verify", path$release, valued("--population", population), valued("--custodian", custodian), valued("--key",
      key), valued("--attestation", attestation)
    ))
  })
}

measure <- function(table, qi = NULL, sensitive = NULL, person = NULL, l = NULL, original = NULL, records = NULL, by
  = NULL, recipe = NULL, format = NULL, delimiter = NULL, null = NULL, sheet = NULL, skip_lines = 0, encoding = NULL,
  no_header = FALSE, header = FALSE, decimal_comma = FALSE) {
  with_tables(list(table = table), function(path) {
    told(c(
      "measure", path$table, listed("--qi", qi), listed("--sensitive", sensitive), valued("--person", person),
      valued("--l", l), valued("--original", original), listed("--records", records), valued("--by", by),
      valued("--recipe", recipe), valued("--format", format), valued("--delimiter", delimiter), listed("--null", null),
      valued("--sheet", sheet), valued("--skip-lines", skip_lines), valued("--encoding", encoding), if (no_header)
      "--no-header", if (header) "--header", if (decimal_comma) "--decimal-comma"
    ))
  })
}

risk <- function(table, qi = NULL, person = NULL, population = NULL, population_size = NULL, before = NULL, threshold
  = NULL, special_uniques = 3, rows = 0, show_values = FALSE, recipe = NULL, format = NULL, delimiter = NULL, null =
  NULL, sheet = NULL, skip_lines = 0, encoding = NULL, no_header = FALSE, header = FALSE, decimal_comma = FALSE) {
  with_tables(list(table = table, population = population, before = before), function(path) {
    told(c(
      "risk", path$table, listed("--qi", qi), valued("--person", person), valued("--population", path$population),
      valued("--population-size", population_size), valued("--before", path$before), valued("--threshold", threshold),
      valued("--special-uniques", special_uniques), valued("--rows", rows), if (show_values) "--show-values",
      valued("--recipe", recipe), valued("--format", format), valued("--delimiter", delimiter), listed("--null", null),
      valued("--sheet", sheet), valued("--skip-lines", skip_lines), valued("--encoding", encoding), if (no_header)
      "--no-header", if (header) "--header", if (decimal_comma) "--decimal-comma"
    ))
  })
}

compare <- function(original, release, only = NULL, analysis = NULL, by = NULL, ranges = "draws", html = NULL,
  queries = 300, workload = NULL, show_queries = FALSE, target = NULL, classifier_records = 5000, folds = 3, seed =
  "1", format = NULL, delimiter = NULL, null = NULL, sheet = NULL, skip_lines = 0, encoding = NULL, no_header = FALSE,
  header = FALSE, decimal_comma = FALSE) {
  with_tables(list(original = original, release = release), function(path) {
    told(c(
      "compare", path$original, path$release, listed("--only", only), listed("--analysis", analysis), listed("--by",
      by), valued("--ranges", ranges), valued("--html", html), valued("--queries", queries), valued("--workload",
      workload), if (show_queries) "--show-queries", valued("--target", target), valued("--classifier-records",
      classifier_records), valued("--folds", folds), valued("--seed", seed), valued("--format", format),
      valued("--delimiter", delimiter), listed("--null", null), valued("--sheet", sheet), valued("--skip-lines",
      skip_lines), valued("--encoding", encoding), if (no_header) "--no-header", if (header) "--header", if
      (decimal_comma) "--decimal-comma"
    ))
  })
}

attack <- function(release, original, attacks = NULL, targets = 1000, confidence = 0.95, background = 2, second =
  NULL, control = NULL, recipe = NULL, trials = 500, from_data = 5, simulate = 0, seed = "1", show_values = FALSE,
  format = NULL, delimiter = NULL, null = NULL, sheet = NULL, skip_lines = 0, encoding = NULL, no_header = FALSE,
  header = FALSE, decimal_comma = FALSE) {
  with_tables(list(release = release, original = original, second_release = if (length(second)) second[[1]], second_original = if (length(second)) second[[2]], control = control), function(path) {
    told(c(
      "attack", path$release, valued("--original", path$original), listed("--attacks", attacks), valued("--targets",
      targets), valued("--confidence", confidence), valued("--background", background), valued("--with",
      path$second_release), valued("--second-original", path$second_original), valued("--control", path$control),
      valued("--recipe", recipe), valued("--trials", trials), valued("--from-data", from_data), valued("--simulate",
      simulate), valued("--seed", seed), if (show_values) "--show-values", valued("--format", format),
      valued("--delimiter", delimiter), listed("--null", null), valued("--sheet", sheet), valued("--skip-lines",
      skip_lines), valued("--encoding", encoding), if (no_header) "--no-header", if (header) "--header", if
      (decimal_comma) "--decimal-comma"
    ))
  })
}

leak <- function(table, attributes = NULL, up_to = 1, top = NULL, limit = NULL, prior = NULL, after = NULL, format =
  NULL, delimiter = NULL, null = NULL, sheet = NULL, skip_lines = 0, encoding = NULL, no_header = FALSE, header =
  FALSE, decimal_comma = FALSE) {
  with_tables(list(table = table, after = after), function(path) {
    told(c(
      "leak", path$table, listed("--attributes", attributes), valued("--up-to", up_to), valued("--top", top),
      valued("--limit", limit), valued("--prior", prior), valued("--after", path$after), valued("--format", format),
      valued("--delimiter", delimiter), listed("--null", null), valued("--sheet", sheet), valued("--skip-lines",
      skip_lines), valued("--encoding", encoding), if (no_header) "--no-header", if (header) "--header", if
      (decimal_comma) "--decimal-comma"
    ))
  })
}

audit <- function(recipe, trials = 2000, confidence = 0.95, from_data = 0, ordinary = FALSE, inside = FALSE, keep =
  NULL, seed = NULL, set = list(), show_values = FALSE) {
  with_tables(list(), function(path) {
    told(c(
      "audit", recipe, valued("--trials", trials), valued("--confidence", confidence), valued("--from-data",
      from_data), if (ordinary) "--ordinary", if (inside) "--inside", valued("--keep", keep), valued("--seed", seed),
      settings(set), if (show_values) "--show-values"
    ))
  })
}

diff_releases <- function(before, after) {
  with_tables(list(before = before, after = after), function(path) {
    told(c(
      "diff", path$before, path$after
    ))
  })
}

evidence <- function(release, form, custodian = NULL, answers = NULL, output = NULL, key = NULL) {
  with_tables(list(release = release), function(path) {
    told(c(
      "evidence", path$release, valued("--for", form), valued("--custodian", custodian), valued("--answers", answers),
      valued("--output", output), valued("--key", key)
    ))
  })
}
