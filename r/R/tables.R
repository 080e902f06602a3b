# Data frames as text, and text as what it was.

is_plain <- function(column) (is.atomic(column) || inherits(column, "POSIXlt")) && is.null(dim(column))

# Numbers written out: R itself writes 100000 as 1e+05. As few digits as give the number back.
as_digits <- function(numbers) {
  texts <- sprintf("%.15g", numbers)
  inexact <- which(is.finite(numbers) & suppressWarnings(as.numeric(texts)) != numbers)
  texts[inexact] <- sprintf("%.17g", numbers[inexact])
  long <- which(grepl("e", texts, fixed = TRUE) & is.finite(numbers))
  texts[long] <- vapply(numbers[long], format, "", scientific = FALSE, digits = 15, trim = TRUE)
  texts
}

# A time in its own zone; with the zone's offset where an hour occurs twice.
as_times <- function(times) {
  zone <- attr(times, "tzone")[1]
  zone <- if (is.null(zone) || is.na(zone)) "" else zone
  times <- as.POSIXct(times)
  seconds <- as.numeric(times)
  if (any(seconds != floor(seconds), na.rm = TRUE)) {
    # Cells are cut, not rounded.
    return(format(times + 5e-7, "%Y-%m-%d %H:%M:%OS6", tz = zone))
  }
  texts <- format(times, "%Y-%m-%d %H:%M:%S", tz = zone)
  again <- as.POSIXct(texts, format = "%Y-%m-%d %H:%M:%S", tz = zone)
  same <- all(is.na(times) | (!is.na(again) & again == times))
  if (same) texts else format(times, "%Y-%m-%d %H:%M:%S%z", tz = zone)
}

# A column as the file has it.
as_cells <- function(column) {
  if (inherits(column, "integer64") && !"bit64" %in% loadedNamespaces()) {
    # Without it, R takes the bits for another number.
    refuse("a column is of class integer64; load its package first: library(bit64)")
  }
  texts <- if (inherits(column, c("POSIXct", "POSIXlt"))) {
    as_times(column)
  } else if (inherits(column, "difftime")) {
    as_digits(as.numeric(column))
  } else if (!is.numeric(column) || is.object(column)) {
    as.character(column)
  } else if (is.integer(column)) {
    sprintf("%d", column)
  } else {
    as_digits(column)
  }
  texts[is.na(column)] <- NA
  texts
}

# What a column is, so that its released cells can become that again. It holds no cell but a factor's levels.
type_of <- function(column) {
  list(
    class = class(column)[1],
    whole = is.integer(column),
    levels = levels(column),
    zone = if (inherits(column, c("POSIXct", "POSIXlt"))) attr(column, "tzone")[1],
    units = if (inherits(column, "difftime")) attr(column, "units")
  )
}

# Released cells as the type that the column had, or as text where a cell is of no such type, as a label is. The `*` of a
# suppressed record is missing in a column with a type: ClassID says of which records that is.
restored <- function(cells, type, hidden = FALSE) {
  if (!is.character(cells) || is.null(type) || type$class == "character") {
    return(cells)
  }
  texts <- cells
  cells[hidden & !is.na(cells) & cells == "*"] <- NA
  made <- switch(type$class,
    factor = ,
    ordered = as_factor(cells, type),
    integer = as_numbers(cells, whole = TRUE),
    numeric = as_numbers(cells),
    logical = as_logical(cells),
    Date = as.Date(cells, format = "%Y-%m-%d"),
    POSIXct = ,
    POSIXlt = from_times(cells, type$zone),
    difftime = as.difftime(as_numbers(cells, type$whole), units = type$units),
    cells
  )
  if (!identical(is.na(made), is.na(cells))) texts else made
}

as_numbers <- function(cells, whole = FALSE) {
  whole <- isTRUE(whole)
  numbers <- suppressWarnings(as.numeric(cells))
  known <- numbers[!is.na(numbers)]
  fits <- whole && all(known == floor(known) & abs(known) <= .Machine$integer.max)
  if (fits) as.integer(numbers) else numbers
}

as_logical <- function(cells) unname(c(TRUE_ = TRUE, FALSE_ = FALSE)[paste0(toupper(cells), "_")])

# Only levels that were released: the others are values of the original that the release does not show.
as_factor <- function(cells, type) {
  shown <- unique(cells[!is.na(cells)])
  labels <- setdiff(shown, type$levels)
  factor(cells, c(intersect(type$levels, shown), sort(labels)), ordered = type$class == "ordered" && !length(labels))
}

