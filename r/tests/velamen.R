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
  # What mends a mistake is part of its message, with all its lines.
  unnamed <- tryCatch(anonymize(cbind(patients, ward = 1), recipe, file.path(folder, "none")), velamen_error = identity)
  stopifnot(grepl("[attributes.ward]", conditionMessage(unnamed), fixed = TRUE))
  lost <- tryCatch(anonymize(patients, file.path(folder, "none.toml"), file.path(folder, "none")), velamen_error = identity)
  stopifnot(grepl("try: ", conditionMessage(lost), fixed = TRUE))

  # Numbers are written out, days as days, missing values as missing.
  costs <- data.frame(
    age = rep(c(30, 100000, NA), 100), sex = factor(rep(c("F", NA), 150)), diagnosis = c("I63", "J18", "E11"),
    day = as.Date("2020-01-31")
  )
  more <- list(`attributes.age.hierarchy.max` = 1e6, `attributes.age.hierarchy.interval` = c(200000, 1e6),
    `attributes.day.role` = "insensitive", `method.suppression-limit` = 0.1)
  costly <- as.data.frame(anonymize(costs, recipe, file.path(folder, "costly"), set = more))
  lines <- readLines(file.path(folder, "costly", "data.csv"))
  stopifnot(
    nrow(costly) == 300, all(costly$day == as.Date("2020-01-31")), !any(grepl("e+", lines, fixed = TRUE)),
    setequal(costly$diagnosis, costs$diagnosis)
  )
  several <- tryCatch(measure(cbind(costs, list = I(rep(list(1:2), 300))), qi = "age"), error = conditionMessage)
  stopifnot(grepl("list", several))

  # Linked tables: a list of data frames by name.
  people <- data.frame(id = paste0("P", 1:200), sex = rep(c("F", "M"), 100))
  stays <- data.frame(
    stay = 1000000 + 1:400, id = rep(people$id, 2), code = sample(c("I63", "J18", "E11"), 400, TRUE),
    day = as.Date("2020-01-01") + sample(0:300, 400, TRUE)
  )
  linked <- file.path(folder, "linked.toml")
  writeLines(c(
    "[input]", "folder = \"none\"",
    "[tables.people]", "key = \"id\"", "[tables.people.attributes.sex]", "role = \"quasi-identifier\"",
    "[tables.stays]", "key = \"stay\"", "parent = { table = \"people\", column = \"id\" }",
    "[tables.stays.attributes.code]", "role = \"set\"", "[tables.stays.attributes.day]", "role = \"date\"",
    "[[privacy]]", "model = \"k-km-anonymity\"", "k = 5", "m = 1", "[output]", "path = \"none\""
  ), linked)
  given <- list(people = people, stays = stays)
  several <- anonymize(given, linked, file.path(folder, "several"))
  found <- as.list(several)
  stopifnot(
    inherits(several, "velamen_linked_release"), setequal(names(found), c("people", "stays")),
    nrow(found$people) == several$manifest$persons$records, all(found$stays$id %in% found$people$id),
    inherits(found$stays$day, "Date"), is.numeric(found$stays$stay), !any(grepl("P1", unlist(found))),
    identical(as.data.frame(several), found$people), identical(as.data.frame(several, table = "stays"), found$stays),
    all(verify(several)$state %in% c("held", "stated")), measure(several)$`largest-k-in-classes`$`1` >= 5,
    attack(several, given, background = 1, targets = 20)$released$targets == 20
  )
  wrong <- list(people = people, stays = transform(stays, id = replace(id, 7, "zqpe0001")))
  orphan <- tryCatch(anonymize(wrong, linked, file.path(folder, "orphan")), velamen_error = identity)
  stopifnot(
    orphan$status == 4, grepl("stays", conditionMessage(orphan)), !grepl("zqpe", conditionMessage(orphan)),
    !grepl(tempdir(), conditionMessage(orphan), fixed = TRUE)
  )
  unnamed <- tryCatch(anonymize(list(people, stays), linked, file.path(folder, "none")), error = conditionMessage)
  stopifnot(grepl("by the name of its table", unnamed))

  left <- list.files(tempdir(), "^velamen-")
  stopifnot(length(left) == 0)
}
