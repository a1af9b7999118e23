//! What conditions hold of, and what they cost in memory: nothing.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn both(condition: &str, args: &Value) -> (bool, bool) {
    let condition =
        Condition::parse(condition).unwrap_or_else(|error| panic!("{condition}: {error}"));
    let look = |root: &str| match root {
        "args" => Some(Subject::from(args)),
        "user" => Some(Subject::Text("alice")),
        _ => None,
    };
    // A protocol may also give a root as the value that it has.
    let whole = |root: &str| {
        (root == "args")
            .then_some(Subject::Value(args))
            .or(look(root))
    };
    let held = (condition.holds(&look), condition.holds_for_all(&look));
    assert_eq!(
        (condition.holds(&whole), condition.holds_for_all(&whole)),
        held
    );
    held
}

#[test]
fn tests_look_at_values_of_their_own_type() {
    let args = json!({
        "path": "/etc/passwd", "empty": "", "count": 5, "big": 9_007_199_254_740_993_u64, "huge": u64::MAX,
        "low": i64::MIN, "half": 0.5, "five": 5.0, "force": true, "none": null, "list": [1, 2, 3],
        "object": { "a": 1 }, "word": "größe",
    });
    for (condition, expected) in [
        ("args", true),
        ("args.path", true),
        ("args.none", false),
        ("args.absent", false),
        ("args.path.more", false),
        ("args.path[0]", false),
        (r#"args.path = "/etc/passwd""#, true),
        (r#"args.path = "/etc""#, false),
        (r#"args.path = "/etc/**""#, true),
        (r#"args.path = "*pass*""#, true),
        (r#"args.path = "/etc*pass*""#, true),
        ("args.force = [true, 5]", true),
        (r#"args.force = [false, "x"]"#, false),
        (r#"args.path = "/[d-f]tc/??????""#, true),
        (r#"args.empty = """#, true),
        ("args.count = 5", true),
        ("args.count = 5.0", true),
        ("args.five = 5", true),
        ("args.big = 9007199254740993", true),
        ("args.big = 9007199254740992", false),
        ("args.big = 9007199254740992.0..9007199254740994.0", true),
        ("args.huge = 18446744073709551615", true),
        ("args.huge = ..18446744073709551615", false),
        ("args.low = ..0", true),
        ("args.half = 0..1", true),
        ("args.half = 0.5..=0.5", true),
        ("args.force = true", true),
        ("args.force = false", false),
        (r#"args.path = ["/srv", "/etc/*"]"#, true),
        (r#"args.count = ["5", 5]"#, true),
        (r#"args.path = prefix("/etc/")"#, true),
        (r#"args.path = inside("/etc")"#, true),
        ("args.word = longer_than(4)", true),
        ("args.word = longer_than(5)", false),
        ("args.list = longer_than(2)", true),
        ("args.list = longer_than(3)", false),
        ("args.object = longer_than(0)", true),
        (r#"args.path = matches("^/etc/")"#, true),
        (r#"args.path = matches(r"\d")"#, false),
        (r#"args.word = matches(r"^\w+$")"#, true),
        ("args.list[1] = 2", true),
        ("args.list[3]", false),
        (r#"user = "alice""#, true),
        ("user.name", false),
        ("tenant", false),
        (r#"args.path = "/etc/*", args.force = true"#, true),
        (r#"args.path = "/etc/*", args.force = false"#, false),
        (r#"any(args.force = false, args.path = "/etc/*")"#, true),
    ] {
        assert_eq!(both(condition, &args), (expected, expected), "{condition}");
    }
}

/// For each condition, what `when` and `unless` go by.
#[test]
fn stars_are_some_item_or_every_item() {
    for (items, when, unless) in [
        (json!(["/srv/a", "/srv/b"]), true, true),
        (json!(["/srv/a", "/etc/b"]), true, false),
        (json!(["/srv/a", 5]), true, false),
        (json!([5, "/etc/b"]), true, false),
        (json!(["/srv/a", null]), true, false),
        (json!(["/etc/b"]), false, false),
        (json!([]), false, true),
        (json!("/srv/a"), true, false),
        (json!(null), false, false),
    ] {
        let args = json!({ "items": items });
        let condition = r#"args.items[*] = inside("/srv")"#;
        assert_eq!(both(condition, &args), (when, unless), "{args}");
        let deeper: Value = match args["items"].as_array() {
            Some(items) => items.iter().map(|item| json!({ "path": item })).collect(),
            None => args["items"].clone(),
        };
        let args = json!({ "items": deeper });
        let condition = r#"args.items[*].path = inside("/srv")"#;
        assert_eq!(both(condition, &args), (when, unless), "{args}");
    }
}

#[test]
fn a_value_that_a_test_cannot_compare_leads_around_no_rule() {
    let values = [
        json!("5000"),
        json!(" 5000 "),
        json!("5e3"),
        json!([5000]),
        json!({ "v": 5000 }),
        json!(true),
        json!(null),
    ];
    for value in values {
        let args = json!({ "amount": value, "deep": [value.clone()] });
        for test in ["= 1000..", "= 5000", "= [1, 5000]"] {
            for path in ["args.amount", "args.deep[0]", "args.deep[*]"] {
                let (plain, negated) = (format!("{path} {test}"), format!("not({path} {test})"));
                let expected = (true, false);
                assert_eq!(both(&plain, &args), expected, "{plain} of {args}");
                assert_eq!(both(&negated, &args), expected, "{negated} of {args}");
                let nested = format!("any(args.none = 1, not(any({negated}, args.none = 1)))");
                assert_eq!(both(&nested, &args), expected, "{nested} of {args}");
            }
        }
    }
    let args =
        json!({ "text": "a", "number": 1, "list": [1], "flag": true, "object": {}, "none": null });
    for condition in [
        r#"args.number = "1""#,
        r#"args.list = inside("/")"#,
        r#"args.object = prefix("a")"#,
        r#"args.flag = matches("t")"#,
        r#"args.none = "*""#,
        r#"args.flag = ["true", 1]"#,
        "args.number = longer_than(0)",
        "args.text = true",
        "args.text.more = 1",
        "args.text[0] = 1",
        "args.object[*] = 1",
        "args.list.more = 1",
    ] {
        assert_eq!(both(condition, &args), (true, false), "{condition}");
        assert_eq!(
            both(&format!("not({condition})"), &args),
            (true, false),
            "{condition}"
        );
    }
    // An absent path has no value.
    for condition in [
        "args.absent = 1",
        "args.none.more = 1",
        "args.object.more = 1",
        "args.list[1] = 1",
    ] {
        assert_eq!(both(condition, &args), (false, false), "{condition}");
        assert_eq!(
            both(&format!("not({condition})"), &args),
            (true, false),
            "{condition}"
        );
    }
}

#[test]
fn under_not_the_item_that_breaks_it_counts() {
    for (args, when, unless) in [
        (json!({ "items": ["ok", "ok"] }), false, false),
        (json!({ "items": ["ok", "bad"] }), true, false),
        (json!({ "items": ["bad"] }), true, true),
        (json!({ "items": [] }), false, true),
        // What is absent or of another type is denied by both.
        (json!({}), true, false),
        (json!({ "items": [5] }), true, false),
    ] {
        assert_eq!(
            both(r#"not(args.items[*] = "ok")"#, &args),
            (when, unless),
            "{args}"
        );
        let twice = both(r#"not(not(args.items[*] = "ok"))"#, &args);
        assert_eq!(twice, both(r#"args.items[*] = "ok""#, &args), "{args}");
    }
}

#[test]
fn presence_is_sure_about_what_is_absent() {
    for (args, present) in [
        (json!({ "force": 1 }), true),
        (json!({ "force": null }), false),
        (json!({}), false),
    ] {
        assert_eq!(both("args.force", &args), (present, present));
        assert_eq!(both("not(args.force)", &args), (!present, !present));
    }
}

#[test]
fn what_the_grammar_cannot_see_is_found_too() {
    for (condition, column, message) in [
        (
            r#"user, args.a = "[a""#,
            7,
            "`args.a`: the pattern has a `[` without its `]`",
        ),
        (
            r#"args.a = ["x", "[b-a]"]"#,
            1,
            "`args.a`: the pattern has a range that ends before it starts",
        ),
        (
            r#"args.a = matches("(")"#,
            1,
            "`args.a`: this is no regular expression: unclosed group",
        ),
        (
            r#"args.a = matches("(?=a)")"#,
            1,
            "`args.a`: this is no regular expression: look-around",
        ),
        (
            r#"args.a = inside("/srv/..")"#,
            1,
            "`args.a`: the folder `/srv/..` has `..` in it",
        ),
        ("args.a ==", 8, "`==` is no test"),
    ] {
        let error = Condition::parse(condition).unwrap_err();
        assert_eq!(error.column, column, "{condition}");
        assert!(error.message.starts_with(message), "{error}");
        assert!(
            !error.help.is_empty() && !error.message.contains('\n'),
            "{error}"
        );
    }
    let broken = Condition::written(r#"args.a = matches("(")"#);
    assert!(broken.problem().is_some_and(|error| error.column == 1));
    assert!(broken.holds(&|_| None) && !broken.holds_for_all(&|_| None));
    let huge = format!(r#"args.a = matches("a{{{}}}")"#, "9".repeat(9));
    assert!(Condition::parse(&huge).is_err());
}

#[test]
fn a_condition_is_shown_as_it_was_written() {
    let condition = Condition::parse("args.a  = 5 , user").unwrap();
    assert_eq!(condition.to_string(), "args.a  = 5 , user");
    assert_eq!(
        format!("{condition:?}"),
        "Condition(\"args.a  = 5 , user\")"
    );
    let mut paths = Vec::new();
    condition.each_path(|path| paths.push(path.to_string()));
    assert_eq!(paths, ["args.a", "user"]);
}

#[test]
fn deep_documents_and_long_texts_are_no_danger() {
    let mut deep = json!(1);
    for _ in 0..10_000 {
        deep = Value::Array(vec![deep]);
    }
    assert_eq!(both("args[0][0][*][*] = 5", &deep), (true, false));
    // Dropping it would recurse.
    std::mem::forget(deep);
    let long = json!({ "a": "a".repeat(1_000_000) });
    for condition in [
        r#"args.a = matches("(a+)+b$")"#,
        r#"args.a = "*b""#,
        r#"args.a = inside("/a")"#,
        "args.a = longer_than(1000000)",
    ] {
        assert_eq!(both(condition, &long), (false, false), "{condition}");
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ab/.]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn condition() -> impl Strategy<Value = String> {
    let path = prop::sample::select(vec![
        "args",
        "args.a",
        "args.a.b",
        "args.a[*]",
        "args[*].a",
        "args.b[0]",
        "none",
    ]);
    let value = prop::sample::select(vec![
        "",
        "= \"a*\"",
        "= \"a\"",
        "= 5",
        "= 0..",
        "= true",
        "= [\"a\", 1, true]",
        "= inside(\"/a\")",
        "= longer_than(1)",
        "= matches(\"a\")",
    ]);
    let test = (path, value).prop_map(|(path, value)| format!("{path} {value}"));
    test.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| format!("not({one})")),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|list| format!("any({})", list.join(", "))),
            prop::collection::vec(inner, 1..3).prop_map(|list| format!("all({})", list.join(", "))),
        ]
    })
}

proptest! {
    /// A rule *unless* never allows what the same rule *when not* would deny.
    #[test]
    fn unless_is_at_least_as_strict_as_when_not(condition in condition(), args in json()) {
        let (_, allowed) = both(&condition, &args);
        let (denied, _) = both(&format!("not({condition})"), &args);
        prop_assert!(!(allowed && denied), "{condition} of {args}");
    }

    /// Without `[*]`, only a value that a test cannot compare is read differently: then both rules deny.
    #[test]
    fn without_stars_when_is_at_least_as_strict_as_unless(condition in condition(), args in json()) {
        if !condition.contains("[*]") && !condition.contains("not(") {
            let (some, every) = both(&condition, &args);
            prop_assert!(some || !every, "{} of {}", condition, args);
        }
    }
}

#[test]
fn the_words_of_commands_are_lists() {
    let words = ["rm", "-r"].map(str::to_owned).to_vec();
    let commands = [ShellCommand::new(words)];
    assert!(commands[0] == "rm -r" && commands[0] != "rm");
    let look = |root: &str| (root == "commands").then_some(Subject::Commands(&commands));
    for (condition, expected) in [
        (r#"commands[*] = "rm -r""#, true),
        (r#"commands[*].words[0] = "rm""#, true),
        (r#"commands[0].words[1] = "-r""#, true),
        (r#"commands[0].words[1] = "rm""#, false),
        ("commands[0].words[2]", false),
        // Of another member nothing is known.
        (r#"commands[*].other[0] = "ls""#, true),
    ] {
        let parsed = Condition::parse(condition).unwrap();
        assert_eq!(parsed.holds(&look), expected, "{condition}");
    }
}

#[test]
fn a_test_says_which_types_it_compares() {
    let mut seen = Vec::new();
    let condition = Condition::parse(r#"args.a = ["x", 5, true]"#).unwrap();
    condition.each_test(|_, types| seen.extend_from_slice(types));
    assert_eq!(seen, ["string", "number", "integer", "boolean"]);
}
