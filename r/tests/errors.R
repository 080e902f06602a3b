# Wrong calls are refused in words of R: no temporary path, no option of the command line, no cell.
library(velamen)

if (inherits(try(velamen_program(), silent = TRUE), "try-error")) {
  message("there is no program velamen: nothing is tested")
} else {
  set.seed(1)
  patients <- data.frame(
    age = sample(20:89, 300, TRUE), sex = factor(sample(c("F", "M"), 300, TRUE)),
    diagnosis = sample(c("I63", "J18", "E11"), 300, TRUE)
  )
  ages <- list(interval = c(5, 10, 20), min = 0, max = 99)
  recipe <- velamen_recipe(
    attributes = list(age = list(role = "quasi-identifier", hierarchy = ages), sex = "quasi-identifier", diagnosis = "sensitive"),
    privacy = list(model = "k-anonymity", k = 5), method = "optimal"
  )
  release <- anonymize(patients, recipe)
  received <- velamen_read_release(release)
  object <- velamen_object(patients, qi = c("age", "sex"), sensitive = "diagnosis")
  odd <- transform(patients, age = replace(age, 7, 4711))
  # Each call, and what its message must say.
  calls <- expression(
    "suggest" = anonymize(patients),
    "column|ward" = anonymize(cbind(patients, ward = 1), recipe),
    "hierarchy" = anonymize(odd, recipe),
    "exists" = anonymize(patients, recipe, release$path),
    "overwrite: expected TRUE or FALSE" = anonymize(patients, recipe, overwrite = "yes"),
    "output: expected" = anonymize(patients, recipe, 5),
    "seed: expected a single" = anonymize(patients, recipe, seed = 1:2),
    "seed" = anonymize(patients, recipe, seed = -1),
    "set: expected a list" = anonymize(patients, recipe, set = c(k = 5)),
    "set: expected a list" = anonymize(patients, recipe, set = list(10)),
    "unknown field `modle`" = anonymize(patients, recipe, set = list(method = list(modle = "x"))),
    "without missing" = anonymize(patients, recipe, set = list(method = list("suppression-limit" = NA))),
    "k" = anonymize(patients, recipe, set = list("privacy.0.k" = 1000)),
    "no recipe|no file|cannot read|not there" = anonymize(patients, "nowhere.toml"),
    "expected a data frame" = anonymize(1:10, recipe),
    "each by the name" = anonymize(list(patients, patients), recipe),
    "several values" = anonymize(cbind(patients, more = I(rep(list(1:2), 300))), recipe),
    "called `age`" = anonymize(cbind(patients, patients["age"]), recipe),
    "recipe: expected" = check(5),
    "expected parts by name" = velamen_recipe(list(1, 2)),
    "roles by name" = velamen_recipe(attributes = c("age", "sex")),
    "there is no file" = velamen_recipe("nowhere.toml"),
    "`agee` is not a column" = measure(patients, qi = "agee"),
    "qi: expected texts" = measure(patients, qi = 1),
    "qi" = measure(patients),
    "expected a single" = risk(patients, qi = "age", threshold = c(0.1, 0.2)),
    "threshold" = risk(patients, qi = "age", threshold = 7),
    "is not a release" = verify(tempfile("nothing")),
    "expected a data frame, a path or a release" = verify(5),
    "not records" = compare(patients, as.data.frame(release)),
    "attack" = attack(release, patients, attacks = "guessing"),
    "second: expected a list" = attack(release, patients, second = release),
    "is no release" = velamen_read_release(tempfile("nothing")),
    "ranges: expected" = velamen_read_release(release, ranges = "middle"),
    "ends" = velamen_read_release(release, ends = list(sex = c(0, 1))),
    "ends" = velamen_read_release(release, ends = c(0, 1)),
    "no column `agee`" = velamen_count(received, by = "agee"),
    "neither numbers" = velamen_mean(received, "diagnosis"),
    "velamen_read_release" = velamen_mean(patients, "age"),
    "expected a list such as" = hierarchy_build(5),
    "interval" = hierarchy_build(list(intervall = 5)),
    "attribute" = hierarchy_export(release, "agee"),
    "missing cells" = hierarchy_check(data.frame(value = c("F", NA), level1 = "*")),
    "key" = sign_release(release, "nowhere.key"),
    "expected what verify" = holds(TRUE),
    "two roles" = velamen_object(patients, qi = c("age", "sex"), sensitive = c("diagnosis", "age")),
    "no role is given for `sex`" = velamen_object(patients, qi = "age", sensitive = "diagnosis"),
    "no step" = undo(object),
    "protect" = summary(object),
    "unknown|expected" = anonymize(patients, set_entries(recipe, privacy = list("0" = list(model = "k-anonimity")))),
    "the table comes first" = estimate(recipe, patients),
    "targets: a wrong value; expected a whole number" = attack(release, patients, targets = "all"),
    "threshold: a wrong value; expected a number" = risk(patients, qi = "age", threshold = "x"),
    "seed: a wrong value; a seed is" = anonymize(patients, recipe, seed = "x"),
    "form: a wrong value; expected one of ema-0070" = evidence(release, "gdpr"),
    "by: a wrong value; expected one of distinction" = profile_table(patients, by = "x"),
    "column: missing; give it" = hierarchy_build(list("icd-10" = "who"), table = patients),
    "docs/recipe.md" = anonymize(patients, set_entries(recipe, "privacy.0.k" = "five")),
    "^set: metod=x: unknown field" = anonymize(patients, recipe, set = list(metod = "x")),
    "privacy: expected a model with its parameters" = velamen_recipe(attributes = list(age = "sensitive"), privacy = "k-anonymity"),
    "there is no folder" = save_recipe(recipe, "nowhere/recipe.toml"),
    "file: expected the path" = save_recipe(recipe, 5),
    "folder: expected the path" = open_release(patients),
    "numbered from 0, as in privacy" = anonymize(patients, recipe, set = list("privacy.9.k" = 5)),
    "release: missing; give it" = verify(NULL),
    "complex numbers and raw bytes have no place in a table: dose" = anonymize(cbind(patients, dose = 1i), recipe),
    "the hierarchy's data frame: .*row 2 repeats" = anonymize(patients, set_entries(recipe, attributes = list(sex = list(
      hierarchy = data.frame(value = c("F", "F", "M"), level1 = c("x", "y", "x"))
    )))),
    "since the last change: .*undo" = summary(change(protect(object), "privacy.0.k" = 6)),
    "expected" = hierarchy_check(list())
  )
  for (at in seq_along(calls)) {
    what <- paste(deparse(calls[[at]]), collapse = " ")
    # Messages are the same where steps are shown.
    options(velamen.progress = at %% 2 == 0)
    error <- tryCatch({
      eval(calls[[at]])
      stop(what, ": was not refused")
    }, velamen_error = identity)
    said <- conditionMessage(error)
    if (!grepl(names(calls)[at], said)) stop(what, ": says: ", said)
    if (grepl("/tmp|Rtmp|velamen-", said) || grepl(tempdir(), said, fixed = TRUE)) stop(what, ": names a temporary path: ", said)
    if (grepl("(^|[ `'])--[a-z]|`velamen |Usage:|error\\[E", said)) stop(what, ": speaks of the command line: ", said)
    if (grepl("4711", said)) stop(what, ": shows a cell: ", said)
    if (!is.numeric(error$status) || error$status == 0) stop(what, ": has no status")
  }
  stopifnot(length(calls) >= 50, length(list.files(tempdir(), "^velamen-")) == 0)
}
