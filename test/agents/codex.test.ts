import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { PIXEL } from './pixel.ts';
import { MENDED, type Program, RUN } from './place.ts';
import { codex, codexWithPatches } from './programs/codex.ts';
import { findObstacle } from './run-agent.ts';
import { DONE } from './scripted-coder.ts';
import { LIMIT_MS, startJob } from './start-job.ts';
import { WIRES } from './tell-turn.ts';

/** `codex exec` with other words around its prompt. */
const saying = (program: Program, toArgs: (prompt: string, folder: string) => readonly string[]): Program => ({
  ...program,
  prepare(place) {
    const { env } = program.prepare(place);
    return { args: ['exec', ...toArgs(place.prompt, place.folder)], env };
  },
});

/** Wires whose models sign what they think. */
const SIGNING = ['anthropic', 'openai-responses'] as const;

const USUAL = ['--skip-git-repo-check', '--json'];

const obstacle = findObstacle(codex);

describe.skipIf(obstacle !== undefined)(`Codex${obstacle === undefined ? '' : ` (skipped: ${obstacle})`}`, () => {
  test.for(WIRES)('goes on with an earlier session, over the wire %s', { timeout: LIMIT_MS }, async (wire) => {
    const { coder, run, again, finish } = await startJob(codex, { wire, title: 'resume' });
    await run.ended;
    const resume = saying(codex, (prompt) => ['resume', '--last', ...USUAL, prompt]);
    await again('And what was wrong?', resume);
    const { code, output, mended } = await finish();
    expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
    const last = coder.requests.at(-1)?.body ?? '';
    const expected = ['Read sum.mjs, mend it', 'The sum is mended', 'And what was wrong?'];
    expect(expected.filter((words) => !last.includes(words))).toEqual([]);
  });

  test.for(WIRES)('shows an image to the model, over the wire %s', { timeout: LIMIT_MS }, async (wire) => {
    const seeing = saying(codexWithPatches, (prompt) => [...USUAL, prompt, '-i', 'red.png']);
    const { coder, finish } = await startJob(seeing, {
      wire,
      title: 'image',
      fill: (folder) => writeFileSync(join(folder, 'red.png'), PIXEL, 'base64'),
    });
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    expect(coder.requests[0]?.body).toContain('iVBORw0KGgo');
  });

  // What no upstream has summed up it keeps to itself.
  test('shows how a model sums up what it thinks', { timeout: LIMIT_MS }, async () => {
    const { finish } = await startJob(codexWithPatches, { wire: 'openai-responses', title: 'summaries' });
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    expect(output).toContain('"type":"reasoning","text":"Step 1 needs');
  });

  test.for(SIGNING)('gives a model its signed thoughts back, over the wire %s', { timeout: LIMIT_MS }, async (wire) => {
    const { coder, finish } = await startJob(codexWithPatches, { wire, title: 'thinks' });
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    const signature = wire === 'anthropic' ? '"signature":"c2lnbmVk"' : '"encrypted_content":"c2VhbGVk"';
    const last = coder.requests.at(-1)?.body ?? '';
    expect(['Step 1 needs', signature].filter((words) => !last.includes(words))).toEqual([]);
  });

  test('searches nothing when it is told not to', { timeout: LIMIT_MS }, async () => {
    const quiet = saying(codex, (prompt) => [...USUAL, '-c', 'web_search="disabled"', prompt]);
    const { asked, finish } = await startJob(quiet, { title: 'quiet' });
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    expect(asked.map(({ body }) => body.includes('"type":"web_search"'))).not.toContain(true);
  });

  test.for(WIRES)(
    'goes on after a command that its sandbox refuses, over the wire %s',
    { timeout: LIMIT_MS },
    async (wire) => {
      const { coder, finish } = await startJob(codex, {
        wire,
        title: 'sandbox',
        job: [
          ['exec_command', { cmd: 'touch /etc/not-allowed' }],
          ['exec_command', { cmd: 'cat there-is-no-such-file' }],
          ['exec_command', { cmd: RUN }],
        ],
      });
      const { code, output } = await finish();
      expect(code, output).toBe(0);
      expect(output).toContain(DONE);
      expect(coder.requests.at(-1)?.body).toContain('No such file');
    },
  );
});
