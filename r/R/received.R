# Releases as those read them who receive them: numbers for ranges, suppressed records marked, counterfeits counted out.

RANGES <- c("mid", "low", "high", "text")

velamen_read_release <- function(folder, ranges = c("mid", "low", "high", "text"), ends = list()) {
  ranges <- if (identical(ranges, RANGES)) "mid" else ranges
  if (!is_text(ranges) || !ranges %in% RANGES) refuse("ranges: expected \"mid\", \"low\", \"high\" or \"text\"")
  path <- if (inherits(folder, "velamen_release")) folder$path else folder
  manifest <- manifest_of(path)
  if (!is.null(manifest$linked)) {
    refuse("folder: linked tables have no ranges to read; as.list(open_release(folder)) has the tables")
  }
  path <- path.expand(path)
  cells <- read_records(path, manifest)
  labels <- closed(labels_of(path, manifest), ends)
  suppressed <- hidden(cells)
  weights <- weights_of(path, cells)
  notes <- if (is.null(weights) && isTRUE(manifest$counterfeits > 0)) {
    paste(manifest$counterfeits, "records are counterfeit, and no catalog says among which: counts include them")
  }
  if (is.null(weights)) weights <- rep(1, nrow(cells))
  data <- by_codebook(cells, path)
  new <- list()
  for (name in intersect(names(labels), names(data))) {
    bounds <- bounds_of(cells[[name]], labels[[name]])
    if (ranges != "text") {
      shown <- switch(ranges, mid = middle(bounds), bounds[[ranges]])
      shown[suppressed] <- NA
      data[[name]] <- shown
      new[[paste0(name, "_low")]] <- bounds$low
      new[[paste0(name, "_high")]] <- bounds$high
    }
  }
  new$suppressed <- suppressed
  new$weight <- weights
  taken <- intersect(names(new), names(cells))
  if (length(taken)) {
    refuse("the release has a column `", taken[1], "` of its own; as.data.frame(open_release(folder)) gives its records as they are")
  }
  # Not data.frame(): that would change names.
  for (name in names(new)) data[[name]] <- new[[name]]
  structure(data, class = c("velamen_received", "data.frame"), notes = notes)
}

# What labels stand for, by column: both ends are included, NA is an open end.
labels_of <- function(folder, manifest) {
  path <- file.path(folder, "labels.csv")
  labels <- list()
  if (file.exists(path)) {
    rows <- read_cells(path)
    if (!all(c("column", "label", "low", "high") %in% names(rows))) {
      refuse("labels.csv: expected the columns column, label, low, high and mid; verify the release", status = 4L)
    }
    labels <- lapply(split(rows, factor(rows$column, unique(rows$column))), function(own) {
      list(label = own$label, low = as_end(own$low), high = as_end(own$high))
    })
  }
  # Quasi-identifiers that are released as they are, with their domain: where a record hides them, that is what is known.
  for (name in names(manifest$attributes)) {
    one <- manifest$attributes[[name]]
    form <- one$hierarchy
    is_ranged <- identical(one$role, "quasi-identifier") && is.list(form) && any(c("interval", "cuts", "date") %in% names(form))
    if (is_ranged && !name %in% names(labels)) {
      end <- function(value) if (is.null(value)) NA_real_ else as_end(as.character(value))
      labels[[name]] <- list(label = "*", low = end(form$min), high = end(form$max))
    }
  }
  labels
}

# Numbers, or days; NA where it is neither.
as_end <- function(texts) {
  numbers <- suppressWarnings(as.numeric(texts))
  days <- as.Date(texts, format = "%Y-%m-%d")
  if (any(!is.na(days)) && all(is.na(numbers))) days else numbers
}

