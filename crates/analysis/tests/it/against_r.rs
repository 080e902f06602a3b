//! Figures against those of R 4.2.2 and its package survival 3.5-3: `tests/reference.R` printed them.

use velamen_analysis::*;

/// The sample of `reference.R`, by the same whole numbers.
struct Sample {
    age: Vec<f64>,
    sex: Vec<f64>,
    ward: Vec<u64>,
    dose: Vec<f64>,
    stay: Vec<f64>,
    died: Vec<f64>,
    time: Vec<f64>,
    weighted: Records,
}

fn sample() -> Sample {
    let whole = |of: &dyn Fn(u64) -> u64| (1..=240).map(|i| of(i) as f64).collect::<Vec<f64>>();
    let age = whole(&|i| 20 + (i * 37) % 61);
    let sex = whole(&|i| u64::from((i * 7) % 5 < 2));
    let late = whole(&|i| 1 + (i * i * 13) % 47);
    let rest = whole(&|i| (i * 53) % 29);
    let chance = whole(&|i| (i * 91) % 100);
    let rows = 0..240;
    Sample {
        stay: rows.clone().map(|r| 3.0 + age[r] / 5.0 - 1.5 * sex[r] + rest[r] / 7.0).collect(),
        died: rows.clone().map(|r| f64::from(chance[r] < 20.0 + age[r] / 2.0)).collect(),
        time: rows.map(|r| (late[r] - (age[r] / 10.0).floor() % 3.0 * sex[r]).max(1.0)).collect(),
        dose: whole(&|i| (i * i) % 97).iter().map(|dose| dose / 10.0).collect(),
        ward: (1..=240).map(|i| i % 3).collect(),
        weighted: Records {
            counts: vec![1.0; 240],
            weights: (1..=240).map(|i| 1.0 - f64::from(i % 4) / 8.0).collect(),
        },
        age,
        sex,
    }
}

fn column(name: &str, values: &[f64]) -> Column {
    Column { name: name.into(), values: values.to_vec() }
}

impl Sample {
    fn columns(&self, wards: bool, dose: bool) -> Vec<Column> {
        let mut columns = vec![column("age", &self.age), column("sex", &self.sex)];
        for ward in (1..3).filter(|_| wards) {
            let is = |value: &u64| f64::from(*value == ward);
            columns.push(column("ward", &self.ward.iter().map(is).collect::<Vec<_>>()));
        }
        columns.extend(dose.then(|| column("dose", &self.dose)));
        columns
    }

    fn of_sex(&self, sex: f64) -> Records {
        let counts = self.sex.iter().map(|value| f64::from(*value == sex)).collect();
        Records { counts, weights: vec![1.0; 240] }
    }
}

fn near(found: f64, expected: f64) {
    let off = (found - expected).abs() / expected.abs().max(1e-6);
    assert!(off < 1e-8, "{found} is not {expected}");
}

fn all_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| near(*found, *expected));
}

type Fit = Vec<(String, Result<Estimate, NotEstimable>)>;

fn each(fit: &Fit, of: impl Fn(&Estimate) -> f64) -> Vec<f64> {
    fit.iter().map(|(_, estimate)| of(estimate.as_ref().unwrap())).collect()
}

fn values(fit: &Fit) -> Vec<f64> {
    each(fit, |estimate| estimate.value)
}

fn errors(fit: &Fit) -> Vec<f64> {
    each(fit, |estimate| estimate.variance.sqrt())
}

fn p_values(fit: &Fit) -> Vec<f64> {
    each(fit, |estimate| estimate.p_value().unwrap())
}

fn interval(estimate: &Estimate) -> [f64; 3] {
    let (low, high) = estimate.interval(0.95);
    [estimate.shown(), low, high]
}

