import { GatewayError } from '../foundation/errors.ts';
import { isRecord } from '../foundation/parse.ts';
import { readableBodyOf } from '../generations/whole-request.ts';
import type { StoredContent } from '../stores/store.ts';
import type { PresetVersion } from '../wire/presets.ts';
import type { RerunCompletion, RerunTarget } from '../wire/reruns.ts';
import { FORMATS, type FormatName } from '../wire/routing-rules.ts';
import { joinDataPolicies } from './data-policy.ts';
import { withPreset } from './preset-targets.ts';

/** A request that can be sent again. */
export interface RerunRequest {
  readonly format: FormatName;
  readonly body: Readonly<Record<string, unknown>>;
  /** Those that say in which form the body is. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers that belong to the form of a body. */
const FORM_HEADERS = ['anthropic-beta', 'anthropic-version', 'openai-beta'];

/** The request of a generation; undefined where its content tells of none. Throws for a kind of call that is no chat. */
export function toStoredRerunRequest(content: StoredContent): RerunRequest | undefined {
  const { request, input } = content;
  if (request !== undefined) {
    const format = FORMATS.find((name) => name === request.format);
    if (format === undefined) {
      throw new GatewayError(
        'invalid_request',
        `Only chats can be run again; this is a call of the kind "${request.format}"`,
      );
    }
    const body = readableBodyOf(request);
    if (!isRecord(body)) return undefined;
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => FORM_HEADERS.includes(name)));
    return { format, body, headers };
  }
  if (!('messages' in input)) return undefined;
  return { format: 'chat', body: { messages: input.messages }, headers: {} };
}

/** The completion of a generation; null where it has none. */
export function toRerunCompletion({ output }: Pick<StoredContent, 'output'>): RerunCompletion | null {
  const calls = output.tool_calls ?? [];
  if (output.completion === null && calls.length === 0) return null;
  const tool_calls = calls.map((call) => ({
    name: call.function?.name ?? '',
    arguments: call.function?.arguments ?? '',
  }));
  return { text: output.completion, tool_calls };
}

/** Members that lead a call elsewhere, or that belong to the call that it was. Of `provider` the data policy stays. */
const DROPPED = ['models', 'provider', 'preset', 'route', 'plugins', 'transforms', 'session_id', 'stream_options'];
/** Members that say where a call goes, and how its completion comes back. */
const FIXED = ['model', 'models', 'provider', 'stream', 'n', 'messages', 'input', 'prompt', 'contents'];

/**
 * The request as a target receives it: not streamed, without plugins, with the target's preset, model, parameters and
 * system prompt, under the data policy that it came with. Throws `invalid_request` for what cannot be run again, and says why.
 */
export function toTargetRequest(
  { format, body, headers }: RerunRequest,
  target: RerunTarget,
  preset?: PresetVersion,
): RerunRequest {
  const base: Record<string, unknown> = { ...body };
  for (const name of DROPPED) delete base[name];
  const changed: Record<string, unknown> = {
    ...withoutServerTools(preset === undefined ? base : withPreset(base, format, preset)),
  };
  const ownSystem = preset?.system_prompt ?? null;
  if (ownSystem !== null) putSystem(changed, format, { replace: ownSystem });
  if (format === 'gemini') setGeminiParameters(changed, target.parameters ?? {});
  else setParameters(changed, target.parameters ?? {});
  if (target.system !== undefined) putSystem(changed, format, target.system);
  if (typeof changed['n'] === 'number' && changed['n'] > 1) throw refuse('It asks for several completions (n)');
  changed['model'] = target.model;
  changed['stream'] = false;
  const chosen =
    target.provider === undefined ? changed['provider'] : { only: [target.provider], allow_fallbacks: false };
  const policy = joinDataPolicies(body['provider'], changed['provider']);
  const provider = { ...(isRecord(chosen) && chosen), ...policy };
  if (Object.keys(provider).length > 0) changed['provider'] = provider;
  return { format, body: changed, headers };
}

type Parameters = NonNullable<RerunTarget['parameters']>;

function setParameters(body: Record<string, unknown>, parameters: Parameters): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) delete body[name];
    else body[name] = value;
  }
}

/** Parameters of chat completions that have another name in Gemini's form. */
const GEMINI_NAMES: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'maxOutputTokens'],
  ['max_completion_tokens', 'maxOutputTokens'],
  ['stop', 'stopSequences'],
]);

/** Gemini's form has the parameters in a member of its own, and in other letters. */
function setGeminiParameters(body: Record<string, unknown>, parameters: Parameters): void {
  const config = { ...(isRecord(body['generationConfig']) && body['generationConfig']) };
  const renamed = Object.entries(parameters).map(([name, value]) => {
    const other = GEMINI_NAMES.get(name) ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [other, value] as const;
  });
  setParameters(config, Object.fromEntries(renamed));
  body['generationConfig'] = config;
}

