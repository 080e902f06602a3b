//! Keys and signatures of minisign's form.

use std::sync::OnceLock;

use tempfile::TempDir;
use velamen_job::sign::{SIGNATURE, SUMS, check, sign};

use super::{forged, with_context};

/// What stands between a key, a signature, the checksums and a secret key.
const BETWEEN: &str = "\n===\n";

/// Keys made for this purpose, with what they sign; the second signature's last line is cut short.
pub(super) const EXAMPLES: [&str; 2] = [
    "untrusted comment: minisign public key: made for tests\n\
     RWQbFrHfU4uhLT7a3fggRSx1mTS3OL3RmODWHi5EKvfWcS7VMcwFc13t\n\
     ===\n\
     untrusted comment: velamen signature\n\
     RUQbFrHfU4uhLVBHWGPVyqCtqkGIeeDY3sJ9SZDDlt7XPfpMyoZV+lxVkzcjYY8YHgtUfuABWTSiLOvlaTFvONP1ak0VxnjLhgk=\n\
     trusted comment: velamen 0.1.0 release\n\
     ah9P80HrHMGM3DMRiwh++XL267jWi9K+HivxvsWFNq9gADKdIKr54gZR7BIzW/MXcmfb+JCfUkwTS3N1PPuNDg==\n\
     \n\
     ===\n\
     e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  data.csv\n\
     \n\
     ===\n\
     untrusted comment: made for tests\n\
     RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGxax31OLoS1i9aZ6R9/63KeGIQM58mJOyUp+ooAqhxcOjy6zGA736j7a3fggRSx1mTS3OL3RmODWHi5EKvfWcS7VMcwFc13tdU9F96Wl/JyEE3gTjXcVBD7qkRarRRxdsHtAHyjpUyU=",
    "untrusted comment: minisign public key: made for tests\n\
     RWQbFrHfU4uhLT7a3fggRSx1mTS3OL3RmODWHi5EKvfWcS7VMcwFc13t\n\
     ===\n\
     untrusted comment: velamen signature\n\
     RUQbFrHfU4uhLVBHWGPVyqCtqkGIeeDY3sJ9SZDDlt7XPfpMyoZV+lxVkzcjYY8YHgtUfuABWTSiLOvlaTFvONP1ak0VxnjLhgk=\n\
     trusted comment: velamen 0.1.0 release\n\
     AAAA\n\
     ===\n\
     e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  data.csv\n\
     ",
];

/// A public key, a signature, the checksums and a secret key: the first three are checked, the last one signs.
pub fn signature(bytes: &[u8]) {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| forged::good_release(0)).path();
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split(BETWEEN);
    let mut part = || parts.next().unwrap_or_default();
    let keys = tempfile::tempdir().expect("a temporary folder can be made");
    let put = |path: std::path::PathBuf, text: &str| {
        std::fs::write(&path, text).expect("a temporary file can be written");
        path
    };
    let public = put(keys.path().join("key.pub"), part());
    put(folder.join(SIGNATURE), part());
    put(folder.join(SUMS), part());
    drop(check(folder, &public));
    let secret = part();
    if !secret.is_empty() {
        let secret = put(keys.path().join("key.key"), secret);
        with_context(|context| drop(sign(folder, &secret, None, None, context)));
    }
}
