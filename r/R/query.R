# Answers of a release, with bounds on those of the original.

query <- function(release, select, as_released = FALSE, groups = 10000, memory = 1024, seconds = 60) {
  if (!is_text(select)) refuse("select: expected one SELECT as a text")
  with_tables(list(release = release), function(path) {
    made <- run(c(
      "query", path$release, select, if (as_released) "--as-released", valued("--groups", groups), valued("--memory", memory),
      valued("--seconds", seconds), "--json"
    ))
    answer <- jsonlite::fromJSON(made$text, simplifyVector = TRUE, flatten = TRUE)
    structure(answer_rows(answer$rows), guarantee = answer$guarantee, remarks = made$remarks)
  })
}

# The rows of an answer: an estimate is three columns, `n`, `n_lower` and `n_upper`; a bound that is not known is infinite.
answer_rows <- function(rows) {
  rows <- as.data.frame(rows, stringsAsFactors = FALSE)
  for (at in seq_along(rows)) {
    if (grepl("\\.(lower|upper)$", names(rows)[at])) {
      rows[[at]] <- as.numeric(rows[[at]])
      rows[[at]][is.na(rows[[at]])] <- if (endsWith(names(rows)[at], "lower")) -Inf else Inf
    }
  }
  names(rows) <- sub("\\.(lower|upper)$", "_\\1", sub("\\.estimate$", "", names(rows)))
  rows
}
