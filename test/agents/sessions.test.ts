import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { type RecordedSession, recordSession } from '../support/agent-sessions/recorded-session.ts';
import { createDice } from '../support/gateways/cached-chats.ts';
import type { Program, ToolCall } from './place.ts';
import { claudeCode } from './programs/claude-code.ts';
import { codex } from './programs/codex.ts';
import { findObstacle } from './run-agent.ts';
import { DONE } from './scripted-coder.ts';
import { LIMIT_MS, startJob } from './start-job.ts';
import type { Wire } from './tell-turn.ts';

const SESSIONS = fileURLToPath(new URL('../support/agent-sessions', import.meta.url));
/** Three calls of tools each, and a last word: 40 requests. */
const FILES = 13;

const fileOf = (number: number): string => `part-${number}.mjs`;

/** Files of 50 to 350 lines. */
function fillFolder(folder: string): void {
  const dice = createDice(12);
  for (let number = 0; number < FILES; number += 1) {
    const lines = Array.from(
      { length: 50 + dice(300) },
      (_, line) => `export const line${line} = ${dice(1e9)}; // ${line}`,
    );
    writeFileSync(join(folder, fileOf(number)), `${lines.join('\n')}\nconsole.log(line0);\n`, { mode: 0o666 });
  }
}

const eachFile = (toCalls: (file: string) => readonly ToolCall[]): ToolCall[] =>
  Array.from({ length: FILES }, (_, number) => toCalls(fileOf(number))).flat();

const RECORDED: readonly { program: Program; wire: Wire; path: string; job: Program['job'] }[] = [
  {
    program: claudeCode,
    wire: 'anthropic',
    path: '/api/v1/messages',
    job: (folder) =>
      eachFile((file) => [
        ['Read', { file_path: join(folder, file) }],
        ['Edit', { file_path: join(folder, file), old_string: 'console.log(line0)', new_string: 'console.log(line1)' }],
        ['Bash', { command: `node ${file}`, description: 'Runs the program' }],
      ]),
  },
  {
    program: codex,
    wire: 'openai-responses',
    path: '/api/v1/responses',
    job: () =>
      eachFile((file) => [
        ['exec_command', { cmd: `cat ${file}` }],
        ['exec_command', { cmd: `sed -i 's/console.log(line0)/console.log(line1)/' ${file}` }],
        ['exec_command', { cmd: `node ${file}` }],
      ]),
  },
];

/** How many parts each request has, and how many of those the next one has again at the same place. */
const toCourse = ({ requests }: RecordedSession): readonly (readonly [parts: number, again: number])[] =>
  requests.map((request, at) => {
    const [own, next] = [request, requests[at + 1]].map((one) =>
      ['tools', 'system', 'messages', 'input'].flatMap((name) => (one?.[name] as number[] | undefined) ?? []),
    );
    return [own?.length ?? 0, own?.filter((part, place) => next?.[place] === part).length ?? 0];
  });

describe.each(RECORDED)('$program.name', ({ program, wire, path, job }) => {
  const obstacle = findObstacle(program);

  // Another version of the program may have another form: `WRITE_SESSIONS=1` writes it anew.
  test.skipIf(obstacle !== undefined)(
    'works through a session of 40 requests in the form that the tests of stored requests and caches take',
    { timeout: LIMIT_MS },
    async () => {
      const { asked, finish } = await startJob({ ...program, job }, { wire, title: 'session', fill: fillFolder });
      const { code, output } = await finish();
      expect(code, output).toBe(0);
      expect(output).toContain(DONE);
      const sent = asked.filter(({ line }) => line.split('?')[0] === `POST ${path}`);
      const session = recordSession(
        path,
        sent.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
      );
      const file = `${SESSIONS}/${program.slug}.json`;
      if (process.env['WRITE_SESSIONS'] === '1' || !existsSync(file)) writeFileSync(file, toText(session));
      expect(session.requests).toHaveLength(3 * FILES + 1);
      expect(toCourse(session)).toEqual(toCourse(JSON.parse(readFileSync(file, 'utf8')) as RecordedSession));
    },
  );
});

/** A line for each part and each request. */
const toText = ({ path, parts, requests }: RecordedSession): string => {
  const toLines = (list: readonly unknown[]): string => list.map((one) => JSON.stringify(one)).join(',\n');
  return `{"path":${JSON.stringify(path)},\n"parts":[\n${toLines(parts)}\n],\n"requests":[\n${toLines(requests)}\n]}\n`;
};
