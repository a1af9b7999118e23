//! What changes while a connection lasts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::task::AbortHandle;

use super::{HostPolicy, OpenChannels};
use crate::{ChannelDescriptor, Version};

/// What changes while the connection lasts.
pub(super) struct Live {
    pub(super) policy: HostPolicy,
    /// The older policies whose receipts are not sent yet. Until then, a message needs their permission too.
    pub(super) unanswered: VecDeque<(u64, HostPolicy)>,
    /// The sets for which the log already says that the host's policy keeps them from working.
    pub(super) silent: BTreeSet<&'static str>,
    /// The number of policies that came as requests.
    pub(super) requested: u64,
    /// The feature sets that are declared now.
    pub(super) present: BTreeSet<&'static str>,
    /// The channels that the host accepted (`registered`), and those that it opened (`open`).
    pub(super) registered: BTreeMap<String, ChannelDescriptor>,
    pub(super) open: OpenChannels,
    /// Hashes of the inferences whose end was reported; only the latest are kept.
    pub(super) ended: VecDeque<u64>,
    /// The tasks of `enabled` hooks, by feature set.
    pub(super) running: BTreeMap<&'static str, Vec<AbortHandle>>,
}

impl Live {
    /// Returns what holds before the host's first policy.
    pub(super) fn new(version: Version, present: BTreeSet<&'static str>) -> Live {
        Live {
            policy: HostPolicy::closed(version),
            unanswered: VecDeque::new(),
            silent: BTreeSet::new(),
            requested: 0,
            present,
            registered: BTreeMap::new(),
            open: OpenChannels::default(),
            ended: VecDeque::new(),
            running: BTreeMap::new(),
        }
    }
}
