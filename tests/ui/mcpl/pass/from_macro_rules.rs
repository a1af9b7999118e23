use hooks_sdk::prelude::*;

macro_rules! server {
    ($name:literal, $set:ident, $point:ident, $scope:literal, $($flag:ident)?) => {
        struct Memory;

        #[doc = "Made by a macro."]
        #[mcpl::feature_set($name, sends(push), $($flag,)? description = $name)]
        struct $set;

        #[mcpl::hook($point, feature_set = $set, id = "free")]
        async fn free(_memory: &Memory, turn: &BeforeInference) -> Option<Injection> {
            let asked = turn.user_message.as_deref()?;
            Some(Injection::new("m", Position::System, asked))
        }

        #[hooks_sdk::hooks]
        impl Memory {
            #[mcpl::hook($point, feature_set = $set)]
            async fn method(&self, _turn: &BeforeInference, _cx: &mcpl::Context) {}

            #[mcpl::tool(feature_set = $set, scope = $scope)]
            #[rmcp::tool(description = "Edits.")]
            #[allow(unused)]
            async fn edit(&self) -> String {
                String::new()
            }
        }
    };
}

server!("memory", Recall, before_inference, "path", scoped);

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    assert_eq!(registry.iter().len(), 4);
}
