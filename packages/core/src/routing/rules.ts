import type { LiveAccount } from '../account/account.ts';
import { type ModelCall, withRequest } from '../calls/model-call.ts';
import { estimatePrompt } from '../calls/texts.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { isLike } from '../foundation/parse.ts';
import { firstValue, type HeaderMap } from '../http/request.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { nativeOf, withNative } from '../wire/native-request.ts';
import type { RoutingExplanation } from '../wire/routing-explanation.ts';
import type { FormatName, RoutingConditions, RoutingRule } from '../wire/routing-rules.ts';
import { findModel, isModelName } from './resolve-models.ts';

type RuleExplanation = NonNullable<RoutingExplanation['rules']>[number];

/** Reports for every rule of the account whether it is applied to a call, or why not. */
export function explainRules(
  call: ChatModelCall,
  origin: CallOrigin,
  { account, catalog }: RuleParts,
): RuleExplanation[] {
  const query = { call, origin, catalog, defaultModel: account.defaultModel };
  let isDecided = false;
  return (account.rules ?? []).map((rule) => {
    const facts = { name: rule.name, model: rule.model, condition: null };
    if (isDecided) return { ...facts, outcome: 'not_reached' };
    const condition = failingCondition(rule, query);
    if (condition !== null) return { ...facts, outcome: 'not_met', condition };
    if (unknownModelOf(rule, catalog) !== null) return { ...facts, outcome: 'unknown_model' };
    isDecided = true;
    return { ...facts, outcome: 'applied' };
  });
}

interface RuleParts {
  readonly account: Pick<LiveAccount, 'rules' | 'defaultModel'>;
  readonly catalog: Catalog;
}

/**
 * The call for the models of the first rule of the account that holds for it, or the call itself. Everything after this
 * takes it for a call whose caller has asked for these models. A rule with an unknown model is passed over.
 */
export function applyRules(call: ChatModelCall, origin: CallOrigin, { account, catalog }: RuleParts): ChatModelCall {
  const { rules = [], defaultModel } = account;
  const query: RuleQuery = { call, origin, catalog, defaultModel };
  const rule = rules.find((one) => failingCondition(one, query) === null && unknownModelOf(one, catalog) === null);
  return rule === undefined ? call : withRule(call, rule);
}

function withRule(call: ChatModelCall, rule: RoutingRule): ChatModelCall {
  const ruled = { rule: rule.name, requested: askedModel(call.request) };
  return { ...withRequest(call, withModels(call.request, rule)), ruled };
}

/**
 * The request with the models of a rule. Its native form stays: endpoints are asked for their own model in it, whatever
 * it names, and what is read of it again gets the same models.
 */
function withModels(request: ChatCompletionRequest, { model, models }: RoutingRule): ChatCompletionRequest {
  const toRuled = (asked: ChatCompletionRequest): ChatCompletionRequest => ({ ...asked, model, models });
  const native = nativeOf(request);
  if (native === undefined) return toRuled(request);
  return withNative(toRuled(request), { ...native, read: (body) => toRuled(native.read(body)) });
}

type ChatModelCall = ModelCall<ChatCompletionRequest>;

/** How a call came in. */
export interface CallOrigin {
  readonly format: FormatName;
  readonly headers: HeaderMap;
}

/** The first model that a request names; null for none. */
const askedModel = ({ model, models }: ChatCompletionRequest): string | null => model || models?.[0] || null;

