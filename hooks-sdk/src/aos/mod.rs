//! AOS: an observed server asks a guardian about each of its steps, and the guardian allows, denies or changes it.

mod posture;

pub use self::posture::Posture;