# Open ends closed by what the reader thinks possible.
closed <- function(labels, ends) {
  if (length(ends) && (!is.list(ends) || is.null(names(ends)))) {
    refuse("ends: expected the least and the greatest value by column, such as list(age = c(0, 110))")
  }
  for (name in names(ends)) {
    pair <- ends[[name]]
    one <- labels[[name]]
    if (is.null(one)) {
      refuse("ends: no label of a column `", name, "` is a range; columns with ranges: ", paste(c(names(labels), if (!length(labels)) "none"), collapse = ", "))
    }
    same_kind <- length(pair) == 2 && inherits(pair, "Date") == inherits(one$low, "Date") && (is.numeric(pair) || inherits(pair, "Date"))
    fits <- same_kind && !anyNA(pair) && pair[1] <= pair[2] &&
      all(pair[1] <= one$high[is.na(one$low)], na.rm = TRUE) && all(pair[2] >= one$low[is.na(one$high)], na.rm = TRUE)
    if (!fits) {
      refuse("ends: the ends of `", name, "` are of another kind than its labels, or inside them: give c(least, greatest)")
    }
    one$low[is.na(one$low)] <- pair[1]
    one$high[is.na(one$high)] <- pair[2]
    labels[[name]] <- one
  }
  labels
}

# The ends of each cell. A cell that is no label is a number or a day itself, unless it is masked.
bounds_of <- function(cells, labels) {
  at <- match(cells, labels$label)
  bounds <- list(low = labels$low[at], high = labels$high[at])
  own <- which(is.na(at) & !is.na(cells) & !startsWith(cells, "*"))
  if (length(own)) {
    values <- as_end(cells[own])
    if (inherits(values, "Date") == inherits(bounds$low, "Date")) bounds$low[own] <- bounds$high[own] <- values
  }
  bounds
}

middle <- function(bounds) {
  if (inherits(bounds$low, "Date")) bounds$low + floor(as.numeric(bounds$high - bounds$low) / 2) else bounds$low + (bounds$high - bounds$low) / 2
}

# For each record the share of the records like it that is genuine: those of its group of classes with its value. Nobody but
# the custodian knows which of them are counterfeit. NULL without a catalog.
weights_of <- function(folder, cells) {
  path <- file.path(folder, "catalog.csv")
  if (!file.exists(path)) {
    return(NULL)
  }
  wrong <- function() refuse("catalog.csv: the catalog does not fit the data; verify(folder) says where the release is broken", status = 4L)
  # The delimiter is that of the data file: it stands behind the first column's name.
  delimiter <- substr(readLines(path, n = 1L, warn = FALSE), 13L, 13L)
  if (!isTRUE(delimiter %in% c(",", ";", "\t", "|"))) delimiter <- ","
  rows <- tryCatch(read_cells(path, delimiter), error = function(error) wrong())
  width <- length(rows)
  values <- without_apostrophe(names(rows)[-c(1, width)])
  if (width < 3 || names(rows)[1] != "ClassID list" || !all(c("ClassID", values) %in% names(cells))) wrong()
  if (!nrow(rows)) {
    return(rep(1, nrow(cells)))
  }
  counts <- suppressWarnings(as.integer(rows[[width]]))
  if (anyNA(counts)) wrong()
  # A list stands in the first row of its group alone.
  lists <- strsplit(ifelse(is.na(rows[[1]]), "", rows[[1]]), " ", fixed = TRUE)
  first <- vapply(lists, function(ids) if (length(ids)) ids[1] else NA_character_, "")
  for (at in seq_along(first)) if (is.na(first[at]) && at > 1) first[at] <- first[at - 1]
  ids <- unlist(lists)
  group_of <- rep(first, lengths(lists))[match(as.character(cells$ClassID), ids)]
  text <- function(column) ifelse(is.na(column), "", as.character(column))
  key <- function(group, parts) do.call(paste, c(list(group), lapply(parts, text), sep = "\r"))
  keys <- key(group_of, unname(as.list(cells[values])))
  false <- tapply(counts, key(first, lapply(unname(as.list(rows[-c(1, width)])), without_apostrophe)), sum)
  counted <- table(keys)
  if (!all(names(false) %in% names(counted)) || any(false > counted[names(false)])) wrong()
  shares <- rep(0, length(counted))
  names(shares) <- names(counted)
  shares[names(false)] <- false / as.numeric(counted[names(false)])
  1 - unname(shares[keys])
}

