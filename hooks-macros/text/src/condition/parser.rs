//! The grammar of conditions: lists, groups and paths.

use super::{
    ConditionFault, MAX_CONDITION, MAX_DEPTH, MAX_STEPS, Path, Step, Test, Tree, text::Text, value,
};

/// Reads conditions; a comma between them means *and*.
///
/// # Errors
///
/// The first mistake.
pub fn parse(text: &str) -> Result<Tree<Test>, ConditionFault> {
    let mut text = Text::new(text);
    if text.whole.len() > MAX_CONDITION {
        let wrong = format!("the condition is longer than {MAX_CONDITION} bytes");
        return text.fault(0, wrong, "split it, or test with `matches(\"…\")`");
    }
    let list = list(&mut text, 0)?;
    if let Some(closing) = text.peek() {
        let wrong = format!("`{closing}` closes nothing");
        return text.fault(text.at, wrong, "remove it");
    }
    if list.is_empty() {
        let help = "write a path, as in `args.path = \"/etc/**\"`";
        return text.fault(0, "the condition is empty", help);
    }
    Ok(joined(list, Tree::All))
}

/// Reads a path alone, as `args.text` or `result.rows[*].text`.
///
/// # Errors
///
/// The first mistake.
pub fn parse_path(text: &str) -> Result<Path, ConditionFault> {
    const EXAMPLE: &str = "write a path, as in `args.text`";
    let mut text = Text::new(text);
    let word = text.word();
    if word.is_empty() {
        let wrong = match text.peek() {
            Some(_) => format!("`{}` where a path should be", text.shown()),
            None => "the path is empty".to_owned(),
        };
        return text.fault(0, wrong, EXAMPLE);
    }
    let path = path(&mut text, 0, word)?;
    text.skip_spaces();
    match text.peek() {
        None => Ok(path),
        Some('-') => no_comma(&text),
        Some(_) => text.fault(
            text.at,
            format!("unexpected `{}` behind the path", text.shown()),
            "remove it: a path goes on with `.member`, `.\"any name\"`, `[0]` and `[*]`",
        ),
    }
}

fn joined(mut list: Vec<Tree<Test>>, join: fn(Vec<Tree<Test>>) -> Tree<Test>) -> Tree<Test> {
    match list.len() {
        1 => list.remove(0),
        _ => join(list),
    }
}

/// Reads conditions up to the end, or to a closing bracket.
fn list(text: &mut Text<'_>, depth: usize) -> Result<Vec<Tree<Test>>, ConditionFault> {
    let mut list = Vec::new();
    loop {
        text.skip_spaces();
        if matches!(text.peek(), None | Some(')')) {
            return Ok(list);
        }
        list.push(one(text, depth)?);
        text.skip_spaces();
        if !text.eat(",") && !matches!(text.peek(), None | Some(')')) {
            return no_comma(text);
        }
    }
}

fn no_comma<T>(text: &Text<'_>) -> Result<T, ConditionFault> {
    let rest = text.rest();
    let of_another_language = [
        ("!=", "write `not(path = value)`"),
        ("<", "write a range: `path = ..10`"),
        (">", "write a range: `path = 10..`"),
        ("&", "write a comma, which means `and`"),
        ("and ", "write a comma, which means `and`"),
        ("|", "write `any(…, …)`"),
        ("or ", "write `any(…, …)`"),
        ("in ", "write `path = [\"…\", \"…\"]`"),
        (
            "-",
            "write a name with other characters in quotes, as in `args.\"user-id\"`",
        ),
        (
            ".",
            "write a name with other characters in quotes, as in `args.\"user-id\"`",
        ),
    ];
    let help = of_another_language
        .iter()
        .find(|(word, _)| rest.starts_with(word))
        .map_or(
            "write `=` before a value, and a comma before the next condition",
            |(_, help)| help,
        );
    text.fault(text.at, format!("unexpected `{}`", text.shown()), help)
}

