//! Certificates of an authority that no computer trusts.

use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Makes an authority, `ca.crt`, and a certificate of it for this computer, `server.crt` and `server.key`. Returns whether
/// that worked: it needs `openssl` of version 3.
pub fn certificates(folder: &Path) -> bool {
    let key = [
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ];
    let authority = ["-subj", "/CN=ours", "-keyout", "ca.key", "-out", "ca.crt"];
    let server = [
        "-subj",
        "/CN=localhost",
        "-keyout",
        "server.key",
        "-out",
        "server.crt",
        "-CA",
        "ca.crt",
        "-CAkey",
        "ca.key",
        "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ];
    [&authority[..], &server[..]].iter().all(|more| {
        let mut command = Command::new("openssl");
        command.args(["req", "-x509"]).args(key).args(*more);
        command.current_dir(folder).stderr(Stdio::null());
        command.status().is_ok_and(|ended| ended.success())
    })
}
