import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { readSnippets, root } from '../support/snippets/read-snippets.ts';
import { AFTER_BUILD, runCommandLine } from '../support/test-run/run-command-line.ts';

const run = promisify(execFile);

/** Each command of `curl` in a text, with the lines that it continues on. */
const findCurls = (text: string): string[] => text.match(/^curl (?:[^\n]*\\\n)*[^\n]*/gm) ?? [];

/** Runs a command as a reader would paste it, and resolves with what it prints, as JSON. */
async function paste(command: string): Promise<Record<string, unknown>> {
  const { stdout } = await run('sh', ['-c', command], { env: { PATH: process.env['PATH'] } });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Runs the commands for a chat and for its record one after the other, the second with the id that the first had. */
async function followThem(commands: readonly string[], placeholder: string): Promise<void> {
  expect(commands).toHaveLength(2);
  const [send = '', read = ''] = commands;
  const completion = await paste(send);
  expect(completion).toMatchObject({ object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] });
  expect(read).toContain(placeholder);
  const id = String(completion['id']);
  expect(await paste(read.replace(placeholder, id))).toMatchObject({ data: { id, model: 'demo/chat' } });
}

test('the commands that the demo prints can be pasted', async () => {
  const commands = await runCommandLine(AFTER_BUILD).printed((lines) =>
    lines.includes('Ctrl-C stops it') ? findCurls(lines) : undefined,
  );
  await followThem(commands, 'PASTE-THE-ID-HERE');
});

/** The address of the demo, which the pages name with its usual port. */
const startDemo = (): Promise<string> =>
  runCommandLine('model-gateway serve --demo').printed((lines) => /API address +(\S+)\/api\/v1/.exec(lines)?.[1]);

const USUAL = 'http://127.0.0.1:8855';

test('the commands of the README can be pasted', async () => {
  const address = await startDemo();
  const texts = readSnippets().filter(({ page, language }) => page === 'README.md' && language === 'sh');
  const commands = texts.flatMap(({ code }) => findCurls(code)).map((command) => command.replaceAll(USUAL, address));
  await followThem(commands, 'gen-…');
});

const programs = readSnippets().filter(({ code, language }) => language === 'js' && code.includes(`${USUAL}/api/v1`));

test.each(programs.map(({ page, line, code }) => [`${page}:${line}`, code]))(
  'the program at %s runs against the demo and prints a completion',
  { timeout: 30_000 },
  async (_place, code) => {
    const address = await startDemo();
    // Below the repository, whose packages it imports.
    const folder = mkdtempSync(join(root, 'node_modules', '.documented-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'program.mjs');
    writeFileSync(file, code.replaceAll(USUAL, address));
    const { stdout } = await run(process.execPath, [file], { cwd: tmpdir() });
    expect(stdout.trim().length).toBeGreaterThan(10);
  },
);

test('the pages have programs to run', () => expect(programs.length).toBeGreaterThan(3));
