//! A release of linked tables as one text: the manifest, then each file after a line with its name.

use std::path::Path;

use velamen_checker::linked::{COLUMNS, certify};
use velamen_contract::linked::LinkedManifest;

/// What stands in front of a file's name.
const FILE: &str = "\n=== ";

pub(super) const EXAMPLES: [&str; 1] = [concat!(
    r#"{"linked":1,"velamen":"0.2.0","shape":"tables","tier":"agreement","method":{"name":"thin","demographics":"optimal"},"#,
    r#""persons":{"table":"p","records":4,"suppressed":0},"dates":{"shift":3},"window":["2000-01-01","2009-12-31"],"#,
    r#""privacy":[{"model":"k-km-anonymity","k":2,"m":3}],"code-floor":2,"counts":"cap","not-covered":[],"#,
    r#""ages":{"column":"born","top":90,"until":2024,"oldest":"1930"},"tables":{"#,
    r#""p":{"file":"data/p.csv","records":4,"columns":{"id":{"role":"key"},"#,
    r#""born":{"role":"quasi-identifier","level":0,"levels":2,"labels":{"1930":"<=1934","1950":"1950-1959"}}}},"#,
    r#""v":{"file":"data/v.csv","records":4,"parent":"p","is-referred-to":true,"columns":{"v":{"role":"key"},"#,
    r#""p":{"role":"reference","table":"p"},"day":{"role":"date"},"kind":{"role":"code"}}},"#,
    r#""c":{"file":"data/c.csv","records":4,"parent":"v","columns":{"v":{"role":"reference","table":"v"},"#,
    r#""codes":{"role":"set","items":";"},"n":{"role":"value","by":["codes"],"digits":2},"#,
    r#""b":{"role":"band","bounds":[0.0,5.0]},"x":{"role":"constant","value":"x"}}}}}"#,
    "\n=== p.csv\nid,born\n1,1930\n2,1930\n3,1950\n4,1950\n",
    "\n=== v.csv\nv,p,day,kind\n2,1,2001-02-03,in\n1,2,2004-02-29,in\n4,3,2005-12-31,in\n3,4,2006-01-01,in\n",
    "\n=== c.csv\nv,codes,n,b,x\n2,a;b,1.5,\"[0, 5)\",x\n1,a;b,1.5,\"[0, 5)\",x\n4,c,7,,x\n3,c,7,,x\n",
)];

/// The checker answers, whatever stands in a manifest and its files: first about the columns.
pub fn linked(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split(FILE);
    let manifest = parts.next().and_then(|text| serde_json::from_str::<LinkedManifest>(text).ok());
    let Some(manifest) = manifest else { return };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("a temporary folder can be made");
    parts.filter_map(|part| part.split_once('\n')).for_each(|(name, text)| put(&data, name, text));
    if let Ok(findings) = certify(folder.path(), &manifest) {
        assert_eq!(findings.first().map(|finding| finding.promise.as_str()), Some(COLUMNS));
    }
}

/// Writes a file whose name leads to no other folder.
fn put(folder: &Path, name: &str, text: &str) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric();
    let plain = name.strip_suffix(".csv").filter(|name| name.len() < 20 && name.bytes().all(is_plain));
    if plain.is_some_and(|plain| !plain.is_empty()) {
        std::fs::write(folder.join(name), text).expect("a temporary file can be written");
    }
}
