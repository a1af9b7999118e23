//! The gates of a server: calls that a gate refuses, and calls that it lets run, judged by the marks that they leave.

use std::{env, ffi::OsStr, fs, path::Path, time::Instant};

use base64::{Engine, engine::general_purpose::STANDARD};
use hooks_clients::{
    Client, GateTrial, Gates, InstallScope, RefusalForm,
    config::{HookEntry, InstallationKey, Plan, ServerEntry, quoted},
    dump::Dump,
    trial::{Gated, was_asked},
};
use hooks_core::lifecycle::Event;
use serde_json::json;

use super::{
    GateCell, Launch, PAGE_HOST, Play, PreparedTrial, Proof, Requests, Setting, Trial,
    UNASSIGNED_PAGE,
};
use crate::CommandError;

/// The other MCP server of a trial, with one tool.
pub(super) const OTHER: &str = "other";

/// The tool of the other server.
pub(super) const MARK: &str = "mark";

/// The word that an edit replaces, and the file in which it is.
const OLD: &str = "a first word";

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// The trials whose call is a command in the shell, but for those with which a run ends.
const IN_SHELL: [GateTrial; 7] = [
    GateTrial::Shell,
    GateTrial::Late,
    GateTrial::Panic,
    GateTrial::Crash,
    GateTrial::Garbage,
    GateTrial::Approved,
    GateTrial::Noise,
];

/// Starts a client with a gate, and judges which of the planned calls ran.
///
/// # Errors
///
/// The trial cannot be prepared.
pub async fn prove_gates(
    program: &Dump,
    client: &'static Client,
    binary: &Path,
    until: Instant,
    proof: &mut Proof,
) -> Result<(), CommandError> {
    let Some(gates) = &client.gates else {
        return Ok(());
    };
    let setting = Setting {
        has_gates: true,
        ..Setting::default()
    };
    let notes = &mut proof.notes;
    let prepared = PreparedTrial::of(program, client, binary, setting, until, notes).await?;
    proof.gate_mode = prepared.launch.permissive.0;
    let mut arguments = prepared.launch.arguments.clone();
    let more = prepared.launch.permissive.1.iter();
    arguments.extend(more.map(|&word| word.to_owned()));
    let (ended, _) = prepared.start(&arguments, until).await?;
    if let Some(problem) = ended.problem() {
        proof.problem = Some(format!("beside a gate, {problem}"));
    }
    proof.notes.extend(prepared.stand_in.log().untaken.clone());
    let trials = GateTrial::ALL.iter();
    proof.gates = trials.map(|trial| cell(&prepared, gates, *trial)).collect();
    Ok(())
}

fn cell(prepared: &PreparedTrial, gates: &Gates, trial: GateTrial) -> GateCell {
    let refused = Gated::new(trial, true);
    // The program is gone, so that no call runs by its leave.
    let control = (trial != GateTrial::Missing).then(|| left(prepared, Gated::new(trial, false)));
    let was_asked = was_asked(&prepared.trial.root, refused);
    GateCell::judged(gates, trial, (control, was_asked, left(prepared, refused)))
}

/// Returns whether a call left its mark.
fn left(prepared: &PreparedTrial, call: Gated) -> bool {
    let mark = call.file();
    let (project, log) = (&prepared.trial.project, prepared.stand_in.log());
    match call.trial {
        GateTrial::Read => {
            let requests = Requests::of(&log.requests);
            requests.has(&secret(call)) || requests.has(&STANDARD.encode(image(call)))
        }
        GateTrial::Edit => {
            let text = fs::read_to_string(project.join(edited(call)));
            text.is_ok_and(|text| text.contains(&mark))
        }
        GateTrial::Fetch => log.fetched.iter().any(|path| path.contains(&mark)),
        _ => project.join(mark).exists(),
    }
}

/// The text of the file that a call reads.
fn secret(call: Gated) -> String {
    format!("the secret text of {}", call.file())
}

/// The picture that a call reads: one pixel, with the text behind it.
fn image(call: Gated) -> Vec<u8> {
    let pixel = STANDARD.decode(PIXEL).unwrap_or_default();
    [pixel, secret(call).into_bytes()].concat()
}

/// The file that a call changes.
fn edited(call: Gated) -> String {
    format!("notes-{}.txt", call.is_refused)
}

