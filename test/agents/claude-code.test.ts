import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { PIXEL } from './pixel.ts';
import { MENDED, type Program, PROMPT } from './place.ts';
import { claudeCode } from './programs/claude-code.ts';
import { findObstacle } from './run-agent.ts';
import { DONE, type Improvise } from './scripted-coder.ts';
import { LIMIT_MS, startJob } from './start-job.ts';
import { type Wire, WIRES } from './tell-turn.ts';

const withMore = (env: Readonly<Record<string, string>>, ...more: readonly string[]): Program => ({
  ...claudeCode,
  prepare(place) {
    const { args, env: usual } = claudeCode.prepare(place);
    return { args: [...args, ...more], env: { ...usual, ...env } };
  },
});

/** With a model of Anthropic's, under the id that Anthropic's API has for it. */
const asOpus = (program: Program, version: string): Program => ({
  ...program,
  model: `anthropic/claude-opus-${version}`,
  prepare: (place) => program.prepare({ ...place, model: `claude-opus-${version.replace('.', '-')}` }),
});

/** A newer one thinks as it sees fit, an older one is told how much it may. */
const THINKING = [
  ['4.8', '"type":"adaptive"'],
  ['4.5', '"budget_tokens":4000'],
] as const;
const THINKING_OVER_WIRES = THINKING.flatMap(([version, asks]) => WIRES.map((wire) => ({ version, asks, wire })));

/** The model hands the job to a helper, which runs the file, and repeats what it says. */
const delegate: Improvise = (body, results) => {
  if (!body.includes(PROMPT)) {
    if (results > 0) return { text: 'HELPER: it prints 38.' };
    return { calls: [{ id: 'call_run', name: 'Bash', args: { command: 'node sum.mjs', description: 'Runs it' } }] };
  }
  if (results > 0) return { text: DONE };
  const name = body.includes('"name":"Agent"') ? 'Agent' : 'Task';
  const args = { description: 'Run it', prompt: 'Run sum.mjs.', subagent_type: 'general-purpose' };
  return { calls: [{ id: 'call_task', name, args }] };
};

const obstacle = findObstacle(claudeCode);

