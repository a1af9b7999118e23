//! Runs the recorded vectors of every protocol that is built.

use std::{env, io, path::Path, process::ExitCode};

use hooks_tests::vectors::{Arguments, Protocol, aos, guidance, lifecycle, mcpl, plugin, run};

const PROTOCOLS: &[Protocol] = &[
    aos::PROTOCOL,
    guidance::PROTOCOL,
    lifecycle::PROTOCOL,
    mcpl::PROTOCOL,
    plugin::PROTOCOL,
];

fn main() -> io::Result<ExitCode> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![package.join("vectors")];
    // Cargo runs a test in its package's folder, but its user stands in the workspace's.
    folders.extend(env::var_os("HOOKS_VECTORS").map(|folder| package.join("..").join(folder)));
    let arguments = Arguments::read(env::args().skip(1));
    let well = run(PROTOCOLS, &folders, &arguments, &mut io::stdout().lock())?;
    Ok(if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