/// R's table `longley`: deflator, GNP, unemployed, armed forces, population, year, employed.
const LONGLEY: [[f64; 7]; 16] = [
    [83.0, 234.289, 235.6, 159.0, 107.608, 1947.0, 60.323],
    [88.5, 259.426, 232.5, 145.6, 108.632, 1948.0, 61.122],
    [88.2, 258.054, 368.2, 161.6, 109.773, 1949.0, 60.171],
    [89.5, 284.599, 335.1, 165.0, 110.929, 1950.0, 61.187],
    [96.2, 328.975, 209.9, 309.9, 112.075, 1951.0, 63.221],
    [98.1, 346.999, 193.2, 359.4, 113.27, 1952.0, 63.639],
    [99.0, 365.385, 187.0, 354.7, 115.094, 1953.0, 64.989],
    [100.0, 363.112, 357.8, 335.0, 116.219, 1954.0, 63.761],
    [101.2, 397.469, 290.4, 304.8, 117.388, 1955.0, 66.019],
    [104.6, 419.18, 282.2, 285.7, 118.734, 1956.0, 67.857],
    [108.4, 442.769, 293.6, 279.8, 120.445, 1957.0, 68.169],
    [110.8, 444.546, 468.1, 263.7, 121.95, 1958.0, 66.513],
    [112.6, 482.704, 381.3, 255.2, 123.366, 1959.0, 68.655],
    [114.2, 502.601, 393.1, 251.4, 125.368, 1960.0, 69.564],
    [115.7, 518.173, 480.6, 257.2, 127.852, 1961.0, 69.331],
    [116.9, 554.894, 400.7, 282.7, 130.081, 1962.0, 70.551],
];

fn longley(columns: &[usize]) -> Fit {
    let of = |at: usize| LONGLEY.iter().map(|row| row[at]).collect::<Vec<f64>>();
    let columns: Vec<Column> = columns.iter().map(|at| column("x", &of(*at))).collect();
    linear(&of(6), &columns, &Records::single(16)).unwrap()
}

#[test]
fn linear_regression_on_nearly_dependent_columns() {
    let fit = longley(&[0, 1, 2, 3, 4, 5]);
    all_near(
        &values(&fit),
        &[
            -3.48225863459581e+03,
            1.50618722713728e-02,
            -3.58191792925910e-02,
            -2.02022980381682e-02,
            -1.03322686717359e-02,
            -5.11041056535792e-02,
            1.82915146461355,
        ],
    );
    all_near(
        &errors(&fit),
        &[
            8.90420383607376e+02,
            8.49149257747674e-02,
            3.34910077722434e-02,
            4.88399681651703e-03,
            2.14274163161676e-03,
            2.26073200069373e-01,
            4.55478499142213e-01,
        ],
    );
    near(p_values(&fit)[4], 0.000944366764161825);
    let fit = longley(&[1, 5]);
    let low = each(&fit, |estimate| estimate.interval(0.95).0);
    let high = each(&fit, |estimate| estimate.interval(0.95).1);
    all_near(&low, &[-236.9031453262780360, 0.0274742631326437, -1.3339111959124319]);
    all_near(&high, &[2634.3193670324535560, 0.0985116513188991, 0.1491443686491689]);
}

#[test]
fn linear_regression_with_a_factor() {
    let sample = sample();
    let fit = linear(&sample.stay, &sample.columns(true, true), &Records::single(240)).unwrap();
    all_near(
        &values(&fit),
        &[
            5.3708731373494745,
            0.1976139297841436,
            -1.4740277782827342,
            -0.1320233958967263,
            -0.0661249236338219,
            -0.0374806392628636,
        ],
    );
    all_near(
        &errors(&fit),
        &[
            0.30558882978786722,
            0.00446585386099153,
            0.16041128496724111,
            0.19020598698849325,
            0.19016414162962592,
            0.02573067789578425,
        ],
    );
    all_near(
        &p_values(&fit)[2..],
        &[2.20995754977192e-17, 0.488303321405731, 0.728358913917158, 0.146553020919932],
    );
}

