//! Claude Code.

use super::{
    AfterStart, Aftermath, Client, Excess, Gates, InstallScope, Limit, Mapping, Tested, Unit,
    UserFolder,
    capabilities::ASKS,
    client::{LIKE_MOST, NamedServer, Servers},
    config::{MemberType, Reading},
    mapping::NO_TEXT_AT_THE_END,
};

/// What the client does with a file of settings that it cannot read.
const IGNORED: &str = "ignores the whole file";

const SETTINGS: Reading = Reading {
    checked: CHECKED,
    ..Reading::strict("settings.json", IGNORED)
};

/// At an event at which the text is context. A longer one is written to a file.
const TEXT: Mapping = Mapping {
    role: Some("system"),
    limit: Some(Limit::in_unit(10_000, Unit::Utf16, Excess::WrittenToFile)),
    subagents: Some(false),
    ..Mapping::CONTEXT
};

pub(crate) const ROW: Client = Client {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    handshake: "claude-code",
    tested: Tested::new("2.1.329", "2026-11-23"),
    folder: UserFolder::new(".claude", &[("CLAUDE_CONFIG_DIR", "")]),
    readings: &[
        SETTINGS,
        Reading {
            file: "settings.local.json",
            ..SETTINGS
        },
        Reading::strict(".claude.json", "does not start"),
        Reading::strict(".mcp.json", IGNORED),
    ],
    adds_server: Some("claude mcp add --scope user {server} -- {start}"),
    shells: &["Bash"],
    features: ASKS,
    tells_session: true,
    shows_instructions: Some(true),
    after_start: AfterStart {
        resume: Aftermath::Kept,
        compaction: Aftermath::SentAgain,
        clear: Aftermath::SentAgain,
    },
    events: [
        Mapping {
            native: "SessionStart",
            ..TEXT
        },
        Mapping {
            native: "SessionEnd",
            note: Some(NO_TEXT_AT_THE_END),
            ..Mapping::NEVER
        },
        Mapping {
            native: "PreToolUse",
            subagents: Some(true),
            ..TEXT
        },
        Mapping {
            native: "PostToolUse",
            subagents: Some(true),
            note: Some(
                "A failed call is another event, `PostToolUseFailure`, at which no hook fires.",
            ),
            ..TEXT
        },
        Mapping {
            native: "UserPromptSubmit",
            note: Some("The event also occurs when a background subagent has ended."),
            ..TEXT
        },
        Mapping {
            native: "Stop",
            ..Mapping::CONTINUE
        },
    ],
    gates: Some(Gates {
        event: "PreToolUse",
        tools: &[
            ("shell", "Bash"),
            ("read", "Read NotebookRead Glob Grep LS"),
            ("write", "Write"),
            ("edit", "Edit MultiEdit NotebookEdit"),
            ("fetch", "WebFetch WebSearch"),
            ("subagent", "Agent Task"),
        ],
        change: Some("updatedInput"),
        not_held: &[
            "An agent that edits the settings removes the entry: the client heeds that within 4 s.",
            "A mod, which is a plugin with functions, can answer `classic.PreToolUse` itself: the refused call runs.",
        ],
        off_variables: &["CLAUDE_CODE_SIMPLE"],
        switches: &[
            "`disableAllHooks` in the user's or the project's settings",
            "`--bare`",
            "`--safe-mode`",
            "`--setting-sources project`, for the user's entries",
            "`CLAUDE_CODE_SIMPLE=1`",
        ],
        ..Gates::CLOSED
    }),
    scopes: &InstallScope::ALL,
    also_read_by: &[
        "GitHub Copilot CLI, the project's file in a folder that you trust",
        "VS Code with GitHub Copilot, the project's file (a preview)",
        "Cursor, when its setting to load Claude's hooks is on",
        "Grok Build",
    ],
    hooks: [
        "settings.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
    ],
    servers: Servers {
        files: [
            Some(".claude.json"),
            Some(".mcp.json"),
            Some(".claude.json"),
        ],
        older: Some(".config.json"),
        entry: r#"{"type": "stdio"}"#,
        ..LIKE_MOST.servers
    },
    named_server: Some(NamedServer {
        member: "mcp_server",
        server: "name",
        tool: None,
    }),
    is_run_by_others: true,
    off: Some(("disableAllHooks", true)),
    ..LIKE_MOST
};

