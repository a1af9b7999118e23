//! Each row of the table of clients is whole.

use hooks_sdk::{
    clients::{ALL, Evidence, TABLE},
    lifecycle::Event,
};

use crate::recorded::folder;

#[test]
fn every_row_is_whole() {
    for (client, row) in ALL.into_iter().zip(&TABLE) {
        assert_eq!(client.name(), row.name);
        for (at, event) in Event::ALL.into_iter().enumerate() {
            let mapping = row.at(event);
            assert_eq!(mapping, row.events[at]);
            let title = format!("{} at {event}", row.title);
            let reaches = mapping.delivery.reaches_agent();
            assert!(reaches || mapping.note.is_some(), "{title} says why not");
            let was_run = row.recorded.how == Evidence::Run;
            assert!(reaches || mapping.role.is_none(), "{title}");
            assert!(!was_run || !reaches || mapping.role.is_some(), "{title}");
            assert!(
                was_run || mapping.recording.is_none() || !reaches,
                "{title}"
            );
            if let Some(recording) = mapping.recording {
                assert!(folder().join(recording).exists(), "{recording}");
                assert!(recording.starts_with(row.name), "{recording}");
            }
            if was_run && reaches {
                assert!(mapping.recording.is_some(), "{title} was recorded");
            }
        }
    }
}