#[test]
fn logistic_regression() {
    let sample = sample();
    let fit = logistic(&sample.died, &sample.columns(true, true), &Records::single(240)).unwrap();
    all_near(
        &values(&fit),
        &[
            -0.54037010928151630,
            0.00974890917115644,
            0.03167498998747059,
            -0.05456974976882216,
            0.05283442932294551,
            -0.02345238161460569,
        ],
    );
    all_near(
        &errors(&fit),
        &[
            0.51304201891739531,
            0.00750118679293233,
            0.26886674157134166,
            0.31888070552589931,
            0.31833966670469932,
            0.04313308831603983,
        ],
    );
    near(p_values(&fit)[1], 0.193721331339283);
    let fit = logistic(&sample.died, &sample.columns(false, false), &sample.weighted).unwrap();
    all_near(&values(&fit), &[-0.6937011317344923, 0.0100008608867592, 0.0976186231643657]);
    all_near(&errors(&fit), &[0.47410407275250877, 0.00832517551803825, 0.29703122652712188]);
}

#[test]
fn hazards_by_either_rule_of_ties() {
    let sample = sample();
    let fit = |ties, weighted: bool| {
        let single = Records::single(240);
        let records = if weighted { &sample.weighted } else { &single };
        cox(&sample.time, &sample.died, &sample.columns(!weighted, false), records, ties).unwrap()
    };
    let efron = fit(Ties::Efron, false);
    all_near(
        &values(&efron),
        &[0.00357978485000542, 0.08108233428608096, -0.01978111397361511, 0.02864600012262928],
    );
    all_near(
        &errors(&efron),
        &[0.00568971284454486, 0.19748540438438658, 0.23493123479896322, 0.23149424509827490],
    );
    all_near(
        &p_values(&efron),
        &[0.529239122262520, 0.681385073376925, 0.932897743063895, 0.901518053617541],
    );
    let breslow = fit(Ties::Breslow, false);
    all_near(
        &values(&breslow),
        &[0.0033893254335953, 0.0807770365377840, -0.0165297053058319, 0.0384629504212967],
    );
    all_near(
        &errors(&breslow),
        &[0.00568962095159299, 0.19745950644932328, 0.23485179614896542, 0.23138170263740251],
    );
    let efron = fit(Ties::Efron, true);
    all_near(&values(&efron), &[0.00313639350463511, 0.09090313229189406]);
    all_near(&errors(&efron), &[0.00631634812076719, 0.21776384421702694]);
    let breslow = fit(Ties::Breslow, true);
    all_near(&values(&breslow), &[0.00287349146118782, 0.08985261756961699]);
    all_near(&errors(&breslow), &[0.00631696541250677, 0.21774950397294077]);
}

/// survival's table `ovarian`: days, died, age, treatment.
const OVARIAN: [[f64; 4]; 26] = [
    [59.0, 1.0, 72.3315, 1.0],
    [115.0, 1.0, 74.4932, 1.0],
    [156.0, 1.0, 66.4658, 1.0],
    [421.0, 0.0, 53.3644, 2.0],
    [431.0, 1.0, 50.3397, 1.0],
    [448.0, 0.0, 56.4301, 1.0],
    [464.0, 1.0, 56.937, 2.0],
    [475.0, 1.0, 59.8548, 2.0],
    [477.0, 0.0, 64.1753, 1.0],
    [563.0, 1.0, 55.1781, 2.0],
    [638.0, 1.0, 56.7562, 1.0],
    [744.0, 0.0, 50.1096, 2.0],
    [769.0, 0.0, 59.6301, 2.0],
    [770.0, 0.0, 57.0521, 2.0],
    [803.0, 0.0, 39.2712, 1.0],
    [855.0, 0.0, 43.1233, 1.0],
    [1040.0, 0.0, 38.8932, 1.0],
    [1106.0, 0.0, 44.6, 1.0],
    [1129.0, 0.0, 53.9068, 2.0],
    [1206.0, 0.0, 44.2055, 2.0],
    [1227.0, 0.0, 59.589, 2.0],
    [268.0, 1.0, 74.5041, 1.0],
    [329.0, 1.0, 43.137, 1.0],
    [353.0, 1.0, 63.2192, 2.0],
    [365.0, 1.0, 64.4247, 2.0],
    [377.0, 0.0, 58.3096, 2.0],
];

