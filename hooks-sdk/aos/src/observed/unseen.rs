//! The contents of a tool's result that a guardian cannot see.

/// A kind of content that the document has no place for, so that a guardian sees only a description of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unseen {
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A resource that is part of the result, or the bytes of a resource that was read.
    Resource,
    /// A link to a resource.
    Link,
}

impl Unseen {
    /// Every kind.
    pub const ALL: &'static [Unseen] =
        &[Unseen::Image, Unseen::Audio, Unseen::Resource, Unseen::Link];
}
