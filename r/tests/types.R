# Types come back as they went in, where the release keeps them, in any locale.
library(velamen)

if (inherits(try(velamen_program(), silent = TRUE), "try-error")) {
  message("there is no program velamen: nothing is tested")
} else {
  set.seed(1)
  n <- 400
  # The hour from 2 to 3 occurs twice in that night.
  night <- as.POSIXct("2020-10-24 22:00:00", tz = "UTC") + seq(0, by = 60, length.out = n)
  attr(night, "tzone") <- "Europe/Berlin"
  given <- data.frame(
    check.names = FALSE,
    "age, years" = sample(20:89, n, TRUE), street = factor(sample(c("K\u00f6ln", "\u00dcbach", "\u00d6d, \"am\" See"), n, TRUE)),
    stage = factor(sample(c("low", "middle", "high"), n, TRUE), c("none", "low", "middle", "high"), ordered = TRUE),
    day = as.Date("2020-01-01") + sample(0:700, n, TRUE), night = night, tick = as.POSIXct("2021-05-01", tz = "UTC") + seq_len(n) / 8,
    cost = c(100000, 1e15, 0.1 + 0.2, 1e-7, -12.5, NA, rnorm(n - 6)), many = 2^53 - seq_len(n), flag = sample(c(TRUE, FALSE, NA), n, TRUE),
    wait = as.difftime(sample(100, n, TRUE), units = "hours"), diagnosis = sample(c("I63", "J18", "NA"), n, TRUE), row = seq_len(n)
  )
  # Not as an argument: that would be in the locale's encoding.
  names(given)[names(given) == "street"] <- "Stra\u00dfe"
  roles <- list("age, years" = list(role = "quasi-identifier", hierarchy = list(interval = c(5, 10, 20), min = 0, max = 99)))
  roles[["Stra\u00dfe"]] <- list(role = "quasi-identifier", "identifier-like" = "intended")
  for (name in setdiff(names(given), names(roles))) roles[[name]] <- list(role = "insensitive", "identifier-like" = "intended")
  roles$diagnosis <- "sensitive"
  recipe <- list(attributes = roles, privacy = list(model = "k-anonymity", k = 3), method = "optimal")
  release <- anonymize(given, recipe, seed = 100000)
  back <- as.data.frame(release)
  back <- back[order(back$row), ]
  for (name in setdiff(names(given), c("age, years", "stage"))) {
    same <- identical(as.vector(back[[name]]), as.vector(given[[name]])) && identical(class(back[[name]]), class(given[[name]]))
    if (!same) stop(name, " came back changed")
  }
  stopifnot(
    is.character(back[["age, years"]]), all(grepl("^\\[", back[["age, years"]])), identical(attr(back$night, "tzone"), "Europe/Berlin"),
    identical(units(back$wait), "hours"), nrow(back) == n,
    # Levels that nobody has are not those of a release.
    is.ordered(back$stage), identical(levels(back$stage), c("low", "middle", "high")), all(back$stage == as.character(given$stage))
  )

  # A release that suppresses records: they are missing in columns with a type.
  few <- rbind(given, given[1, ])
  few[["Stra\u00dfe"]] <- factor(c(as.character(given[["Stra\u00dfe"]]), "Wien"))
  limited <- anonymize(few, recipe, set = list(method = list("suppression-limit" = 0.1), attributes = stats::setNames(list(list(level = 0)), "Stra\u00dfe")))
  shown <- as.data.frame(limited)
  hidden <- is.na(shown$ClassID)
  stopifnot(any(hidden), inherits(shown$day, "Date"), all(is.na(shown$day[hidden])), !anyNA(shown$day[!hidden]), !"*" %in% levels(shown[["Stra\u00dfe"]]))

  # By its folder, a release has the types that its codebook states.
  stated <- as.data.frame(open_release(release$path))
  stopifnot(inherits(stated$day, "Date"), is.numeric(stated$cost), is.integer(stated$ClassID), is.character(stated$diagnosis))

  # Names with commas, large numbers, one column.
  stopifnot(
    measure(given, qi = c("age, years", "Stra\u00dfe"), sensitive = "diagnosis")$records == n,
    identical(risk(given, qi = "age, years")$`quasi-identifiers`, "age, years"),
    grepl("age, years", leak(given, attributes = c("age, years", "flag"))$sets$attributes[[1]]),
    measure(data.frame(a = c(NA, 1, 1)), qi = "a")$records == 3,
    # Names that look like values are names.
    measure(stats::setNames(given[c("row", "many")], c("12", "7")), qi = c("12", "7"))$records == n,
    nrow(check(suggest(stats::setNames(given[c("row", "flag")], c("12", "7"))), table = stats::setNames(given[c("row", "flag")], c("12", "7")), data = TRUE)) == 0
  )
}
