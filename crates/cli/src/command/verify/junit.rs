//! Findings as JUnit XML, which test reports of CI systems read.

use std::path::Path;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use velamen_checker::{Finding, State};
use velamen_report::printed::figures;

/// One test suite, a test case for each finding: what is broken is a failure, what was not checked an error, what no
/// release can show is skipped.
///
/// # Errors
/// None in memory.
pub(super) fn xml(release: &Path, findings: &[Finding]) -> std::io::Result<Vec<u8>> {
    let of = |state: State| findings.iter().filter(|finding| finding.state == state).count().to_string();
    let name = format!("velamen verify {}", release.display());
    let (tests, failures) = (findings.len().to_string(), of(State::Broken));
    let (errors, skipped) = (of(State::NotChecked), of(State::Stated));
    let counts = [
        ("name", name.as_str()),
        ("tests", &tests),
        ("failures", &failures),
        ("errors", &errors),
        ("skipped", &skipped),
    ];
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.write_event(Event::Start(BytesStart::new("testsuites").with_attributes(counts)))?;
    writer.write_event(Event::Start(BytesStart::new("testsuite").with_attributes(counts)))?;
    findings.iter().try_for_each(|finding| case(&mut writer, finding))?;
    writer.write_event(Event::End(BytesEnd::new("testsuite")))?;
    writer.write_event(Event::End(BytesEnd::new("testsuites")))?;
    let mut text = writer.into_inner();
    text.push(b'\n');
    Ok(text)
}

fn case(writer: &mut Writer<Vec<u8>>, finding: &Finding) -> std::io::Result<()> {
    let names = [("classname", "velamen.verify"), ("name", finding.promise.as_str())];
    let figures = figures(finding);
    let outcome = match finding.state {
        State::Held => None,
        State::Broken => Some(("failure", figures.clone())),
        State::NotChecked => Some(("error", finding.why_not_checked().to_owned())),
        State::Stated => Some(("skipped", "no release can show it".to_owned())),
    };
    let case = writer.create_element("testcase").with_attributes(names);
    case.write_inner_content(|writer| {
        if let Some((element, message)) = &outcome {
            let element = writer.create_element(*element).with_attribute(("message", message.as_str()));
            element.write_empty()?;
        }
        writer.create_element("system-out").write_text_content(BytesText::new(&figures))?;
        Ok(())
    })?;
    Ok(())
}
