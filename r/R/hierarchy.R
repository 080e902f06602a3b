# Hierarchies: made, checked, shown and exported.

# How the values are given that a hierarchy is for.
with_values <- function(codes, table, use) {
  with_folder(function(folder) {
    words <- NULL
    if (!is.null(codes)) {
      if (is.data.frame(codes) || !is.atomic(codes)) refuse("codes: expected a vector of values, or a file with one a line")
      path <- if (is_text(codes) && file.exists(codes)) codes else write_codes(codes, file.path(folder, "codes.txt"))
      words <- c("--codes", path)
    }
    if (is.null(table)) {
      return(use(words))
    }
    with_table(table, function(path) use(c(words, "--table", path, if (is.data.frame(table)) "--header")))
  })
}

write_codes <- function(codes, path) {
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(enc2utf8(as_cells(codes[!is.na(codes)])), connection, useBytes = TRUE)
  called(path, "codes")
}

# A form as the program takes it: a list as TOML, a data frame as a file, text and paths as they are. One of `kinds` alone.
with_form <- function(form, use, what = "form") {
  if (is.data.frame(form) || is.matrix(form)) {
    return(with_folder(function(folder) {
      file_of(form, folder, what)
      path <- called(list.files(folder, full.names = TRUE), "the hierarchy")
      called(paste0(basename(path), ":"), "the hierarchy:")
      use(path)
    }))
  }
  if (is.list(form) && length(form) && !is.null(names(form))) {
    return(use(value_of(form, key = "form.hierarchy")))
  }
  if (!is_text(form)) {
    refuse(what, ": expected a list such as list(interval = c(5, 10), min = 0, max = 99), a data frame, TOML, or the path of a file")
  }
  use(form)
}

read_hierarchy <- function(path) {
  rows <- utils::read.table(
    path, sep = ";", quote = "\"", colClasses = "character", na.strings = character(), encoding = "UTF-8", comment.char = "",
    fill = TRUE
  )
  names(rows) <- c("value", if (length(rows) > 1) paste0("level", seq_len(length(rows) - 1)))
  structure(rows, class = c("velamen_hierarchy", "data.frame"))
}

reading_words <- function(column, format, delimiter, null) {
  c(valued("--column", column), valued("--format", format), valued("--delimiter", delimiter), listed("--null", null))
}

# Writes a hierarchy where it is asked for, and reads it.
hierarchy_file <- function(words, output) {
  if (!is.null(output)) {
    if (!is_text(output)) refuse("output: expected the path of a file")
    run(c(words, "--output", path.expand(output)))
    return(invisible(read_hierarchy(output)))
  }
  with_folder(function(folder) {
    path <- called(file.path(folder, "hierarchy.csv"), "the hierarchy")
    run(c(words, "--output", path))
    read_hierarchy(path)
  })
}

hierarchy_build <- function(form, output = NULL, codes = NULL, table = NULL, column = NULL, format = NULL, delimiter = NULL,
                            null = NULL) {
  with_form(form, function(form) {
    with_values(codes, table, function(values) {
      hierarchy_file(c("hierarchy", "build", form, values, reading_words(column, format, delimiter, null)), output)
    })
  })
}

hierarchy_export <- function(place, attribute, output = NULL, codes = NULL, table = NULL, column = NULL, format = NULL,
                             delimiter = NULL, null = NULL) {
  if (!is_text(attribute)) refuse("attribute: expected the name of an attribute")
  export <- function(path) {
    with_values(codes, table, function(values) {
      words <- c("hierarchy", "export", path, "--attribute", attribute, values, reading_words(column, format, delimiter, null))
      hierarchy_file(words, output)
    })
  }
  if (inherits(place, "velamen_release")) {
    return(export(place$path))
  }
  with_recipe(place, function(path, changes) {
    if (length(changes)) refuse("place: changes to a recipe's file are not heard here; write them into the file")
    export(path)
  })
}

hierarchy_check <- function(file, table = NULL, column = NULL, show_values = FALSE, codes = NULL, format = NULL, delimiter = NULL,
                            null = NULL) {
  hierarchy_answer("check", file, codes, table, show_values, reading_words(column, format, delimiter, null))
}

hierarchy_show <- function(form, codes = NULL, table = NULL, column = NULL, show_values = FALSE, format = NULL, delimiter = NULL,
                           null = NULL) {
  hierarchy_answer("show", form, codes, table, show_values, reading_words(column, format, delimiter, null))
}

hierarchy_answer <- function(verb, form, codes, table, show_values, reading) {
  check_switches(list2env(list(show_values = show_values)), list(show_values = FALSE))
  with_form(form, function(form) {
    with_values(codes, table, function(values) {
      words <- c("hierarchy", verb, form, values, reading, if (show_values) "--show-values", "--json")
      made <- run(words, answers = 3:5)
      result(paste0("hierarchy_", verb), jsonlite::fromJSON(made$text, simplifyVector = TRUE), made)
    })
  }, if (verb == "check") "file" else "form")
}

print.velamen_hierarchy <- function(x, ...) {
  if (!"value" %in% names(x)) {
    return(invisible(print(structure(x, class = "data.frame"))))
  }
  cat("velamen hierarchy: ", counted(nrow(x), "value"), " in ", counted(length(x), "level"), "\n", sep = "")
  print(utils::head(structure(x, class = "data.frame"), 10), row.names = FALSE)
  if (nrow(x) > 10) cat("... and", nrow(x) - 10, "more values\n")
  invisible(x)
}
