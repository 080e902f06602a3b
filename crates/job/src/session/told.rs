//! What the custodian alone is told on a page.

use velamen_measure::risk::adversary::AdversaryFigures;
use velamen_measure::risk::people::Holdings;

/// Of sensitive columns, of counterfeits, what the release costs, and whose the original and the released records are.
pub(super) type Told<'a> =
    (Vec<String>, Option<&'a AdversaryFigures>, Option<String>, Option<(Holdings, Holdings)>);
