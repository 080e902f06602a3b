# The program, and what is said where there is none.
velamen_program <- function() {
  named <- getOption("velamen.program", Sys.getenv("VELAMEN", ""))
  found <- if (nzchar(named)) named else unname(Sys.which("velamen"))
  if (!nzchar(found)) {
    stop("the program velamen is not on the path; name it with options(velamen.program = ...)", call. = FALSE)
  }
  found
}

# Runs the program; its message is the error. What it prints is returned as text.
run <- function(words) {
  out <- tempfile("velamen-out-")
  err <- tempfile("velamen-err-")
  on.exit(unlink(c(out, err)))
  status <- system2(velamen_program(), shQuote(c(words, "--quiet")), stdout = out, stderr = err)
  said <- readLines(err, warn = FALSE, encoding = "UTF-8")
  if (status != 0) {
    # The message and what mends it; warnings before it are none of it.
    first <- grep("^error(\\[E[0-9]+\\])?: ", said)
    problem <- if (length(first)) said[first[1]:length(said)] else said
    text <- sub("^error(\\[E[0-9]+\\])?: ", "", paste(problem, collapse = "\n"))
    stop(structure(
      class = c("velamen_error", "error", "condition"),
      list(message = text, call = NULL, status = status)
    ))
  }
  list(
    text = paste(readLines(out, warn = FALSE, encoding = "UTF-8"), collapse = "\n"),
    remarks = sub("^warning: ", "", grep("^warning: ", said, value = TRUE))
  )
}

told <- function(words) jsonlite::fromJSON(run(c(words, "--json"))$text, simplifyVector = TRUE)

is.plain <- function(column) is.atomic(column) && is.null(dim(column))

# A column as the file has it. Numbers are written out: R itself writes 100000 as 1e+05.
as.cells <- function(column) {
  if (!is.numeric(column) || is.object(column)) {
    return(as.character(column))
  }
  ifelse(is.na(column), NA, if (is.integer(column)) sprintf("%d", column) else sprintf("%.15g", column))
}

# A data frame as a file that only the user may read; a path as it is. `use` gets the path, after which the file is gone.
with_table <- function(table, use) {
  if (is.character(table) && length(table) == 1) {
    return(use(table))
  }
  if (inherits(table, "velamen_release")) {
    return(use(table$path))
  }
  stopifnot("expected a data frame, a path or a release" = is.data.frame(table))
  folder <- tempfile("velamen-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  path <- file.path(folder, "table.csv")
  odd <- names(table)[!vapply(table, is.plain, NA)]
  if (length(odd)) {
    stop("columns with several values in a cell have no place in a table: ", paste(odd, collapse = ", "), call. = FALSE)
  }
  plain <- as.data.frame(lapply(table, as.cells), check.names = FALSE)
  names(plain) <- names(table)
  utils::write.csv(plain, path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
  use(path)
}

settings <- function(set) {
  unlist(lapply(names(set), function(key) c("--set", paste0(key, "=", entry(set[[key]])))))
}

# A value as TOML has it; a single text stands as it is.
entry <- function(value) {
  stopifnot("set: expected texts, numbers or truth values" = is.atomic(value) && length(value) > 0)
  single <- length(value) == 1
  texts <- if (is.logical(value)) {
    tolower(value)
  } else if (is.character(value) && !single) {
    encodeString(value, quote = '"')
  } else {
    as.cells(value)
  }
  if (single) texts else paste0("[", paste(texts, collapse = ", "), "]")
}

listed <- function(flag, names) if (length(names)) c(flag, paste(names, collapse = ","))

valued <- function(flag, value) if (!is.null(value)) c(flag, as.cells(value))

# Several tables as files: `use` gets a list of their paths, without those that are NULL.
with_tables <- function(tables, use, paths = list()) {
  given <- !vapply(tables, is.null, NA)
  if (!any(given)) {
    return(use(paths))
  }
  first <- which(given)[1]
  with_table(tables[[first]], function(path) {
    paths[[names(tables)[first]]] <- path
    with_tables(tables[-seq_len(first)], use, paths)
  })
}

anonymize <- function(table, recipe, output, set = list(), seed = NULL, overwrite = FALSE) {
  made <- with_table(table, function(path) {
    run(c(
      "anonymize", recipe, "--input", path, "--output", output, settings(c(list("output.format" = "csv"), set)),
      if (!is.null(seed)) c("--seed", seed), if (overwrite) "--overwrite", "--json"
    ))
  })
  manifest <- jsonlite::fromJSON(made$text, simplifyVector = TRUE)
  structure(
    list(path = output, custodian = paste0(output, ".custodian"), manifest = manifest, remarks = made$remarks),
    class = "velamen_release"
  )
}

# The released records, as text but for the class.
as.data.frame.velamen_release <- function(x, ...) {
  data <- utils::read.csv(
    file.path(x$path, x$manifest$data$file),
    colClasses = "character", check.names = FALSE, na.strings = "", encoding = "UTF-8"
  )
  data$ClassID <- as.integer(data$ClassID)
  data
}

print.velamen_release <- function(x, ...) {
  cat("velamen release in ", x$path, ": ", x$manifest$records, " records in ", x$manifest$classes, " classes\n", sep = "")
  invisible(x)
}
