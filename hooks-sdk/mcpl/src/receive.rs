//! The types that a hook's function may take after the server.

use super::{Context, McplPoint};
use hooks_core::internal::receives;

receives! {
    McplInput at McplPoint, IsMcplInput: "not this point's input",
        "each point has its own event: `before_inference` hooks receive `&BeforeInference`, and so on";
    Surround of Context by &: "hooks do not receive `{Self}` behind their event",
        "behind the event they receive `&mcpl::Context`";
}
