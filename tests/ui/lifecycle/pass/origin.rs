use hooks_sdk::lifecycle;

#[lifecycle::hook(
    session_start,
    strength = suggestion,
    text = "Hello."
)]
struct Words;

#[test]
fn is_accepted() {
    let origin = Words::hook().origin();
    assert!(origin.file.ends_with("origin.rs"), "{}", origin.file);
    assert_eq!((origin.line, origin.column), (4, 5));
    assert!(!origin.package.is_empty());
}
