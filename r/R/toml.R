# R's values as TOML.

text_of <- function(text) {
  text <- gsub("\\", "\\\\", enc2utf8(text), fixed = TRUE)
  text <- gsub("\"", "\\\"", text, fixed = TRUE)
  for (pair in list(c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t"))) text <- gsub(pair[1], pair[2], text, fixed = TRUE)
  paste0("\"", text, "\"")
}

key_of <- function(name) ifelse(grepl("^[A-Za-z0-9_-]+$", name), name, text_of(name))

# Entries that are lists even with one value.
LISTS <- c("interval", "cuts", "date", "attach")

# A value. `folder` is where tables of hierarchies go.
value_of <- function(value, folder = NULL, key = "set") {
  last <- sub("^.*[.]", "", key)
  if (is.data.frame(value) || is.matrix(value)) {
    return(file_of(value, folder, key))
  }
  if (is.factor(value) || inherits(value, c("Date", "POSIXct"))) value <- as.character(value)
  if (is.list(value)) {
    parts <- vapply(seq_along(value), function(at) value_of(value[[at]], folder, paste0(key, ".", names(value)[at])), "")
    if (is.null(names(value))) {
      return(paste0("[", paste(parts, collapse = ", "), "]"))
    }
    return(paste0("{ ", paste(key_of(names(value)), "=", parts, collapse = ", "), " }"))
  }
  if (!is.atomic(value) || !length(value) || anyNA(value)) {
    refuse(key, ": expected texts, numbers, truth values or lists of them, without missing ones")
  }
  texts <- if (is.logical(value)) {
    tolower(value)
  } else if (is.character(value)) {
    text_of(if (last == "hierarchy") normalizePath(value, winslash = "/", mustWork = FALSE) else value)
  } else {
    as_cells(unclass(value))
  }
  is_list <- length(texts) > 1 || inherits(value, "AsIs") || last %in% LISTS
  if (is_list) paste0("[", paste(texts, collapse = ", "), "]") else texts
}

# A hierarchy's table as a file: a row for each value, from the value to the most general label.
file_of <- function(table, folder, key) {
  if (is.null(folder)) {
    return(paste0("\"(a data frame: ", counted(nrow(table), "value"), ", ", counted(ncol(table) - 1, "level"), " above)\""))
  }
  name <- gsub("[^[:alnum:]]+", "-", sub("^attributes[.]", "", sub("[.]hierarchy$", "", key)))
  path <- file.path(folder, paste0("hierarchy-", name, ".csv"))
  columns <- lapply(unname(as.list(as.data.frame(table))), as_cells)
  if (!length(columns) || any(vapply(columns, anyNA, NA))) {
    refuse(key, ": expected a data frame without missing cells: the values first, then a column for each level")
  }
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(do.call(paste, c(lapply(columns, field), sep = ";")), connection, useBytes = TRUE)
  text_of(path)
}

field <- function(texts) {
  texts <- enc2utf8(texts)
  ifelse(grepl("[;\"\r\n]", texts), paste0("\"", gsub("\"", "\"\"", texts, fixed = TRUE), "\""), texts)
}

# A recipe's text: a section for each attribute and model.
toml_of <- function(entries, folder = NULL) {
  if (is.null(entries$input)) {
    entries$input <- if (is.null(entries$tables)) list(path = "table.csv") else list(folder = "tables")
  }
  if (is.null(entries$output)) entries$output <- list(path = "release")
  entries <- entries[unique(c("input", setdiff(names(entries), "output"), "output"))]
  nested <- vapply(entries, is.list, NA)
  lines <- section(entries[!nested], folder)
  for (name in names(entries)[nested]) {
    part <- entries[[name]]
    if (name == "attributes") {
      for (one in names(part)) {
        lines <- c(lines, "", paste0("[attributes.", key_of(one), "]"), section(part[[one]], folder, paste0("attributes.", one)))
      }
    } else if (is.null(names(part))) {
      for (one in part) lines <- c(lines, "", paste0("[[", key_of(name), "]]"), section(one, folder, name))
    } else {
      lines <- c(lines, "", paste0("[", key_of(name), "]"), section(part, folder, name))
    }
  }
  paste(lines[cumsum(nzchar(lines)) > 0], collapse = "\n")
}

section <- function(part, folder, before = NULL) {
  if (length(part) && (!is.list(part) || is.null(names(part)) || any(names(part) == ""))) {
    refuse("recipe: ", before, ": expected entries by name")
  }
  vapply(names(part), function(name) {
    paste(key_of(name), "=", value_of(part[[name]], folder, paste(c(before, name), collapse = ".")))
  }, "", USE.NAMES = FALSE)
}
