# Answers of operations, and how they are printed.

result <- function(operation, answer, made) {
  if (operation == "verify") {
    return(verification(answer, made))
  }
  if (operation == "check") {
    return(checked(answer))
  }
  if (is.null(answer) || is.data.frame(answer) || !is.list(answer)) answer <- list(rows = answer)
  answer <- in_words(answer)
  structure(answer, class = c(paste0("velamen_", operation), "velamen_result", "list"), remarks = made$remarks)
}

# Entries that hold sentences of the program, never cells.
SENTENCES <- c("left-out", "note", "notes", "remarks", "warnings", "reason", "message", "help", "hint", "skipped")

# An answer with its sentences in words of R.
in_words <- function(value, sentence = FALSE) {
  if (is.character(value)) {
    return(if (sentence) spoken(value) else value)
  }
  if (is.list(value)) {
    for (at in seq_along(value)) {
      if (!is.null(value[[at]])) value[[at]] <- in_words(value[[at]], sentence || isTRUE(names(value)[at] %in% SENTENCES))
    }
  }
  value
}

# A value of JSON on one line: `k 5, share 0.1`.
as_text <- function(value) {
  if (is.null(value) || !length(value) || (length(value) == 1 && is.atomic(value) && is.na(value))) {
    return("")
  }
  if (is.data.frame(value)) {
    return(paste(vapply(seq_len(nrow(value)), function(at) as_text(as.list(value[at, , drop = FALSE])), ""), collapse = "; "))
  }
  if (is.list(value) || !is.null(names(value))) {
    # What JSON does not say of a row is missing in its data frame.
    parts <- vapply(value, function(part) if (is.atomic(part) && all(is.na(part))) "" else as_text(part), "")
    named <- if (is.null(names(value))) parts else trimws(paste(words_of(names(value)), parts))
    return(paste(named[nzchar(parts)], collapse = ", "))
  }
  if (is.logical(value)) {
    return(paste(ifelse(is.na(value), "", ifelse(value, "yes", "no")), collapse = ", "))
  }
  if (is.numeric(value)) {
    return(paste(vapply(value, in_digits, ""), collapse = ", "))
  }
  paste(value, collapse = ", ")
}

# A number of four digits: 0.0004, not 4e-04.
in_digits <- function(number) {
  tiny <- is.finite(number) && number != 0 && (abs(number) < 1e-4 || abs(number) >= 1e15)
  format(number, digits = 4, big.mark = ",", trim = TRUE, scientific = tiny)
}

words_of <- function(names) gsub("-", " ", names, fixed = TRUE)

# The rows of what JSON made of a list of objects, each on one line.
rows_as_text <- function(values) {
  if (is.data.frame(values)) {
    return(vapply(seq_len(nrow(values)), function(at) {
      row <- as.list(values[at, , drop = FALSE])
      as_text(row[!vapply(row, function(cell) all(is.na(unlist(cell))), NA)])
    }, ""))
  }
  vapply(values, as_text, "", USE.NAMES = FALSE)
}

# The findings of a verification: a row for each promise.
verification <- function(findings, made) {
  text <- function(name) vapply(findings, function(one) as_text(one[[name]]), "")
  rows <- data.frame(
    promise = text("promise"), state = text("state"), asked = text("asked"), reached = text("reached"), stringsAsFactors = FALSE
  )
  people <- text("of-people")
  if (any(nzchar(people))) rows$people <- people
  rows <- structure(rows, class = c("velamen_verification", "data.frame"), remarks = made$remarks)
  # A script that goes on without a look must not go on in silence.
  if (made$status != 0) {
    warning(structure(
      class = c("velamen_broken", "warning", "condition"),
      list(message = paste(made$problem, collapse = "\n"), call = NULL, findings = rows)
    ))
  }
  rows
}

# Whether what was promised holds: FALSE if a promise is broken, NA if one could be checked and was not.
holds <- function(verification) {
  if (!inherits(verification, "velamen_verification")) {
    refuse("expected what verify() returns")
  }
  states <- verification$state
  if (any(states == "broken")) FALSE else if (any(states == "not-checked")) NA else TRUE
}

