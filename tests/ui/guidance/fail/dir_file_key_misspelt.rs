use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/file_key_misspelt");

fn main() {}
