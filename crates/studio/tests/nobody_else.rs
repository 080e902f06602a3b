//! Nobody else gets in: every line of docs/studio.md's list, by raw requests.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod common;

use std::net::{IpAddr, TcpStream, UdpSocket};

use common::{Answer, Running};

const TABLE: &str = "name,age,diagnosis\nAnna Secret,31,flu\nBert Hidden,42,asthma\nCarl Covert,53,flu\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stays.csv"), TABLE).unwrap();
    folder
}

fn refused(answer: &Answer, what: &str) {
    assert_eq!(answer.status(), 403, "{what}: {}", answer.0);
    assert!(!answer.0.contains("studio.css") && answer.header("set-cookie").is_none(), "{what}");
}

#[test]
fn it_listens_on_loopback_alone() {
    let studio = Running::on(Some(folder().path()));
    assert!(studio.address.ip().is_loopback());
    // The address that the machine has for others, if it has one; no packet is sent.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let outward = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    if let Some(ip) = outward.ok().map(|address| address.ip()).filter(|ip: &IpAddr| !ip.is_loopback()) {
        assert!(TcpStream::connect((ip, studio.address.port())).is_err());
    }
}

#[test]
fn a_second_start_has_another_port_token_path_and_cookie() {
    let folder = folder();
    let (one, other) = (Running::on(Some(folder.path())), Running::on(Some(folder.path())));
    assert_ne!(one.address.port(), other.address.port());
    assert_ne!(one.token(), other.token());
    let (first, second) = (one.entered(), other.entered());
    assert_ne!((&first.base, &first.cookie), (&second.base, &second.cookie));
    let crossed = other.ask(
        &format!("GET {}/open", second.base),
        &[("Host", &second.host), ("Cookie", &first.cookie)],
        "",
    );
    refused(&crossed, "the cookie of another studio");
    assert_eq!(first.get("open").status(), 200);
}

#[test]
fn the_token_has_256_bits_and_works_once() {
    let studio = Running::on(Some(folder().path()));
    let token = studio.token().strip_prefix("/?token=").unwrap();
    assert!(token.len() == 64 && token.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let host = studio.address.to_string();
    refused(&studio.ask("GET /", &[("Host", &host)], ""), "no token");
    refused(&studio.ask(&format!("GET /?token={}", "0".repeat(64)), &[("Host", &host)], ""), "another token");
    let client = studio.entered();
    refused(&studio.ask(&format!("GET {}", studio.token()), &[("Host", &host)], ""), "the token once more");
    for part in [
        &*format!("velamen-studio-{}=", studio.address.port()),
        "; HttpOnly",
        "; SameSite=Strict",
        &format!("; Path={}", client.base),
    ] {
        assert!(client.set_cookie.contains(part), "{}", client.set_cookie);
    }
    assert!(!client.set_cookie.contains(token));
}

#[test]
fn nothing_is_served_without_the_cookie() {
    let studio = Running::on(Some(folder().path()));
    let client = studio.entered();
    for page in [
        "open",
        "attributes",
        "release",
        "static/studio.js",
        "static/studio.css",
        "status",
        "file?name=x",
        "nowhere",
    ] {
        let first = format!("GET {}/{page}", client.base);
        refused(&studio.ask(&first, &[("Host", &client.host)], ""), page);
        refused(&studio.ask(&first, &[("Host", &client.host), ("Cookie", "velamen-studio=1")], ""), page);
    }
    assert_eq!(client.get("static/studio.js").status(), 200);
    assert_eq!(client.get("nowhere").status(), 404);
}

#[test]
fn a_host_that_is_no_loopback_literal_is_refused() {
    let studio = Running::on(Some(folder().path()));
    let client = studio.entered();
    let port = studio.address.port();
    let first = format!("GET {}/open", client.base);
    for host in [
        "evil.test",
        &format!("evil.test:{port}"),
        &format!("localhost:{port}"),
        "127.0.0.1",
        "",
        &format!("127.0.0.1.evil.test:{port}"),
    ] {
        refused(&studio.ask(&first, &[("Host", host), ("Cookie", &client.cookie)], ""), host);
    }
    let two = [("Host", &*client.host), ("Host", "evil.test"), ("Cookie", &client.cookie)];
    assert!(matches!(studio.ask(&first, &two, "").status(), 400 | 403));
    let absolute = format!("GET http://evil.test{}/open", client.base);
    refused(
        &studio.ask(&absolute, &[("Host", &client.host), ("Cookie", &client.cookie)], ""),
        "an absolute target",
    );
}

#[test]
fn a_change_needs_its_own_origin_and_a_header_of_ours() {
    let folder = folder();
    let studio = Running::on(Some(folder.path()));
    let client = studio.entered();
    client.post("open/file", "file=stays.csv");
    let before = client.until("attributes", "Role of diagnosis").recipe();
    let own = format!("http://{}", client.host);
    let first = format!("POST {}/attributes/role", client.base);
    let body = "name=diagnosis&role=identifier";
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    for (what, more) in [
        ("a form of no origin", vec![form]),
        ("a form of another origin", vec![form, ("Origin", "http://evil.test")]),
        ("a form of an origin that is hidden", vec![form, ("Origin", "null")]),
        ("a form of ours without our header", vec![form, ("Origin", &own)]),
        ("our header from another origin", vec![("Origin", "http://evil.test"), ("X-Velamen-Studio", "1")]),
        ("our header from another site", vec![("Sec-Fetch-Site", "cross-site"), ("X-Velamen-Studio", "1")]),
        ("our header from another port", vec![("Sec-Fetch-Site", "same-site"), ("X-Velamen-Studio", "1")]),
        ("our header without an origin", vec![("X-Velamen-Studio", "1")]),
    ] {
        let headers = [vec![("Host", &*client.host), ("Cookie", &client.cookie)], more].concat();
        refused(&studio.ask(&first, &headers, body), what);
    }
    assert_eq!(client.get("attributes").recipe(), before);
    client.post("attributes/role", body);
    assert_ne!(client.get("attributes").recipe(), before);
}

#[test]
fn other_sites_read_nothing_and_no_other_verb_is_known() {
    let studio = Running::on(Some(folder().path()));
    let client = studio.entered();
    let first = format!("GET {}/open", client.base);
    for site in ["cross-site", "same-site"] {
        let headers = [("Host", &*client.host), ("Cookie", &client.cookie), ("Sec-Fetch-Site", site)];
        refused(&studio.ask(&first, &headers, ""), site);
    }
    for verb in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
        let answer = studio.ask(
            &format!("{verb} {}/open", client.base),
            &[("Host", &client.host), ("Cookie", &client.cookie)],
            "",
        );
        assert_eq!(answer.status(), 405, "{verb}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{verb}");
    }
}

