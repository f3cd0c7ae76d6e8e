import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished } from 'vitest';

import { startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import type { Fault } from './faults.ts';
import { type Program, PROMPT, type ToolCall } from './place.ts';
import { type AgentRun, makePlace, runAgent } from './run-agent.ts';
import {
  type CoderModel,
  type Improvise,
  type ScriptedCoder,
  startScriptedCoder,
  toCoderConfig,
} from './scripted-coder.ts';
import { type TappedRequest, tapGateway } from './tap-gateway.ts';
import type { Wire } from './tell-turn.ts';

const MANAGEMENT_KEY = 'sk-gw-v1-agent-management';
const TRANSCRIPTS = fileURLToPath(new URL('../../test-results/agents', import.meta.url));

/** A test of an agent takes as long as the agent, and some seconds around it. */
export const LIMIT_MS = 120_000;

export interface JobOptions {
  readonly fault?: Fault;
  readonly wire?: Wire;
  /** Of the transcript, beside the agent's; default: the fault. */
  readonly title?: string;
  readonly prompt?: string;
  readonly job?: readonly ToolCall[];
  readonly improvise?: Improvise;
  /** More models than that of the job. */
  readonly models?: readonly CoderModel[];
  /** Fields of the key that the agent gets. */
  readonly keyFields?: object;
  /** A guardrail for that key. */
  readonly guardrail?: object;
  /** Fills the folder of the job. */
  readonly fill?: (folder: string) => void;
}

/** An agent at its job, and all that it talks to. */
export interface StartedJob {
  readonly coder: ScriptedCoder;
  readonly run: AgentRun;
  /** What the agent asked of the gateway. */
  readonly asked: readonly TappedRequest[];
  /** Waits for the end, and writes down what was said on both sides. */
  finish(): Promise<Awaited<AgentRun['ended']>>;
  /** Starts the same agent again in the same place. */
  again(prompt: string, program?: Program): Promise<AgentRun>;
  /** Generations that the gateway has recorded, newest first. */
  records(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export async function startJob(program: Program, options: JobOptions = {}): Promise<StartedJob> {
  const { fault = 'none', wire = 'openai', improvise, title = fault, fill } = options;
  const place = makePlace();
  fill?.(place.folder);
  const coder = await startScriptedCoder(options.job ?? program.job(place.folder), improvise);
  onTestFinished(() => coder.close());
  const model = program.model ?? `${fault}/${wire}`;
  const models = [{ id: model, fault, wire }, ...(options.models ?? [])];
  const keys = [{ key: MANAGEMENT_KEY, kind: 'management', name: 'reader' }];
  const { url } = await startCommand(writeTestConfig(toCoderConfig(coder, models, keys)));
  const key = await makeKey(url, options);
  const { url: gateway, requests: asked } = await tapGateway(url);
  const whole = { ...place, gateway, key, model };
  const run = await runAgent(program, { ...whole, prompt: options.prompt ?? PROMPT });
  const runs = [run];
  return {
    coder,
    run,
    asked,
    async finish() {
      const ended = await Promise.all(runs.map((one) => one.ended));
      writeTranscript(`${program.slug}-${wire}-${title}`, coder, asked, ended);
      const wanted = runs.flatMap((one) => one.wanted);
      expect(wanted.filter((address) => program.asksFor?.includes(address) !== true)).toEqual([]);
      return ended.at(-1) as Awaited<AgentRun['ended']>;
    },
    async again(prompt, other = program) {
      const next = await runAgent(other, { ...whole, prompt });
      runs.push(next);
      return next;
    },
    async records() {
      const { data } = await manage(url, 'GET', '/admin/v1/generations');
      return data as unknown as readonly Readonly<Record<string, unknown>>[];
    },
  };
}

type Managed = Readonly<{ key: string; data: Readonly<{ hash: string; id: string }> }>;

async function manage(url: string, method: string, path: string, body?: object): Promise<Managed> {
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Managed;
}

async function makeKey(url: string, { keyFields, guardrail }: JobOptions): Promise<string> {
  const { key, data } = await manage(url, 'POST', '/api/v1/keys', { name: 'agent', ...keyFields });
  if (guardrail === undefined) return key;
  const { data: made } = await manage(url, 'POST', '/api/v1/guardrails', { name: 'agents', ...guardrail });
  await manage(url, 'POST', `/api/v1/guardrails/${made.id}/assignments/keys`, { key_hashes: [data.hash] });
  return key;
}

function writeTranscript(
  name: string,
  { requests }: ScriptedCoder,
  asked: readonly TappedRequest[],
  ended: readonly Awaited<AgentRun['ended']>[],
): void {
  mkdirSync(TRANSCRIPTS, { recursive: true });
  const told = ended.map(({ code, output }) => `## The agent\n\nExit code: ${code}\n\n${output}\n`);
  const lines = asked.map(({ line, status, response }) => `${line}: ${status}${status === 200 ? '' : ` ${response}`}`);
  const seen = requests.map(
    ({ wire, fault, body }, index) => `## Request ${index + 1} (${wire}, ${fault})\n\n${body}\n`,
  );
  const gateway = `## Asked of the gateway\n\n${lines.join('\n')}\n`;
  writeFileSync(`${TRANSCRIPTS}/${name}.txt`, [`# ${name}\n`, ...told, gateway, ...seen].join('\n'));
}
