# Recipes as R has them: lists, or the text of a file with changes.

# A recipe of parts, of a list, of the text of a file, or of its path.
velamen_recipe <- function(recipe = NULL, ...) {
  parts <- list(...)
  if (inherits(recipe, "velamen_recipe") && !length(parts)) {
    return(recipe)
  }
  if (is.character(recipe) && length(recipe) >= 1 && !anyNA(recipe) && !length(parts)) {
    return(of_text(recipe))
  }
  if (!is.null(recipe)) {
    if (!is.list(recipe) || is.data.frame(recipe)) {
      refuse("recipe: expected a list, the path of a file, or its text; see ?velamen_recipe")
    }
    parts <- c(recipe, parts)
  }
  if (!length(parts) || is.null(names(parts)) || any(names(parts) == "")) {
    refuse("recipe: expected parts by name, such as attributes = list(age = \"quasi-identifier\"), privacy = list(model = \"k-anonymity\", k = 5)")
  }
  made <- list(entries = in_full(parts), text = NULL, path = NULL, set = list())
  structure(list(made), class = "velamen_recipe")
}

of_text <- function(recipe) {
  has_lines <- length(recipe) > 1 || any(grepl("\n", recipe, fixed = TRUE))
  if (!has_lines && !file.exists(path.expand(recipe))) {
    refuse("recipe: there is no file `", basename(recipe), "`", status = 6L)
  }
  made <- list(entries = NULL, text = if (has_lines) paste(recipe, collapse = "\n"), path = if (!has_lines) path.expand(recipe), set = list())
  structure(list(made), class = "velamen_recipe")
}

# Short forms written out: a role for an attribute, one model for a list of them, a method's name for its settings.
in_full <- function(entries) {
  attributes <- entries$attributes
  if (!is.null(attributes)) {
    if (is.character(attributes)) attributes <- as.list(attributes)
    if (!is.list(attributes) || is.null(names(attributes)) || any(names(attributes) == "")) {
      refuse("recipe: attributes: expected roles by name, such as list(age = \"quasi-identifier\", name = \"identifier\")")
    }
    entries$attributes <- lapply(attributes, function(one) if (is_text(one)) list(role = one) else one)
  }
  if (is.character(entries$privacy)) {
    refuse("recipe: privacy: expected a model with its parameters, such as list(model = \"k-anonymity\", k = 5), or a list of models")
  }
  if (is.list(entries$privacy) && !is.null(names(entries$privacy))) entries$privacy <- list(entries$privacy)
  if (is_text(entries$method)) entries$method <- list(name = entries$method)
  entries
}

# What somebody gave as a recipe, as an object.
as_recipe <- function(recipe) if (inherits(recipe, "velamen_recipe")) recipe else velamen_recipe(recipe)

# `use` gets the path of a recipe and what is to be set in it. What runs the recipe again reads its input, which is the table
# of the call where the recipe names none.
with_recipe <- function(recipe, use, input = NULL) {
  if (is_text(recipe) && !grepl("\n", recipe, fixed = TRUE)) {
    return(use(path.expand(recipe), list()))
  }
  made <- as_recipe(recipe)[[1]]
  if (!is.null(made$path)) {
    return(use(made$path, made$set))
  }
  with_folder(function(folder) {
    path <- file.path(folder, "recipe.toml")
    text <- if (is.null(made$text)) toml_of(with_input(made$entries, input), folder) else text_with_input(made$text, input)
    connection <- file(path, "wb")
    writeLines(enc2utf8(text), connection, useBytes = TRUE)
    close(connection)
    called(path, "the recipe")
    called("recipe.toml: ", "the recipe: ")
    for (file in list.files(folder, "^hierarchy-.*[.]csv$", full.names = TRUE)) called(file, "the hierarchy's data frame")
    called(paste0(folder, "/"), "")
    use(path, made$set)
  })
}

with_input <- function(entries, input) {
  if (is.null(entries$input) && !is.null(input) && !dir.exists(input)) {
    # A data frame's names are names; how a file is read is its recipe's own matter.
    entries$input <- c(list(path = input), if (input %in% names(state$called)) list(header = TRUE))
  }
  if (is_text(entries$input$path)) entries$input$path <- normalizePath(entries$input$path, winslash = "/", mustWork = FALSE)
  entries
}

# The text with another path under [input], where that names a file without its folder, as a suggestion does.
text_with_input <- function(text, input) {
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  at <- match("[input]", trimws(lines))
  is_name <- !is.na(at) && isTRUE(grepl("^path = \"[^/\"]*\"$", lines[at + 1]))
  if (is.null(input) || dir.exists(input) || !is_name || file.exists(gsub("^path = |\"", "", lines[at + 1]))) {
    return(text)
  }
  lines[at + 1] <- paste("path =", text_of(input))
  paste(lines, collapse = "\n")
}

# A recipe with entries changed.
set_entries <- function(recipe, ...) {
  made <- as_recipe(recipe)[[1]]
  changes <- list(...)
  # A list of changes is as good as changes.
  if (length(changes) == 1 && is.null(names(changes)) && is.list(changes[[1]])) changes <- changes[[1]]
  check_set(changes)
  if (is.null(made$entries)) {
    made$set <- c(made$set, changes)
    settings(made$set)
  } else {
    for (key in names(changes)) made$entries <- changed(made$entries, parts_of(key), changes[[key]])
    made$entries <- in_full(made$entries)
  }
  structure(list(made), class = "velamen_recipe")
}

