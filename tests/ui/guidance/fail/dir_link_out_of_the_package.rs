use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/link_out_of_the_package");

fn main() {}
