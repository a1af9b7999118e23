//! Each row of the table of clients is whole.

use hooks_sdk::{
    clients::{ALL, Evidence},
    lifecycle::Event,
};

use crate::recorded::recording;

#[test]
fn every_row_is_whole() {
    for row in ALL {
        for (at, event) in Event::ALL.into_iter().enumerate() {
            let mapping = row.mapping(event);
            assert_eq!(mapping, row.events[at]);
            let title = format!("{} at {event}", row.title);
            let reaches = mapping.delivery.reaches_agent();
            assert!(reaches || mapping.note.is_some(), "{title} says why not");
            let was_run = row.tested.how == Evidence::Run;
            assert!(reaches || mapping.role.is_none(), "{title}");
            assert!(!was_run || !reaches || mapping.role.is_some(), "{title}");
            if was_run && reaches {
                assert!(recording(row, event).exists(), "{title} was recorded");
            }
        }
    }
}
