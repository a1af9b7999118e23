//! Random traffic: what a client sends, in which order, and behind which policy.

use proptest::{prelude::*, sample::select};

use crate::{judge::Judge, output::Output, secret::Form};

/// One thing that a client does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Sends a request whose answer is planned.
    Ask(Ask),
    /// Fetches the task of an earlier request, counted from the newest.
    Fetch {
        id: u8,
        back: u8,
    },
    Cancel {
        id: u8,
    },
    Ping {
        id: u8,
    },
    /// Sends an answer that nobody asked for.
    Answer {
        id: u8,
        brings: bool,
        fails: bool,
    },
    /// Answers the oldest question of the server, at one of the replicas.
    Reply {
        brings: bool,
        at: u8,
    },
    /// Sends a notification.
    Tell {
        brings: bool,
    },
    /// Asks for an item that the policy hides.
    Hidden {
        id: u8,
        by: u8,
    },
    /// Calls a tool with the secret, and with arguments that are large or deep.
    Pad {
        id: u8,
        deep: bool,
    },
    /// Lets held answers go.
    Release,
    /// Waits until the server has read everything.
    Sync,
}

#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// Ids below 3 are used again and again, 3 is the text of the first, and greater ones are new.
    pub(crate) id: u8,
    pub(crate) output: Output,
    pub(crate) form: Form,
    pub(crate) held: bool,
    /// Whether the arguments have the secret.
    pub(crate) brings: bool,
    /// The replica that is asked.
    pub(crate) at: u8,
    /// How many turns of other tasks the answer takes.
    pub(crate) turns: u8,
}

impl Ask {
    fn new(id: u8, output: Output, form: Form, held: bool, at: u8) -> Ask {
        Ask {
            id,
            output,
            form,
            held,
            brings: false,
            at,
            turns: 0,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) judge: Judge,
    pub(crate) ops: Vec<Op>,
    /// Whether the client ends its side while answers are held.
    pub(crate) ends_early: bool,
}

/// A number of a request. Most are new.
fn id() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(9), 2 => 0u8..4]
}

fn output() -> impl Strategy<Value = Output> {
    select(Output::ALL)
}

fn form() -> impl Strategy<Value = Form> {
    select(&Form::ALL[..])
}

fn ask() -> impl Strategy<Value = Ask> {
    let flags = (
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.15),
        0u8..2,
    );
    (id(), output(), form(), flags).prop_map(|(id, output, form, (held, brings, at))| Ask {
        brings,
        ..Ask::new(id, output, form, held, at)
    })
}

/// A few operations that belong together.
fn piece() -> impl Strategy<Value = Vec<Op>> {
    let one = prop_oneof![
        20 => ask().prop_map(Op::Ask),
        3 => (id(), 0u8..3).prop_map(|(id, back)| Op::Fetch { id, back }),
        2 => (0u8..4).prop_map(|id| Op::Cancel { id }),
        2 => (0u8..4).prop_map(|id| Op::Ping { id }),
        1 => (0u8..4, any::<bool>(), any::<bool>())
            .prop_map(|(id, brings, fails)| Op::Answer { id, brings, fails }),
        2 => (any::<bool>(), 0u8..2).prop_map(|(brings, at)| Op::Reply { brings, at }),
        2 => any::<bool>().prop_map(|brings| Op::Tell { brings }),
        3 => (id(), 0u8..7).prop_map(|(id, by)| Op::Hidden { id, by }),
        1 => (id(), prop::bool::weighted(0.97)).prop_map(|(id, deep)| Op::Pad { id, deep }),
        1 => Just(Op::Release),
        1 => Just(Op::Sync),
    ];
    // A held call is cancelled, and its id is used again before it ends.
    let reused = (0u8..3, output(), form(), any::<bool>(), 0u8..2).prop_map(
        |(id, output, form, cancels, at)| {
            let held = Ask::new(id, output, form, true, at);
            let again = Ask {
                output: Output::ToolText,
                form: Form::Harmless,
                ..held.clone()
            };
            let mut ops = vec![
                Op::Ask(held),
                Op::Sync,
                Op::Cancel { id },
                Op::Ask(again),
                Op::Sync,
            ];
            if !cancels {
                ops.remove(2);
            }
            ops.push(Op::Release);
            ops
        },
    );
    // The id of a call is the id of pings, too, and its answer comes while they are answered.
    let pinged =
        (0u8..3, output(), form(), 0u8..40, 0u8..2).prop_map(|(id, output, form, turns, at)| {
            let held = Ask::new(id, output, form, true, at);
            let held = Op::Ask(Ask { turns, ..held });
            let mut ops = vec![held, Op::Ping { id }, Op::Release];
            ops.extend([(); 4].map(|()| Op::Ping { id }));
            ops
        });
    let task = (select(Output::ALL), form()).prop_filter_map("a task", |(output, form)| {
        let ask = Ask::new(9, output, form, false, 0);
        let ops = vec![Op::Ask(ask), Op::Sync, Op::Fetch { id: 9, back: 0 }];
        output.is_late().then_some(ops)
    });
    // A question, and its answer at either replica.
    let brings = prop::bool::weighted(0.8);
    let question = (form(), brings, 0u8..2, 0u8..2).prop_map(|(form, brings, at, to)| {
        let output = Output::Question;
        let ask = Ask::new(9, output, form, false, at);
        vec![Op::Ask(ask), Op::Sync, Op::Reply { brings, at: to }]
    });
    prop_oneof![
        12 => one.prop_map(|op| vec![op]),
        2 => reused,
        2 => pinged,
        2 => task,
        3 => question,
    ]
}

pub(crate) fn case(judges: &'static [Judge]) -> impl Strategy<Value = Case> {
    let pieces = prop::collection::vec(piece(), 1..5);
    let ends = prop::bool::weighted(0.1);
    (select(judges), pieces, ends).prop_map(|(judge, pieces, ends_early)| Case {
        judge,
        ops: pieces.concat(),
        ends_early,
    })
}
