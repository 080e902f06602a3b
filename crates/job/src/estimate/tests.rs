use super::*;

fn column(name: &str, without: f64) -> Column {
    Column {
        name: name.into(),
        role: Role::Insensitive,
        values: 9,
        value_bytes: 9,
        combinations_without: without,
        memory_without: without,
    }
}

#[test]
fn the_worst_columns_come_first() {
    let memory = Need::new(1000.0, Some(2000));
    let columns = vec![column("a", 990.0), column("b", 700.0), column("c", 10.0)];
    let estimate = Estimate {
        records: 1,
        combinations: 1.0,
        quasi_identifiers: 1.0,
        error: 0.01,
        columns,
        nodes: 1.0,
        memory,
        disk: Need::new(1.0, None),
        cpu_seconds: None,
        machine: Machine { memory: None, disk: None },
    };
    let names: Vec<&str> = estimate.worth_dropping().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["c", "b"]);
    assert!(estimate.refusal().is_none());
    let tight = Estimate { memory: Need::new(1000.0, Some(999)), ..estimate };
    assert_eq!(tight.refusal().map(|error| error.exit_code()), Some(7));
}

#[test]
fn sizes_are_for_people() {
    assert_eq!([512.0, 2048.0, 5.5e6, 3e10].map(size), ["512 B", "2.0 KiB", "5.2 MiB", "28 GiB"]);
}
