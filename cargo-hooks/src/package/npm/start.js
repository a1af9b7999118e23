#!/usr/bin/env node
// Starts the program: passes arguments, standard input and output, signals and the exit code.
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { isatty } from "node:tty"
import { find, own } from "../lib/program.js"

const NAME = __NAME__
const program = find()
const fail = (why) => { process.stderr.write(`error: ${why}\n`); process.exit(1) }
if (!program && own.length) {
  fail(`the package of ${NAME} for ${process.platform} ${process.arch} is not installed\nhelp: run npm install --include=optional ${NAME}`)
} else if (!program) {
  fail(`${NAME} has no program for ${process.platform} ${process.arch}\nhelp: build it from its source`)
} else {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" })
  // Asked by number: whoever touches `process.stdin` makes the pipe one that the program cannot read.
  const terminal = isatty(0)
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
    // A terminal sends these two to the program itself.
    const sent = terminal && (signal === "SIGINT" || signal === "SIGQUIT")
    try { process.on(signal, () => { if (!sent) child.kill(signal) }) } catch {}
  }
  child.on("error", (error) => fail(`cannot start ${program}: ${error.message}`))
  child.on("close", (code, signal) => {
    if (!signal) process.exit(code)
    // This process ends as the program did.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100)
  })
}
