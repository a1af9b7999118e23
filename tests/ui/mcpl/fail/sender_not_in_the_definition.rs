use hooks_sdk::prelude::*;

use mcpl::{Definition, FeatureSet, Sends, sender};

struct Recall;

impl FeatureSet for Recall {
    const DEFINITION: Definition = Definition::new("memory.recall", "Recalls.");
}

impl Sends<sender::push> for Recall {}

const PUSHES: () = <Recall as Sends<sender::push>>::DECLARED;

fn main() {}