/// Writes the files that calls read and change, and returns the calls. One that runs follows each that is refused, because a
/// client may end its run after three refusals in a row.
pub(super) fn plays(launch: &Launch, trial: &Trial, program: &Path) -> std::io::Result<Vec<Play>> {
    let project = &trial.project;
    let shows_images = launch.calls.iter().any(|call| call.tool == "view_image");
    for refused in [true, false] {
        let read = Gated::new(GateTrial::Read, refused);
        let content = match shows_images {
            true => image(read),
            false => secret(read).into_bytes(),
        };
        fs::write(project.join(read.file()), content)?;
        let edit = Gated::new(GateTrial::Edit, refused);
        fs::write(project.join(edited(edit)), format!("{OLD}\n"))?;
    }
    let touch = |call: Gated| format!("touch '{}'", project.join(call.file()).display());
    let both = |trial| [true, false].map(|refused| Gated::new(trial, refused));
    let mut plays: Vec<Play> = IN_SHELL
        .into_iter()
        .flat_map(both)
        .map(|call| Play::Shell(touch(call)))
        .collect();
    plays.extend(both(GateTrial::Mcp).map(|call| Play::Tool {
        server: OTHER.to_owned(),
        tool: MARK.to_owned(),
        arguments: json!({ "path": project.join(call.file()) }),
    }));
    for refused in [true, false] {
        let own = launch.calls.iter();
        let own = own.filter(|call| call.trial != Some(GateTrial::Subagent));
        let mut own = own.peekable();
        while let Some(call) = own.next() {
            // What prepares a call is not judged.
            let of = call.trial.or_else(|| own.peek()?.trial);
            let gated = Gated::new(of.unwrap_or(GateTrial::Read), refused);
            let file = match gated.trial {
                GateTrial::Edit => edited(gated),
                _ => gated.file(),
            };
            let path = project.join(&file).to_string_lossy().into_owned();
            let text = gated.file();
            let values: [(&str, &str); 7] = [
                ("path", &path),
                ("name", &file),
                ("old", OLD),
                ("url", &trial.url(&format!("/{text}"))),
                ("page", &format!("http://{PAGE_HOST}/{text}")),
                ("nowhere", &format!("{UNASSIGNED_PAGE}/{text}")),
                ("text", &text),
            ];
            plays.push(Play::Own {
                tool: call.tool.to_owned(),
                arguments: call.arguments(&values),
            });
            if refused {
                plays.push(Play::Shell("true".to_owned()));
            }
        }
    }
    if let Some(subagent) = launch.subagent() {
        plays.push(subagent);
        plays.extend(both(GateTrial::Subagent).map(|call| Play::Inside(touch(call))));
    }
    plays.extend(both(GateTrial::Hang).map(|call| Play::Shell(touch(call))));
    plays.push(Play::Shell(format!("rm '{}'", program.display())));
    plays.push(Play::Shell(touch(Gated::new(GateTrial::Missing, true))));
    Ok(plays)
}

/// Returns the plan of what a trial installs beside this program: the other server, and another program's hook.
pub(super) fn beside(client: &Client, gates: &Gates, trial: &Trial) -> std::io::Result<Plan> {
    let place = trial.place();
    // Its other server is this program.
    let ours = trial.program(&env::current_exe()?)?;
    let program = trial.put(OsStr::new("foreign-hook"), &foreign(gates))?;
    let key = InstallationKey::new(OTHER, client.name, InstallScope::User, &place.project);
    let mut plan = Plan::new(key, &program);
    if let Some((file, path)) = client.servers_file(InstallScope::User, &place) {
        let words = ["mark"].map(str::to_owned);
        plan = plan.server(ServerEntry {
            path,
            name: OTHER.to_owned(),
            value: client.server_entry(&ours.to_string_lossy(), &words),
            file,
        });
    }
    let file = client.hooks_file(InstallScope::User, &place, &trial.server);
    if gates.refusal == RefusalForm::Object {
        let command = quoted(&program.to_string_lossy());
        plan = plan.hook(HookEntry {
            file,
            event: gates.event.to_owned(),
            value: client.hook_entry(Event::PreToolUse, OTHER, &command),
        });
    } else {
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::write(file.with_file_name("other-hook.js"), foreign_plugin(gates))?;
    }
    Ok(plan)
}

/// The script of another program's hook: it approves one call, and writes garbage about another.
fn foreign(gates: &Gates) -> String {
    let approval = json!({
        "decision": "allow",
        "hookSpecificOutput": { "hookEventName": gates.event, "permissionDecision": "allow" },
    });
    let [approved, noise] =
        [GateTrial::Approved, GateTrial::Noise].map(|trial| Gated::new(trial, true).file());
    format!(
        "#!/bin/sh\ncase \"$(cat)\" in\n*{approved}*) echo '{approval}';;\n*{noise}*) echo 'no answer';;\nesac\n"
    )
}

/// The plugin of another program.
fn foreign_plugin(gates: &Gates) -> &'static str {
    match gates.refusal {
        RefusalForm::Thrown => {
            r#"export const Other = async () => ({
  "tool.execute.before": async ({ tool }, output) => { output.status = "allow"; return { decision: "allow" } },
})
"#
        }
        _ => {
            r#"export default {
  name: "other-hook",
  manifest: { capabilities: ["hooks"] },
  hooks: { beforeTool: async () => ({ skip: false, decision: "allow" }) },
}
"#
        }
    }
}

/// Formats the calls of one client.
pub(super) fn page(proof: &Proof) -> String {
    if proof.gates.is_empty() {
        return String::new();
    }
    let mut page = format!("  calls that a gate refuses, with {}:\n", proof.gate_mode);
    for cell in &proof.gates {
        let seen = match &cell.finding {
            Some(finding) => format!("FOUND: {finding}"),
            None if cell.ran => "ran, as the table says".to_owned(),
            None => cell.word().to_owned(),
        };
        page.push_str(&format!("    {:<28} {seen}\n", cell.trial.title()));
    }
    page
}
