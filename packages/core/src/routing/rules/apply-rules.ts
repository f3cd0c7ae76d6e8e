import type { LiveAccount } from '../../account/account.ts';
import { withRequest } from '../../calls/model-call.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { nativeOf, withNative } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { RoutingRule } from '../../wire/routing-rules.ts';
import { askedModel, type CallOrigin, type ChatModelCall } from './call-facts.ts';
import { failingCondition, type RuleQuery, unknownModelOf } from './match-rule.ts';

export interface RuleParts {
  readonly account: Pick<LiveAccount, 'rules' | 'defaultModel'>;
  readonly catalog: Catalog;
}

/**
 * The call for the models of the first rule of the account that holds for it, or the call itself. Everything after this
 * takes it for a call whose caller has asked for these models. A rule with an unknown model is passed over.
 */
export function applyRules(call: ChatModelCall, origin: CallOrigin, { account, catalog }: RuleParts): ChatModelCall {
  const { rules, defaultModel } = account;
  if (rules === undefined) return call;
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
 * it names, and what is read of it anew gets the same models.
 */
function withModels(request: ChatCompletionRequest, { model, models }: RoutingRule): ChatCompletionRequest {
  const toRuled = (asked: ChatCompletionRequest): ChatCompletionRequest => ({ ...asked, model, models });
  const native = nativeOf(request);
  if (native === undefined) return toRuled(request);
  return withNative(toRuled(request), { ...native, read: (body) => toRuled(native.read(body)) });
}
