//! Time and memory by records, on scales of powers of ten.

use plotters::prelude::*;

use super::series::{Line, Point};

const SIZE: (u32, u32) = (960, 420);

/// Colours that differ in luminance, for methods; formats differ in the line's width.
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 60, 120), RGBColor(200, 80, 0), RGBColor(60, 140, 60), RGBColor(120, 120, 120)];

/// The picture, as SVG.
pub(super) fn growth(lines: &[Line]) -> Result<String, String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(drawing)?;
        let (left, right) = area.split_horizontally(SIZE.0 / 2);
        panel(&left, lines, "CPU seconds by records", |point| point.taken.cpu)?;
        panel(&right, lines, "memory in MiB by records", |point| point.taken.mebibytes)?;
        area.present().map_err(drawing)?;
    }
    Ok(svg)
}

fn drawing(error: impl std::fmt::Display) -> String {
    format!("the picture: {error}")
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area<'_>, lines: &[Line], title: &str, of: impl Fn(&Point) -> f64) -> Result<(), String> {
    let places = |line: &Line| -> Vec<(f64, f64)> {
        line.points.iter().map(|point| (point.records as f64, of(point).max(0.01))).collect()
    };
    let all: Vec<(f64, f64)> = lines.iter().flat_map(places).collect();
    let range = |number: fn(&(f64, f64)) -> f64| {
        let (least, most) = all.iter().map(number).fold((f64::MAX, 0.0), |(a, b), n| (n.min(a), n.max(b)));
        (least / 1.5)..(most * 1.5)
    };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(10)
        .x_label_area_size(30)
        .y_label_area_size(50)
        .build_cartesian_2d(range(|place| place.0).log_scale(), range(|place| place.1).log_scale())
        .map_err(drawing)?;
    let number = |number: &f64| if *number >= 1.0 { format!("{number}") } else { format!("{number:.2}") };
    chart.configure_mesh().x_label_formatter(&number).y_label_formatter(&number).draw().map_err(drawing)?;
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.points.is_empty()) {
        let style = COLOURS[index / 2 % COLOURS.len()].stroke_width(if index % 2 == 0 { 3 } else { 1 });
        let drawn = chart.draw_series(LineSeries::new(places(line), style)).map_err(drawing)?;
        drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).border_style(BLACK).background_style(WHITE.mix(0.8));
    legend.draw().map_err(drawing)
}
