import { createLazyIterable, once } from '../../foundation/awaitable.ts';
import { isReasoningSupported, isSupported } from '../../wire/chat-parameters.ts';
import { createCohereEmbeddings } from '../cohere/cohere-embeddings.ts';
import { createGatewayImages } from '../gateway/gateway-images.ts';
import { createGatewayVideos } from '../gateway/gateway-videos.ts';
import { hasBatches } from '../kit/batch-calls.ts';
import { type ChatWire, createChatWire } from '../kit/create-chat-wire.ts';
import { describeProvider, type ProviderOptions, toModelSegment, toUpstream } from '../kit/to-upstream.ts';
import { createMistralOcr } from '../mistral/mistral-ocr.ts';
import type { ChatCall, Provider, WholeProvider } from '../provider.ts';
import { versionOf } from './model-traits.ts';
import { createOpenAiBatches } from './openai-batches.ts';
import { COMMON_DIALECT, type OpenAiDialect } from './openai-dialect.ts';
import { createOpenAiEmbeddings } from './openai-embeddings.ts';
import { createOpenAiImages } from './openai-images.ts';
import { createOpenAiModeration } from './openai-moderation.ts';
import { createOpenAiRerank } from './openai-rerank.ts';
import { createOpenAiSpeech } from './openai-speech.ts';
import { createOpenAiTranscriptions } from './openai-transcriptions.ts';
import { createOpenAiVideos } from './openai-videos.ts';
import { readOpenAiError } from './read-openai-error.ts';
import { readAsked, toOpenAiRequest } from './request/to-openai-request.ts';
import { createOpenAiCompletionReader } from './response/openai-completion-reader.ts';

export interface OpenAiProviderSettings extends ProviderOptions {
  /** Includes the version segment: `https://api.openai.com/v1`. `{model}` in it becomes the name of the model. */
  readonly baseUrl: string;
  /** Added to every address, e.g. Azure's `api-version`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly dialect?: OpenAiDialect | undefined;
  /** Whether calls of the Responses form are sent on in it, to `/responses`. Default: no. */
  readonly responses?: boolean | undefined;
  /** Whether it serves chats, beside other kinds of calls. Default: yes. */
  readonly hasChat?: boolean | undefined;
  /** Whether the provider has a list of models. Default: yes, unless its address differs by model. */
  readonly listsModels?: boolean | undefined;
}

const MODEL_PLACE = '{model}';
/** Seen from the address at which Cohere speaks OpenAI's wire, `/compatibility/v1`. */
const COHERE_EMBED = '/../../v2/embed';

/**
 * Plugins that a gateway runs in place of this one. Those that choose models are not among them, because guardrails
 * allow models by name.
 */
const GATEWAY_PLUGINS: ReadonlySet<string> = new Set(['web', 'file-parser', 'moderation']);