#[test]
fn every_answer_has_the_headers() {
    let studio = Running::on(Some(folder().path()));
    let client = studio.entered();
    let host = [("Host", &*client.host)];
    for answer in [
        client.get("open"),
        client.get("static/htmx.min.js"),
        client.get("nowhere"),
        studio.ask("GET /", &host, ""),
    ] {
        let policy = answer.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{}", answer.0);
        }
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    let page = client.get("open").0;
    assert!(
        page.contains("&quot;allowEval&quot;:false") && page.contains("&quot;historyCacheSize&quot;:0"),
        "{page}"
    );
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("://"), "the page names an address: {page}");
    assert!(!page.contains(" style=") && !page.contains("onclick="), "nothing that the policy forbids");
}

#[test]
fn paths_stay_below_the_folder() {
    let outside = folder();
    let folder = folder();
    let secret = outside.path().join("stays.csv");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, folder.path().join("link.csv")).unwrap();
    let studio = Running::on(Some(folder.path()));
    let client = studio.entered();
    let encoded = |path: &str| path.replace('/', "%2F");
    for file in
        ["../stays.csv", "/etc/passwd", &secret.display().to_string(), "link.csv", "..%2Fstays.csv", ""]
    {
        let answer = client.post("open/file", &format!("file={}", encoded(file)));
        assert!(answer.0.contains("role=\"alert\""), "{file}: {}", answer.0);
    }
    client.post("open/file", "file=stays.csv");
    let before = client.until("attributes", "Role of diagnosis").recipe();
    for text in [
        format!("[input]\npath = \"{}\"\n[output]\npath = \"out\"\n", secret.display()),
        "[input]\npath = \"stays.csv\"\n[output]\npath = \"../out\"\n".to_owned(),
    ] {
        let text: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let answer = client.post("recipe", &format!("text={text}"));
        assert!(answer.0.contains("role=\"alert\""), "{}", answer.0);
    }
    assert_eq!(client.get("attributes").recipe(), before);
    for name in ["../../etc/passwd", "/etc/passwd"] {
        assert_eq!(client.get(&format!("file?name={}", encoded(name))).status(), 404);
    }
}

#[test]
fn bodies_are_bounded_and_one_file_is_received_at_a_time() {
    let studio = Running::on(Some(folder().path()));
    let client = studio.entered();
    let answer = client.post("recipe", &format!("text={}", "x".repeat(2 << 20)));
    assert!(matches!(answer.status(), 413 | 0), "{}", answer.status());
    for name in ["..", ".hidden", "a%2Fb.csv", ""] {
        let answer = client.post(&format!("open/drop?name={name}"), "a\n1\n");
        assert_eq!(answer.status(), 400, "{name}");
    }
}

#[test]
fn no_cell_stands_in_a_page_until_it_is_asked_for() {
    let folder = folder();
    let studio = Running::on(Some(folder.path()));
    let client = studio.entered();
    client.post("open/file", "file=stays.csv");
    client.until("attributes", "Role of diagnosis");
    for page in ["open", "attributes", "hierarchies", "promises", "release"] {
        let text = client.get(page).0;
        for cell in ["Secret", "Hidden", "Covert", "asthma"] {
            assert!(!text.contains(cell), "{page} shows {cell}");
        }
    }
    client.post("attributes/values", "show=yes");
    client.until("attributes", "asthma");
}

#[test]
fn it_ends_when_the_person_closes_it() {
    let studio = Running::on(Some(folder().path()));
    let client = studio.entered();
    assert_eq!(client.post("end", "").status(), 200);
    let began = std::time::Instant::now();
    while TcpStream::connect(studio.address).is_ok() {
        assert!(began.elapsed() < std::time::Duration::from_secs(30));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
