# Takes a fenced block out of a page. To be sourced by a script with `root`, the repository, and `stop`, which ends with a message.

block() { # the page, the opening fence, what one of the lines matches: the first such fenced block
    local text
    text=$(awk -v fence="$2" -v has="$3" '
        !inside && $0 == fence { inside = 1; text = ""; found = 0; next }
        inside && $0 == "```" { if (found) { printf "%s", text; exit }; inside = 0 }
        inside { text = text $0 "\n"; if ($0 ~ has) found = 1 }' "$root/$1")
    [[ -n $text ]] || stop "$1 has no block \`$2\` with a line \`$3\`"
    printf '%s\n' "$text"
}