/// The members of the settings of version 2.1.332 of which another type makes the client ignore the whole file, read in the
/// program and run with wrong values.
const CHECKED: &[(MemberType, &str)] = &[
    (
        MemberType::Text,
        "$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh processWrapper \
         attributionProject model modelCatalogUrl modelCatalogPublicKey prUrlTemplate otelHeadersHelper outputStyle \
         language advisorModel agent minimumVersion requiredMinimumVersion requiredMaximumVersion downloadsMirrorUrl \
         plansDirectory timeZone autoMemoryDirectory claudeMd pluginTrustMessage timeFormat fileSuggestion.command \
         statusLine.command",
    ),
    (
        MemberType::Truth,
        "respectGitignore syncClaudeAiSkills syncClaudeAiPlugins wslInheritsWindowsSettings includeCoAuthoredBy \
         includeGitInstructions enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors \
         disableBundledSkills disableDirectMcpSkills disableAllHooks disableReplyCheck disableAgentView \
         disableRemoteControl disableWorkflows disableArtifact enableArtifact enableWorkflows \
         workflowKeywordTriggerEnabled disableSkillShellExecution disableWindowsBashCommandSplit bashEditDiffEnabled \
         respondToBashCommands allowManagedHooksOnly allowManagedPermissionRulesOnly allowManagedMcpServersOnly \
         allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp disableCommandPluginSources disableSideloadFlags \
         allowNestedModelAccessUnderForceLogin forceRemoteSettingsRefresh skipWebFetchPreflight spinnerTipsEnabled \
         clawdFileProgressEnabled syntaxHighlightingDisabled terminalTitleFromRename alwaysThinkingEnabled fastMode \
         fastModePerSessionOptIn promptSuggestionEnabled emojiCompletionEnabled awaySummaryEnabled \
         responseComparisonEnabled showClearContextOnPlanAccept channelsEnabled prefersReducedMotion doneMeansMerged \
         totalTokensReminderAfterUserTurn autoMemoryEnabled autoDreamEnabled showThinkingSummaries \
         skipDangerousModePermissionPrompt skipWorkflowUsageWarning verbose autoCompactEnabled \
         precomputeCompactionEnabled idleCompaction switchModelsOnFlag autoContinueAtUsageLimit autoScrollEnabled \
         wheelScrollAccelerationEnabled fileCheckpointingEnabled showTurnDuration showMessageTimestamps \
         terminalProgressBarEnabled todoFeatureEnabled remoteControlAtStartup isolatePeerMachines autoUploadSessions \
         inputNeededNotifEnabled agentPushNotifEnabled sandbox.enabled",
    ),
    (
        MemberType::Texts,
        "fallbackModel availableModels allowedHttpHookUrls httpHookAllowedEnvVars pluginSuggestionMarketplaces \
         companyAnnouncements claudeMdExcludes permissions.additionalDirectories",
    ),
    (
        MemberType::List,
        "strictKnownMarketplaces allowedMarketplaces blockedMarketplaces allowedChannelPlugins sshConfigs \
         permissions.allow permissions.deny permissions.ask sandbox.network.allowedDomains sandbox.excludedCommands",
    ),
    (
        MemberType::Number,
        "cleanupPeriodDays desktopSessionCleanupPeriodDays skillListingMaxDescChars totalTokensReminderBudget \
         skillListingBudgetFraction feedbackSurveyRate",
    ),
    (
        MemberType::Object,
        "env fileSuggestion statusLine worktree spinnerVerbs breakReminder quietHours remote voice remoteTools \
         pluginConfigs enabledPlugins modelOverrides skillOverrides permissions sandbox sandbox.network \
         sandbox.filesystem",
    ),
    (
        MemberType::OneOf(&["unrestricted", "small", "medium", "large"]),
        "workflowSizeGuideline",
    ),
    (MemberType::OneOf(&["bash", "powershell"]), "defaultShell"),
    (
        MemberType::OneOf(&["notify", "quiet", "off"]),
        "feedbackDrafts",
    ),
    (
        MemberType::OneOf(&["latest", "stable", "rc"]),
        "autoUpdatesChannel",
    ),
    (MemberType::OneOf(&["default", "fullscreen"]), "tui"),
    (
        MemberType::OneOf(&["off", "infinite", "fixed", "countdown", "padded-countdown"]),
        "totalTokensReminder",
    ),
    (
        MemberType::OneOf(&["disable"]),
        "disableAutoMode permissions.disableBypassPermissionsMode",
    ),
    (MemberType::OneOf(&["transient", "ask"]), "daemonColdStart"),
];
