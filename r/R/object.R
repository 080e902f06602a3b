# A table with its recipe and what was tried, for who works step by step.

velamen_object <- function(table, qi = character(), sensitive = character(), identifier = character(), insensitive = character(),
                           hierarchies = list(), k = 5, method = "optimal", recipe = NULL) {
  if (!is.data.frame(table)) refuse("table: expected a data frame")
  if (is.null(recipe)) recipe <- recipe_of(table, qi, sensitive, identifier, insensitive, hierarchies, k, method)
  structure(
    list(data = table, recipe = as_recipe(recipe), release = NULL, step = "begun", before = NULL),
    class = "velamen_object"
  )
}

recipe_of <- function(table, qi, sensitive, identifier, insensitive, hierarchies, k, method) {
  groups <- list("quasi-identifier" = qi, sensitive = sensitive, identifier = identifier, insensitive = insensitive)
  arguments <- c("quasi-identifier" = "qi", sensitive = "sensitive", identifier = "identifier", insensitive = "insensitive")
  for (role in names(groups)) {
    given <- groups[[role]]
    if (!is.character(given) || anyNA(given)) refuse(arguments[[role]], ": expected names of columns")
    unknown <- setdiff(given, names(table))
    if (length(unknown)) {
      refuse(arguments[[role]], ": `", unknown[1], "` is not a column of the data frame; its columns are: ", paste(names(table), collapse = ", "))
    }
  }
  columns <- unlist(groups, use.names = FALSE)
  twice <- columns[duplicated(columns)]
  if (length(twice)) refuse("`", twice[1], "` has two roles")
  if (!length(qi)) refuse("qi: expected the columns that others may know of a person")
  missing <- setdiff(names(table), columns)
  if (length(missing)) {
    refuse("no role is given for ", paste0("`", missing, "`", collapse = ", "), ": name each under qi, sensitive, identifier or insensitive")
  }
  if (length(hierarchies) && (!is.list(hierarchies) || is.null(names(hierarchies)) || !all(names(hierarchies) %in% qi))) {
    refuse("hierarchies: expected a list by the names of quasi-identifiers, such as list(age = list(interval = c(5, 10), min = 0, max = 99))")
  }
  attributes <- lapply(names(table), function(name) {
    role <- names(groups)[vapply(groups, function(names) name %in% names, NA)]
    c(list(role = role), if (!is.null(hierarchies[[name]])) list(hierarchy = hierarchies[[name]]))
  })
  velamen_recipe(
    attributes = stats::setNames(attributes, names(table)), privacy = list(list(model = "k-anonymity", k = k)), method = method
  )
}

# The next step: the object with entries of its recipe changed. The step before is kept.
change <- function(object, ...) {
  check_object(object)
  changes <- list(...)
  recipe <- set_entries(object$recipe, ...)
  flat <- if (length(changes) == 1 && is.null(names(changes))) names(changes[[1]]) else names(changes)
  object$before <- object
  object$recipe <- recipe
  object$release <- NULL
  object$step <- paste("changed", paste(flat, collapse = ", "))
  object
}

# Makes the release of the recipe as it is now.
protect <- function(object, output = tempfile("release-"), ...) {
  check_object(object)
  release <- anonymize(object$data, object$recipe, output, ...)
  object$before <- object
  object$release <- release
  object$step <- "released"
  object
}

# The object as it was before its last step. A folder that was written stays.
undo <- function(object) {
  check_object(object)
  if (is.null(object$before)) refuse("there is no step to undo")
  object$before
}

check_object <- function(object) {
  if (!inherits(object, "velamen_object")) refuse("expected what velamen_object() returns")
}

# The release of an object's last step.
released_of <- function(object) {
  if (!is.null(object$release)) {
    return(object$release)
  }
  before <- object$before
  while (!is.null(before) && is.null(before$release)) before <- before$before
  if (is.null(before)) refuse("nothing is released yet: protect(object) does it")
  refuse("nothing is released since the last change: protect(object) does it, and undo(object) goes back to the release before")
}

steps_of <- function(object) {
  if (is.null(object$before)) object$step else c(steps_of(object$before), object$step)
}

print.velamen_object <- function(x, ...) {
  cat("velamen object: ", counted(nrow(x$data), "record"), ", ", counted(length(x$data), "column"), "\n", sep = "")
  cat(strwrap(paste0("steps: ", paste(steps_of(x), collapse = "; ")), exdent = 2), sep = "\n")
  if (is.null(x$release)) cat("not released: protect(object)\n") else print(x$release)
  invisible(x)
}

summary.velamen_object <- function(object, ...) {
  summary(released_of(object))
}

as.data.frame.velamen_object <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(released_of(x), ...)
}

plot.velamen_object <- function(x, ...) {
  plot.velamen_release(released_of(x), ...)
}
