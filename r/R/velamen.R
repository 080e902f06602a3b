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

# A data frame as a file of text.
write_table <- function(table, path) {
  odd <- names(table)[!vapply(table, is.plain, NA)]
  if (length(odd)) {
    stop("columns with several values in a cell have no place in a table: ", paste(odd, collapse = ", "), call. = FALSE)
  }
  plain <- as.data.frame(lapply(table, as.cells), check.names = FALSE)
  names(plain) <- names(table)
  utils::write.csv(plain, path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
}

# Whether these are linked tables: a list of data frames by name.
is_linked <- function(table) is.list(table) && !is.data.frame(table) && !inherits(table, "velamen_release")

# Refuses a list that is none of data frames by names that files can have.
check_linked <- function(tables) {
  named <- length(tables) > 0 && !is.null(names(tables)) && all(grepl("^[[:alnum:]_-]+$", names(tables)))
  if (!named || !all(vapply(tables, is.data.frame, NA))) {
    stop("expected a list of data frames, each by the name of its table (letters, digits, _ and -)", call. = FALSE)
  }
}

# A data frame as a file that only the user may read, a list of them as a folder of such files; a path as it is. `use` gets
# the path, after which the file is gone.
with_table <- function(table, use) {
  if (is.character(table) && length(table) == 1) {
    return(use(table))
  }
  if (inherits(table, "velamen_release")) {
    return(use(table$path))
  }
  if (is_linked(table)) {
    check_linked(table)
  } else {
    stopifnot("expected a data frame, a path or a release" = is.data.frame(table))
  }
  folder <- tempfile("velamen-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  if (is_linked(table)) {
    for (name in names(table)) write_table(table[[name]], file.path(folder, paste0(name, ".csv")))
    return(without_folder(use(folder), folder))
  }
  path <- file.path(folder, "table.csv")
  write_table(table, path)
  use(path)
}

# The result of a call, or its error, which does not name a temporary folder.
without_folder <- function(call, folder) {
  tryCatch(call, velamen_error = function(error) {
    error$message <- gsub(paste0(folder, "/"), "", error$message, fixed = TRUE)
    error$message <- gsub(folder, "the given tables", error$message, fixed = TRUE)
    stop(error)
  })
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
    # Linked tables are text already; the files of a list are called after its names.
    usual <- if (is_linked(table)) {
      stats::setNames(paste0('"', names(table), '.csv"'), paste0("tables.", names(table), ".path"))
    } else if (!dir.exists(path)) {
      list("output.format" = "csv")
    }
    run(c(
      "anonymize", recipe, "--input", path, "--output", output, settings(c(as.list(usual), set)),
      if (!is.null(seed)) c("--seed", seed), if (overwrite) "--overwrite", "--json"
    ))
  })
  manifest <- jsonlite::fromJSON(made$text, simplifyVector = TRUE)
  structure(
    list(path = output, custodian = paste0(output, ".custodian"), manifest = manifest, remarks = made$remarks),
    class = c(if (!is.null(manifest$linked)) "velamen_linked_release", "velamen_release")
  )
}

# The tables of a release of linked tables, by name.
as.list.velamen_linked_release <- function(x, ...) {
  lapply(x$manifest$tables, function(table) {
    columns <- table$columns
    data <- utils::read.csv(
      file.path(x$path, table$file), colClasses = "character", check.names = FALSE, na.strings = "", encoding = "UTF-8"
    )
    data[] <- lapply(data, utils::type.convert, as.is = TRUE)
    days <- names(columns)[vapply(columns, function(column) identical(column$role, "date"), NA)]
    data[days] <- lapply(data[days], as.Date)
    data
  })
}

# One of the tables.
as.data.frame.velamen_linked_release <- function(x, ..., table = x$manifest$persons$table) {
  stopifnot("the release has no such table" = table %in% names(x$manifest$tables))
  as.list(x)[[table]]
}

print.velamen_linked_release <- function(x, ...) {
  persons <- x$manifest$persons$records
  cat("velamen release in ", x$path, ": ", persons, " persons in ", length(x$manifest$tables), " tables\n", sep = "")
  invisible(x)
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
