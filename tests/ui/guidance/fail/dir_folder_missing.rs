use hooks_sdk::guidance;

guidance::dir!("no/such/folder");

fn main() {}
