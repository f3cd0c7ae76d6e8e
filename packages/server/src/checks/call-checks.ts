import { randomBytes } from 'node:crypto';

import {
  boundModels,
  describeLeftOut,
  type DiscoveredModel,
  GatewayError,
  isWildcard,
  type ModelDefinition,
  TransportError,
  type Usage,
} from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import type { ProviderConfig } from '@model-gateway/node';

import { type Finding, type ProviderCheck, toLimit } from './provider-check.ts';

type Examined = Pick<ProviderCheck, 'config' | 'provider' | 'timeouts' | 'isForm' | 'env' | 'signal'>;

/** What advice is about; of a provider that a package calls there is no more. */
interface Advised {
  readonly config: Pick<ProviderConfig, 'slug' | 'name' | 'preset' | 'apiKey'>;
  readonly isForm?: boolean | undefined;
}

/** Requests the provider's list of models, which costs nothing and needs a key wherever calls do. */
export async function checkAuth({
  config,
  provider,
  timeouts,
  isForm = false,
  env,
  signal,
}: Examined): Promise<{ readonly finding: Finding; readonly models: readonly DiscoveredModel[] | null }> {
  const { listModels } = provider;
  const identity = await findIdentity(config, env);
  if (identity?.problem !== undefined) return { finding: identity.problem, models: null };
  if (listModels === undefined && identity !== undefined) {
    return { finding: { layer: 'auth', status: 'ok', detail: `called ${identity.source}` }, models: null };
  }
  if (listModels === undefined) {
    const detail = 'it lists no models, so the key was not tested';
    const advice = isForm ? 'Choose a model to test it.' : 'Add --call to test it.';
    return { finding: { layer: 'auth', status: 'skipped', detail, advice }, models: null };
  }
  try {
    const listed = await listModels(toLimit(timeouts.headersMs, signal));
    const how = identity?.source ?? (config.apiKey === undefined ? 'without a key' : 'with the key');
    const detail = `${listed.length} models listed ${how}`;
    const { models, leftOut } = boundModels(listed, provider);
    if (leftOut === null) return { finding: { layer: 'auth', status: 'ok', detail }, models };
    const whole = `${detail}; ${describeLeftOut(leftOut)}`;
    const advice = 'List the models you need in the configuration, or choose another server.';
    return { finding: { layer: 'auth', status: 'warning', detail: whole, advice }, models };
  } catch (error) {
    return { finding: describeFailure('auth', error, { config, isForm }), models: null };
  }
}

type FoundIdentity =
  | { readonly source: string; readonly problem?: undefined }
  | { readonly source?: undefined; readonly problem: Finding };

/** Looks for the identity that a provider is called by; undefined for one with a key, or without any. */
async function findIdentity(
  { cloud, slug }: ProviderConfig,
  env: ProviderCheck['env'],
): Promise<FoundIdentity | undefined> {
  if (cloud === null) return undefined;
  const { describeIdentity } = await import('@model-gateway/node/clouds');
  try {
    return { source: `with credentials of ${await describeIdentity(cloud, { env })}` };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const advice = `Give this machine an identity, or name one in "cloud" of the provider "${slug}".`;
    return { problem: { layer: 'auth', status: 'failed', detail, advice } };
  }
}

/** Explains the failure of a call that reached the server. */
function describeFailure(layer: 'auth' | 'call', error: unknown, { config, isForm = false }: Advised): Finding {
  const fail = (detail: string, advice: string, status: Finding['status'] = 'failed'): Finding => ({
    layer,
    status,
    detail,
    advice,
  });
  if (error instanceof TransportError) {
    return fail(
      error.message,
      'The server was reached but closed the connection or stopped responding: try again, then check its log.',
    );
  }
  if (!(error instanceof GatewayError)) {
    return fail(
      error instanceof Error ? error.message : String(error),
      'Try again; if it stays, report it with this line.',
    );
  }
  const { upstreamStatus, message } = error;
  switch (upstreamStatus) {
    case 401:
    case 403:
      return fail(`refused (HTTP ${upstreamStatus})`, adviseOnKey(config, isForm));
    case 402:
      return fail('refused (HTTP 402)', `The account at ${config.name} has no credit left: top it up.`);
    case 404:
      return layer === 'auth'
        ? fail(
            'it has no list of models there (HTTP 404)',
            'Does baseUrl end with the version segment, e.g. /v1? If it does, the server has no such list: ' +
              (isForm ? 'choose a model to try it.' : 'add --call.'),
            'warning',
          )
        : fail(
            message,
            'Check providerModel: the key may not have access to it, or the provider spells it differently.',
          );
    case 429:
      return fail(
        message,
        'The key is valid but over its rate limit: wait, or raise the limit of the account.',
        'warning',
      );
    default:
      return fail(message, adviseOnOther(upstreamStatus));
  }
}

