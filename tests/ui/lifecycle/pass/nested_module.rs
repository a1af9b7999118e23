mod outer {
    pub mod inner {
        use hooks_sdk::lifecycle;

        #[lifecycle::hook(session_start, strength = suggestion, text_file = "words/welcome.md")]
        pub struct Words;

        pub struct Memory;

        #[lifecycle::hook(session_start, strength = suggestion)]
        pub async fn recall(_memory: &Memory) -> String {
            String::new()
        }
    }
}

// A module and a function of one name are common, and stay possible.
mod recall {
    use hooks_sdk::lifecycle;

    #[lifecycle::hook(session_end, strength = suggestion, id = "recall-2")]
    pub async fn recall() -> String {
        String::new()
    }
}
pub use recall::recall;

#[test]
fn is_accepted() {
    #[hooks_sdk::lifecycle::hook(session_start, strength = suggestion, text = "Inside a function.")]
    struct Local;

    assert_eq!(Local::ID, "local");
    assert_eq!(outer::inner::Words::ID, "words");
    assert_eq!(outer::inner::recall_hook().id(), "recall");
    assert_eq!(recall::recall_hook().id(), "recall-2");
    let all = crate::collected::<outer::inner::Memory>(file!()).unwrap();
    assert_eq!(all.iter().len(), 4);
}
