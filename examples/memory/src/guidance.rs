//! What agents are told at the moments of a session: each text is a file of the folder `guidance`.

use hooks_sdk::guidance;

use crate::Memory;

guidance::dir!("src/guidance", server = Memory);
