//! Tells cargo to build again when a text is added to the guidance; it sees changes of the known ones itself.

fn main() {
    println!("cargo::rerun-if-changed=src/guidance");
    println!("cargo::rerun-if-changed=src/skills");
}