describe.skipIf(obstacle !== undefined)(`Claude Code${obstacle === undefined ? '' : ` (skipped: ${obstacle})`}`, () => {
  test.for(THINKING_OVER_WIRES)(
    'thinks as Opus $version does, over the wire $wire',
    { timeout: LIMIT_MS },
    async ({ version, asks, wire }) => {
      const program = asOpus(withMore({ MAX_THINKING_TOKENS: '4000' }), version);
      const { asked, coder, finish } = await startJob(program, { wire, title: `thinks-${version}` });
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(/"thinking":\{[^}]*\}/.exec(asked[0]?.body ?? '')?.[0]).toContain(asks);
      expect(output).toContain('"thinking":"Step 1 needs');
      const last = coder.requests.at(-1)?.body ?? '';
      if (wire === 'anthropic') expect(last).toContain('"signature":"c2lnbmVk"');
      if (wire === 'openai-responses') expect(last).toContain('"encrypted_content":"c2VhbGVk"');
    },
  );

  test('sends its marks of caches and its betas to an upstream of its own wire', { timeout: LIMIT_MS }, async () => {
    const { asked, coder, finish } = await startJob(asOpus(claudeCode, '4.8'), { wire: 'anthropic', title: 'caches' });
    await finish();
    const [sent] = asked.filter(({ line }) => line.includes('/v1/messages'));
    const [got] = coder.requests;
    const marks = (body = ''): number => body.match(/"cache_control":/g)?.length ?? 0;
    expect(marks(sent?.body)).toBeGreaterThan(1);
    expect(marks(got?.body)).toBe(marks(sent?.body));
    expect(got?.headers['anthropic-beta']).toBe(sent?.headers['anthropic-beta']);
    const { system } = JSON.parse(sent?.body ?? '') as { system: unknown };
    expect((JSON.parse(got?.body ?? '') as { system: unknown }).system).toEqual(system);
  });

  test.for(WIRES)(
    'hands work to a helper with another model, over the wire %s',
    { timeout: LIMIT_MS },
    async (wire) => {
      const helper: Wire = wire === 'google' ? 'openai' : 'google';
      const { coder, finish } = await startJob(withMore({ CLAUDE_CODE_SUBAGENT_MODEL: 'acme/helper' }), {
        wire,
        title: 'helper',
        improvise: delegate,
        models: [{ id: 'acme/helper', fault: 'none', wire: helper }],
      });
      const { code, output } = await finish();
      expect(code, output).toBe(0);
      expect(output).toContain(DONE);
      expect(new Set(coder.requests.map((request) => request.wire))).toEqual(new Set([wire, helper]));
      expect(coder.requests.at(-1)?.body).toContain('HELPER: it prints 38.');
    },
  );

  test.for(WIRES)(
    'shows an image that it has read to the model, over the wire %s',
    { timeout: LIMIT_MS },
    async (wire) => {
      const { coder, finish } = await startJob(
        {
          ...claudeCode,
          job: (folder) => [['Read', { file_path: join(folder, 'red.png') }]],
        },
        { wire, title: 'image', fill: (folder) => writeFileSync(join(folder, 'red.png'), PIXEL, 'base64') },
      );
      const { code, output } = await finish();
      expect(code, output).toBe(0);
      expect(coder.requests.at(-1)?.body).toMatch(/"(image_url|image|inlineData|input_image)"/);
      expect(coder.requests.at(-1)?.body).toMatch(/iVBORw0KGgo/);
    },
  );

  test.for(WIRES)('brings back a long result whole, over the wire %s', { timeout: LIMIT_MS }, async (wire) => {
    const lines = Array.from({ length: 1500 }, (_, number) => `line ${number} of “many”`).join('\n');
    const { coder, finish } = await startJob(
      { ...claudeCode, job: (folder) => [['Read', { file_path: join(folder, 'long.txt') }]] },
      { wire, title: 'long', fill: (folder) => writeFileSync(join(folder, 'long.txt'), lines) },
    );
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    expect(coder.requests.at(-1)?.body).toMatch(/line 0 of “many”[\s\S]*line 1499 of “many”/);
  });

  test('sums up its session and goes on with it', { timeout: LIMIT_MS }, async () => {
    const { coder, run, again, finish } = await startJob(claudeCode, {
      title: 'compact',
      improvise: (body) => (body.includes('summary of the conversation') ? { text: 'SUMMARY: mended.' } : undefined),
    });
    await run.ended;
    const compact = await again('/compact', withMore({}, '--continue'));
    const compacted = await compact.ended;
    await again('What did you do?', withMore({}, '--continue'));
    const { code, output } = await finish();
    expect(code, compacted.output + output).toBe(0);
    expect(coder.requests.at(-1)?.body).toContain('SUMMARY: mended.');
  });

  test('has its context counted', { timeout: LIMIT_MS }, async () => {
    const { asked, finish } = await startJob(claudeCode, { wire: 'anthropic', title: 'context', prompt: '/context' });
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    expect(asked.filter(({ line }) => line.includes('count_tokens')).map(({ status }) => status)).toContain(200);
  });

  test('finds the models of the gateway', { timeout: LIMIT_MS }, async () => {
    const env = { CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '' };
    // What else it does then is asked of Anthropic, who are not there.
    const curious = { ...withMore(env), asksFor: ['api.anthropic.com:443'] };
    const { asked, finish } = await startJob(curious, { title: 'models' });
    const { code, output } = await finish();
    expect(code, output).toBe(0);
    const [list] = asked.filter(({ line }) => line.startsWith('GET /api/v1/models'));
    expect({ status: list?.status, response: list?.response }).toEqual({
      status: 200,
      response: expect.stringContaining('"display_name"'),
    });
  });
});