/** Creates a provider for OpenAI's chat completions wire, which most hosts and local servers use. */
export function createOpenAiProvider(settings: OpenAiProviderSettings): Provider {
  const { dialect = COMMON_DIALECT } = settings;
  const { keyHeader, hasThinkTags, isGateway, hasAudioEvents, transcripts, localServer } = dialect;
  const upstream = toUpstream(settings, {
    keyHeader,
    keyScheme: keyHeader === 'authorization' ? 'Bearer' : undefined,
    query: settings.query,
  });
  const isAddressPerModel = upstream.baseUrl.includes(MODEL_PLACE);
  const query = new URLSearchParams(settings.query).toString();
  const toUrl = (path: string): string => {
    const url = `${upstream.baseUrl}${path}`;
    const full = path.startsWith('/..') ? new URL(url).href : url;
    return query === '' ? full : `${full}${full.includes('?') ? '&' : '?'}${query}`;
  };
  const toCallUrl = (path: string): ChatWire['toUrl'] => {
    const url = toUrl(path);
    return isAddressPerModel
      ? ({ providerModel }) => url.replace(MODEL_PLACE, toModelSegment(providerModel))
      : () => url;
  };

  const toChatUrl = toCallUrl('/chat/completions');
  const wire: ChatWire = {
    name: 'openai',
    toUrl:
      dialect.prefillSegment === null
        ? toChatUrl
        : (call) => (call.prefill === undefined ? toChatUrl(call) : toPrefillUrl(toChatUrl(call), dialect)),
    toBody: (call) => toOpenAiRequest(call, dialect),
    createReader:
      hasThinkTags || isGateway
        ? (options) => createOpenAiCompletionReader({ ...options, hasThinkTags, isGateway })
        : createOpenAiCompletionReader,
    readError: readOpenAiError,
    listUrl: toUrl(dialect.modelsPath),
    readModels: async (text, providerName) => (await import('./models.ts')).readModelList(text, providerName),
  };
  const { chat, chatWhole, listModels } = createChatWire(upstream, wire);
  const listAll: typeof listModels = async (signal) => {
    const models = await listModels(signal);
    const { addAbilities, createAsk } = await import('./local-abilities.ts');
    return localServer === null ? models : addAbilities(localServer, models, createAsk({ ...upstream, toUrl, signal }));
  };
  const loadResponses = once(async () => {
    const { toResponsesWire } = await import('../openai-responses/openai-responses-provider.ts');
    return toResponsesWire({ slug: settings.slug, toUrl: toCallUrl('/responses'), listUrl: toUrl('/models') });
  });
  const isSentToResponses = (call: ChatCall): boolean =>
    call.native?.form === 'responses' || (dialect.hasResponses && needsResponses(call));
  const toModelUrl = (path: string) => {
    const url = toUrl(path);
    return (model: string): string => (isAddressPerModel ? url.replace(MODEL_PLACE, toModelSegment(model)) : url);
  };
  const createVideos = isGateway ? createGatewayVideos : createOpenAiVideos;
  return {
    ...describeProvider(settings),
    putsModelInPath: isAddressPerModel,
    discoverModels: settings.discoverModels,
    prefillOf: () => dialect.prefill,
    cacheTtlsOf: () => dialect.cacheTtls,
    video: createVideos({ ...upstream, query }),
    embeddings:
      dialect.embeddings === 'cohere'
        ? createCohereEmbeddings(upstream, toUrl(COHERE_EMBED))
        : createOpenAiEmbeddings(upstream, {
            isGateway,
            toUrl: toModelUrl('/embeddings'),
            names: dialect.embeddings,
            renamedValues: dialect.renamedValues,
          }),
    rerank: createOpenAiRerank(upstream, { dialect, toUrl: toModelUrl(dialect.rerankPath) }),
    speech: createOpenAiSpeech(upstream, { isGateway, hasEvents: hasAudioEvents, toUrl: toModelUrl('/audio/speech') }),
    transcription: createOpenAiTranscriptions(upstream, {
      isGateway,
      transcripts,
      toUrl: toModelUrl('/audio/transcriptions'),
    }),
    image: isGateway
      ? createGatewayImages(upstream, { url: toUrl('/images'), chatWhole })
      : createOpenAiImages(upstream, {
          toUrl: (path, model) => toModelUrl(path)(model),
          hasDeployments: dialect.hasDeployments,
        }),
    moderation: createOpenAiModeration(upstream, toModelUrl('/moderations')),
    ...(dialect.hasOcr && { ocr: createMistralOcr(upstream, toUrl('/ocr')) }),
    ...(settings.responses === true
      ? withResponses({ chat, chatWhole }, isSentToResponses, async () =>
          createChatWire(upstream, await loadResponses()),
        )
      : settings.hasChat !== false && { chat, chatWhole }),
    ...(!isAddressPerModel &&
      hasBatches(settings, 'api.openai.com') && {
        batches: createOpenAiBatches(upstream, {
          ...settings,
          toUrl,
          wireOf: (call) => (settings.responses === true && isSentToResponses(call) ? loadResponses() : wire),
        }),
      }),
    ...(isGateway && { gateway: { plugins: GATEWAY_PLUGINS } }),
    ...((settings.listsModels ?? !isAddressPerModel) && { listModels: localServer === null ? listModels : listAll }),
  };
}

/** The same address with another segment before the path of chats. */
const toPrefillUrl = (url: string, { prefillSegment }: OpenAiDialect): string =>
  url.replace(/\/[^/]+\/chat\/completions/, `/${prefillSegment}/chat/completions`);

type ChatMembers = Required<Pick<WholeProvider, 'chat' | 'chatWhole'>>;

/**
 * Whether OpenAI refuses a call at `/chat/completions` and serves it at `/responses`: one with functions, to a model that
 * is to reason. GPT-5.4 and 5.5 are refused with an effort alone, newer ones unless there is `none`. Tools of other kinds
 * have another form there, so such a call stays, for upstream to refuse.
 */
function needsResponses(call: ChatCall): boolean {
  const { request, providerModel } = call;
  const { tools } = request;
  if (!tools || tools.length === 0 || !tools.every(({ type }) => type === 'function')) return false;
  const version = versionOf(providerModel) ?? 0;
  if (version < 504 || providerModel.includes('-chat') || isSupported(call, 'tools') === false) return false;
  const asked = isReasoningSupported(call) === false ? undefined : readAsked(request);
  return asked === undefined ? version >= 506 : !asked.isOff;
}

/**
 * Chat members that send some calls in the Responses form: those that came in it, which keeps what chat completions
 * cannot say, and those that can be served in it alone. `members` send every other call. That wire is loaded with the
 * first such call.
 */
function withResponses(
  members: ChatMembers,
  isMeant: (call: ChatCall) => boolean,
  load: () => Promise<ChatMembers>,
): ChatMembers {
  let loading: Promise<ChatMembers> | undefined;
  const responses = (): Promise<ChatMembers> => (loading ??= load());
  return {
    chat: (call) =>
      isMeant(call) ? createLazyIterable(async () => (await responses()).chat(call)) : members.chat(call),
    chatWhole: (call) => (isMeant(call) ? responses().then((wire) => wire.chatWhole(call)) : members.chatWhole(call)),
  };
}
