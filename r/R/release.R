# Releases: made, read back and shown.

anonymize <- function(table, recipe = NULL, output = tempfile("release-"), set = list(), seed = NULL, overwrite = FALSE) {
  if (inherits(table, "velamen_object")) {
    if (is.null(recipe)) recipe <- table$recipe
    table <- table$data
  }
  if (is.null(recipe)) {
    refuse("recipe: expected a recipe, the path of one, or a list; suggest(table) writes a first one")
  }
  if (!is_text(output)) refuse("output: expected the path of a folder")
  check_switches(list2env(list(overwrite = overwrite)), list(overwrite = FALSE))
  made <- with_table(table, function(path) {
    with_recipe(recipe, function(recipe, changes) {
      # Linked tables are text already; the files of a list are called after its names.
      usual <- if (is_linked(table)) {
        stats::setNames(paste0('"', names(table), '.csv"'), paste0("tables.", names(table), ".path"))
      } else if (!dir.exists(path)) {
        c(list("output.format" = "csv"), if (is.data.frame(table)) list("input.header" = TRUE))
      }
      words <- c(
        "anonymize", recipe, "--input", path, "--output", path.expand(output), settings(as.list(usual)), settings(changes),
        settings(set), if (overwrite) "--overwrite", "--json"
      )
      with_seed(seed, function() run(words))
    })
  })
  manifest <- jsonlite::fromJSON(made$text, simplifyVector = TRUE)
  types <- if (is.data.frame(table)) {
    lapply(table, type_of)
  } else if (is_linked(table)) {
    lapply(table, function(one) lapply(one, type_of))
  }
  as_release(path.expand(output), manifest, made$remarks, types)
}

# A seed is as secret as the data: as a word of the command, all users of the machine would see it in the list of processes.
with_seed <- function(seed, use) {
  word <- valued("--seed", seed)
  if (is.null(word)) {
    return(use())
  }
  before <- Sys.getenv("VELAMEN_SEED", NA)
  on.exit(if (is.na(before)) Sys.unsetenv("VELAMEN_SEED") else Sys.setenv(VELAMEN_SEED = before))
  Sys.setenv(VELAMEN_SEED = sub("^--seed=", "", word))
  use()
}

as_release <- function(path, manifest, remarks = character(), types = NULL) {
  structure(
    list(path = path, custodian = paste0(path, ".custodian"), manifest = manifest, remarks = remarks, types = types),
    class = c(if (!is.null(manifest$linked)) "velamen_linked_release", "velamen_release")
  )
}

# A release that was made before, by its folder.
open_release <- function(folder) {
  if (inherits(folder, "velamen_release")) {
    return(folder)
  }
  manifest <- manifest_of(folder)
  as_release(path.expand(folder), manifest)
}

manifest_of <- function(folder) {
  if (!is_text(folder)) refuse("folder: expected the path of a release, or a release")
  path <- file.path(path.expand(folder), "release.json")
  if (!file.exists(path)) {
    refuse(basename(folder), ": is no release: there is no file release.json in it", status = 6L)
  }
  tryCatch(
    jsonlite::fromJSON(paste(readLines(path, warn = FALSE, encoding = "UTF-8"), collapse = "\n"), simplifyVector = TRUE),
    error = function(error) refuse(basename(folder), ": release.json cannot be read; verify(folder) says where the release is broken", status = 4L)
  )
}

# The released records. A column is of the type that it had wherever all of its released cells are; labels are text.
as.data.frame.velamen_release <- function(x, row.names = NULL, optional = FALSE, ...) {
  data <- read_records(x$path, x$manifest)
  if (is.null(x$types)) {
    return(by_codebook(data, x$path))
  }
  for (name in intersect(names(data), names(x$types))) {
    data[[name]] <- restored(data[[name]], x$types[[name]], hidden(data))
  }
  data
}

# The records that are suppressed: those of no class.
hidden <- function(data) if (is.null(data$ClassID)) rep(FALSE, nrow(data)) else is.na(data$ClassID)

# The types that a release itself states, for who did not make it.
by_codebook <- function(data, folder) {
  path <- file.path(folder, "codebook.csv")
  if (!file.exists(path)) {
    return(data)
  }
  codebook <- read_cells(path)
  for (at in which(codebook$column %in% names(data))) {
    type <- switch(codebook$type[at], "whole number" = "integer", number = "numeric", date = "Date")
    name <- codebook$column[at]
    if (!is.null(type)) data[[name]] <- restored(data[[name]], list(class = type), hidden(data))
  }
  data
}

