//! The requests that a case sends.

use std::fmt::Write;

use serde_json::json;

use super::{Kind, Play, STATELESS, Wire};
use crate::{author::Plan, case::Ask, output::Output, secret::Form};

impl Play<'_> {
    /// What the client says. It brings the secret only where a policy looks for it.
    pub(super) fn said(&self, brings: bool) -> String {
        match brings && self.case.judge.sees_inbound() {
            true => Form::Plain.text(),
            false => "fine".to_owned(),
        }
    }

    /// Whether the secret stays in.
    fn covers(&self, output: Output) -> bool {
        let judge = self.case.judge;
        output.is_covered(judge.by()) || output == Output::Updated && judge.hides()
    }

    pub(super) async fn ask(&mut self, ask: &Ask) {
        // A client of 2026-07-28 over HTTP is asked by no server.
        let output = match ask.output {
            other if other.needs_handshake() && self.kind.version() == STATELESS => {
                Output::ToolText
            }
            other => other,
        };
        let form = if self.covers(output) {
            ask.form
        } else {
            Form::Harmless
        };
        let number = {
            let mut plans = self.author.plans.lock().unwrap();
            let (held, turns) = (ask.held, ask.turns);
            plans.push(Plan {
                output,
                form,
                held,
                turns,
            });
            plans.len() - 1
        };
        self.plans.push(number);
        _ = writeln!(
            self.transcript,
            "  plan {number}: {output:?}, {form:?}, held {}",
            ask.held
        );
        let tool = match output {
            Output::Memory => ["recall", "recall_note"][number % 2],
            Output::State => "stateful",
            _ => "emit",
        };
        let uri = format!("plan://{number}");
        let mut params = match output.method() {
            "prompts/get" => json!({"name": "plan", "arguments": {"n": number.to_string()}}),
            "resources/read" | "resources/subscribe" | "resources/directory/read" => {
                json!({ "uri": uri })
            }
            "completion/complete" => json!({
                "ref": {"type": "ref/prompt", "name": "plan"},
                "argument": {"name": "n", "value": number.to_string()},
            }),
            "tools/call" => json!({"name": tool, "arguments": {"n": number}}),
            "desk/custom" => json!({"n": number}),
            "context/beforeInference" => json!({
                "inferenceId": uri, "conversationId": number.to_string(), "turnIndex": 0, "userMessage": "hello",
                "model": {"id": "m", "vendor": "v", "contextWindow": 1000, "capabilities": []},
            }),
            _ => json!({"cursor": number.to_string()}),
        };
        if ask.brings && output.method() == "tools/call" && self.case.judge.sees_arguments() {
            params["arguments"]["text"] = Form::Plain.text().into();
        }
        params["_meta"] = json!({"progressToken": number});
        let id = self.id(ask.id);
        self.request(ask.at, id, output.method(), params, Some(number))
            .await;
    }

    pub(super) async fn cancel(&mut self, id: u8) {
        let id = self.id(id);
        for (within, sent) in self.sent.iter_mut().enumerate() {
            if sent.id == id && !sent.is_handshake {
                sent.is_loose = true;
                if let Wire::Http(http) = &mut self.wire
                    && self.kind == Kind::HttpStateless
                {
                    http.give_up(within);
                }
            }
        }
        if self.kind != Kind::HttpStateless {
            self.tell("notifications/cancelled", json!({"requestId": id}))
                .await;
        }
    }

    pub(super) async fn hidden(&mut self, id: u8, by: u8) {
        let reference = |kind: &str, name: &str, value: &str| json!({"ref": {"type": kind, name: value}, "argument": {"name": "n", "value": ""}});
        let (method, params) = match by {
            0 => (
                "tools/call",
                json!({"name": "hidden_tool", "arguments": {}}),
            ),
            1 => ("resources/read", json!({"uri": "hidden://0"})),
            2 => ("resources/read", json!({"uri": "private://7"})),
            3 => (
                "completion/complete",
                reference("ref/prompt", "name", "hidden"),
            ),
            4 => (
                "completion/complete",
                reference("ref/resource", "uri", "private://{n}"),
            ),
            5 => ("resources/subscribe", json!({"uri": "hidden://0"})),
            _ => ("resources/directory/read", json!({"uri": "hidden://0"})),
        };
        if self.case.judge.hides() {
            let id = self.id(id);
            self.request(0, id, method, params, None).await;
        }
    }

    pub(super) async fn pad(&mut self, id: u8, deep: bool) {
        if !self.case.judge.sees_arguments() {
            return;
        }
        let mut arguments = json!({"text": Form::Plain.text()});
        if deep {
            let nested = (0..118).fold(json!(1), |inner, _| json!([inner]));
            arguments["deep"] = nested;
        } else {
            let bytes = if matches!(self.wire, Wire::Stream(_)) {
                5 << 20
            } else {
                3 << 20
            };
            arguments["padding"] = "x".repeat(bytes).into();
        }
        let params = json!({"name": "emit", "arguments": arguments});
        let id = self.id(id);
        self.request(0, id, "tools/call", params, None).await;
    }
}
