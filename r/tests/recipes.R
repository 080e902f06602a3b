# Recipes begin, are checked and run in R.
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
  ks <- function(release) release$manifest$privacy$asked$k[[1]]
  stopifnot(
    nrow(check(recipe, table = patients, data = TRUE)) == 0,
    ks(anonymize(patients, recipe)) == 5,
    ks(anonymize(patients, set_entries(recipe, "privacy.0.k" = 7))) == 7,
    ks(anonymize(patients, recipe, set = list("privacy.0.k" = 8))) == 8,
    ks(anonymize(patients, recipe, set = list(privacy = list("0" = list(k = 9))))) == 9,
    ks(anonymize(patients, recipe, set = list(privacy = list(list(model = "k-anonymity", k = 10))))) == 10,
    estimate(patients, recipe)$records == 300, nrow(explore(patients, recipe)$solutions) > 0
  )

  # Answers can be read: a table of columns, tables within tables, nothing that is not said, numbers as people write them.
  printed <- function(x) utils::capture.output(print(x))
  release <- anonymize(patients, recipe)
  profile <- printed(profile_table(patients))
  attacks <- printed(attack(release, patients, targets = 20))
  compared <- printed(compare(patients, release, analysis = "age ~ sex"))
  form <- printed(evidence(release, "data-card"))
  mistakes <- printed(check(list(attributes = list(age = list(role = "sensitive", rolle = 1)))))
  stopifnot(
    any(grepl("^ +name +type +distinct +missing +unique +role", profile)), any(grepl("^why:", profile)),
    any(grepl("^    figures:", attacks)), any(grepl("left out: .*control$", attacks)), !any(grepl("TABLE", attacks)),
    any(grepl("estimates:", compared)), any(grepl("[-0-9.]+ [[][-0-9.]+, [-0-9.]+[]]", compared)),
    any(grepl("What is it called? (yours)", form, fixed = TRUE)), length(form) < 60,
    !any(grepl("\\bNA\\b|[0-9]e-0[1-4]", c(profile, attacks, compared, form, mistakes))),
    any(grepl("a data frame: 2 values, 1 level above", printed(set_entries(recipe, attributes = list(sex = list(
      hierarchy = data.frame(value = c("F", "M"), level1 = "all")
    ))))))
  )

  # A seed gives the same release, and is forgotten.
  two <- lapply(1:2, function(at) anonymize(patients, recipe, seed = 100000, set = list(method = list(name = "mondrian"))))
  stopifnot(
    identical(readLines(file.path(two[[1]]$path, "data.csv")), readLines(file.path(two[[2]]$path, "data.csv"))),
    is.na(Sys.getenv("VELAMEN_SEED", NA)), any(grepl("seed", two[[1]]$remarks))
  )

  # The same from a file, from text and from a suggestion.
  file <- save_recipe(set_entries(recipe, method = list(metric = "loss")), tempfile(fileext = ".toml"))
  text <- readLines(file)
  stopifnot(
    any(grepl("^name = \"optimal\"$", text)), any(grepl("^metric = \"loss\"$", text)),
    ks(anonymize(patients, file)) == 5, ks(anonymize(patients, text)) == 5,
    ks(anonymize(patients, set_entries(file, "privacy.0.k" = 6))) == 6
  )
  first <- suggest(patients)
  said <- capture.output(print(first))
  stopifnot(
    any(grepl("its name contains `age`", said)), !any(grepl("velamen-", said)),
    ks(anonymize(patients, set_entries(first, privacy = list("0" = list(k = 4))))) == 4
  )

  # A hierarchy is a list, a data frame or a file, and comes out again.
  sexes <- data.frame(value = c("F", "M"), level1 = "any;one", level2 = "*")
  framed <- set_entries(recipe, attributes = list(sex = list(hierarchy = sexes)))
  folder <- tempfile("kept-")
  dir.create(folder)
  kept <- save_recipe(framed, file.path(folder, "recipe.toml"))
  exported <- hierarchy_export(framed, "sex")
  stopifnot(
    identical(exported$level1, c("any;one", "any;one")), identical(hierarchy_export(kept, "sex")$level2, c("*", "*")),
    nrow(hierarchy_build(ages)) == 100, hierarchy_show(sexes)$levels == 3, hierarchy_check(sexes, patients, "sex")$`missing-values` == 0,
    ks(anonymize(patients, framed)) == 5, nrow(hierarchy_build(list("icd-10" = "who"), codes = c("I63", "J18"))) == 2
  )

  # Mistakes are rows.
  wrong <- check(set_entries(recipe, attributes = list(age = list(role = "sensitiv"))))
  stopifnot(nrow(wrong) == 1, grepl("sensitive", wrong$message), any(grepl("1 mistake", capture.output(print(wrong)))))

  # Verified, signed, broken.
  release <- anonymize(patients, recipe)
  keys <- new_keys(file.path(folder, "hospital"))
  sign_release(release, keys[["secret"]])
  verified <- verify(release, key = keys[["public"]])
  stopifnot(
    holds(verified), is.data.frame(verified), "k-anonymity" %in% verified$promise, verified$asked[1] == "k 5",
    any(grepl("held", capture.output(print(verified))))
  )
  data <- file.path(release$path, "data.csv")
  lines <- readLines(data)
  writeLines(lines[-2], data)
  broken <- tryCatch(verify(release), velamen_broken = identity)
  stopifnot(inherits(broken, "warning"), !holds(broken$findings), grepl("records", conditionMessage(broken)))
  stopifnot(identical(suppressWarnings(verify(release))$state, broken$findings$state))

  # Answers print, in words of R.
  release <- anonymize(patients, recipe)
  answers <- list(
    measure(patients, qi = c("age", "sex")), risk(patients, qi = c("age", "sex")), compare(patients, release, target = "diagnosis"),
    attack(release, patients, targets = 20, recipe = recipe, trials = 10), leak(patients), diff_releases(release, release), profile_table(patients)
  )
  said <- unlist(lapply(answers, function(answer) capture.output(print(answer))))
  stopifnot(length(said) > 100, !any(grepl("(^| )--[a-z]", said)), !any(grepl("velamen-", said)), max(nchar(said)) < 200)
  summarized <- summary(release)
  stopifnot(summarized$records == 300, summarized$promises$reached != "", sum(!is.na(summarized$attributes$loss)) == 2)
  grDevices::pdf(NULL)
  plot(release)
  plot(risk(patients, qi = "age"))
  plot(explore(patients, recipe))
  invisible(grDevices::dev.off())

  # Steps, with undo.
  object <- velamen_object(patients, qi = c("age", "sex"), sensitive = "diagnosis", hierarchies = list(age = ages))
  object <- protect(object)
  later <- protect(change(object, "privacy.0.k" = 20))
  stopifnot(
    ks(object$release) == 5, ks(later$release) == 20, identical(undo(undo(later)), object), nrow(as.data.frame(later)) == 300,
    summary(later)$records == 300, any(grepl("changed privacy.0.k", capture.output(print(later))))
  )
}
