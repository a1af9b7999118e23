//! The order of the middleware stands in the book.

use super::{
    MiddlewareId,
    stack::{AFTER, BEFORE, GREETING},
};

/// The order stands in the book as it is here.
#[test]
fn the_book_has_the_order() {
    let line = |name: &str, places: &[MiddlewareId]| {
        let places: Vec<String> = places.iter().map(|place| format!("{place:?}")).collect();
        format!("{name}: {}\n", places.join(" → "))
    };
    let order = [
        line("handshake", GREETING),
        line("before the server", BEFORE),
        line("after the server", AFTER),
    ]
    .concat();
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/pipeline.md"
    );
    let Ok(text) = std::fs::read_to_string(page) else {
        // The package has no book.
        return;
    };
    let (head, rest) = text.split_once("```text\n").expect("a block of text");
    let (_, tail) = rest.split_once("```").expect("the end of the block");
    let printed = format!("{head}```text\n{order}```{tail}");
    if std::env::var("HOOKS_DOCS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(page, printed).expect("a writable book");
    } else {
        assert!(
            text == printed,
            "docs/reference/pipeline.md has another order; renew it with HOOKS_DOCS=overwrite"
        );
    }
}