fn ovarian(at: usize) -> Vec<f64> {
    OVARIAN.iter().map(|row| row[at]).collect()
}

#[test]
fn hazards_of_a_public_table() {
    let columns = [column("age", &ovarian(2)), column("rx", &ovarian(3))];
    let fit = cox(&ovarian(0), &ovarian(1), &columns, &Records::single(26), Ties::Efron).unwrap();
    all_near(&values(&fit), &[0.147326595469114, -0.803973012665114]);
    all_near(&errors(&fit), &[0.0461470477408026, 0.6320493718794501]);
}

#[test]
fn survival_with_greenwoods_interval() {
    let figures = |rx: f64, at: f64| {
        let counts = ovarian(3).iter().map(|of| f64::from(*of == rx)).collect();
        let records = Records { counts, weights: vec![1.0; 26] };
        interval(&kaplan_meier(&ovarian(0), &ovarian(1), &records, at).unwrap())
    };
    all_near(&figures(1.0, 300.0), &[0.692307692307692, 0.481850080767675, 0.994686853771626]);
    all_near(&figures(1.0, 500.0), &[0.538461538461538, 0.325526469971572, 0.890682802008963]);
    all_near(&figures(2.0, 300.0), &[1.0, 1.0, 1.0]);
    all_near(&figures(2.0, 500.0), &[0.658119658119658, 0.432787759479963, 1.0]);
    let sample = sample();
    let at = |at: f64| interval(&kaplan_meier(&sample.time, &sample.died, &sample.weighted, at).unwrap());
    all_near(&at(10.0), &[0.960179870272181, 0.932871379437429, 0.988287778570164]);
    all_near(&at(30.0), &[0.708557959499349, 0.641179146687654, 0.783017327627553]);
}

#[test]
fn means_proportions_and_what_groups_differ_in() {
    let sample = sample();
    let all = Records::single(240);
    let (men, women) = (sample.of_sex(0.0), sample.of_sex(1.0));
    let mean = mean(&sample.stay, &all).unwrap();
    all_near(&interval(&mean), &[14.4469047619048, 13.9579458131452, 14.9358637106643]);
    let welch = difference_of_means(&sample.stay, [&men, &women]).unwrap();
    all_near(&interval(&welch), &[-2.45019841269841, -3.40514913703481, -1.49524768836202]);
    near(welch.p_value().unwrap(), 9.47252040255410e-07);
    let wilson = proportion(&sample.died, &all).unwrap();
    all_near(&interval(&wilson), &[0.4625, 0.400507427192459, 0.525674116803158]);
    let wald = difference_of_proportions(&sample.died, [&men, &women]).unwrap();
    all_near(&interval(&wald), &[-0.00694444444444448, -0.13567425881380324, 0.12178536992491429]);
    let odds = odds_ratio(&sample.died, [&men, &women]).unwrap();
    all_near(&interval(&odds), &[0.972445464982779, 0.579251309041002, 1.632538705749623]);
    near(odds.p_value().unwrap(), 0.915815621550127);
}

#[test]
fn correlations() {
    let sample = sample();
    let other: Vec<f64> = sample.age.iter().zip(&sample.dose).map(|(age, dose)| age + 4.0 * dose).collect();
    let found = correlation(&sample.stay, &other, &Records::single(240)).unwrap();
    all_near(&interval(&found), &[0.731544704442597, 0.666672272923326, 0.785417151703366]);
    near(found.p_value().unwrap(), 1.80622951033181e-41);
}
