use hooks_sdk::{
    guidance::{HookType, Lifecycle, Moment},
    prelude::*,
};

type Words = String;

struct Memory(&'static str);

#[hooks_sdk::hooks]
impl Memory {
    fn unhooked(&self) -> usize {
        5
    }

    /// What the memory knows.
    #[guidance::hook(session, start, requirement = SHOULD, name = "Recall")]
    async fn recall(&self, firing: &Firing) -> Result<Words, std::io::Error> {
        std::future::ready(()).await;
        Ok(format!("{} {} {}", self.0, self.unhooked(), firing.moment))
    }

    #[hooks_sdk::guidance::hook(session, end, requirement = MAY, name = "Forget")]
    #[cfg(any())]
    pub(crate) async fn gone(&self) -> &'static str {
        "gone"
    }

    #[guidance::hook(session, start, requirement = MAY, name = "Twice")]
    #[guidance::hook(session, end, requirement = MAY, name = "Twice")]
    #[lifecycle::hook(session_end, strength = suggestion)]
    async fn twice<'a>(self: &Self) -> Option<String> {
        None
    }
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(
        ids,
        [
            "session:start:recall",
            "session:start:twice",
            "session:end:twice",
            "twice"
        ]
    );
    let recall = registry
        .get(ids[0])
        .unwrap()
        .detail::<guidance::GuidanceHook>()
        .unwrap();
    assert_eq!(
        recall.input().description.as_deref(),
        Some("What the memory knows.")
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let firing = Firing::at(Moment::new(HookType::Session, Lifecycle::Start));
    let text = runtime
        .block_on(recall.text(&Memory("memory"), &firing))
        .unwrap();
    assert_eq!(text.as_deref(), Some("memory 5 session_start"));
    assert_eq!(registry.get(ids[0]).unwrap().origin().line, 17);
}