/** Names a member that the parameters of a target must not set; undefined for none. */
export const findFixedParameter = ({ parameters = {} }: RerunTarget): string | undefined =>
  Object.keys(parameters).find((name) => FIXED.includes(name) || name === '__proto__');

const refuse = (reason: string): GatewayError => new GatewayError('invalid_request', reason);

/** Tools that the caller runs have a schema of their own; all others would be run by the gateway or the provider. */
function withoutServerTools(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { tools, tool_choice: choice } = body;
  if (!Array.isArray(tools)) return body;
  const own = tools.filter(isCallersTool);
  if (own.length === tools.length) return body;
  if (isRecord(choice) && !namesTool(choice, own))
    throw refuse('It requires a tool of the server, which a rerun does not run');
  const { tools: _tools, tool_choice: _choice, ...rest } = body;
  if (own.length > 0) return { ...rest, tools: own, ...(choice !== undefined && { tool_choice: choice }) };
  if (choice === 'required')
    throw refuse('It requires a tool, and has only tools of the server, which a rerun does not run');
  return rest;
}

/** By the forms of all formats: a function, a tool with a schema, or one of free text. */
const isCallersTool = (tool: unknown): boolean =>
  isRecord(tool) &&
  (tool['type'] === undefined || tool['type'] === 'function' || tool['type'] === 'custom') &&
  (isRecord(tool['function']) ||
    typeof tool['name'] === 'string' ||
    isRecord(tool['custom']) ||
    Array.isArray(tool['functionDeclarations']));

function namesTool(choice: Readonly<Record<string, unknown>>, tools: readonly unknown[]): boolean {
  const inner = choice['function'];
  const name = isRecord(inner) ? inner['name'] : choice['name'];
  if (typeof name !== 'string') return true;
  return tools.some((tool) => {
    if (!isRecord(tool)) return false;
    const { function: called } = tool;
    return (isRecord(called) ? called['name'] : tool['name']) === name;
  });
}

type SystemChange = NonNullable<RerunTarget['system']>;

const changeText = (text: string, change: SystemChange): string =>
  'replace' in change ? change.replace : text === '' ? change.append : `${text}\n\n${change.append}`;

function putSystem(body: Record<string, unknown>, format: FormatName, change: SystemChange): void {
  if (format === 'completions') throw refuse('A request of the format completions has no system prompt to change');
  if (format === 'responses') {
    changeInstructions(body, change);
  } else if (format === 'ollama-generate') {
    body['system'] = changeText(textOf(body['system']), change);
  } else if (format === 'gemini') {
    const { systemInstruction: given } = body;
    const parts = isRecord(given) && Array.isArray(given['parts']) ? (given['parts'] as unknown[]) : [];
    body['systemInstruction'] = {
      parts: 'append' in change ? [...parts, { text: change.append }] : [{ text: change.replace }],
    };
  } else if (format === 'messages') {
    const { system, messages } = body;
    if ('replace' in change && Array.isArray(messages)) body['messages'] = splitSystem(messages).rest;
    body['system'] =
      'append' in change && Array.isArray(system)
        ? [...(system as unknown[]), { type: 'text', text: change.append }]
        : changeText(textOf(system), change);
  } else {
    body['messages'] = changeMessages(Array.isArray(body['messages']) ? body['messages'] : [], change);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** This form may have a system prompt in `instructions`, as the first items of its input, or in both. */
function changeInstructions(body: Record<string, unknown>, change: SystemChange): void {
  const items: readonly unknown[] = Array.isArray(body['input']) ? body['input'] : [];
  const { system, rest } = splitSystem(items);
  if (system.length > 0) {
    const added = 'append' in change ? [...system, { type: 'message', role: 'system', content: change.append }] : [];
    body['input'] = [...added, ...rest];
  }
  if (system.length === 0 || 'replace' in change) {
    body['instructions'] = changeText(textOf(body['instructions']), change);
  }
}

interface SplitMessages {
  readonly system: readonly unknown[];
  readonly rest: readonly unknown[];
}

/** Divides messages, or the items of an input, after those at the beginning that are the system prompt. */
function splitSystem(messages: readonly unknown[]): SplitMessages {
  const isSystem = (message: unknown): boolean =>
    isRecord(message) && (message['role'] === 'system' || message['role'] === 'developer');
  const end = messages.findIndex((message) => !isSystem(message));
  return end === -1 ? { system: messages, rest: [] } : { system: messages.slice(0, end), rest: messages.slice(end) };
}

/** The system messages at the beginning are the system prompt; a developer's message is one under its newer name. */
function changeMessages(messages: readonly unknown[], change: SystemChange): unknown[] {
  const { system, rest } = splitSystem(messages);
  if ('replace' in change) return [{ role: 'system', content: change.replace }, ...rest];
  return [...system, { role: 'system', content: change.append }, ...rest];
}
