//! The guidance of the server: texts from the folder `guidance`, and the skills.

use hooks_sdk::guidance;

use crate::Memory;

guidance::dir!("src/guidance", server = Memory);
guidance::dir!("src/skills", skills, server = Memory);
