use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/link_out_of_the_package");

fn main() {}
