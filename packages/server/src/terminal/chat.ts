import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import type { GatewayFlags } from '../process/gateway-flags.ts';
import type { Owner } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';
import { askGateway, findGateway, toSilence } from './find-gateway.ts';
import { paint, PROCESS_TERMINAL, stoppedByUser, type Terminal } from './show.ts';

export interface ChatOptions extends GatewayFlags {
  readonly model: string;
  /** What to ask once; undefined for a talk. */
  readonly prompt: string | undefined;
  readonly system: string | undefined;
  /** The key to call with. Undefined: one that lives as long as this command. */
  readonly key: string | undefined;
}

/** A terminal that also asks. */
export interface TalkingTerminal extends Terminal {
  /** Resolves with the next line; with null at the end of the input. */
  readonly ask: () => Promise<string | null>;
  readonly close: () => void;
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Asks a model once, or talks to it line by line until the input ends or the user stops it. */
export async function chat(
  options: ChatOptions,
  terminal: TalkingTerminal = openTerminal(),
  signal: AbortSignal = stoppedByUser(),
): Promise<void> {
  const { model, prompt, system } = options;
  // Who brings a key needs no other one.
  const gateway =
    options.url !== undefined && options.key !== undefined
      ? { url: options.url, pid: 0, token: options.key }
      : await findGateway(options, terminal.env);
  const { key, revoke } = await takeKey(gateway, options.key);
  const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const say = async (content: string): Promise<void> => {
    messages.push({ role: 'user', content });
    const answer = await streamAnswer(gateway, { key, model, messages }, terminal, signal);
    messages.push({ role: 'assistant', content: answer });
  };
  let hasFailed = false;
  // Ends the input, so that the key does not outlive the command.
  signal.addEventListener('abort', terminal.close);
  try {
    // The user may have stopped it while the key was made.
    if (signal.aborted) return;
    if (prompt !== undefined) return await say(prompt);
    terminal.note(`Talking to ${model}. An empty line ends the talk.\n`);
    for (;;) {
      if (terminal.isTTY) terminal.note(paint('cyan', '> ', terminal));
      const line = await terminal.ask();
      if (line === null || line.trim() === '') return;
      await say(line);
    }
  } catch (error) {
    if (signal.aborted) return;
    hasFailed = true;
    throw error;
  } finally {
    terminal.close();
    // What failed first says more than a key that cannot be revoked then, and that expires by itself.
    await revoke().catch((error: unknown) => {
      if (!hasFailed) throw error;
    });
  }
}

const KEY_LIFE_MS = 12 * 60 * 60 * 1000;

/** A key that is given, or one of this command's own, which is revoked at its end. */
async function takeKey(
  gateway: Owner,
  given: string | undefined,
): Promise<{ readonly key: string; readonly revoke: () => Promise<void> }> {
  if (given !== undefined) return { key: given, revoke: () => Promise.resolve() };
  const body = { name: 'Terminal chat', expires_at: new Date(Date.now() + KEY_LIFE_MS).toISOString() };
  const made = await askGateway<{ key: string; data: { hash: string } }>(gateway, 'POST', '/api/v1/keys', body);
  return {
    key: made.key,
    revoke: async () => void (await askGateway(gateway, 'DELETE', `/api/v1/keys/${made.data.hash}`)),
  };
}

interface Delta {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly error?: { readonly message?: string };
}

/** Prints the answer as it comes, and resolves with all of it. */
async function streamAnswer(
  { url }: Owner,
  { key, ...body }: { readonly key: string; readonly model: string; readonly messages: readonly Message[] },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  }).catch((cause: unknown) => {
    throw new StartError(toSilence(url), { cause });
  });
  if (!response.ok || response.body === null) {
    const { error } = (await response.json().catch(() => ({}))) as Delta;
    throw new StartError(`${body.model} did not answer: ${error?.message ?? `status ${response.status}`}`);
  }
  let answer = '';
  let rest = '';
  for await (const piece of readPieces(response.body, url, terminal)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const { choices, error } = JSON.parse(line.slice('data: '.length)) as Delta;
      const text = choices?.[0]?.delta?.content ?? '';
      answer += text;
      terminal.write(text);
      if (error !== undefined) {
        terminal.write('\n');
        throw new StartError(`${body.model} broke off: ${error.message ?? 'no reason given'}`);
      }
    }
  }
  terminal.write('\n');
  return answer;
}

/** The text of a response as it comes. Throws `StartError` where the connection breaks. */
async function* readPieces(body: ReadableStream<Uint8Array>, url: string, terminal: Terminal): AsyncGenerator<string> {
  try {
    yield* body.pipeThrough(new TextDecoderStream());
  } catch (cause) {
    terminal.write('\n');
    throw new StartError(`The connection to the gateway at ${url} has broken. Check that it still runs.`, { cause });
  }
}

export function openTerminal(): TalkingTerminal {
  let lines: AsyncIterator<string> | undefined;
  let reader: ReturnType<typeof createInterface> | undefined;
  return {
    ...PROCESS_TERMINAL,
    async ask() {
      reader ??= createInterface({ input: process.stdin });
      lines ??= reader[Symbol.asyncIterator]();
      const { done, value } = await lines.next();
      return done === true ? null : value;
    },
    close: () => reader?.close(),
  };
}
