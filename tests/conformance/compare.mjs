// Compares the checks of two runs of the suite, and prints a table: what passes plain must pass wrapped.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

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

const [plainFolder, wrappedFolder] = process.argv.slice(2);
const rows = [['revision', 'served', 'passed', 'failed', 'warnings', 'skipped']];
const notes = [];
let worse = 0;
let passed = 0;
for (const revision of readdirSync(plainFolder).sort()) {
    const [plain, wrapped] = [plainFolder, wrappedFolder].map(folder => read(join(folder, revision)));
    rows.push([revision, 'plain', ...counts(plain)], ['', 'wrapped', ...counts(wrapped)]);
    passed += counts(plain)[0];
    notes.push(...complaints(plain).map(complaint => `${revision}: on rmcp alone: ${complaint}`));
    for (const key of new Set([...plain.keys(), ...wrapped.keys()])) {
        const [before, after] = [plain, wrapped].map(checks => checks.get(key) ?? []);
        if (words.every(word => count(before, word) === count(after, word))) continue;
        if (count(after, 'SUCCESS') > count(before, 'SUCCESS') && count(after, 'FAILURE') <= count(before, 'FAILURE')) {
            notes.push(`${revision}: better wrapped: ${key}`);
            continue;
        }
        worse += 1;
        const [was, is] = [before, after].map(verdicts => verdicts.map(one => one.status).join(', ') || 'absent');
        const why = after.find(one => one.errorMessage)?.errorMessage ?? '';
        notes.push(`${revision}: WORSE WRAPPED: ${key}: plain ${was}, wrapped ${is}: ${why}`);
    }
}

const widths = rows[0].map((_, column) => Math.max(...rows.map(row => String(row[column]).length)));
for (const row of rows) console.log(row.map((cell, column) => String(cell).padEnd(widths[column])).join('  ').trimEnd());
for (const note of notes) console.log(note);
if (passed === 0) console.log('no check passed: the suite did not run');
console.log(worse === 0 ? 'every check is the same wrapped as plain' : `${worse} checks are worse wrapped`);
process.exit(worse === 0 && passed > 0 ? 0 : 1);