print.velamen_verification <- function(x, ...) {
  # Without its states, as after a selection of columns, it is a data frame like any.
  if (!all(c("promise", "state") %in% names(x))) {
    return(invisible(print(structure(x, class = "data.frame"))))
  }
  numbers <- table(factor(x$state, c("held", "broken", "not-checked", "stated")))
  said <- c(held = "held", broken = "BROKEN", "not-checked" = "not checked", stated = "stated by the custodian")
  shown <- numbers[numbers > 0]
  cat("velamen verification: ", paste(shown, said[names(shown)], collapse = ", "), "\n", sep = "")
  data <- structure(x, class = "data.frame")
  wide <- intersect(c("asked", "reached", "people"), names(data))
  # As much as one line holds beside promise and state.
  room <- getOption("width") - max(nchar(data$promise), 0) - max(nchar(data$state), 0) - 6
  for (name in wide) data[[name]] <- shortened(data[[name]], max(12, room %/% length(wide) - 1))
  data <- data[order(match(data$state, c("broken", "not-checked", "held", "stated"))), ]
  print(data, row.names = FALSE, right = FALSE)
  show_notes(attr(x, "remarks"))
  invisible(x)
}

shortened <- function(texts, most) ifelse(nchar(texts) > most, paste0(substr(texts, 1, most - 3), "..."), texts)

# The mistakes in a recipe: a row for each, none if there are none.
checked <- function(answer) {
  mistakes <- answer$mistakes
  given <- function(name) {
    found <- if (is.data.frame(mistakes)) mistakes[[name]] else NULL
    if (is.null(found)) rep(NA, NROW(mistakes)) else found
  }
  rows <- data.frame(
    message = spoken(as.character(given("message"))), help = spoken(as.character(given("help"))), attribute = as.character(given("attribute")),
    line = as.integer(given("line")), code = as.character(given("code")), stringsAsFactors = FALSE
  )
  structure(rows, class = c("velamen_check", "data.frame"), remarks = spoken(as.character(unlist(answer$check$warnings))))
}

print.velamen_check <- function(x, ...) {
  if (!nrow(x)) cat("no mistakes\n") else cat(counted(nrow(x), "mistake"), ":\n", sep = "")
  for (at in seq_len(nrow(x))) {
    where <- if (is.na(x$line[at])) "" else paste0("line ", x$line[at], ": ")
    cat(strwrap(paste0("- ", where, x$message[at]), exdent = 2), sep = "\n")
    if (!is.na(x$help[at])) cat(strwrap(paste0("try: ", x$help[at]), indent = 2, exdent = 4), sep = "\n")
  }
  show_notes(attr(x, "remarks"))
  invisible(x)
}

# Rows of a table that are printed.
MOST <- 20

print.velamen_result <- function(x, ...) {
  writeLines(format(x))
  show_notes(attr(x, "remarks"))
  invisible(x)
}

format.velamen_result <- function(x, ...) {
  as.character(unlist(lapply(names(x), function(name) readable(words_of(name), x[[name]]))))
}

# The lines of an entry: figures on one line, tables as tables.
readable <- function(label, value, indent = "") {
  if (is.null(value) || !length(value) || (is.data.frame(value) && !nrow(value))) {
    return(character())
  }
  if (is.data.frame(value)) {
    return(c(paste0(indent, label, ":"), paste0(indent, "  ", table_lines(in_brief(value)))))
  }
  if (is.list(value) && !is.null(names(value))) {
    short <- as_text(value)
    if (!nzchar(short)) {
      return(character())
    }
    if (nchar(short) <= 60 && !any(vapply(value, is.list, NA))) {
      return(paste0(indent, label, ": ", short))
    }
    parts <- unlist(lapply(names(value), function(name) readable(words_of(name), value[[name]], paste0(indent, "  "))))
    return(c(paste0(indent, label, ":"), parts))
  }
  if (is.atomic(value) && length(value) > MOST) {
    value <- paste0(as_text(value[seq_len(MOST)]), ", ... and ", length(value) - MOST, " more")
  }
  if (!nzchar(as_text(value))) {
    return(character())
  }
  strwrap(paste0(label, ": ", as_text(value)), indent = nchar(indent), exdent = nchar(indent) + 2)
}

# Estimates of an original and its release beside each other, each with its interval.
in_brief <- function(value) {
  if (!all(c("original", "release", "overlap") %in% names(value)) || !all(vapply(value[c("original", "release")], is.data.frame, NA))) {
    return(value)
  }
  between <- function(side) {
    cell <- function(name) column_texts(side[[name]])
    if (is.null(side$low)) cell("estimate") else ifelse(is.na(side$estimate), "", paste0(cell("estimate"), " [", cell("low"), ", ", cell("high"), "]"))
  }
  data.frame(name = value$name, original = between(value$original), release = between(value$release), overlap = value$overlap, stringsAsFactors = FALSE)
}

