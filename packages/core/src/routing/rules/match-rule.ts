import { estimatePrompt } from '../../calls/texts.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { isLike } from '../../foundation/parse.ts';
import type { RoutingConditions, RoutingRule } from '../../wire/routing-rules.ts';
import { findModel, isModelName } from '../models/resolve-models.ts';
import {
  askedModel,
  type CallOrigin,
  type ChatModelCall,
  hasImages,
  isBackground,
  isOfSubagent,
  isThinking,
} from './call-facts.ts';

/** A chat call as rules look at it. */
export interface RuleQuery {
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
  doors: (doors, { origin }) => doors.includes(origin.door),
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
export function failingCondition({ when }: RoutingRule, query: RuleQuery): ConditionName | null {
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
