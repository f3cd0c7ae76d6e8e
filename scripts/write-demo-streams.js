// Writes `response.sse` beside every whole response of the demo's cases, so that each text is kept in one place only:
// `response.json`. Run it after changing one: `node scripts/write-demo-streams.js`.
//
// Cases whose response is an error or is cut short hold no whole response; their files are written by hand.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CASES = fileURLToPath(new URL('../fixtures/demo/chat-completions', import.meta.url));

/**
 * Cuts a text about where a tokenizer would: words with the space before them, long ones in two, digits by three.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function splitTokens(text) {
  return text.match(/\n+| ?\p{L}{1,9}| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]{1,3}|\s/gu) ?? [];
}

/**
 * The deltas that add up to a message, in the order in which OpenAI's wire sends them.
 *
 * @param {{ content: string | null, refusal?: string | null, reasoning_content?: string,
 *   tool_calls?: { id: string, type: string, function: { name: string, arguments: string } }[] }} message
 * @returns {object[]}
 */
export function toDeltas({ content, refusal, reasoning_content: reasoning, tool_calls: toolCalls }) {
  const first = { role: 'assistant', content: reasoning === undefined && content !== null ? '' : null };
  const deltas = [reasoning === undefined ? { ...first, refusal: null } : { ...first, reasoning_content: '' }];
  for (const token of splitTokens(reasoning ?? '')) deltas.push({ reasoning_content: token });
  for (const token of splitTokens(content ?? '')) deltas.push({ content: token });
  for (const token of splitTokens(refusal ?? '')) deltas.push({ refusal: token });
  for (const [index, call] of (toolCalls ?? []).entries()) {
    const { name, arguments: json } = call.function;
    deltas.push({ tool_calls: [{ index, id: call.id, type: call.type, function: { name, arguments: '' } }] });
    for (const token of splitTokens(json)) deltas.push({ tool_calls: [{ index, function: { arguments: token } }] });
  }
  return deltas;
}

/**
 * The stream with the contents of a whole response, byte for byte as OpenAI frames it when usage was asked for.
 *
 * @param {{ id: string, created: number, model: string, service_tier: string, system_fingerprint: string,
 *   usage: object, choices: [{ message: Parameters<typeof toDeltas>[0], finish_reason: string }] }} completion
 * @returns {string}
 */
export function toStream({ id, created, model, service_tier, system_fingerprint, usage, choices: [choice] }) {
  const head = { id, object: 'chat.completion.chunk', created, model, service_tier, system_fingerprint };
  const toChunk = (delta, finish_reason) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  });
  const chunks = [
    ...toDeltas(choice.message).map((delta) => toChunk(delta, null)),
    toChunk({}, choice.finish_reason),
    { ...head, choices: [], usage },
  ];
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

function readResponse(folder) {
  const file = join(CASES, folder, 'response.json');
  if (!existsSync(file)) return undefined;
  try {
    const completion = JSON.parse(readFileSync(file, 'utf8'));
    return completion.object === 'chat.completion' ? completion : undefined;
  } catch {
    // The response of this case is cut short.
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of readdirSync(CASES)) {
    const completion = readResponse(folder);
    if (completion !== undefined) writeFileSync(join(CASES, folder, 'response.sse'), toStream(completion));
  }
}