# The columns of a profile with what is suggested of each.
format.velamen_profile <- function(x, ...) {
  columns <- x$columns
  if (!is.data.frame(columns) || !is.data.frame(columns$suggestion)) {
    return(NextMethod())
  }
  shown <- columns[intersect(c("name", "type", "distinct", "missing", "unique"), names(columns))]
  shown$role <- columns$suggestion$role
  why <- paste0(columns$name, ": ", columns$suggestion$why)[!is.na(columns$suggestion$why)]
  sets <- x$candidates$sets
  c(
    readable("records", x$records), readable("notes", x$notes), "columns:", paste0("  ", table_lines(shown)), "why:",
    strwrap(utils::head(why, MOST), indent = 2, exdent = 4), if (length(why) > MOST) paste("  ... and", length(why) - MOST, "more"),
    if (is.data.frame(sets) && nrow(sets)) {
      readable("sets that single people out", sets[intersect(c("attributes", "distinct", "unique", "leak"), names(sets))])
    },
    readable("recipe", x$recipe), readable("folder", x$folder), readable("private", x$private)
  )
}

# The questions of a form, each with its state and what is filled in.
format.velamen_evidence <- function(x, ...) {
  parts <- if (is.data.frame(x$sections)) seq_len(nrow(x$sections)) else integer()
  lines <- unlist(lapply(parts, function(part) {
    items <- x$sections$items[[part]]
    asked <- vapply(seq_len(NROW(items)), function(at) {
      answer <- if (is.null(items$answer)) NA else items$answer[at]
      paste0("- ", items$ask[at], " (", items$state[at], ")", if (!is.na(answer)) paste0(" ", answer))
    }, "")
    c(paste0(x$sections$title[part], ":"), strwrap(asked, indent = 2, exdent = 4))
  }))
  head <- unlist(lapply(setdiff(names(x), c("sections", "document")), function(name) readable(words_of(name), x[[name]])))
  c(head, lines)
}

table_lines <- function(value) {
  shown <- utils::head(value, MOST)
  inner <- vapply(shown, function(column) is.list(column) && !is.data.frame(column) && any(vapply(column, is.data.frame, NA)), NA)
  if (any(inner)) {
    # What has tables itself: its entries below each other.
    lines <- unlist(lapply(seq_len(nrow(shown)), function(at) {
      row <- lapply(shown, function(column) if (is.data.frame(column)) as.list(column[at, , drop = FALSE]) else column[[at]])
      rest <- unlist(lapply(names(row), function(name) readable(words_of(name), row[[name]])))
      paste0(c("- ", rep("  ", length(rest) - 1)), rest)
    }))
    return(c(lines, if (nrow(value) > MOST) paste("... and", nrow(value) - MOST, "more")))
  }
  cells <- lapply(names(shown), function(name) column_texts(shown[[name]]))
  names(cells) <- words_of(names(shown))
  cells <- cells[vapply(cells, function(texts) any(nzchar(texts)), NA)]
  widths <- vapply(names(cells), function(name) max(nchar(c(name, cells[[name]]))) + 1, 0)
  lines <- if (sum(widths) + 6 <= getOption("width")) {
    utils::capture.output(print(as.data.frame(cells, check.names = FALSE, stringsAsFactors = FALSE), row.names = FALSE, right = FALSE))
  } else {
    # What does not fit on a line stands in words.
    unlist(lapply(seq_len(nrow(shown)), function(at) {
      parts <- vapply(cells, function(texts) texts[at], "")
      parts <- parts[nzchar(parts)]
      strwrap(paste("-", paste(names(parts), parts, sep = ": ", collapse = "; ")), exdent = 4)
    }))
  }
  c(lines, if (nrow(value) > MOST) paste("... and", nrow(value) - MOST, "more rows"))
}

column_texts <- function(column) {
  if (is.data.frame(column)) {
    rows_as_text(column)
  } else if (is.list(column)) {
    vapply(column, as_text, "")
  } else if (is.numeric(column)) {
    vapply(column, function(number) if (is.na(number)) "" else as_text(number), "")
  } else {
    texts <- if (is.logical(column)) ifelse(column, "yes", "no") else as.character(column)
    ifelse(is.na(texts), "", texts)
  }
}
