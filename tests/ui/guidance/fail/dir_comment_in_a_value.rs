use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/comment_in_a_value");

fn main() {}