check_received <- function(received, by, column = NULL) {
  if (!is.data.frame(received) || !all(c("suppressed", "weight") %in% names(received))) {
    refuse("expected what velamen_read_release() returns, with its columns suppressed and weight")
  }
  if (!is.character(by)) refuse("by: expected names of columns")
  unknown <- setdiff(c(column, by), names(received))
  if (length(unknown)) {
    refuse("the release has no column `", unknown[1], "`; it has ", paste(setdiff(names(received), c("suppressed", "weight")), collapse = ", "))
  }
}

# The records of each combination of values, in order.
groups_of <- function(received, by) {
  if (!length(by)) {
    return(list(keys = NULL, places = list(seq_len(nrow(received)))))
  }
  parts <- lapply(by, function(name) received[[name]])
  key <- do.call(paste, c(lapply(parts, function(part) ifelse(is.na(part), "\r", as.character(part))), sep = "\n"))
  # Numbers in order of numbers; places in the order of the keys' first records after sorting.
  order <- do.call(order, parts)
  places <- split(order, factor(key[order], unique(key[order])))
  first <- vapply(places, function(rows) rows[1], 0L, USE.NAMES = FALSE)
  keys <- as.data.frame(lapply(parts, function(part) part[first]), stringsAsFactors = FALSE)
  names(keys) <- by
  list(keys = keys, places = unname(places))
}

beside <- function(keys, figures) {
  if (is.null(keys)) figures else cbind(keys, figures)
}

# How many records there are, by the values of columns: released, suppressed, and an estimate without counterfeits.
velamen_count <- function(received, by = character()) {
  check_received(received, by)
  groups <- groups_of(received, by)
  sums <- function(name) vapply(groups$places, function(rows) as.numeric(sum(received[[name]][rows])), 0)
  beside(groups$keys, data.frame(records = lengths(groups$places), suppressed = sums("suppressed"), estimate = sums("weight")))
}

# The mean of a column of numbers without counterfeits and suppressed values, and the means of the ends.
velamen_mean <- function(received, column, by = character()) {
  if (!is_text(column)) refuse("column: expected the name of a column")
  check_received(received, by, column)
  ends <- paste0(column, c("_low", "_high"))
  parts <- if (all(ends %in% names(received))) {
    low <- received[[ends[1]]]
    high <- received[[ends[2]]]
    if (inherits(low, "Date")) refuse("column: `", column, "` has days; take them from the data frame")
    if (any(xor(is.na(low), is.na(high)) & !received$suppressed)) {
      refuse(
        "column: a label of `", column, "` has an open end, without which the mean would leave out just these records; ",
        "velamen_read_release(folder, ends = list(", key_of(column), " = c(least, greatest))) closes it"
      )
    }
    list(mean = low + (high - low) / 2, low = low, high = high)
  } else {
    cells <- received[[column]]
    if (!is.numeric(cells)) refuse("column: `", column, "` has neither numbers nor ranges of numbers; ranges = \"mid\" reads ranges as numbers")
    list(mean = cells, low = cells, high = cells)
  }
  groups <- groups_of(received, by)
  one <- function(cells, rows) {
    rows <- rows[!received$suppressed[rows] & !is.na(cells[rows])]
    total <- sum(received$weight[rows])
    if (total > 0) sum(cells[rows] * received$weight[rows]) / total else NA_real_
  }
  figures <- lapply(parts, function(cells) vapply(groups$places, function(rows) one(cells, rows), 0))
  beside(groups$keys, as.data.frame(figures))
}

print.velamen_received <- function(x, ...) {
  if (all(c("suppressed", "weight") %in% names(x))) {
    cat(
      "velamen release as received: ", counted(nrow(x), "record"), ", ", sum(x$suppressed), " suppressed, ",
      round(nrow(x) - sum(x$weight)), " counterfeit by the catalog\n",
      sep = ""
    )
  }
  show_notes(attr(x, "notes"))
  print(utils::head(structure(x, class = "data.frame", notes = NULL), 10))
  if (nrow(x) > 10) cat("... and", nrow(x) - 10, "more records\n")
  invisible(x)
}
