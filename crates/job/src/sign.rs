//! A signature of a release: who made the folder, which no checksum beside it can show.
//!
//! # Definition
//! `SHA256SUMS` lists the SHA-256 of every other file of the folder, in the form of `sha256sum`; `SHA256SUMS.minisig`
//! signs it with Ed25519 in the form of [minisign](https://jedisct1.github.io/minisign/), so that both can be checked
//! without this program.
//!
//! # References
//! RFC 8032.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox, SignatureBox};
use serde_json::json;
use velamen_checker::Finding;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_recipe::{Code, JobError, plain};

use crate::checksums::{changed, checksums, has_form_of_signature, listed};
use crate::verify::{conclusion, verify};
use crate::{output_file, outputs};

pub use crate::checksums::{SIGNATURE, SUMS};

/// The variable that has the password of a secret key.
pub const PASSWORD: &str = "VELAMEN_KEY_PASSWORD";

/// The password that the environment gives.
#[must_use]
pub fn password() -> Option<String> {
    std::env::var(PASSWORD).ok().filter(|password| !password.is_empty())
}

/// A new pair of keys, as `NAME.key`, for the owner alone, and `NAME.pub`; with a password the key is encrypted.
///
/// # Errors
/// [`JobError::io`] if a file exists or cannot be written.
pub fn new_keys(name: &Path, password: Option<String>) -> Result<[PathBuf; 2], JobError> {
    let with = |extension: &str| {
        let mut file = name.as_os_str().to_owned();
        file.push(extension);
        PathBuf::from(file)
    };
    let [secret, public] = [with(".key"), with(".pub")];
    for path in [&secret, &public] {
        outputs::refuse_existing(path)?;
    }
    let failed = |error: minisign::PError| {
        JobError::unusable(format!("{}: cannot make keys: {error}", name.display()))
    };
    let keys = match password {
        Some(password) => KeyPair::generate_encrypted_keypair(Some(password)),
        None => KeyPair::generate_unencrypted_keypair(),
    };
    let keys = keys.map_err(failed)?;
    let secret_text = keys.sk.to_box(Some("velamen secret key")).map_err(failed)?.into_string();
    let public_text = keys.pk.to_box().map_err(failed)?.into_string();
    write_secret(&secret, &secret_text)?;
    output_file::write(&public, |path| {
        std::fs::write(path, &public_text).map_err(|error| JobError::io(path, "write", &error))
    })?;
    Ok([secret, public])
}

/// A file that its owner alone can read, from its first byte.
fn write_secret(path: &Path, text: &str) -> Result<(), JobError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| JobError::io(path, "write", &error))
}

/// Signs a release that keeps its promises.
///
/// # Errors
/// [`JobError`] of verifying it, of reading the key, or of writing the two files.
pub fn sign(
    folder: &Path,
    key: &Path,
    password: Option<String>,
    population: Option<&Path>,
    context: &Context<'_>,
) -> Result<(), JobError> {
    conclusion(&verify(folder, population, context)?)?;
    let sums = listed(&checksums(folder)?);
    let comment = format!("velamen {} release", velamen_report::load(folder)?.velamen);
    let signature = signed(key, password, sums.as_bytes(), &comment)?;
    for (name, text) in [(SUMS, sums), (SIGNATURE, signature)] {
        let path = folder.join(name);
        output_file::write(&path, |path| {
            std::fs::write(path, &text).map_err(|error| JobError::io(path, "write", &error))
        })?;
    }
    Ok(())
}

/// The signature of a text with a secret key, as a file of minisign's form; the comment is signed, too.
pub(crate) fn signed(
    key: &Path,
    password: Option<String>,
    text: &[u8],
    comment: &str,
) -> Result<String, JobError> {
    let secret = secret_key(key, password)?;
    minisign::sign(None, &secret, text, Some(comment), Some("velamen signature"))
        .map(SignatureBox::into_string)
        .map_err(|error| JobError::unusable(format!("{}: cannot sign: {error}", key.display())))
}

/// A public key in Base64, and whether a file holds a signature of a text with it.
pub(crate) fn is_signed(key: &Path, text: &[u8], signature: &Path) -> Result<(String, bool), JobError> {
    let public = public_key(key)?;
    let read = std::fs::read_to_string(signature).ok().filter(|text| has_form_of_signature(text));
    let signature = read.and_then(|text| SignatureBox::from_string(&text).ok());
    let holds = signature.is_some_and(|signature| {
        minisign::verify(&public, &signature, std::io::Cursor::new(text), true, false, false).is_ok()
    });
    Ok((public.to_base64(), holds))
}

fn secret_key(path: &Path, password: Option<String>) -> Result<SecretKey, JobError> {
    let text = std::fs::read_to_string(path).map_err(|error| JobError::io(path, "read the key", &error))?;
    let wrong = |problem: Problem| JobError::usage(problem.after(&format!("{}: ", path.display())));
    if !text.starts_with("untrusted comment:") {
        return Err(wrong(
            Problem::new("not a secret key of minisign's form").mend("make one with `velamen sign new NAME`"),
        ));
    }
    if public_key(path).is_ok() {
        let mend = "give the file that `velamen sign new` wrote beside it, NAME.key";
        return Err(wrong(Problem::new("this is the public key").expected("the secret one").mend(mend)));
    }
    let key = || SecretKeyBox::from(text.clone());
    match (key().into_unencrypted_secret_key(), password) {
        (Ok(key), _) => Ok(key),
        (Err(_), None) => {
            let mend = format!("give its password in the variable {PASSWORD}");
            Err(wrong(Problem::new("the key is encrypted").mend(mend)))
        }
        (Err(_), Some(password)) => key()
            .into_secret_key(Some(password))
            .map_err(|_| wrong("the password does not open the key".into())),
    }
}

