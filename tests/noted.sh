# Keeps a note by the tool of a running server, and fires the start of a session beside it. To be sourced by a script with `stop`, which ends with
# a message.

noted() { # the server's program
    local answer fired
    coproc served { "$1" serve; }
    printf '%s\n' \
        '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"text":"The parser is in lines.rs."}}}' \
        >&"${served[1]}"
    while read -r -t 60 answer <&"${served[0]}"; do [[ $answer != *'"id":1'* ]] || break; done
    [[ $answer == *kept* ]] || stop "the tool kept no note: $answer"
    fired=$(printf '{"session_id":"s","cwd":"/","hook_event_name":"SessionStart","source":"startup"}' |
        "$1" hooks fire --client claude-code --event session_start)
    [[ $fired == *'The latest note: The parser is in lines.rs.'* ]] || stop "\`hooks fire\` does not bring the note: $fired"
    kill "$served_PID"
    wait "$served_PID" || true
}