# The tables of a release of linked tables, by name.
as.list.velamen_linked_release <- function(x, ...) {
  tables <- lapply(names(x$manifest$tables), function(name) {
    table <- x$manifest$tables[[name]]
    columns <- table$columns
    data <- read_cells(file.path(x$path, table$file))
    types <- x$types[[name]]
    days <- names(columns)[vapply(columns, function(column) identical(column$role, "date"), NA)]
    for (column in names(data)) {
      cells <- data[[column]]
      made <- if (column %in% names(types)) restored(cells, types[[column]]) else cells
      if (is.character(made) && column %in% days) made <- restored(cells, list(class = "Date"))
      data[[column]] <- if (is.character(made) && is.null(types[[column]])) utils::type.convert(made, as.is = TRUE) else made
    }
    data
  })
  stats::setNames(tables, names(x$manifest$tables))
}

# One of the tables.
as.data.frame.velamen_linked_release <- function(x, row.names = NULL, optional = FALSE, ..., table = x$manifest$persons$table) {
  if (!is_text(table) || !table %in% names(x$manifest$tables)) {
    refuse("table: the release has the tables ", paste(names(x$manifest$tables), collapse = ", "))
  }
  as.list(x)[[table]]
}

# A folder as people know it: that of the session has no name that anybody chose.
shown_folder <- function(path) {
  own <- startsWith(normalizePath(path, winslash = "/", mustWork = FALSE), normalizePath(tempdir(), winslash = "/"))
  if (own) "a temporary folder, release$path" else path
}

counted <- function(number, one, many = paste0(one, "s")) paste(format(number, big.mark = ","), if (number == 1) one else many)

print.velamen_linked_release <- function(x, ...) {
  persons <- x$manifest$persons$records
  cat(
    "velamen release in ", shown_folder(x$path), ": ", counted(persons, "person"), " in ",
    counted(length(x$manifest$tables), "table"), "\n",
    sep = ""
  )
  show_notes(x$remarks)
  invisible(x)
}

print.velamen_release <- function(x, ...) {
  manifest <- x$manifest
  cat(
    "velamen release in ", shown_folder(x$path), ": ", counted(manifest$records, "record"), " in ",
    counted(manifest$classes, "class", "classes"), ", ", manifest$suppressed, " suppressed",
    if (isTRUE(manifest$counterfeits > 0)) paste0(", ", counted(manifest$counterfeits, "counterfeit")), "\n",
    sep = ""
  )
  show_notes(x$remarks)
  invisible(x)
}

show_notes <- function(notes) {
  for (note in notes) cat(strwrap(paste("note:", note), exdent = 2), sep = "\n")
}

# What a release promises, and what it kept.
summary.velamen_release <- function(object, ...) {
  manifest <- object$manifest
  models <- manifest$privacy
  promises <- data.frame(
    model = as.character(models$model), asked = rows_as_text(models$asked), reached = rows_as_text(models$reached),
    stringsAsFactors = FALSE
  )
  loss <- manifest$utility$loss
  roles <- vapply(manifest$attributes, function(one) one$role, "")
  attributes <- data.frame(
    attribute = names(manifest$attributes), role = unname(roles),
    loss = vapply(names(manifest$attributes), function(name) {
      found <- loss$`by-attribute`[[name]]
      if (is.null(found)) NA_real_ else as.numeric(found)
    }, 0, USE.NAMES = FALSE),
    stringsAsFactors = FALSE
  )
  number <- function(value) if (is.null(value)) 0 else value
  structure(list(
    records = number(manifest$records), suppressed = number(manifest$suppressed), counterfeits = number(manifest$counterfeits),
    classes = number(manifest$classes), method = manifest$method$name, loss = loss$value, promises = promises, attributes = attributes
  ), class = "summary.velamen_release")
}

print.summary.velamen_release <- function(x, ...) {
  cat(
    counted(x$records, "record"), ", ", x$suppressed, " suppressed, ", x$counterfeits, " counterfeit, in ",
    counted(x$classes, "class", "classes"), "; method ", x$method, "\n",
    sep = ""
  )
  if (!is.null(x$loss)) cat("loss ", format(x$loss, digits = 3), " (0: as recorded, 1: nothing left)\n", sep = "")
  cat("\n")
  print(x$promises, row.names = FALSE, right = FALSE)
  cat("\n")
  print(x$attributes, row.names = FALSE, right = FALSE, digits = 3, na.print = "")
  invisible(x)
}

summary.velamen_linked_release <- function(object, ...) {
  tables <- object$manifest$tables
  made <- data.frame(
    table = names(tables), columns = vapply(tables, function(table) length(table$columns), 0L, USE.NAMES = FALSE),
    stringsAsFactors = FALSE
  )
  made$rows <- vapply(as.list(object), nrow, 0L, USE.NAMES = FALSE)
  made
}
