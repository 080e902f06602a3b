# The figures of tests/it/against_r.rs. Run with: Rscript crates/analysis/tests/reference.R
# Made with R 4.2.2 and survival 3.5-3.
library(survival)
options(digits = 15)
show <- function(name, figures) cat(name, ": ", paste(format(figures, digits = 15), collapse = ", "), "\n", sep = "")
table_of <- function(name, fit) { s <- coef(summary(fit)); show(paste(name, "value"), s[, 1]); show(paste(name, "error"), s[, grep("^(Std. Error|se\\(coef\\))$", colnames(s))]); show(paste(name, "p"), s[, ncol(s)]) }

table_of("longley", lm(Employed ~ GNP.deflator + GNP + Unemployed + Armed.Forces + Population + Year, longley))
show("longley interval", confint(lm(Employed ~ GNP + Year, longley)))

i <- 1:240
d <- data.frame(age = 20 + (i * 37) %% 61, sex = as.numeric((i * 7) %% 5 < 2), ward = factor(i %% 3), dose = ((i * i) %% 97) / 10)
d$stay <- 3 + d$age / 5 - 1.5 * d$sex + ((i * 53) %% 29) / 7
d$died <- as.numeric((i * 91) %% 100 < 20 + d$age / 2)
d$time <- 1 + (i * i * 13) %% 47 - floor(d$age / 10) %% 3 * d$sex
d$time <- pmax(d$time, 1)
d$weight <- 1 - (i %% 4) / 8
control <- glm.control(epsilon = 1e-15, maxit = 100)

table_of("lm", lm(stay ~ age + sex + ward + dose, d))
table_of("glm", glm(died ~ age + sex + ward + dose, binomial, d, control = control))
suppressWarnings(table_of("glm weighted", glm(died ~ age + sex, quasibinomial, d, weights = weight, control = control)))
suppressWarnings({ s <- summary(glm(died ~ age + sex, binomial, d, weights = weight, control = control)); show("glm weighted error", coef(s)[, 2]) })
exact <- coxph.control(eps = 1e-15, toler.chol = 1e-15, iter.max = 100)
for (ties in c("efron", "breslow")) {
  f <- coxph(Surv(time, died) ~ age + sex + ward, d, ties = ties, control = exact)
  show(paste(ties, "value"), coef(f)); show(paste(ties, "error"), sqrt(diag(vcov(f)))); show(paste(ties, "p"), coef(summary(f))[, "Pr(>|z|)"])
  f <- coxph(Surv(time, died) ~ age + sex, d, weights = weight, ties = ties, robust = FALSE, control = exact)
  show(paste(ties, "weighted value"), coef(f)); show(paste(ties, "weighted error"), sqrt(diag(vcov(f))))
  f <- coxph(Surv(futime, fustat) ~ age + rx, ovarian, ties = ties, control = exact)
  show(paste(ties, "ovarian value"), coef(f)); show(paste(ties, "ovarian error"), sqrt(diag(vcov(f))))
}
k <- summary(survfit(Surv(futime, fustat) ~ rx, ovarian), times = c(300, 500))
show("km survival", k$surv); show("km low", k$lower); show("km high", k$upper)
k <- summary(survfit(Surv(time, died) ~ 1, d, weights = weight, robust = FALSE), times = c(10, 30))
show("km weighted survival", k$surv); show("km weighted low", k$lower); show("km weighted high", k$upper)
t <- t.test(d$stay); show("mean", c(t$estimate, t$conf.int))
t <- t.test(d$stay[d$sex == 1], d$stay[d$sex == 0]); show("welch", c(t$estimate[1] - t$estimate[2], t$conf.int, t$p.value))
hits <- tapply(d$died, d$sex, sum); all <- tapply(d$died, d$sex, length)
t <- prop.test(sum(d$died), 240, correct = FALSE); show("wilson", c(t$estimate, t$conf.int))
t <- prop.test(rev(hits), rev(all), correct = FALSE); show("wald", c(t$estimate[1] - t$estimate[2], t$conf.int))
f <- glm(died ~ sex, binomial, d, control = control); show("odds", exp(c(coef(f)[2], confint.default(f)[2, ]))); show("odds p", coef(summary(f))[2, 4])
t <- cor.test(d$stay, d$age + d$dose * 4); show("correlation", c(t$estimate, t$conf.int, t$p.value))
show("t", c(qt(0.975, c(1, 2.5, 30, 29999, 1e7)), 2 * pt(-2.3, c(1, 2.5, 30, 29999, 1e7)), 2 * pt(-40, 12), qnorm(0.995)))
