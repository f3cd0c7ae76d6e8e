import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { MENDED, type Program, PROGRAMS } from './programs.ts';
import { type AgentRun, findObstacle, makePlace, runAgent } from './run-agent.ts';
import { type Fault, type ScriptedCoder, startScriptedCoder, toCoderConfig } from './scripted-coder.ts';
import { type Wire, WIRES } from './tell-turn.ts';

const KEY = 'sk-gw-v1-agent';
const MANAGEMENT_KEY = 'sk-gw-v1-agent-management';
const LIMIT_MS = 120_000;
const TRANSCRIPTS = fileURLToPath(new URL('../../test-results/agents', import.meta.url));

interface Started {
  readonly coder: ScriptedCoder;
  readonly run: AgentRun;
  /** Waits for the end, and writes down what was said on both sides. */
  finish(): Promise<Awaited<AgentRun['ended']>>;
  /** Generations that the gateway has recorded, newest first. */
  records(): Promise<readonly { readonly cancelled: boolean | null; readonly provider_name: string }[]>;
}

async function start(program: Program, fault: Fault, wire: Wire): Promise<Started> {
  const place = makePlace();
  const coder = await startScriptedCoder(program.job(place.folder));
  onTestFinished(() => coder.close());
  const keys = [
    { key: KEY, kind: 'api', name: 'agent' },
    { key: MANAGEMENT_KEY, kind: 'management', name: 'reader' },
  ];
  const { url } = await startCommand(writeTestConfig(toCoderConfig(coder, keys)));
  const run = await runAgent(program, { ...place, gateway: url, key: KEY, model: `${fault}/${wire}` });
  return {
    coder,
    run,
    async finish() {
      const ended = await run.ended;
      writeTranscript(`${program.command}-${wire}-${fault}`, coder, ended);
      expect(run.wanted.filter((address) => program.asksFor?.includes(address) !== true)).toEqual([]);
      return ended;
    },
    async records() {
      const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
      const response = await fetch(`${url}/admin/v1/generations`, { headers });
      return ((await response.json()) as { data: Awaited<ReturnType<Started['records']>> }).data;
    },
  };
}

function writeTranscript(
  name: string,
  { requests }: ScriptedCoder,
  { code, output }: Awaited<AgentRun['ended']>,
): void {
  mkdirSync(TRANSCRIPTS, { recursive: true });
  const asked = requests.map(
    ({ wire, fault, body }, index) => `## Request ${index + 1} (${wire}, ${fault})\n\n${body}\n`,
  );
  const told = `# ${name}\n\nExit code: ${code}\n\n## The agent\n\n${output}\n`;
  writeFileSync(`${TRANSCRIPTS}/${name}.txt`, [told, ...asked].join('\n'));
}

describe.each(PROGRAMS)('$name', (program) => {
  const obstacle = findObstacle(program);
  const reason = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

  describe.skipIf(obstacle !== undefined).each(WIRES)(`over the wire %s${reason}`, (wire) => {
    test('reads, edits and runs a file, and says that it is done', { timeout: LIMIT_MS }, async () => {
      const { coder, finish } = await start(program, 'none', wire);
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(output).toContain('The sum is mended ☕ 你好: done.');
      expect(coder.requests.at(-1)?.body).toMatch(/\b42\b/);
    });

    test('does not notice that the first provider refuses', { timeout: LIMIT_MS }, async () => {
      const { coder, finish } = await start(program, 'refuses', wire);
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(new Set(coder.requests.map(({ fault }) => fault))).toEqual(new Set(['refuses', 'none']));
    });

    test.skipIf(program.stopsAtBreak)('finishes though a response breaks', { timeout: LIMIT_MS }, async () => {
      const { finish } = await start(program, 'breaks', wire);
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(output).toContain('The sum is mended ☕ 你好: done.');
    });

    test.runIf(program.stopsAtBreak)('says that a response has broken', { timeout: LIMIT_MS }, async () => {
      const { finish } = await start(program, 'breaks', wire);
      const { code, output } = await finish();
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('the answer was cut short') });
    });

    test('ends the call of the provider when it is interrupted', { timeout: LIMIT_MS }, async () => {
      const { coder, run, finish, records } = await start(program, 'halts', wire);
      const { closed } = await Promise.race([
        coder.halted,
        run.ended.then(({ output }) => Promise.reject(new Error(output))),
      ]);
      run.interrupt();
      expect(await closed).toBe(false);
      await finish();
      await expect.poll(async () => (await records()).map(({ cancelled }) => cancelled)).toContain(true);
    });
  });
});
