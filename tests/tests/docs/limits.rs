//! The page of limits names the constants of the source, and their values.

use std::fs;

use crate::architecture::root;

/// Returns the text of a constant's value.
fn value<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    let (_, found) = source.split_once(&format!("const {name}: "))?;
    let (_, found) = found.split_once('=')?;
    found.split(';').next()
}

/// Returns the numbers in an expression. Factors of one product are one number.
fn numbers(expression: &str) -> Vec<u64> {
    let is_part = |letter: char| letter.is_ascii_digit() || "_* \n".contains(letter);
    let products = expression.split(|letter| !is_part(letter));
    let products = products.filter_map(|product| {
        let factors = product
            .split('*')
            .map(|factor| factor.trim().replace('_', ""));
        let factors: Option<Vec<u64>> = factors.map(|factor| factor.parse().ok()).collect();
        Some(factors?.into_iter().product())
    });
    products.collect()
}

/// Returns how the page may write a number: a count, bytes, or a time.
fn written(number: u64) -> Vec<String> {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups.map(|group| str::from_utf8(group).unwrap()).collect();
    let mut forms = vec![groups.join(",")];
    for (unit, bytes) in [("KiB", 1 << 10), ("MiB", 1 << 20)] {
        if number >= bytes && number.is_multiple_of(bytes) {
            forms.push(format!("{} {unit}", number / bytes));
        }
    }
    forms
}

#[test]
fn each_row_of_the_limits_names_constants_that_have_its_values() {
    let page = fs::read_to_string(root().join("docs/src/reference/limits.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut constants = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, words @ .., sources, ""] = &cells[..] else {
            panic!("{row}");
        };
        assert_eq!(words.len(), 5, "{row}");
        let words = words.join(" ");
        for source in sources
            .split(';')
            .filter(|source| !source.trim().is_empty())
        {
            let (file, names) = source.trim().split_once(": ").unwrap();
            let text = fs::read_to_string(root().join("hooks-sdk").join(file));
            let text = text.unwrap_or_else(|error| panic!("{file}: {error}"));
            for name in names.split(", ") {
                let value = value(&text, name).unwrap_or_else(|| panic!("{file} has no {name}"));
                for number in numbers(value).into_iter().filter(|number| *number > 2) {
                    let is_said = written(number).iter().any(|form| words.contains(form));
                    assert!(
                        is_said,
                        "{file}: {name} has {number}, and the row does not:\n{row}"
                    );
                }
                constants += 1;
            }
        }
    }
    assert!(constants > 40, "{constants}");
}
