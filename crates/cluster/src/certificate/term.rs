//! How long a certificate is valid, and when its owner is told.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use velamen_core::error::Problem;
use x509_cert::der::DateTime;
use x509_cert::time::Validity;

use crate::error::ClusterError;

/// Days before the end from which every start warns.
const EARLY: u32 = 30;

/// A day.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The time since 1970.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// When a certificate is valid, in time since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
}

impl From<Validity> for Term {
    fn from(validity: Validity) -> Self {
        Self { from: validity.not_before.to_unix_duration(), until: validity.not_after.to_unix_duration() }
    }
}

impl Term {
    /// Its last day, in UTC.
    pub(crate) fn last_day(self) -> String {
        day(self.until)
    }

    /// What the owner of `file` should know `now`; `mend` says how another one is made.
    ///
    /// # Errors
    /// [`ClusterError::Expired`] outside of the term.
    pub(crate) fn check(
        self,
        file: &Path,
        mend: &str,
        now: Duration,
    ) -> Result<Option<String>, ClusterError> {
        let file = file.display();
        if now >= self.until {
            let ended = self.last_day();
            return Err(ClusterError::Expired(
                Problem::new(format!("{file}: the certificate expired on {ended}")).mend(mend),
            ));
        }
        if now < self.from {
            return Err(ClusterError::Expired(
                Problem::new(format!(
                    "{file}: the certificate is valid from {} on, and this machine's clock says {}",
                    day(self.from),
                    day(now)
                ))
                .mend("set the clock"),
            ));
        }
        let left = self.until - now;
        Ok((left < EARLY * DAY).then(|| {
            let days = left.as_secs().div_ceil(DAY.as_secs());
            let within = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
            format!("{file}: the certificate expires on {}, within {within}; {mend}", self.last_day())
        }))
    }
}

fn day(time: Duration) -> String {
    DateTime::from_unix_duration(time).map_or_else(
        |_| "a day beyond the calendar".to_owned(),
        |time| format!("{:04}-{:02}-{:02}", time.year(), time.month(), time.day()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_warned_thirty_days_before_and_refused_afterwards() {
        // 2026-01-01 and 2027-01-01.
        let term =
            Term { from: Duration::from_secs(1_767_225_600), until: Duration::from_secs(1_798_761_600) };
        let check = |now: Duration| term.check(Path::new("node.pem"), "issue another", now);
        assert_eq!(check(term.from).unwrap(), None);
        assert_eq!(check(term.until - 30 * DAY).unwrap(), None);
        let warning = check(term.until - 30 * DAY + Duration::from_secs(1)).unwrap().unwrap();
        assert_eq!(warning, "node.pem: the certificate expires on 2027-01-01, within 30 days; issue another");
        let expired = check(term.until).unwrap_err();
        assert!(matches!(expired, ClusterError::Expired(_)), "{expired}");
        assert_eq!(expired.to_string(), "node.pem: the certificate expired on 2027-01-01; issue another");
        let early = check(term.from - DAY).unwrap_err().to_string();
        assert!(early.contains("from 2026-01-01 on") && early.contains("clock says 2025-12-31"), "{early}");
    }
}
