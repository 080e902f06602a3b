//! Columns that hold coordinates: which place somebody is at takes two of them.

use velamen_core::written::number;

use super::patterns::FINE;
use super::{Cells, header};

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// South to north.
    Latitude,
    /// West to east.
    Longitude,
}

const LATITUDES: &str = "lat|latitude|breite|breitengrad|geobreite|lats|위도";
const LONGITUDES: &str = "lon|lng|long|longitude|länge|laenge|längengrad|laengengrad|geolänge|lons|경도";

/// The axis that a column's name promises.
#[must_use]
pub fn named(name: &str) -> Option<Axis> {
    let words = header::words(name);
    let is_in = |list: &str| words.iter().any(|word| list.split('|').any(|entry| entry == word));
    let placed = |letter: &str| {
        is_in("gps|geo|coord|coords|coordinate|koordinate") && words.iter().any(|word| word == letter)
    };
    match () {
        () if is_in(LATITUDES) || placed("y") => Some(Axis::Latitude),
        () if is_in(LONGITUDES) || placed("x") => Some(Axis::Longitude),
        () => None,
    }
}

/// How many values of a column that its name says to be a coordinate tell a house: with four and more decimals,
/// all values being within the range of the axis.
#[must_use]
pub fn fine(axis: Axis, cells: Cells<'_>) -> u64 {
    let most = if axis == Axis::Latitude { 90.0 } else { 180.0 };
    let mut fine = 0;
    for value in cells.values() {
        let Some(number) = number::parse(&value.replace(',', ".")) else { continue };
        if number.value.abs() > most {
            return 0;
        }
        fine += u64::from(number.decimals >= FINE);
    }
    fine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_named_and_fine() {
        assert_eq!(
            (named("home_lat"), named("Längengrad"), named("gps_x")),
            (Some(Axis::Latitude), Some(Axis::Longitude), Some(Axis::Longitude))
        );
        assert_eq!((named("late"), named("length_of_stay"), named("x")), (None, None, None));
        let cells = [("52.52001", 1), ("52.5", 1), ("48,13715", 2)];
        assert_eq!(fine(Axis::Latitude, Cells(&cells)), 2);
        assert_eq!(fine(Axis::Latitude, Cells(&[("152.52001", 1), ("1.00001", 1)])), 0);
        assert_eq!(fine(Axis::Longitude, Cells(&[("13.4", 1)])), 0);
    }
}
