// Compares the checks of some runs of the suite, and prints a table: what passes in the first must pass in the others.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

// Checks of streams that are absent on purpose: these calls are answered at once, so the answer is JSON, and there is no stream.
const expected = /: server-sse-(priming-event|retry-field|streams-functional)$/;

const words = ['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED'];

// Of one revision: scenario and check, with every verdict on it, since the suite uses an id more than once.
function read(folder) {
    const checks = new Map();
    for (const run of readdirSync(folder)) {
        const scenario = run.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[-\dZ]+$/, '');
        for (const { id, status, errorMessage } of JSON.parse(readFileSync(join(folder, run, 'checks.json')))) {
            if (!words.includes(status)) continue; // the suite's own notes
            const key = `${scenario}: ${id}`;
            checks.set(key, [...(checks.get(key) ?? []), { status, errorMessage }]);
        }
    }
    return checks;
}

const count = (verdicts, status) => verdicts.filter(one => one.status === status).length;
const counts = checks => words.map(word => count([...checks.values()].flat(), word));

function complaints(checks) {
    return [...checks].flatMap(([key, verdicts]) =>
        verdicts
            .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
            .map(({ status, errorMessage }) => `${key}: ${status}: ${errorMessage ?? ''}`),
    );
}

const [folder, ...modes] = process.argv.slice(2);
const rows = [['revision', 'served', 'passed', 'failed', 'warnings', 'skipped']];
const notes = [];
let worse = 0;
let passed = 0;
for (const revision of readdirSync(join(folder, modes[0])).sort()) {
    const [plain, ...others] = modes.map(mode => read(join(folder, mode, revision)));
    rows.push([revision, modes[0], ...counts(plain)]);
    passed += counts(plain)[0];
    notes.push(...complaints(plain).map(complaint => `${revision}: on rmcp alone: ${complaint}`));
    others.forEach((wrapped, at) => {
        const mode = modes[at + 1];
        rows.push(['', mode, ...counts(wrapped)]);
        for (const key of new Set([...plain.keys(), ...wrapped.keys()])) {
            const [before, after] = [plain, wrapped].map(checks => checks.get(key) ?? []);
            if (words.every(word => count(before, word) === count(after, word))) continue;
            const more = count(after, 'SUCCESS') > count(before, 'SUCCESS');
            if (more && count(after, 'FAILURE') <= count(before, 'FAILURE')) {
                notes.push(`${revision}: better ${mode}: ${key}`);
                continue;
            }
            const [was, is] = [before, after].map(verdicts => verdicts.map(one => one.status).join(', ') || 'absent');
            const why = after.find(one => one.errorMessage)?.errorMessage ?? '';
            if (expected.test(key) && count(after, 'FAILURE') <= count(before, 'FAILURE')) {
                notes.push(`${revision}: expected ${mode}: ${key}: plain ${was}, ${mode} ${is}`);
                continue;
            }
            worse += 1;
            notes.push(`${revision}: WORSE ${mode}: ${key}: plain ${was}, ${mode} ${is}: ${why}`);
        }
    });
}

const widths = rows[0].map((_, column) => Math.max(...rows.map(row => String(row[column]).length)));
for (const row of rows) console.log(row.map((cell, column) => String(cell).padEnd(widths[column])).join('  ').trimEnd());
for (const note of notes) console.log(note);
if (passed === 0) console.log('no check passed: the suite did not run');
console.log(worse === 0 ? `every check is at least as good as ${modes[0]}` : `${worse} checks are worse than ${modes[0]}`);
process.exit(worse === 0 && passed > 0 ? 0 : 1);
