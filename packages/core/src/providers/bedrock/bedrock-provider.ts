import { GatewayError } from '../../foundation/errors.ts';
import { isObject, isRecord, parseReturned } from '../../foundation/parse.ts';
import { toNativeBody, toNativeHeaders } from '../anthropic/anthropic-provider.ts';
import { readModelTraits } from '../anthropic/models.ts';
import { toAnthropicRequest } from '../anthropic/request/to-anthropic-request.ts';
import { withDataAlone } from '../anthropic/request/with-data-alone.ts';
import { withMarkedEnd } from '../anthropic/request/with-marked-end.ts';
import { createAnthropicCompletionReader } from '../anthropic/response/anthropic-completion-reader.ts';
import { decodeBase64 } from '../kit/base64.ts';
import { type ChatWire, type CompletionReaderOptions, createChatWire } from '../kit/create-chat-wire.ts';
import {
  describeProvider,
  type ProviderOptions,
  toModelSegment,
  toOpaqueUserId,
  toUpstream,
} from '../kit/to-upstream.ts';
import { toUpstreamError } from '../kit/upstream-error.ts';
import type { ChatCall, WholeProvider } from '../provider.ts';
import { createEventStreamDecoder } from './event-stream.ts';
import { isAnthropicModel, readBedrockModelList, readBedrockTraits } from './models.ts';
import { readBedrockError, readBedrockException } from './read-bedrock-error.ts';
import { toConverseRequest } from './request/to-converse-request.ts';
import { createConverseReader } from './response/converse-reader.ts';
import { type AwsCredentialSource, createAwsSigner } from './sign-requests.ts';

export type { AwsCredentials, AwsCredentialSource } from './sign-requests.ts';

/** `apiKey` is an API key of Bedrock; without one, requests are signed with `credentials`. */
export interface BedrockProviderSettings extends ProviderOptions {
  readonly credentials?: AwsCredentialSource | undefined;
  /** The region in signatures. Default: the one in `baseUrl`, else `us-east-1`. */
  readonly awsRegion?: string | undefined;
  /** Milliseconds since the epoch, for signatures. Default: the clock of the runtime. */
  readonly now?: (() => number) | undefined;
}

/** The version of Anthropic's wire that Bedrock has. */
const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

/**
 * Creates a provider for Amazon Bedrock. Anthropic's models are called in their own form, which loses nothing
 * (docs/decisions/0088), all others in that of Converse.
 */
export function createBedrockProvider(settings: BedrockProviderSettings): WholeProvider {
  const { credentials, baseUrl, now } = settings;
  const awsRegion =
    settings.awsRegion ?? /\/\/bedrock-runtime(?:-fips)?\.([a-z\d-]+)\./.exec(baseUrl)?.[1] ?? 'us-east-1';
  const upstream = toUpstream(settings, {
    keyHeader: 'authorization',
    keyScheme: 'Bearer',
    ...(credentials !== undefined && {
      sign: createAwsSigner({ credentials, region: awsRegion, service: 'bedrock', now }),
    }),
  });
  const toUrl =
    (whole: string, streamed: string): ChatWire['toUrl'] =>
    ({ providerModel, stream }) =>
      `${upstream.baseUrl}/model/${toModelSegment(providerModel)}/${stream ? streamed : whole}`;
  const common = {
    readError: readBedrockError,
    toolCallPrefix: 'tooluse',
    createDecoder: createEventStreamDecoder,
    endsWithDone: false,
    // The list is at a server of its own.
    listUrl: `${upstream.baseUrl.replace('//bedrock-runtime', '//bedrock')}/foundation-models`,
    readModels: readBedrockModelList,
  } as const;
  const converse = createChatWire(upstream, {
    ...common,
    name: 'bedrock',
    toUrl: toUrl('converse', 'converse-stream'),
    toBody: toConverseRequest,
    createReader: createConverseReader,
  });
  const anthropic = createChatWire(upstream, {
    ...common,
    name: 'anthropic',
    nativeForm: 'messages',
    toUrl: toUrl('invoke', 'invoke-with-response-stream'),
    toBody: (call) => toInvokeBody(call, settings),
    createReader: createInvokeReader,
  });
  const wireOf = (call: ChatCall) => (isAnthropicModel(call.providerModel) ? anthropic : converse);
  return {
    ...describeProvider(settings),
    putsModelInPath: true,
    discoverModels: settings.discoverModels,
    prefillOf: (model) => (isAnthropicModel(model) && readModelTraits(model).takesPrefill ? 'continues' : null),
    cacheTtlsOf: (model) => readBedrockTraits(model).cacheTtls,
    chat: (call) => wireOf(call).chat(call),
    chatWhole: (call) => wireOf(call).chatWhole(call),
    listModels: converse.listModels,
  };
}

/** The body of Anthropic's wire, but for what is said by the address, and with the betas, which are headers there. */
async function toInvokeBody(
  call: ChatCall,
  { slug, headers = {} }: BedrockProviderSettings,
): Promise<Record<string, unknown>> {
  const { native, request } = call;
  const isNative = native?.form === 'messages';
  const userId = request.user ? await toOpaqueUserId(slug, request.user) : undefined;
  const whole = isNative ? toNativeBody(call, native) : toAnthropicRequest(call, userId);
  const { model: _model, stream: _stream, service_tier: _tier, ...body } = whole;
  const { 'anthropic-beta': betas } = isNative ? toNativeHeaders(native, headers) : headers;
  return {
    anthropic_version: ANTHROPIC_VERSION,
    ...(betas !== undefined && { anthropic_beta: betas.split(',').map((beta) => beta.trim()) }),
    ...withMarkedEnd(withDataAlone(body)),
  };
}

/** Takes Anthropic's events out of AWS's, which carry them as base64. */
function createInvokeReader(options: CompletionReaderOptions): ReturnType<typeof createAnthropicCompletionReader> {
  const { providerName, secrets } = options;
  const reader = createAnthropicCompletionReader(options);
  return {
    ...reader,
    readEvent(data) {
      const event = parseReturned(data, providerName);
      if (!isRecord(event)) return undefined;
      const { chunk, exception } = event;
      if (isObject(exception)) {
        throw toUpstreamError({ providerName, secrets, ...readBedrockException(exception), body: exception['body'] });
      }
      const bytes = isObject(chunk) ? chunk['bytes'] : undefined;
      return typeof bytes === 'string' ? reader.readEvent(toText(bytes, providerName)) : undefined;
    },
  };
}

function toText(base64: string, providerName: string): string {
  try {
    return new TextDecoder().decode(decodeBase64(base64));
  } catch {
    throw new GatewayError('provider_unavailable', `${providerName} sent an event that is no base64`);
  }
}