# The parts of a key: `privacy.0.k`, `attributes."age, years".role`.
parts_of <- function(key) {
  found <- regmatches(key, gregexpr("\"[^\"]*\"|[^.\"]+", key))[[1]]
  gsub("\"", "", found, fixed = TRUE)
}

# Entries with one changed. Lists of names are merged; models are numbered from 0.
changed <- function(entries, parts, value) {
  if (!length(parts)) {
    merges <- is.list(value) && !is.data.frame(value) && !is.null(names(value)) && is.list(entries)
    if (!merges) {
      return(value)
    }
    for (name in names(value)) entries <- changed(entries, name, value[[name]])
    return(entries)
  }
  if (!is.list(entries)) entries <- list()
  place <- parts[1]
  if (is.null(names(entries)) && length(entries) && grepl("^[0-9]+$", place)) place <- as.integer(place) + 1L
  old <- if (is.character(place) || place <= length(entries)) entries[[place]]
  entries[[place]] <- changed(old, parts[-1], value)
  entries
}

print.velamen_recipe <- function(x, ...) {
  made <- x[[1]]
  text <- if (!is.null(made$path)) {
    readLines(made$path, warn = FALSE, encoding = "UTF-8")
  } else if (is.null(made$text)) {
    toml_of(made$entries)
  } else {
    made$text
  }
  cat(text, sep = "\n")
  changes <- flat_settings(made$set)
  if (length(changes)) cat("\n# changed:\n", paste0("# ", names(changes), " = ", changes, "\n"), sep = "")
  invisible(x)
}

# Writes a recipe of lists or text to a file.
save_recipe <- function(recipe, file, overwrite = FALSE) {
  made <- as_recipe(recipe)[[1]]
  if (!is_text(file)) refuse("file: expected the path of a file, such as \"recipe.toml\"")
  if (length(made$set)) {
    refuse("recipe: its text is a file's, with changes; write them into the text, or make the recipe of lists")
  }
  if (file.exists(file) && !overwrite) {
    refuse("file: `", basename(file), "` exists; overwrite = TRUE replaces it", status = 6L)
  }
  if (!dir.exists(dirname(path.expand(file)))) {
    refuse("file: there is no folder `", basename(dirname(file)), "` to write `", basename(file), "` to", status = 6L)
  }
  beside <- vapply(made$entries$attributes, function(one) is.list(one) && is.data.frame(one$hierarchy), NA)
  folder <- if (any(beside)) sub("[.][^.]*$", "", file)
  if (!is.null(folder)) dir.create(folder, showWarnings = FALSE)
  text <- if (!is.null(made$path)) {
    readLines(made$path, warn = FALSE, encoding = "UTF-8")
  } else if (is.null(made$text)) {
    toml_of(made$entries, if (!is.null(folder)) normalizePath(folder, winslash = "/"))
  } else {
    made$text
  }
  connection <- file(file, "wb")
  on.exit(close(connection))
  writeLines(enc2utf8(text), connection, useBytes = TRUE)
  invisible(file)
}

# A first recipe for a table, to be read and corrected.
suggest <- function(table, ...) {
  with_folder(function(folder) {
    path <- file.path(folder, "recipe.toml")
    profile_table(table, recipe = path, ...)
    lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
    lines <- lines[!grepl("^#:schema|^# Editors complete", lines)]
    # The table is given with the call; where its file was says nothing.
    if (!is_text(table)) lines <- sub("^path = \".*/velamen-[^/]*/?([^/]*)\"$", "path = \"\\1\"", lines)
    lines <- sub("`velamen profile`", "suggest()", lines, fixed = TRUE)
    lines <- sub("`velamen anonymize` with it", "anonymize(table, recipe)", lines, fixed = TRUE)
    lines <- sub("velamen explain choose-a-method.", "the manual's page docs/choose-a-method.md.", lines, fixed = TRUE)
    velamen_recipe(paste(lines, collapse = "\n"))
  })
}

check_set <- function(set) {
  if (!is.list(set) || (length(set) && (is.null(names(set)) || any(names(set) == "")))) {
    refuse("set: expected a list of entries by name, such as list(\"privacy.0.k\" = 10) or list(method = list(name = \"optimal\"))")
  }
}

settings <- function(set) {
  flat <- flat_settings(set)
  unlist(lapply(names(flat), function(key) c("--set", paste0(key, "=", flat[[key]]))))
}

# Entries by their whole key. Lists by name are nested; what has no names is a value.
flat_settings <- function(set, before = NULL) {
  check_set(set)
  flat <- list()
  for (name in names(set)) {
    value <- set[[name]]
    key <- if (is.null(before)) name else paste0(before, ".", key_of(name))
    if (is.list(value) && !is.data.frame(value) && length(value) && !is.null(names(value))) {
      flat <- c(flat, flat_settings(value, key))
    } else {
      # A single text under a whole key is what stands after `=`, so that any TOML can be written.
      flat[[key]] <- if (is.null(before) && is_text(value)) value else value_of(value, key = key)
    }
  }
  flat
}
