# What a caller gives, as the program takes it.

# Whether these are linked tables: a list of data frames by name.
is_linked <- function(table) is.list(table) && !is.data.frame(table) && !inherits(table, "velamen_release")

# Refuses a list that is none of data frames by names that files can have.
check_linked <- function(tables) {
  if (inherits(tables, "velamen_recipe")) refuse("table: expected a table, and this is a recipe: the table comes first, as in anonymize(table, recipe)")
  named <- length(tables) > 0 && !is.null(names(tables)) && all(grepl("^[[:alnum:]_-]+$", names(tables)))
  if (!named || !all(vapply(tables, is.data.frame, NA))) {
    refuse("expected a list of data frames, each by the name of its table (letters, digits, _ and -)")
  }
}

is_text <- function(x) is.character(x) && length(x) == 1 && !is.na(x)

# A data frame as a file that only the user may read, a list of them as a folder of such files; a path as it is. `use` gets
# the path, after which the file is gone.
with_table <- function(table, use, name = "table") {
  if (is_text(table)) {
    return(use(path.expand(table)))
  }
  if (inherits(table, "velamen_release")) {
    return(use(table$path))
  }
  if (inherits(table, "velamen_object")) {
    table <- table$data
  }
  if (name %in% c("release", "second_release") && is.list(table)) {
    refuse(name, ": expected a release or its folder, not records; anonymize() and open_release() return releases")
  }
  if (is_linked(table)) {
    check_linked(table)
  } else if (!is.data.frame(table)) {
    refuse(name, ": expected a data frame, a path or a release, not an object of class `", class(table)[1], "`")
  }
  with_folder(function(folder) {
    if (is_linked(table)) {
      for (part in names(table)) write_table(table[[part]], file.path(folder, paste0(part, ".csv")))
      called(paste0(folder, "/"), "")
      return(use(called(folder, "the given tables")))
    }
    # Messages call the table as the caller knows it: by its argument.
    path <- file.path(folder, paste0(name, ".csv"))
    write_table(table, path)
    called(path, paste("the data frame", name))
    called(paste0(name, ".csv:"), paste0("the data frame ", name, ":"))
    called(paste0(name, ".csv;"), paste0("the data frame ", name, ";"))
    use(path)
  })
}

# Several tables as files: `use` gets a list of their paths, without those that are NULL. The functions that are written from
# definitions give all arguments as they came, so here is where they are brought into form.
with_tables <- function(tables, use, paths = list()) {
  definition <- formals(sys.function(sys.parent()))
  arguments <- environment(use)
  check_switches(arguments, definition)
  check_second(get0("second", arguments, inherits = FALSE))
  with_names(arguments, tables, function(tables) {
    name_columns(arguments, tables)
    tables_in_turn(tables, function(paths) {
      with_arguments(arguments, paths, "population" %in% names(tables), function() use(paths))
    }, paths)
  })
}

# A data frame has names of columns, even where they look like values.
name_columns <- function(arguments, tables) {
  given <- vapply(tables, function(table) is.data.frame(table) || inherits(table, "velamen_object"), NA)
  if (!any(given)) {
    return()
  }
  # Where a recipe says how the table is read, it says this as well.
  by_recipe <- exists("qi", arguments, inherits = FALSE) && !is.null(get0("recipe", arguments, inherits = FALSE))
  if (by_recipe) {
    return()
  }
  if (exists("header", arguments, inherits = FALSE)) {
    assign("header", TRUE, arguments)
  } else if (isTRUE(given["table"]) && exists("set", arguments, inherits = FALSE)) {
    assign("set", c(list("input.header" = TRUE), get("set", arguments)), arguments)
  }
}

# A second release and its original are two things.
check_second <- function(second) {
  if (!is.null(second) && (!is.list(second) || is.data.frame(second) || inherits(second, "velamen_release") || length(second) != 2)) {
    refuse("second: expected a list of a release and the table that it was made of, such as list(release2, patients2)")
  }
}

tables_in_turn <- function(tables, use, paths) {
  given <- !vapply(tables, is.null, NA)
  if (!any(given)) {
    return(use(paths))
  }
  first <- which(given)[1]
  with_table(tables[[first]], function(path) {
    paths[[names(tables)[first]]] <- path
    tables_in_turn(tables[-seq_len(first)], use, paths)
  }, names(tables)[first])
}