/// Reads a group, or a path with its test.
fn one(text: &mut Text<'_>, depth: usize) -> Result<Tree<Test>, ConditionFault> {
    let start = text.at;
    if text.peek() == Some('!') {
        return text.fault(start, "unexpected `!`", "write `not(…)`");
    }
    let word = text.word();
    if word.is_empty() {
        let wrong = format!("`{}` where a path should be", text.shown());
        return text.fault(
            start,
            wrong,
            "write a path, as in `args.path = \"/etc/**\"`",
        );
    }
    let is_group = matches!(word, "not" | "any" | "all") && text.next_is("(");
    if is_group {
        return group(text, start, word, depth);
    }
    let path = path(text, start, word)?;
    text.skip_spaces();
    let test = if text.eat("=") {
        value::test(text)?
    } else {
        Test::Present
    };
    Ok(Tree::Test(path, test))
}

fn group(
    text: &mut Text<'_>,
    start: usize,
    word: &str,
    depth: usize,
) -> Result<Tree<Test>, ConditionFault> {
    if depth == MAX_DEPTH {
        let wrong = format!("more than {MAX_DEPTH} groups in each other");
        return text.fault(start, wrong, "write it with fewer");
    }
    let mut list = list(text, depth + 1)?;
    if !text.eat(")") {
        return text.fault(start, format!("`{word}(` has no end"), "add `)`");
    }
    match (word, list.len()) {
        (_, 0) => text.fault(
            start,
            format!("`{word}()` is empty"),
            "write a condition between the brackets, or remove it",
        ),
        ("not", 1) => Ok(Tree::Not(Box::new(list.remove(0)))),
        ("not", _) => text.fault(
            start,
            "`not` takes one condition",
            "write `not(any(…))` if none may hold, or `not(all(…))` if not all may",
        ),
        ("any", _) => Ok(joined(list, Tree::Any)),
        _ => Ok(joined(list, Tree::All)),
    }
}

/// Reads the steps behind a root.
fn path(text: &mut Text<'_>, at: usize, root: &str) -> Result<Path, ConditionFault> {
    let mut steps = Vec::new();
    loop {
        let start = text.at;
        // A range is no step: `args.size = ..10` has spaces, `args.size=..10` has `=`.
        let step = if text.eat(".") {
            Step::Member(member(text, start)?)
        } else if text.eat("[") {
            item(text, start)?
        } else {
            let root = root.to_owned();
            return Ok(Path { at, root, steps });
        };
        if steps.len() == MAX_STEPS {
            let wrong = format!("the path has more than {MAX_STEPS} steps");
            return text.fault(start, wrong, "test a part that is nearer to the root");
        }
        steps.push(step);
    }
}

fn member(text: &mut Text<'_>, start: usize) -> Result<String, ConditionFault> {
    if text.is_quoted() {
        return text.quoted();
    }
    let word = text.word();
    if !word.is_empty() {
        return Ok(word.to_owned());
    }
    let help = if text.peek().is_some_and(char::is_numeric) {
        "write an item of an array as `[0]`, and a member with such a name in quotes"
    } else {
        "write the name of a member behind it, in quotes if it has other characters: `args.\"user-id\"`"
    };
    text.fault(start, "`.` without a name", help)
}

fn item(text: &mut Text<'_>, start: usize) -> Result<Step, ConditionFault> {
    let end = text.rest().find(']');
    let inside = &text.rest()[..end.unwrap_or_default()];
    let step = match inside.trim() {
        "*" => Some(Step::Every),
        digits => digits.parse().ok().map(Step::Item),
    };
    match (step, end) {
        (Some(step), Some(end)) => {
            text.at += end + 1;
            Ok(step)
        }
        _ => text.fault(
            start,
            "not an item of an array",
            "write `[0]` for one item, `[*]` for any, and `.\"name\"` for a member",
        ),
    }
}
