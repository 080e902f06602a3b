# The program, and what is said where there is none.
velamen_program <- function() {
  named <- getOption("velamen.program", Sys.getenv("VELAMEN", ""))
  if (!is_text(named)) refuse("options(velamen.program = ...): expected the path of the program")
  found <- if (nzchar(named)) named else unname(Sys.which("velamen"))
  if (!nzchar(found)) {
    refuse("the program velamen is not on the path; name it with options(velamen.program = ...)")
  }
  if (!file.exists(found)) {
    refuse("options(velamen.program = ...) or the variable VELAMEN names a file that is not there")
  }
  found
}

# An error of this package, of the same class as those of the program. Status 2 is wrong usage.
refuse <- function(..., status = 2L) {
  stop(structure(
    class = c("velamen_error", "error", "condition"),
    list(message = paste0(...), call = NULL, status = status)
  ))
}

# Temporary paths that the program gets, by what messages call them instead.
state <- new.env(parent = emptyenv())
state$called <- character()

# A folder that only the user may read; it is gone after `use`.
with_folder <- function(use) {
  folder <- normalizePath(tempfile("velamen-"), winslash = "/", mustWork = FALSE)
  dir.create(folder, mode = "0700")
  before <- state$called
  on.exit({
    state$called <- before
    unlink(folder, recursive = TRUE)
  })
  use(normalizePath(folder, winslash = "/"))
}

# A path under another name in all messages.
called <- function(path, name) {
  state$called[path] <- name
  path
}

# Bytes of UTF-8, which is what the program reads; R would write them in the locale's encoding.
utf8_bytes <- function(words) {
  words <- enc2utf8(as.character(words))
  Encoding(words) <- "unknown"
  words
}

# Whether steps are shown while the program works: in a session where somebody waits, unless an option says otherwise.
shows_progress <- function() {
  isTRUE(getOption("velamen.progress", interactive())) && .Platform$OS.type != "windows"
}

# The program's messages and exit code; what it prints goes to the file `out`.
started <- function(words, out, quiet = "--quiet") {
  quoted <- shQuote(utf8_bytes(words), if (.Platform$OS.type == "windows") "cmd" else "sh")
  if (shows_progress()) {
    return(watched(quoted, out))
  }
  err <- tempfile("velamen-err-")
  on.exit(unlink(err))
  status <- system2(velamen_program(), c(quoted, quiet), stdout = out, stderr = err)
  list(said = readLines(err, warn = FALSE, encoding = "UTF-8"), status = status)
}

# As `started`; steps with their shares are shown in one line of the session's messages, which is gone at the end.
watched <- function(quoted, out) {
  command <- paste(c(shQuote(velamen_program()), quoted, "2>&1", ">", shQuote(out)), collapse = " ")
  messages <- pipe(command, "r", encoding = "UTF-8")
  open <- TRUE
  on.exit(if (open) close(messages))
  said <- character()
  width <- 0
  while (length(line <- readLines(messages, 1, warn = FALSE))) {
    if (grepl("^[[:lower:] -]+: [0-9]+%$", line)) {
      cat("\r", format(line, width = width), sep = "", file = stderr())
      width <- max(width, nchar(line))
    } else {
      said <- c(said, line)
    }
  }
  if (width) cat("\r", strrep(" ", width), "\r", sep = "", file = stderr())
  open <- FALSE
  status <- close(messages)
  # What the system says of a process that ended: its exit code stands above eight bits for a signal.
  status <- if (is.null(status)) 0L else status
  list(said = said, status = if (status >= 256L) status %/% 256L else status)
}

