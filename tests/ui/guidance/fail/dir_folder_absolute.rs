use hooks_sdk::guidance;

guidance::dir!("/etc");

fn main() {}