/** Words of the names of small models: `claude-haiku-4-5`, `gpt-5-mini`, `gemini-2.5-flash-lite`, and not `gemini`. */
const SMALL_MODEL = /(?:^|[-/.])(?:haiku|nano|mini|lite|small)(?:$|[-.:@[])/i;

/** Agents whose small tasks, as titles of conversations, have neither tools nor room for much text. */
const AGENT = /claude-(?:cli|code)|codex|opencode/i;
const MAX_TITLE_TOKENS = 1024;

/**
 * Whether a call is a small task beside the work of an agent: the agent says so, asks for a small model, or asks for a
 * short text without tools.
 */
function isBackground({ request, labels }: ChatModelCall, { headers }: CallOrigin): boolean {
  const hint = firstValue(headers['x-claude-code-request-class']);
  if (hint !== undefined && /background/i.test(hint)) return true;
  const model = askedModel(request);
  if (model !== null && SMALL_MODEL.test(model)) return true;
  const most = request.max_completion_tokens ?? request.max_tokens;
  const isShort = most != null && most <= MAX_TITLE_TOKENS && !request.tools?.length;
  return isShort && AGENT.test(labels.userAgent ?? '');
}

/** Whether reasoning is asked for, with whatever effort. */
function isThinking({ reasoning, reasoning_effort: effort }: ChatCompletionRequest): boolean {
  if (reasoning == null) return effort != null && effort !== 'none';
  const { enabled, effort: own, max_tokens: budget } = reasoning;
  if (enabled === false || own === 'none') return false;
  return enabled === true || own != null || (budget ?? 0) > 0;
}

/** Headers by which an agent reports that another one has started it. */
const SUBAGENT_HEADERS = ['x-claude-code-agent-id', 'x-claude-code-parent-agent-id', 'x-openai-subagent'];

/** Whether an agent makes the call that another agent has started. */
const isOfSubagent = ({ headers }: CallOrigin): boolean =>
  SUBAGENT_HEADERS.some((name) => Boolean(firstValue(headers[name])));

const hasImages = ({ request, kind }: ChatModelCall): boolean =>
  kind.needsOf(request).inputModalities.includes('image');

/** A chat call as rules look at it. */
interface RuleQuery {
  readonly call: ChatModelCall;
  readonly origin: CallOrigin;
  readonly catalog: Catalog;
  readonly defaultModel?: string | null | undefined;
}

type ConditionName = keyof RoutingConditions;
type Condition<Wanted> = (wanted: Wanted, query: RuleQuery) => boolean;

/** What makes each condition hold, those that cost least first. */
const CONDITIONS: { readonly [Name in ConditionName]-?: Condition<NonNullable<RoutingConditions[Name]>> } = {
  kind: (kind) => kind === 'chat',
  formats: (formats, { origin }) => formats.includes(origin.format),
  doors: (formats, { origin }) => formats.includes(origin.format),
  keys: (keys, { call }) => isKeyOf(call, keys),
  except_keys: (keys, { call }) => !isKeyOf(call, keys),
  models: isModelAsked,
  apps: isAppOf,
  sub_agent: (wanted, { origin }) => isOfSubagent(origin) === wanted,
  thinking: (wanted, { call }) => isThinking(call.request) === wanted,
  background: (wanted, { call, origin }) => isBackground(call, origin) === wanted,
  has_tools: (wanted, { call }) => Boolean(call.request.tools?.length) === wanted,
  min_tools: (least, { call }) => (call.request.tools?.length ?? 0) >= least,
  has_images: (wanted, { call }) => hasImages(call) === wanted,
  min_prompt_tokens: (least, { call }) => estimatePrompt(call.request) >= least,
};
const NAMES = Object.keys(CONDITIONS) as readonly ConditionName[];

/** The first condition of a rule that does not hold for a call; null when all hold. */
function failingCondition({ when }: RoutingRule, query: RuleQuery): ConditionName | null {
  const fails = (name: ConditionName): boolean => {
    const wanted = when[name];
    return wanted !== undefined && !(CONDITIONS[name] as Condition<unknown>)(wanted, query);
  };
  return NAMES.find(fails) ?? null;
}

/** The first model of a rule that no request can name; null when it can be applied. */
export const unknownModelOf = ({ model, models = [] }: RoutingRule, catalog: Catalog): string | null =>
  [model, ...models].find((name) => !isModelName(name, catalog)) ?? null;

const isKeyOf = ({ principal }: ChatModelCall, keys: readonly string[]): boolean =>
  keys.some((key) => key === principal.name || key === principal.id);

/** A model counts by the name that was sent, with and without its author, and by its id in the catalog. */
function isModelAsked(patterns: readonly string[], { call, catalog, defaultModel }: RuleQuery): boolean {
  const asked = askedModel(call.request) ?? defaultModel;
  if (!asked) return false;
  const names = [asked, asked.slice(asked.indexOf('/') + 1), findModel(asked, catalog)?.id ?? asked];
  return isAnyLike(names, patterns);
}

function isAppOf(patterns: readonly string[], { call: { labels } }: RuleQuery): boolean {
  return isAnyLike([labels.referer ?? '', labels.userAgent ?? ''], patterns);
}

function isAnyLike(texts: readonly string[], patterns: readonly string[]): boolean {
  return patterns.some((pattern) => texts.some((text) => isLike(text.toLowerCase(), pattern.toLowerCase())));
}
