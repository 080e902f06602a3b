# Pictures with R's own graphics.

plot.velamen_release <- function(x, which = c("loss", "classes"), ...) {
  if (!all(which %in% c("loss", "classes"))) refuse("which: expected \"loss\", \"classes\" or both")
  if (length(which) > 1) {
    before <- graphics::par(mfrow = c(1, length(which)))
    on.exit(graphics::par(before))
  }
  if ("loss" %in% which) plot_loss(x, ...)
  if ("classes" %in% which) plot_classes(x, ...)
  invisible(x)
}

plot_loss <- function(x, main = "Lost detail", ...) {
  attributes <- summary.velamen_release(x)$attributes
  attributes <- attributes[!is.na(attributes$loss), ]
  if (!nrow(attributes)) refuse("the release states no loss of its attributes")
  labels <- ifelse(nchar(attributes$attribute) > 14, paste0(substr(attributes$attribute, 1, 11), "..."), attributes$attribute)
  margins <- graphics::par(mar = c(4.5, max(4, 0.6 * max(nchar(labels)) + 1), 3, 1))
  on.exit(graphics::par(margins))
  graphics::barplot(
    rev(attributes$loss), names.arg = rev(labels), horiz = TRUE, las = 1, xlim = c(0, 1), main = main,
    xlab = "0: as recorded, 1: nothing left", ...
  )
}

plot_classes <- function(x, main = "Sizes of classes", ...) {
  classes <- read_records(x$path, x$manifest)$ClassID
  classes <- classes[!is.na(classes)]
  if (!length(classes)) refuse("the release has no classes")
  sizes <- tabulate(match(classes, unique(classes)))
  graphics::hist(
    sizes, breaks = min(30, max(5, length(unique(sizes)))), main = main, xlab = "records in a class", ylab = "classes", las = 1, ...
  )
}

# The risk of the records, by how many look alike.
plot.velamen_risk <- function(x, main = "Records by the size of their class", ...) {
  sizes <- x$`class-sizes`
  if (!is.data.frame(sizes) || !nrow(sizes)) refuse("the answer has no classes")
  labels <- ifelse(sizes$from == sizes$to, sizes$from, paste0(sizes$from, "-", sizes$to))
  graphics::barplot(sizes$records, names.arg = labels, main = main, xlab = "records that look alike", ylab = "records", las = 1, ...)
  invisible(x)
}

# Possible releases: the risk that is left against what is lost.
plot.velamen_explore <- function(x, main = "Possible releases", ...) {
  solutions <- x$solutions
  if (!is.data.frame(solutions) || !nrow(solutions)) refuse("the answer has no solutions")
  graphics::plot(
    solutions$value, solutions$`highest-risk`, main = main, xlab = x$figure, ylab = "highest risk of a record", las = 1, pch = 19, ...
  )
  invisible(x)
}