/// Whether a release folder is as it was signed with the secret key that belongs to a public one.
///
/// # Errors
/// [`JobError::usage`] if the key is none, [`JobError::io`] if the folder cannot be read.
pub fn check(folder: &Path, key: &Path) -> Result<Finding, JobError> {
    let public = public_key(key)?;
    plain::folder(folder)?;
    let asked = json!({ "signed-with": public.to_base64() });
    let told = |reached: &str| Ok(Finding::of("signature", asked.clone(), json!(reached), false));
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let (Ok(sums), Ok(signature)) = (read(SUMS), read(SIGNATURE)) else { return told("no signature") };
    let whole =
        has_form_of_signature(&signature).then(|| SignatureBox::from_string(&signature).ok()).flatten();
    let Some(signature) = whole else { return told("not a signature") };
    if minisign::verify(&public, &signature, std::io::Cursor::new(&sums), true, false, false).is_err() {
        return told("not signed with this key, or changed since");
    }
    let changed = changed(&sums, &checksums(folder)?);
    let holds = changed.is_empty();
    Ok(Finding::of("signature", asked, json!({ "changed": changed }), holds))
}

/// A public key from its file, or from its text.
fn public_key(key: &Path) -> Result<PublicKey, JobError> {
    let of_file = PublicKey::from_file(key);
    let of_text = || key.to_str().map(PublicKey::from_base64);
    of_file.ok().or_else(|| of_text()?.ok()).ok_or_else(|| {
        let problem = "this is not a public key in minisign's format";
        JobError::usage(format!("--key {}: {problem}", unless_secret(key))).coded(Code::PUBLIC_KEY)
    })
}

/// How the data of minisign's secret keys begin: Ed25519, scrypt or none, BLAKE2b.
const SECRET: [&str; 2] = ["RWRTY0Iy", "RWQAAEIy"];

/// What was given as a public key, for a message; the text of a secret key is left out.
fn unless_secret(key: &Path) -> String {
    let shown = key.display().to_string();
    match SECRET.iter().any(|begin| shown.contains(begin)) {
        true => "(the text of a secret key)".into(),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with one signed file, and the text of the public key.
    fn signed() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("data.csv"), "a\n1\n").unwrap();
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        let sums = format!("{}  data.csv\n", checksums(folder.path()).unwrap()["data.csv"]);
        let signature = minisign::sign(None, &keys.sk, sums.as_bytes(), Some("made"), None).unwrap();
        std::fs::write(folder.path().join(SUMS), sums).unwrap();
        std::fs::write(folder.path().join(SIGNATURE), signature.into_string()).unwrap();
        (folder, keys.pk.to_base64().into())
    }

    #[test]
    fn a_public_key_in_the_place_of_a_secret_one_is_called_so() {
        let folder = tempfile::tempdir().unwrap();
        let [secret, public] = new_keys(&folder.path().join("house"), None).unwrap();
        assert!(secret_key(&secret, None).is_ok());
        let message = secret_key(&public, None).unwrap_err().to_string();
        assert!(message.contains("this is the public key"), "{message}");
    }

    #[test]
    fn a_secret_key_in_the_place_of_a_public_one_is_not_shown() {
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        let text = keys.sk.to_box(None).unwrap().into_string();
        let data = text.lines().nth(1).unwrap();
        // To encrypt a key takes long without optimization; its text differs in the name of the function.
        let encrypted = data.replacen(SECRET[1], SECRET[0], 1);
        assert_ne!(data, encrypted);
        for given in [text.as_str(), data, &encrypted] {
            let message = public_key(Path::new(given)).unwrap_err().to_string();
            assert!(!message.contains(&data[8..20]), "{message}");
        }
        assert!(public_key(Path::new("hospital.pbu")).unwrap_err().to_string().contains("hospital.pbu"));
    }

    #[test]
    fn what_has_the_form_of_a_signature_reads_as_one() {
        let (folder, _) = signed();
        let text = std::fs::read_to_string(folder.path().join(SIGNATURE)).unwrap();
        assert!(has_form_of_signature(&text));
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            for other in ["", "A", "=", "/", "\n", " ", "é"] {
                let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                let reads = SignatureBox::from_string(&changed).is_ok();
                assert!(reads || !has_form_of_signature(&changed), "{changed}");
            }
        }
        for wrong in ["", "a\nb\nc\nd", &text.replace("RW", "RV").replace("RU", "RV")] {
            assert!(!has_form_of_signature(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_comment_without_its_whole_signature_is_no_signature() {
        let (folder, key) = signed();
        assert!(check(folder.path(), &key).unwrap().state == velamen_checker::State::Held);
        let path = folder.path().join(SIGNATURE);
        let whole = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        for last in ["", "AAAA", &lines[3][..84], &lines[3][..87], "not Base64"] {
            std::fs::write(&path, [lines[0], lines[1], lines[2], last].join("\n")).unwrap();
            assert_eq!(check(folder.path(), &key).unwrap().reached, "not a signature", "{last:?}");
        }
    }
}
