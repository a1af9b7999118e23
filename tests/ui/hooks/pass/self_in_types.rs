use hooks_sdk::{core::Registry, prelude::*};

#[derive(Debug)]
struct Trouble;

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("trouble")
    }
}

impl std::error::Error for Trouble {}

#[hooks_sdk::hooks]
impl Trouble {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> Result<String, Self> {
        Err(Self)
    }
}

#[test]
fn is_accepted() {
    assert_eq!(Registry::collect::<Trouble>().unwrap().iter().len(), 1);
}
