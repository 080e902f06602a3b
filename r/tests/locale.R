# The same types where the locale has no letters but those of ASCII.
invisible(Sys.setlocale("LC_ALL", "C"))
source("types.R")
