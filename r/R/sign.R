# Signatures. R has a function sign() of its own.

sign_release <- function(release, key, population = NULL) {
  if (!is_text(key)) refuse("key: expected the path of a secret key; new_keys(name) makes one")
  with_table(release, function(path) {
    use <- function(population) run(c("sign", path, "--key", path.expand(key), if (!is.null(population)) c("--population", population)))
    if (is.null(population)) use(NULL) else with_table(population, use, "population")
  }, "release")
  folder <- if (inherits(release, "velamen_release")) release$path else release
  invisible(file.path(folder, c("SHA256SUMS", "SHA256SUMS.minisig")))
}

new_keys <- function(name) {
  if (!is_text(name)) refuse("name: expected a path without ending, such as \"hospital\"")
  run(c("sign", "new", path.expand(name)), quiet = NULL)
  invisible(c(secret = paste0(name, ".key"), public = paste0(name, ".pub")))
}