# Recipes of R and a population's data frame become files.
with_arguments <- function(arguments, paths, has_population, use) {
  with_population <- if (has_population) function(arguments, use) use() else with_population
  recipe <- get0("recipe", arguments, inherits = FALSE)
  if (is.list(recipe) || (is.character(recipe) && any(grepl("\n", recipe, fixed = TRUE)))) {
    hears_set <- exists("set", arguments, inherits = FALSE)
    return(with_recipe(recipe, function(path, set) {
      if (length(set) && !hears_set) {
        refuse("recipe: changes to a recipe's file are not heard here; write them into the file, or make the recipe of lists")
      }
      assign("recipe", path, arguments)
      if (hears_set) assign("set", c(set, get("set", arguments)), arguments)
      with_population(arguments, use)
    }, input = if (is.null(paths$original)) paths$table else paths$original))
  }
  if (!is.null(recipe) && !is_text(recipe)) {
    refuse("recipe: expected a recipe, the path of one, or a list; see ?velamen_recipe")
  }
  if (!is.null(recipe)) assign("recipe", path.expand(recipe), arguments)
  with_population(arguments, use)
}

with_population <- function(arguments, use) {
  population <- get0("population", arguments, inherits = FALSE)
  if (!is.data.frame(population)) {
    return(use())
  }
  with_table(population, function(path) {
    assign("population", path, arguments)
    use()
  }, "population")
}

# Lists of columns: checked, and brought past the commas that separate names. Where names hold commas, a recipe says which
# columns are what, and a data frame is cut to its attributes.
with_names <- function(arguments, tables, use) {
  value <- function(name) get0(name, arguments, inherits = FALSE)
  lists <- intersect(c("qi", "sensitive", "attributes", "drop", "missing", "only", "attacks", "null", "declare"), ls(arguments))
  for (name in lists) check_names(name, value(name), tables)
  holds_comma <- function(name) any(grepl(",", value(name), fixed = TRUE))
  if (holds_comma("attributes") && is.data.frame(tables$table) && is.null(value("after"))) {
    tables$table <- as.data.frame(tables$table)[value("attributes")]
    assign("attributes", NULL, arguments)
  }
  if ((holds_comma("qi") || holds_comma("sensitive")) && is.null(value("recipe"))) {
    roles <- c(
      stats::setNames(rep("quasi-identifier", length(value("qi"))), value("qi")),
      stats::setNames(rep("sensitive", length(value("sensitive"))), value("sensitive"))
    )
    # A recipe is not one without a promise; nothing is released with it.
    assign("recipe", velamen_recipe(attributes = as.list(roles), privacy = list(model = "k-anonymity", k = 2)), arguments)
    assign("qi", NULL, arguments)
    assign("sensitive", NULL, arguments)
  }
  for (name in lists) {
    if (holds_comma(name)) refuse(name, ": names with a comma cannot be given here; rename the column")
  }
  use(tables)
}

check_names <- function(name, given, tables) {
  if (is.null(given)) {
    return()
  }
  if (!is.character(given) || anyNA(given) || !length(given)) {
    refuse(name, ": expected texts, such as ", name, " = c(\"a\", \"b\")")
  }
  table <- if (is.data.frame(tables$table)) tables$table else NULL
  if (name %in% c("qi", "sensitive", "attributes") && !is.null(table)) {
    unknown <- setdiff(given, names(table))
    if (length(unknown)) {
      refuse(name, ": `", unknown[1], "` is not a column of the data frame; its columns are: ", paste(names(table), collapse = ", "))
    }
  }
}

check_switches <- function(arguments, definition) {
  for (name in names(definition)) {
    if (is.logical(definition[[name]])) {
      value <- get(name, arguments)
      if (!isTRUE(value) && !isFALSE(value)) refuse(name, ": expected TRUE or FALSE")
    }
  }
}

listed <- function(flag, names) if (length(names)) c(flag, paste(names, collapse = ","))

# A single value of an option. A number keeps its digits: 100000 is not 1e+05.
valued <- function(flag, value) {
  if (is.null(value)) {
    return(NULL)
  }
  if (!is.atomic(value) || length(value) != 1 || is.na(value)) {
    refuse(gsub("-", "_", sub("^--", "", flag)), ": expected a single text or number")
  }
  # One word, so that a value that begins with a minus is none of an option.
  paste0(flag, "=", if (is.character(value) && file.exists(path.expand(value))) path.expand(value) else as_cells(value))
}
