# A release as its recipient computes with it.
library(velamen)

if (inherits(try(velamen_program(), silent = TRUE), "try-error")) {
  message("there is no program velamen: nothing is tested")
} else {
  set.seed(1)
  patients <- data.frame(
    age = sample(20:95, 600, TRUE), day = as.Date("2020-01-01") + sample(0:700, 600, TRUE), sex = sample(c("F", "M"), 600, TRUE),
    diagnosis = sample(c("I63", "J18", "E11", "F20", "G40"), 600, TRUE, c(0.5, 0.2, 0.15, 0.1, 0.05))
  )
  recipe <- list(
    attributes = list(
      age = list(role = "quasi-identifier", hierarchy = list(interval = c(5, 10, 20), min = 0, max = 119)),
      day = list(role = "quasi-identifier", hierarchy = list(date = c("month", "quarter", "year"), min = "2020-01-01", max = "2021-12-31")),
      sex = "quasi-identifier", diagnosis = "sensitive"
    ),
    privacy = list(model = "k-anonymity", k = 5), method = "optimal"
  )
  release <- anonymize(patients, recipe, set = list("method.suppression-limit" = 0.1))
  read <- function(...) velamen_read_release(release$path, ...)
  middle <- read()
  text <- read(ranges = "text")
  stopifnot(
    is.numeric(middle$age), all(middle$age_low <= middle$age_high), inherits(middle$day, "Date"), inherits(middle$day_low, "Date"),
    identical(middle$suppressed, is.na(middle$ClassID)), all(is.na(middle$age[middle$suppressed])), all(middle$weight == 1),
    identical(read(ranges = "low")$age[!middle$suppressed], middle$age_low[!middle$suppressed]),
    identical(read(ranges = "high")$age[!middle$suppressed], middle$age_high[!middle$suppressed]),
    is.character(text$age), !"age_low" %in% names(text), sum(velamen_count(middle, "sex")$records) == 600
  )
  # The means of the ends bound the mean of the people who are shown.
  mean_of <- velamen_mean(middle, "age")
  stopifnot(mean_of$low < mean_of$mean, mean_of$mean < mean_of$high, nrow(velamen_mean(middle, "age", by = c("sex", "diagnosis"))) >= 10)
  if (!any(middle$suppressed)) stopifnot(mean_of$low <= mean(patients$age), mean(patients$age) <= mean_of$high)
  # A query is answered with bounds, or refused by a program that was built without it.
  asked <- tryCatch(
    query(release, "SELECT sex, COUNT(*) AS n FROM release WHERE age >= 65 GROUP BY sex"), velamen_error = identity
  )
  if (inherits(asked, "velamen_error")) {
    stopifnot(asked$status == 2, grepl("this build cannot answer queries", conditionMessage(asked)))
  } else {
    old <- table(patients$sex[patients$age >= 65])[asked$sex]
    stopifnot(identical(names(asked), c("sex", "n", "n_lower", "n_upper")), all(asked$n_lower <= old), all(old <= asked$n_upper))
  }
  # Rows of it do as well.
  women <- middle[middle$sex == "F", ]
  stopifnot(velamen_count(women)$records == sum(middle$sex == "F"))

  # An open end is closed by who reads.
  open <- anonymize(patients, recipe, set = list(attributes = list(age = list(top = 80))))
  ends <- velamen_read_release(open)
  if (any(is.na(ends$age_high))) {
    refused <- tryCatch(velamen_mean(ends, "age"), velamen_error = conditionMessage)
    stopifnot(grepl("open end", refused))
    ends <- velamen_read_release(open, ends = list(age = c(0, 119)))
  }
  stopifnot(velamen_mean(ends, "age")$high >= mean(patients$age))

  # Counterfeits: sums of weights are what the catalog leaves.
  hidden <- anonymize(patients, recipe, set = list(method = list(name = "h-ceiling", h = 0.6, padding = "exact"), privacy = list("0" = list(k = 9))), seed = 7)
  found <- velamen_read_release(hidden)
  number <- hidden$manifest$counterfeits
  truth <- table(patients$diagnosis)
  estimated <- velamen_count(found, "diagnosis")
  stopifnot(
    number > 0, abs(nrow(found) - sum(found$weight) - number) < 1e-6,
    # By value of the sensitive attribute the catalog is exact.
    all(abs(estimated$estimate - as.numeric(truth[estimated$diagnosis])) < 1e-6)
  )
  catalog <- file.path(hidden$path, "catalog.csv")
  writeLines(sub("[0-9]+$", "100000", readLines(catalog)), catalog)
  wrong <- tryCatch(velamen_read_release(hidden), velamen_error = identity)
  stopifnot(inherits(wrong, "velamen_error"), grepl("does not fit", conditionMessage(wrong)), wrong$status == 4)
}
