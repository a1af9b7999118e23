//! The README says what is so.

use clap::CommandFactory;
use guardian_server::args::Args;
use hooks_sdk::aos::AosAt;

const README: &str = include_str!("../../README.md");

#[test]
fn it_shows_the_policy_and_every_option() {
    let policy = include_str!("../../policy.yaml");
    assert!(README.contains(&format!("```yaml\n{policy}```\n")));
    let command = Args::command();
    let options = command
        .get_arguments()
        .filter_map(|argument| argument.get_long());
    for option in options {
        assert!(README.contains(&format!("| `--{option}")), "--{option}");
    }
}

#[test]
fn it_names_every_key_and_kind_of_step() {
    let mistake = crate::asks::parse("default: allow\nrules: [{zzzzzzzz: 1}]");
    let mistake = mistake.map(|_| ()).expect_err("an unknown key");
    let keys: Vec<&str> = mistake.split('`').skip(3).step_by(2).collect();
    assert!(keys.len() > 10, "{mistake}");
    for key in keys {
        assert!(README.contains(&format!("`{key}`")), "{key}");
    }
    let points = AosAt::ALL.iter().map(|at| at.as_str());
    let (named, rest): (Vec<&str>, Vec<&str>) =
        points.partition(|point| README.contains(&format!("`{point}`")));
    assert_eq!((named.len(), rest.len()), (13, 5), "{rest:?}");
}