function adviseOnKey({ slug, preset, apiKey }: Advised['config'], isForm: boolean): string {
  if (isForm) {
    return apiKey === undefined
      ? 'No key was sent, but this server requires one: set its key.'
      : 'The key is wrong, was revoked, or belongs to another project or region: copy the whole key again.';
  }
  const variable = preset === null ? null : (PRESETS[preset]?.apiKeyEnv ?? null);
  const place =
    variable === null ? `apiKey of the provider "${slug}"` : `${variable}, or apiKey of the provider "${slug}"`;
  return apiKey === undefined
    ? `No key was sent: set ${place}.`
    : `Check ${place}: the key is wrong, was revoked, or belongs to another project or region.`;
}

function adviseOnOther(upstreamStatus: number | null): string {
  if (upstreamStatus === null) {
    return 'The response is not from the API: check baseUrl, and whether a proxy requires a login.';
  }
  return upstreamStatus >= 500
    ? 'The server has problems: try again later, and check its status page.'
    : 'The server rejected the request: check wire and baseUrl.';
}

/** The smallest limit that every provider accepts. */
const MAX_TOKENS = 16;

/** Makes one call of a few tokens, to the model that is named or else the provider's cheapest known one. */
export async function checkCall(
  check: Advised & Pick<ProviderCheck, 'provider' | 'models' | 'timeouts' | 'model' | 'signal'>,
  listed: readonly DiscoveredModel[],
): Promise<Finding> {
  const { config, provider, models, timeouts, model, isForm = false, signal } = check;
  if (provider.chat === undefined) return { layer: 'call', status: 'skipped', detail: 'it does not offer chat' };
  const providerModel = model ?? findCheapest(config.slug, models) ?? listed[0]?.id;
  if (providerModel === undefined) {
    const advice = isForm ? 'Name one.' : 'Name one in models of the config file.';
    return { layer: 'call', status: 'failed', detail: 'no model of this provider is known', advice };
  }
  const completion = provider.chat({
    generationId: `gen-doctor-${randomBytes(8).toString('hex')}`,
    request: { model: providerModel, messages: [{ role: 'user', content: 'Say OK.' }], max_tokens: MAX_TOKENS },
    providerModel,
    stream: false,
    supportedParameters: null,
    maxOutputTokens: null,
    signal: toLimit(timeouts.nonStreamMs, signal),
    timeouts,
  });
  try {
    let usage: Usage | undefined;
    for await (const chunks of completion) for (const chunk of chunks) usage = chunk.usage ?? usage;
    const tokens =
      usage === undefined ? 'without counting tokens' : `${usage.prompt_tokens} + ${usage.completion_tokens} tokens`;
    return { layer: 'call', status: 'ok', detail: `${providerModel} responded (${tokens})` };
  } catch (error) {
    const finding = describeFailure('call', error, { config, isForm });
    return { ...finding, detail: `${providerModel}: ${finding.detail}` };
  }
}

/** Models with an unknown price come last. */
function findCheapest(slug: string, models: readonly ModelDefinition[]): string | undefined {
  const candidates = models
    .filter((model) => !isWildcard(model) && (model.architecture?.output_modalities?.includes('text') ?? true))
    .flatMap(({ endpoints }) => endpoints.filter(({ provider }) => provider === slug))
    .map(({ providerModel, pricing }) => {
      const price = Number(pricing?.prompt) + Number(pricing?.completion);
      return { providerModel, price: Number.isNaN(price) ? Number.POSITIVE_INFINITY : price };
    });
  return candidates.toSorted((a, b) => (a.price === b.price ? 0 : a.price - b.price))[0]?.providerModel;
}
