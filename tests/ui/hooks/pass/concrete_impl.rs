use hooks_sdk::{core::Registry, prelude::*};

struct Memory<S>(S);
struct Sqlite;

#[hooks_sdk::hooks]
impl Memory<Sqlite> {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        let Self(_) = self;
        String::new()
    }
}

#[test]
fn is_accepted() {
    assert_eq!(
        Registry::collect::<Memory<Sqlite>>().unwrap().iter().len(),
        1
    );
    assert!(Registry::collect::<Memory<u8>>().is_err());
}
