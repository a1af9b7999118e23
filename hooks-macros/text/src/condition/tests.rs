//! What the grammar of conditions reads, and what it says about everything else.

use proptest::prelude::*;

use super::*;

fn one(text: &str) -> (String, Test) {
    match parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}")) {
        Tree::Test(path, test) => (path.to_string(), test),
        other => panic!("{other:?}"),
    }
}

fn text(text: &str) -> Scalar {
    Scalar::Text(text.to_owned())
}

#[test]
fn a_path_stands_alone() {
    for path in ["args.text", "result.rows[*].\"a b\"[0]", "args"] {
        assert_eq!(parse_path(path).unwrap().to_string(), path);
    }
    for (path, message, column) in [
        ("", "the path is empty", 1),
        ("*", "`*` where a path should be", 1),
        ("args.", "`.` without a name", 5),
        ("args[x]", "not an item of an array", 5),
        ("args.user-id", "unexpected `-`", 10),
        ("args.text = 5", "unexpected `=` behind the path", 11),
        ("args/text", "unexpected `/` behind the path", 5),
    ] {
        let fault = parse_path(path).unwrap_err();
        assert_eq!((&*fault.message, fault.column), (message, column), "{path}");
        assert!(!fault.help.is_empty());
    }
}

#[test]
fn every_test_is_read() {
    use Bound::{Excluded, Included, Unbounded};
    let whole = Number::Whole;
    let fraction = |value| Number::fraction(value).unwrap();
    for (value, expected) in [
        ("", Test::Present),
        (r#" = "/etc/**""#, Test::Is(text("/etc/**"))),
        ("=5", Test::Is(Scalar::Number(whole(5)))),
        ("= -1_000", Test::Is(Scalar::Number(whole(-1000)))),
        ("= 0.5", Test::Is(Scalar::Number(fraction(0.5)))),
        ("= 2.5e-3", Test::Is(Scalar::Number(fraction(0.0025)))),
        ("= true", Test::Is(Scalar::Flag(true))),
        ("= false ", Test::Is(Scalar::Flag(false))),
        (
            "= 10..=100",
            Test::Range(Included(whole(10)), Included(whole(100))),
        ),
        (
            "=10..100",
            Test::Range(Included(whole(10)), Excluded(whole(100))),
        ),
        ("= -5..", Test::Range(Included(whole(-5)), Unbounded)),
        ("= ..100", Test::Range(Unbounded, Excluded(whole(100)))),
        ("= ..=0.5", Test::Range(Unbounded, Included(fraction(0.5)))),
        (
            "= 5..=5",
            Test::Range(Included(whole(5)), Included(whole(5))),
        ),
        (
            r#"= ["a", "b*", 5, true,]"#,
            Test::OneOf(vec![
                text("a"),
                text("b*"),
                Scalar::Number(whole(5)),
                Scalar::Flag(true),
            ]),
        ),
        (r#"= prefix("x")"#, Test::Prefix("x".to_owned())),
        (r#"= inside ( "/etc" )"#, Test::Inside("/etc".to_owned())),
        ("= longer_than(1000)", Test::LongerThan(1000)),
        (r#"= matches(r"^\d+$")"#, Test::Matches(r"^\d+$".to_owned())),
    ] {
        let (path, test) = one(&format!("args.a{value}"));
        assert_eq!((&*path, test), ("args.a", expected), "{value}");
    }
}

#[test]
fn every_path_is_read_and_shown_again() {
    for (written, shown, steps) in [
        ("user", "user", 0),
        ("args.user.id", "args.user.id", 2),
        ("args.items[0].path", "args.items[0].path", 3),
        ("args.items[ * ].path", "args.items[*].path", 3),
        (r#"args."a.b".c"#, r#"args."a.b".c"#, 2),
        (r#"args."plain""#, "args.plain", 1),
        (r#"headers."x-tenant""#, r#"headers."x-tenant""#, 1),
        ("args.r#type", "args.type", 1),
        ("args.not", "args.not", 1),
        ("any", "any", 0),
    ] {
        let Tree::Test(path, _) = parse(written).unwrap() else {
            panic!("{written}")
        };
        assert_eq!((&*path.to_string(), path.steps.len()), (shown, steps));
        assert_eq!(parse(shown).unwrap(), parse(written).unwrap());
    }
}

#[test]
fn groups_join_conditions() {
    let test = |name: &str, at| {
        let root = name.to_owned();
        Tree::Test(
            Path {
                at,
                root,
                steps: Vec::new(),
            },
            Test::Present,
        )
    };
    for (written, expected) in [
        ("a, b", Tree::All(vec![test("a", 0), test("b", 3)])),
        ("a,", test("a", 0)),
        ("all(a, b)", Tree::All(vec![test("a", 4), test("b", 7)])),
        ("any(a, b,)", Tree::Any(vec![test("a", 4), test("b", 7)])),
        ("any (a)", test("a", 5)),
        ("not(a)", Tree::Not(Box::new(test("a", 4)))),
        (
            "not(any(a, b)), c",
            Tree::All(vec![
                Tree::Not(Box::new(Tree::Any(vec![test("a", 8), test("b", 11)]))),
                test("c", 16),
            ]),
        ),
    ] {
        assert_eq!(parse(written).unwrap(), expected, "{written}");
    }
}

#[test]
fn a_mistake_has_its_column_and_what_mends_it() {
    let nested = "not(".repeat(MAX_DEPTH + 1) + "a" + &")".repeat(MAX_DEPTH + 1);
    let steps = format!("a{}", ".b".repeat(MAX_STEPS + 1));
    let long = format!("a = \"{}\"", "x".repeat(MAX_CONDITION));
    for (written, column, message, help) in [
        ("", 1, "the condition is empty", "write a path"),
        ("a)", 2, "`)` closes nothing", "remove it"),
        ("= 5", 1, "`=` where a path should be", "write a path"),
        (
            "\"a\" = 5",
            1,
            "`\"` where a path should be",
            "write a path",
        ),
        ("!a", 1, "unexpected `!`", "write `not(…)`"),
        (
            "a b",
            3,
            "unexpected `b`",
            "write `=` before a value, and a comma",
        ),
        (
            "a and b",
            3,
            "unexpected `and`",
            "write a comma, which means `and`",
        ),
        (
            "a && b",
            3,
            "unexpected `&`",
            "write a comma, which means `and`",
        ),
        ("a or b", 3, "unexpected `or`", "write `any(…, …)`"),
        ("ä != 5", 3, "unexpected `!`", "write `not(path = value)`"),
        ("a > 5", 3, "unexpected `>`", "write a range: `path = 10..`"),
        (
            "a <= 5",
            3,
            "unexpected `<`",
            "write a range: `path = ..10`",
        ),
        ("a == 5", 3, "`==` is no test", "write `=`"),
        (
            "args.user-id",
            10,
            "unexpected `-`",
            "write a name with other characters in quotes",
        ),
        ("a.", 2, "`.` without a name", "write the name of a member"),
        (
            "a.0",
            2,
            "`.` without a name",
            "write an item of an array as `[0]`",
        ),
        (
            "a[x]",
            2,
            "not an item of an array",
            "write `[0]` for one item",
        ),
        (
            "a[-1]",
            2,
            "not an item of an array",
            "write `[0]` for one item",
        ),
        (
            "a[0",
            2,
            "not an item of an array",
            "write `[0]` for one item",
        ),
        ("not()", 1, "`not()` is empty", "write a condition between"),
        (
            "not(a, b)",
            1,
            "`not` takes one condition",
            "write `not(any(…))`",
        ),
        ("b, any(a", 4, "`any(` has no end", "add `)`"),
        ("a =", 3, "`=` without a value", "write a text, a number"),
        (
            "a = , b",
            3,
            "`=` without a value",
            "write a text, a number",
        ),
        ("a = fast", 5, "`fast` is not a value", "write `\"fast\"`"),
        ("a = null", 5, "`null` is not a value", "write `not(path)`"),
        ("a = (b)", 5, "`(` is not a value", "write a text"),
        (
            "a = prefx(\"b\")",
            5,
            "unknown test `prefx`",
            "write `prefix(…)`",
        ),
        (
            "a = contains(\"b\")",
            5,
            "unknown test `contains`",
            "use one of `prefix`",
        ),
        (
            "a = prefix(5)",
            5,
            "`prefix` takes one text",
            "write `prefix(\"…\")`",
        ),
        (
            "a = prefix(\"\")",
            5,
            "`prefix(\"\")` is no test",
            "write a text",
        ),
        (
            "a = inside(\"a\", \"b\")",
            5,
            "`inside(` has no end",
            "add `)` behind its one",
        ),
        (
            "a = longer_than(-1)",
            17,
            "`longer_than` takes a whole number",
            "write `longer_than(1000)`",
        ),
        (
            "a = longer_than(x)",
            17,
            "`longer_than` takes a whole number",
            "write `longer_than(1000)`",
        ),
        (
            "a = []",
            5,
            "the list is empty",
            "write the values that match",
        ),
        ("a = [1 2]", 8, "unexpected `2`", "write a comma"),
        (
            "a = [b]",
            6,
            "`b` is not a value of a list",
            "write `\"b\"`",
        ),
        ("a = [1..2]", 7, "unexpected `.`", "write a comma"),
        ("a = [1", 5, "the list has no end", "add `]`"),
        ("a = [1,", 8, "the list has no end", "write texts"),
        (
            "a = 5..1",
            5,
            "the range ends before it starts",
            "swap its ends",
        ),
        ("a = 5..5.0", 5, "the range is empty", "write `..=`"),
        ("a = ..", 5, "the range has no ends", "write one of them"),
        (
            "a = 5..=",
            5,
            "`..=` without an end",
            "write the end, or `..`",
        ),
        (
            "a = .5",
            5,
            "`.` is not a value",
            "write a number with its digits",
        ),
        (
            "a = 5u8",
            5,
            "`5u8` is not a number",
            "write decimal digits",
        ),
        (
            "a = 0x10",
            5,
            "`0x10` is not a number",
            "write decimal digits",
        ),
        (
            "a = 1e999",
            5,
            "`1e999` is not a number",
            "write decimal digits",
        ),
        ("a = -", 5, "`-` is not a number", "write decimal digits"),
        ("a = \"b", 5, "the text has no end", "add `\"`"),
        (
            &nested,
            4 * MAX_DEPTH + 1,
            "more than 16 groups",
            "write it with fewer",
        ),
        (
            &steps,
            2 * MAX_STEPS + 2,
            "the path has more than 32 steps",
            "test a part",
        ),
        (
            &long,
            1,
            "the condition is longer than 16384 bytes",
            "split it",
        ),
    ] {
        let fault = parse(written).expect_err(written);
        assert_eq!(fault.column, column, "{written}: {fault}");
        assert!(fault.message.starts_with(message), "{written}: {fault}");
        assert!(fault.help.starts_with(help), "{written}: {fault}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in r#"([a-z."=\[\]()*,0-9 \\#r-]|\.\.|not\(|é)*"#) {
        if let Err(fault) = parse(&text) {
            prop_assert!(text.is_char_boundary(fault.at), "{text}: {fault:?}");
        }
    }
}
