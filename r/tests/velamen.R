library(velamen)

if (inherits(try(velamen_program(), silent = TRUE), "try-error")) {
  message("there is no program velamen: nothing is tested")
} else {
  set.seed(1)
  patients <- data.frame(
    age = sample(20:89, 300, TRUE),
    sex = factor(sample(c("F", "M"), 300, TRUE)),
    diagnosis = sample(c("I63", "J18", "E11"), 300, TRUE)
  )
  row.names(patients) <- paste0("P", 1:300)
  folder <- tempfile("test-")
  dir.create(folder)
  recipe <- file.path(folder, "recipe.toml")
  writeLines(c(
    "[input]", "path = \"none.csv\"",
    "[attributes.age]", "role = \"quasi-identifier\"",
    "hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }",
    "[attributes.sex]", "role = \"quasi-identifier\"",
    "[attributes.diagnosis]", "role = \"sensitive\"",
    "[[privacy]]", "model = \"k-anonymity\"", "k = 5",
    "[method]", "name = \"optimal\"",
    "[output]", "path = \"none\""
  ), recipe)
  release <- anonymize(patients, recipe, file.path(folder, "release"), set = list(`privacy.0.k` = 7))
  released <- as.data.frame(release)
  stopifnot(
    nrow(released) == 300, !any(grepl("P1", unlist(released))),
    all(verify(release)$state %in% c("held", "stated")), measure(release)$k >= 7,
    measure(patients, qi = c("age", "sex"), sensitive = "diagnosis")$records == 300,
    risk(release, before = patients)$before$records == 300,
    nrow(explore(patients, recipe)$solutions) >= 1
  )
  refused <- tryCatch(anonymize(patients, recipe, file.path(folder, "release")), velamen_error = identity)
  stopifnot(refused$status == 6, !grepl("^error", conditionMessage(refused)))
  left <- list.files(tempdir(), "^velamen-")
  stopifnot(length(left) == 0)
}
