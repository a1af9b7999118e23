use hooks_sdk::guidance;

guidance::dir!(src / hooks);

fn main() {}