from_times <- function(cells, zone) {
  zone <- if (is.null(zone) || is.na(zone)) "" else zone
  with_offset <- grepl("[+-][0-9]{4}$", cells)
  if (any(with_offset)) {
    times <- as.POSIXct(cells, format = "%Y-%m-%d %H:%M:%S%z", tz = "UTC")
    attr(times, "tzone") <- zone
    return(times)
  }
  as.POSIXct(cells, format = "%Y-%m-%d %H:%M:%OS", tz = zone)
}

# Cells as delimited text; the connection writes bytes of UTF-8 whatever the locale is.
write_table <- function(table, path) {
  odd <- names(table)[!vapply(table, is_plain, NA)]
  if (length(odd)) {
    refuse("columns with several values in a cell have no place in a table: ", paste(odd, collapse = ", "))
  }
  other <- names(table)[vapply(table, function(column) is.complex(column) || is.raw(column), NA)]
  if (length(other)) {
    refuse("complex numbers and raw bytes have no place in a table: ", paste(other, collapse = ", "))
  }
  if (!length(table)) {
    refuse("expected a data frame with columns")
  }
  if (anyDuplicated(names(table))) {
    refuse("two columns are called `", names(table)[duplicated(names(table))][1], "`: give each a name of its own")
  }
  columns <- lapply(unname(as.list(table)), cells_of)
  lines <- c(paste(quoted(names(table)), collapse = ","), if (nrow(table)) do.call(paste, c(columns, sep = ",")))
  # A lone missing cell would be an empty line, which is no record.
  if (length(table) == 1) lines[lines == ""] <- "\"\""
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(lines, connection, useBytes = TRUE)
}

# A column's cells as they stand in the file. Values that repeat are written out once.
cells_of <- function(column) {
  if (inherits(column, "POSIXlt")) column <- as.POSIXct(column)
  if (inherits(column, "integer64")) {
    return(quoted(as_cells(column)))
  }
  places <- if (is.factor(column)) as.integer(column) else column
  different <- which(!duplicated(places))
  quoted(as_cells(column[different]))[match(places, places[different])]
}

quoted <- function(texts) {
  ifelse(is.na(texts), "", paste0("\"", gsub("\"", "\"\"", enc2utf8(texts), fixed = TRUE), "\""))
}

# Delimited text as texts by column.
read_cells <- function(path, delimiter = ",") {
  data <- utils::read.table(
    path, header = TRUE, sep = delimiter, quote = "\"", fill = FALSE, comment.char = "", colClasses = "character",
    check.names = FALSE, na.strings = "", encoding = "UTF-8"
  )
  names <- names(data)
  Encoding(names) <- "UTF-8"
  names(data) <- names
  data
}

# A cell without the apostrophe that keeps a spreadsheet from running it.
without_apostrophe <- function(cells) sub("^'('*[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20])", "\\1", cells)

# The released records: texts, but for ClassID.
read_records <- function(folder, manifest) {
  path <- file.path(folder, manifest$data$file)
  if (!file.exists(path)) {
    refuse("the release has no file `", manifest$data$file, "`; verify(release) says what is missing", status = 6L)
  }
  format <- manifest$data$format
  if (format %in% c("parquet", "arrow", "feather")) {
    return(read_typed(path, format))
  }
  if (!grepl("^(csv|tsv)(\\.gz)?$", format)) {
    refuse("this package reads releases in csv, tsv, parquet and arrow, and this one is in ", format)
  }
  delimiter <- manifest$data$delimiter
  data <- read_cells(path, if (is.null(delimiter)) "," else delimiter)
  if (isTRUE(manifest$data$escaped)) {
    data[] <- lapply(data, without_apostrophe)
    names(data) <- without_apostrophe(names(data))
  }
  if ("ClassID" %in% names(data)) data$ClassID <- as.integer(data$ClassID)
  data
}

# Formats with types need a package of their own.
read_typed <- function(path, format) {
  if (!requireNamespace("arrow", quietly = TRUE)) {
    refuse("the release is in ", format, ", which the package arrow reads; install it, or release with format \"csv\" under [output]")
  }
  as.data.frame(if (format == "parquet") arrow::read_parquet(path) else arrow::read_feather(path))
}
