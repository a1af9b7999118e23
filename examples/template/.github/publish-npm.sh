#!/usr/bin/env bash
# Publishes the packages of npm that npm does not have yet: first those with a program, then the one that people name.
# Usage: publish-npm.sh DIST
set -euo pipefail

publish() { # true: those with a program. false: the other one
    local archive manifest package
    for archive in "$1"/npm/*.tgz; do
        manifest=$(tar -xOzf "$archive" package/package.json)
        [[ $(jq 'has("os")' <<<"$manifest") == "$2" ]] || continue
        package=$(jq -r '"\(.name)@\(.version)"' <<<"$manifest")
        if [[ $(npm view "$package" version 2>/dev/null) ]]; then
            echo "npm has $package already"
        else
            npm publish --access public "$archive"
        fi
    done
}
dist=$(realpath "$1")
publish "$dist" true
publish "$dist" false
