import type { CalledPrompt } from '../calls/model-call.ts';
import { isRecord, parseWith, type Unchecked } from '../foundation/parse.ts';
import { fillIn, variablesOf } from '../stores/prompts.ts';
import type { Store } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import { promptReferenceSchema } from '../wire/prompt-reference.ts';
import type { StoredPromptVersion } from '../wire/prompts.ts';
import { itemsOf } from '../wire/response-items.ts';
import type { FormatName } from '../wire/routing-rules.ts';
import { RESPONSES_SHARED_FIELDS } from '../wire/values.ts';

/** A request with what its stored prompt says in it. */
interface PromptedRequest {
  readonly body: Unchecked;
  readonly prompt: CalledPrompt;
}

/** The forms of a chat call in which a stored prompt can be named. In others `prompt` means something else. */
const JOINERS: Readonly<Partial<Record<FormatName, Join>>> = { chat: joinChat, responses: joinResponse };

/** Puts messages, parameters and a model before what the request itself says. */
type Join = (request: Unchecked, version: StoredPromptVersion) => Unchecked;

/** Whether a request names a stored prompt. Costs one look at a field for those that do not. */
export const namesPrompt = (format: FormatName, body: unknown): body is Unchecked =>
  isRecord(body) &&
  isRecord(body['prompt']) &&
  JOINERS[format] !== undefined &&
  !(format === 'responses' && isOfOpenAi(body['prompt']));

/** A prompt that OpenAI keeps goes to upstreams of its form as it is: no prompt of a gateway has such an id. */
const isOfOpenAi = ({ id }: Unchecked): boolean => typeof id === 'string' && id.startsWith('pmpt_');

/**
 * The request that a stored prompt and what is sent with it make together. Its own fields take precedence, and its
 * messages follow. Throws `invalid_request` for an unknown prompt or version, a variable that is missing or unknown, and
 * parameters that the form does not have.
 */
export async function withStoredPrompt(
  format: FormatName,
  { prompt: named, ...request }: Unchecked,
  { prompts }: Pick<Store, 'prompts'>,
): Promise<PromptedRequest> {
  const { prompt: reference } = parseWith(promptReferenceSchema, { prompt: named });
  const { id, version: wanted, variables } = reference;
  const stored = await prompts.get(id);
  if (stored === undefined) throw refuseField('prompt.id', `there is no prompt ${JSON.stringify(id)} in this gateway`);
  const number = wanted === undefined || wanted === null ? stored.current_version : Number(wanted);
  const version = stored.versions.find((one) => one.version === number);
  if (version === undefined) throw refuseField('prompt.version', `${JSON.stringify(id)} has no version ${wanted}`);
  const values = toValues(variables ?? {});
  refuseOtherVariables(variablesOf(version.messages), values);
  const messages = version.messages.map(({ role, content }) => ({ role, content: fillIn(content, values) }));
  const join = JOINERS[format] as Join;
  return { body: join(request, { ...version, messages }), prompt: { id, version: number } };
}

type Variables = NonNullable<ReturnType<typeof promptReferenceSchema.parse>['prompt']['variables']>;

const toValues = (variables: Variables): ReadonlyMap<string, string> =>
  new Map(Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : value.text]));

function refuseOtherVariables(names: readonly string[], values: ReadonlyMap<string, string>): void {
  const missing = names.find((name) => !values.has(name));
  if (missing !== undefined) throw refuseField(`prompt.variables.${missing}`, 'is missing: the prompt needs a value');
  const unknown = [...values.keys()].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw refuseField(`prompt.variables.${unknown}`, `is no variable of the prompt: ${known}`);
}

function joinChat(request: Unchecked, { messages, model, parameters }: StoredPromptVersion): Unchecked {
  const own = request['messages'] ?? [];
  return {
    ...withModel(model),
    ...parameters,
    ...request,
    // What is no list is refused by its schema.
    messages: Array.isArray(own) ? [...messages, ...(own as unknown[])] : own,
  };
}

/** The names that limits of the output have in chats. */
const OUTPUT_LIMITS = ['max_tokens', 'max_completion_tokens'];
const SHARED: ReadonlySet<string> = new Set(['parallel_tool_calls', 'reasoning', ...RESPONSES_SHARED_FIELDS]);

function joinResponse(request: Unchecked, { messages, model, parameters }: StoredPromptVersion): Unchecked {
  const shared: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (OUTPUT_LIMITS.includes(name)) shared['max_output_tokens'] = value;
    else if (SHARED.has(name)) shared[name] = value;
    else throw refuseField('prompt', `has the parameter ${name}, which this form of a call does not have`);
  }
  const items = messages.map((message) => ({ type: 'message', ...message }));
  const { input } = request;
  const isReadable = input === undefined || typeof input === 'string' || Array.isArray(input);
  return { ...withModel(model), ...shared, ...request, input: isReadable ? [...items, ...itemsOf(input)] : input };
}

const withModel = (model: string | null): Unchecked => (model === null ? {} : { model });