# Runs the program; its message is the error. `answers` are further exit codes with which it prints a result.
run <- function(words, answers = integer(), quiet = "--quiet") {
  out <- tempfile("velamen-out-")
  on.exit(unlink(out))
  ended <- started(words, out, quiet)
  status <- ended$status
  said <- spoken(ended$said)
  text <- paste(readLines(out, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  if (status != 0 && !(status %in% answers && nzchar(text))) {
    # The message and what mends it; warnings before it are none of it.
    first <- grep("^error(\\[E[0-9]+\\])?: ", said)
    problem <- if (length(first)) said[first[1]:length(said)] else said
    refuse(of_call(without_mark(paste(problem, collapse = "\n"))), status = status)
  }
  list(
    text = without_folders(text),
    remarks = sub("^warning: ", "", grep("^warning: ", said, value = TRUE)),
    problem = without_mark(grep("^error(\\[E[0-9]+\\])?: ", said, value = TRUE)),
    status = status
  )
}

without_mark <- function(text) sub("^error(\\[E[0-9]+\\])?: ", "", text)

# A text without temporary folders.
without_folders <- function(text) {
  for (path in names(state$called)) {
    text <- gsub(path, state$called[[path]], text, fixed = TRUE)
  }
  text
}

# Arguments whose options have another name on the command line.
SPELLED <- c(with = "second", as = "as_", input = "table")

# A message of the command line in words of R.
spoken <- function(text) {
  unsaid <- is.na(text)
  text <- without_folders(text)
  # The session's own folder, where releases go that have no other place.
  folders <- unique(c(tempdir(), normalizePath(tempdir(), winslash = "/")))
  for (folder in folders) {
    text <- gsub(paste0(folder, "/"), "", text, fixed = TRUE)
    text <- gsub(folder, "the session's folder", text, fixed = TRUE)
  }
  text <- gsub("`velamen anonymize --show-values`", "check(recipe, data = TRUE, show_values = TRUE)", text, fixed = TRUE)
  text <- sub("^(error(\\[E[0-9]+\\])?: )--set ", "\\1set: ", text)
  text <- gsub("as in --set ", "as in ", text, fixed = TRUE)
  text <- sub("--set ", "set: ", gsub(" --set ", ", ", text, fixed = TRUE), fixed = TRUE)
  # What this package sets itself is none of the caller's.
  text <- gsub("(output.format=csv|input.header=true), ", "", text)
  text <- gsub("`--qi age,sex,zip`", "qi = c(\"age\", \"sex\", \"zip\")", text, fixed = TRUE)
  text <- gsub("Paths in a recipe start at the recipe's folder, paths on the command line at the current folder", paste(
    "Paths in a recipe's file start at the file's folder, paths in R at the working directory"
  ), text, fixed = TRUE)
  text <- gsub("or build from source with `cargo build --release --features full`", "or build it with all features (docs/install.md)", text, fixed = TRUE)
  text <- gsub("--as (omop|fhir|synthea)", "as_ = \"\\1\"", text)
  text <- gsub("--control TABLE", "control", text, fixed = TRUE)
  text <- gsub("\\b(the|its) recipe with --recipe\\b", "its recipe as `recipe`", text)
  text <- of_functions(text)
  text <- gsub("give --overwrite", "give overwrite = TRUE", text, fixed = TRUE)
  text <- gsub("in the recipe or on the command line", "in the recipe or the call", text, fixed = TRUE)
  for (option in names(SPELLED)) {
    text <- gsub(paste0("(^|[^-'\"[:alnum:]_])--", option, "(?![a-z-])"), paste0("\\1", SPELLED[[option]]), text, perl = TRUE)
  }
  found <- gregexpr("(?<![-'\"\\w])--[a-z][a-z-]*", text, perl = TRUE)
  regmatches(text, found) <- lapply(regmatches(text, found), function(options) gsub("-", "_", substring(options, 3)))
  text[unsaid] <- NA
  text
}

# Commands that a message names, as functions or pages of the manual.
of_functions <- function(text) {
  text <- gsub("(; | )`velamen schema` shows editors such mistakes as you type", "", text)
  text <- gsub("(^|[.] )`velamen explain ([a-z-]+)`", "\\1The manual's page `docs/\\2.md`", text)
  text <- gsub("`velamen explain ([a-z-]+)`", "the manual's page `docs/\\1.md`", text)
  text <- gsub("`velamen hierarchy ([a-z]+)[^`]*`", "`hierarchy_\\1`", text)
  text <- gsub("`velamen (diff|sign)[^`]*`", "`\\1_releases`", text)
  text <- gsub("`sign_releases`", "`sign_release`", gsub("`velamen profile[^`]*`", "`profile_table`", text), fixed = TRUE)
  gsub("`velamen (anonymize|check|verify|measure|risk|compare|attack|leak|audit|estimate|explore|evidence|query)[^`]*`", "`\\1`", text)
}

# What the command line says of an argument, of the call's.
of_call <- function(text) {
  text <- gsub("\n+(Usage: [^\n]*|For more information, try '--help'\\.)", "", text)
  text <- sub("^the following required arguments were not provided:\\s+(--)?([a-z-]+)( <[^>]*>)?", "\\2: missing; give it", text)
  text <- sub("^the following required arguments were not provided:\\s+<([A-Za-z_-]+)>", "\\L\\1: missing; give it", text, perl = TRUE)
  text <- sub("'VELAMEN_SEED \\(the variable for seed\\)'", "'--seed <SEED>'", text)
  text <- gsub("\n +\\[possible values: ([^]]*)\\]", ": expected one of \\1", text)
  found <- regmatches(text, regexec("^invalid value '.*' for '(--)?([A-Za-z-]+)[^']*': (.*)$", text))[[1]]
  if (!length(found)) {
    return(text)
  }
  paste0(c(argument_of(found[3]), ": a wrong value; "), c("", expected(sub("^a wrong value; ", "", found[4]))), collapse = "")
}

argument_of <- function(option) if (option == "for") "form" else gsub("-", "_", tolower(option))

# What was expected, where the command line says only what is wrong.
expected <- function(problem) {
  problem <- sub("^invalid float literal.*", "expected a number", problem)
  sub("^a wrong number; ", "", problem)
}

# What an operation answers, as an object with a class of its own.
told <- function(words) {
  # With these exit codes the answer says what is wrong.
  answers <- switch(words[1], verify = c(3L, 8L), check = 1:8, integer())
  made <- run(c(words, "--json"), answers)
  answer <- jsonlite::fromJSON(made$text, simplifyVector = TRUE, simplifyDataFrame = words[1] != "verify")
  result(words[1], answer, made)
}
