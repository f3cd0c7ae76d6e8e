import type { ChatParts } from '../chat/complete-chat.ts';
import { geminiErrors } from '../formats/gemini/to-error.ts';
import { messagesErrors } from '../formats/messages/to-error.ts';
import { ollamaErrors } from '../formats/ollama/to-error.ts';
import type { TaggedRoutes } from '../http/openapi.ts';
import type { Operation, PublicOperation } from '../http/operation.ts';
import type { Route, RouteRow, Surface } from '../http/route.ts';
import type { AccountParts } from './account.ts';
import type { BatchParts } from './batches.ts';
import type { CatalogUpdateParts } from './catalog-updates.ts';
import type { DatasetParts } from './datasets.ts';
import type { DestinationParts } from './destinations.ts';
import type { ExplainParts } from './explain.ts';
import type { FileParts } from './files.ts';
import type { GeminiCallParts } from './gemini.ts';
import type { GenerationParts } from './generations.ts';
import type { GuardrailTrialParts } from './guardrail-trials.ts';
import type { GuardrailParts } from './guardrails.ts';
import type { CancelResponseParts } from './kept-responses.ts';
import type { AnyKeyParts } from './keys.ts';
import type { FixtureParts } from './make-fixture.ts';
import type { MemberParts } from './members.ts';
import type { ModelParts } from './models.ts';
import type { OllamaCallParts } from './ollama.ts';
import type { PromptParts } from './prompts.ts';
import type { SetupParts } from './provider-setups.ts';
import type { ProviderParts } from './providers.ts';
import type { RerunParts } from './reruns.ts';
import type { ResendParts } from './resend.ts';
import type { ResponsesParts } from './responses.ts';
import type { RetentionParts } from './retention.ts';
import type { SampleDataParts } from './sample-data.ts';
import type { SessionParts } from './sessions.ts';
import type { SystemParts } from './system.ts';
import type { CreateVideoParts, VideoParts } from './videos.ts';
import type { ViewParts } from './views.ts';
import type { WebhookParts } from './webhooks.ts';
import type { WholeKindParts } from './whole-call.ts';
import type { WorkspaceParts } from './workspaces.ts';

/** The parts that all operations together use; each receives only those that its resource names. */
export type ApiParts = ChatParts &
  ExplainParts &
  WholeKindParts &
  ModelParts &
  OllamaCallParts &
  GeminiCallParts &
  VideoParts &
  CreateVideoParts &
  GenerationParts &
  AnyKeyParts &
  GuardrailParts &
  GuardrailTrialParts &
  MemberParts &
  AccountParts &
  ResendParts &
  ResponsesParts &
  CancelResponseParts &
  RetentionParts &
  ProviderParts &
  SetupParts &
  CatalogUpdateParts &
  WorkspaceParts &
  DestinationParts &
  ViewParts &
  PromptParts &
  RerunParts &
  FileParts &
  BatchParts &
  WebhookParts &
  FixtureParts &
  SampleDataParts &
  DatasetParts &
  SessionParts &
  SystemParts;

/** An operation with its name, under which the file of its resource exports it and generated clients call it. */
interface Named<Loaded> {
  readonly operationId: string;
  readonly load: () => Promise<Loaded>;
}

/** Makes rows of a resource: its file is loaded with the first call to one of its operations. */
function late<Resource>(loadResource: () => Promise<Resource>) {
  return <Name extends string & keyof Resource>(operationId: Name): Named<Resource[Name]> => ({
    operationId,
    load: async () => (await loadResource())[operationId],
  });
}

const chat = late(() => import('./chat.ts'));
const caches = late(() => import('./cache-reports.ts'));
const explain = late(() => import('./explain.ts'));
const messages = late(() => import('./messages.ts'));
const responses = late(() => import('./responses.ts'));
const keptResponses = late(() => import('./kept-responses.ts'));
const embeddings = late(() => import('./embeddings.ts'));
const rerank = late(() => import('./rerank.ts'));
const audio = late(() => import('./audio.ts'));
const models = late(() => import('./models.ts'));
const ollama = late(() => import('./ollama.ts'));
const ollamaModels = late(() => import('./ollama-models.ts'));
const gemini = late(() => import('./gemini.ts'));
const geminiModels = late(() => import('./gemini-models.ts'));
const videos = late(() => import('./videos.ts'));
const videoContent = late(() => import('./video-content.ts'));
const generations = late(() => import('./generations.ts'));
const resend = late(() => import('./resend.ts'));
const charts = late(() => import('./generation-charts.ts'));
const liveCalls = late(() => import('./live-calls.ts'));
const keys = late(() => import('./keys.ts'));
const guardrails = late(() => import('./guardrails.ts'));
const assignments = late(() => import('./guardrail-assignments.ts'));
const trials = late(() => import('./guardrail-trials.ts'));
const members = late(() => import('./members.ts'));
const account = late(() => import('./account.ts'));
const retention = late(() => import('./retention.ts'));
const providers = late(() => import('./providers.ts'));
const providerHistory = late(() => import('./provider-history.ts'));
const providerSetups = late(() => import('./provider-setups.ts'));
const modelSetups = late(() => import('./model-setups.ts'));
const catalogUpdates = late(() => import('./catalog-updates.ts'));
const workspaces = late(() => import('./workspaces.ts'));
const destinations = late(() => import('./destinations.ts'));
const views = late(() => import('./views.ts'));
const prompts = late(() => import('./prompts.ts'));
const reruns = late(() => import('./reruns.ts'));
const batches = late(() => import('./batches.ts'));
const files = late(() => import('./files.ts'));
const webhooks = late(() => import('./webhooks.ts'));
const fixtures = late(() => import('./fixtures.ts'));
const fixtureExport = late(() => import('./fixture-export.ts'));
const sampleData = late(() => import('./sample-data.ts'));
const sessions = late(() => import('./sessions.ts'));
const system = late(() => import('./system.ts'));
const metrics = late(() => import('./metrics.ts'));
const datasets = late(() => import('./datasets.ts'));
const images = late(() => import('./images.ts'));
const openAiImages = late(() => import('./openai-images.ts'));
const moderations = late(() => import('./moderations.ts'));

/** Makes rows of operations for callers with such a key. */
function forKeys<const Auth extends 'api' | 'any' | 'management'>(surface: Surface, auth: Auth) {
  return (
    operation: Named<Operation<ApiParts>>,
    summary: string,
    more: Pick<RouteRow, 'errors' | 'wrongKey'> = {},
  ) => ({ surface, auth, summary, ...operation, ...more });
}

const apiKey = forKeys('api', 'api');
const anyKey = forKeys('api', 'any');
const management = forKeys('api', 'management');
const admin = forKeys('admin', 'management');
const ollamaApiKey = forKeys('ollama', 'api');
const ollamaAnyKey = forKeys('ollama', 'any');
const geminiApiKey = forKeys('gemini', 'api');
const geminiAnyKey = forKeys('gemini', 'any');

/** Makes the row of an operation that needs no key. */
const anyone = (surface: Surface, operation: Named<PublicOperation<ApiParts>>, summary: string) => ({
  surface,
  auth: 'none' as const,
  summary,
  ...operation,
});

type Place = `${RouteRow['method']} /${string}`;
type Row = ReturnType<typeof apiKey | typeof anyKey | typeof management | typeof anyone>;

/**
 * Every operation, a line each, by the tag of its resource: method and path, who may call it, its name in the file of
 * the resource, and its summary. Earlier rows take precedence.
 */
// oxfmt-ignore
const TABLE: Readonly<Record<string, Readonly<Record<Place, Row>>>> = {
  Chat: {
    'POST /api/v1/chat/completions': apiKey(chat('createChatCompletion'), 'Create a chat completion, streamed or not'),
    'POST /admin/v1/explain': admin(explain('explainCall'), 'Explain how a chat request would be routed, without calling a provider'),
  },
  Messages: {
    'POST /api/v1/messages': apiKey(messages('createMessage'), 'Create a message in the format of the Anthropic API, streamed or not', { errors: messagesErrors }),
    'POST /api/v1/messages/count_tokens': apiKey(messages('countTokens'), 'Count the tokens of a message without sending it to a model', { errors: messagesErrors }),
  },
  Responses: {
    'POST /api/v1/responses': apiKey(responses('createResponse'), 'Create a response in the format of the OpenAI Responses API, streamed or not'),
    'GET /api/v1/responses/{id}': anyKey(keptResponses('getResponse'), 'Get a stored response'),
    'DELETE /api/v1/responses/{id}': anyKey(keptResponses('deleteResponse'), 'Delete a stored response; the record of the generation stays'),
    'POST /api/v1/responses/{id}/cancel': anyKey(keptResponses('cancelResponse'), 'Cancel a response in the background, of which there are none: always refused'),
    'GET /api/v1/responses/{id}/input_items': anyKey(keptResponses('listInputItems'), 'List the input of a stored response, the responses before it included'),
  },
  Completions: {
    'POST /api/v1/completions': apiKey(chat('createCompletion'), 'Complete a text, streamed or not'),
  },
  Ollama: {
    'POST /api/chat': ollamaApiKey(ollama('ollamaChat'), 'Create a chat completion in the format of Ollama, streamed by default', { errors: ollamaErrors }),
    'POST /api/generate': ollamaApiKey(ollama('ollamaGenerate'), 'Complete a prompt in the format of Ollama, streamed by default', { errors: ollamaErrors }),
    'POST /api/embed': ollamaApiKey(ollama('ollamaEmbed'), 'Create embeddings in the format of Ollama', { errors: ollamaErrors }),
    'POST /api/embeddings': ollamaApiKey(ollama('ollamaEmbeddings'), 'Create the embedding of one text in the older format of Ollama', { errors: ollamaErrors }),
    'GET /api/tags': ollamaAnyKey(ollamaModels('ollamaTags'), 'List models in the format of Ollama', { errors: ollamaErrors }),
    'POST /api/show': ollamaAnyKey(ollamaModels('ollamaShow'), 'Show what a model can do, in the format of Ollama', { errors: ollamaErrors }),
    'GET /api/ps': ollamaAnyKey(ollamaModels('ollamaPs'), 'List loaded models in the format of Ollama; there are none', { errors: ollamaErrors }),
    'GET /api/version': anyone('ollama', ollamaModels('ollamaVersion'), 'The version of Ollama whose API is served'),
    'GET /': anyone('ollama', ollamaModels('ollamaRoot'), 'Whether a server is running, as clients of Ollama ask for it'),
    'POST /api/pull': ollamaAnyKey(ollama('ollamaPull'), 'Refused: models are set up in the gateway', { errors: ollamaErrors }),
    'POST /api/push': ollamaAnyKey(ollama('ollamaPush'), 'Refused: models are set up in the gateway', { errors: ollamaErrors }),
    'POST /api/create': ollamaAnyKey(ollama('ollamaCreate'), 'Refused: models are set up in the gateway', { errors: ollamaErrors }),
    'POST /api/copy': ollamaAnyKey(ollama('ollamaCopy'), 'Refused: models are set up in the gateway', { errors: ollamaErrors }),
    'DELETE /api/delete': ollamaAnyKey(ollama('ollamaDelete'), 'Refused: models are set up in the gateway', { errors: ollamaErrors }),
    'POST /api/blobs/{digest}': ollamaAnyKey(ollama('ollamaUpload'), 'Refused: models are set up in the gateway', { errors: ollamaErrors }),
  },
  Gemini: {
    'POST /v1beta/models/{model+}:generateContent': geminiApiKey(gemini('geminiGenerateContent'), 'Create a chat completion in the format of the Gemini API', { errors: geminiErrors }),
    'POST /v1beta/models/{model+}:streamGenerateContent': geminiApiKey(gemini('geminiStreamGenerateContent'), 'Stream a chat completion in the format of the Gemini API', { errors: geminiErrors }),
    'POST /v1beta/models/{model+}:countTokens': geminiApiKey(gemini('geminiCountTokens'), 'Count the tokens of a prompt in the format of the Gemini API, without sending it to a model', { errors: geminiErrors }),
    'POST /v1beta/models/{model+}:embedContent': geminiApiKey(gemini('geminiEmbedContent'), 'Create the embedding of one content in the format of the Gemini API', { errors: geminiErrors }),
    'POST /v1beta/models/{model+}:batchEmbedContents': geminiApiKey(gemini('geminiBatchEmbedContents'), 'Create embeddings of several contents in the format of the Gemini API', { errors: geminiErrors }),
    'POST /v1/models/{model+}:generateContent': geminiApiKey(gemini('geminiGenerateContentV1'), 'The same as below /v1beta: generateContent', { errors: geminiErrors }),
    'POST /v1/models/{model+}:streamGenerateContent': geminiApiKey(gemini('geminiStreamGenerateContentV1'), 'The same as below /v1beta: streamGenerateContent', { errors: geminiErrors }),
    'POST /v1/models/{model+}:countTokens': geminiApiKey(gemini('geminiCountTokensV1'), 'The same as below /v1beta: countTokens', { errors: geminiErrors }),
    'POST /v1/models/{model+}:embedContent': geminiApiKey(gemini('geminiEmbedContentV1'), 'The same as below /v1beta: embedContent', { errors: geminiErrors }),
    'POST /v1/models/{model+}:batchEmbedContents': geminiApiKey(gemini('geminiBatchEmbedContentsV1'), 'The same as below /v1beta: batchEmbedContents', { errors: geminiErrors }),
    'GET /v1/models': geminiAnyKey(geminiModels('geminiListModelsV1'), 'The same as below /v1beta: list models', { errors: geminiErrors }),
    'GET /v1/models/{model+}': geminiAnyKey(geminiModels('geminiGetModelV1'), 'The same as below /v1beta: get a model', { errors: geminiErrors }),
    'GET /v1beta/models': geminiAnyKey(geminiModels('geminiListModels'), 'List models in the format of the Gemini API', { errors: geminiErrors }),
    'GET /v1beta/models/{model+}': geminiAnyKey(geminiModels('geminiGetModel'), 'Get a model in the format of the Gemini API', { errors: geminiErrors }),
  },
  Embeddings: {
    'POST /api/v1/embeddings': apiKey(embeddings('createEmbeddings'), 'Create embeddings of one text or several'),
    'GET /api/v1/embeddings/models': anyKey(models('listEmbeddingModels'), 'List the models that make embeddings'),
  },
  Rerank: {
    'POST /api/v1/rerank': apiKey(rerank('createRerank'), 'Put documents in the order of their relevance to a query'),
  },
  Audio: {
    'POST /api/v1/audio/speech': apiKey(audio('createSpeech'), 'Speak a text; the response is the audio as it comes'),
    'POST /api/v1/audio/transcriptions': apiKey(audio('createTranscription'), 'Write down what is said in audio, sent as JSON or as a form with a file'),
  },
  Moderations: {
    'POST /api/v1/moderations': apiKey(moderations('createModeration'), 'Judge texts and images by the categories of a moderation model'),
  },
  Models: {
    'GET /api/v1/models': anyKey(models('listModels'), 'List models'),
    'GET /api/v1/models/user': anyKey(models('listUserModels'), 'List the models that the account may use'),
    'GET /api/v1/models/count': anyKey(models('countModels'), 'Count models'),
    'GET /api/v1/models/{author}/{slug+}/endpoints': anyKey(models('listModelEndpoints'), 'List the endpoints of a model'),
    'GET /api/v1/endpoints/zdr': anyKey(models('listZdrEndpoints'), 'List the endpoints with zero data retention'),
    'GET /api/v1/model/{author}/{slug+}': anyKey(models('getModel'), 'Get a model'),
    'GET /api/v1/models/{id}': anyKey(models('retrieveModel'), 'Get a model by the path that OpenAI clients use'),
  },
  Videos: {
    'POST /api/v1/videos': apiKey(videos('createVideo'), 'Start a video job; the response contains the address to poll'),
    'GET /api/v1/videos/models': anyKey(videos('listVideoModels'), 'List video models with their capabilities'),
    'GET /api/v1/videos/{jobId}': anyKey(videos('getVideo'), 'Get a video job'),
    'GET /api/v1/videos/{jobId}/content': anyKey(videoContent('getVideoContent'), 'Get the bytes of a finished video, whole or in part'),
    'GET /admin/v1/videos': admin(videos('listVideos'), 'List video jobs, newest first'),
    'GET /admin/v1/videos/{jobId}': admin(videos('getVideoDetail'), 'Get the timeline of a video job, and its prompt while it is open'),
    'GET /admin/v1/videos/{jobId}/inputs': admin(videos('getVideoInputs'), 'Get the images, audio and videos that were sent with the prompt of a video job, while it is open'),
  },
  Images: {
    'POST /api/v1/images': apiKey(images('createImages'), 'Make images, streamed or not'),
    'POST /api/v1/images/generations': apiKey(openAiImages('createOpenAiImage'), 'Make images in the form of OpenAI, streamed or not'),
    'POST /api/v1/images/edits': apiKey(openAiImages('editOpenAiImage'), 'Make images after pictures in the form of OpenAI, streamed or not'),
    'GET /api/v1/images/models': anyKey(images('listImageModels'), 'List models that make images, with what each can do'),
    'GET /api/v1/images/models/{author}/{slug+}/endpoints': anyKey(images('listImageModelEndpoints'), 'List the endpoints of a model that makes images, with their prices'),
  },
  Generations: {
    'GET /api/v1/generation': anyKey(generations('getGeneration'), 'Get the record of a generation'),
    'GET /api/v1/generation/content': anyKey(generations('getGenerationContent'), 'Get the stored prompt and completion of a generation'),
    'POST /api/v1/generation/feedback': anyKey(generations('submitGenerationFeedback'), 'Submit feedback on a generation'),
    'GET /admin/v1/generations': admin(generations('listGenerations'), 'List generations, newest first'),
    'GET /admin/v1/generations/histogram': admin(charts('getGenerationHistogram'), 'Count generations by time'),
    'GET /admin/v1/generations/sessions': admin(charts('listGenerationSessions'), 'List sessions: generations that belong together'),
    'GET /admin/v1/generations/sessions/cache': admin(caches('getSessionCache'), 'Show why the calls of a session missed the caches of providers, or did not'),
    'GET /admin/v1/generations/cache-causes': admin(caches('listCacheCauses'), 'Sum up what was missed in the caches of providers, by cause and app'),
    'GET /admin/v1/generations/cache-marks': admin(caches('dryRunCacheMarks'), 'Show what automatic cache marks would have cost in past calls'),
    'GET /admin/v1/generations/export': admin(generations('exportGenerations'), 'Export generations as NDJSON or CSV'),
    'GET /admin/v1/generations/feed': admin(liveCalls('followGenerations'), 'Follow generations and video jobs as they end, as server-sent events'),
    'GET /admin/v1/generations/running': admin(liveCalls('listRunningCalls'), 'List running calls, the longest-running first'),
    'POST /admin/v1/generations/{id}/cancel': admin(liveCalls('cancelGeneration'), 'Cancel a running call'),
    'POST /admin/v1/generations/{id}/resend': admin(resend('resendGeneration'), 'Send the stored request of a chat again, as a new call'),
    'GET /admin/v1/generations/{id}/timeline': admin(generations('getGenerationTimeline'), 'Get the timeline of a stream: when each piece of its text was sent'),
    'GET /admin/v1/generations/{id}/call-timeline': admin(generations('getCallTimeline'), 'Get the timeline of a call: how long each step took, and how it was routed'),
    'GET /admin/v1/generations/{id}/course': admin(generations('getGenerationCourse'), 'Former path of call-timeline; use that one'),
    'GET /admin/v1/generations/{id}/request': admin(generations('getGenerationRequest'), 'Get the whole request of a call, as it came in and as it was sent upstream'),
    'GET /admin/v1/generations/{id}/cache': admin(caches('getGenerationCache'), 'Show why a call missed the cache of its provider, or did not'),
    'PUT /admin/v1/generations/{id}/review': admin(generations('reviewGeneration'), 'Rate a response and note something about it'),
    'DELETE /admin/v1/generations/{id}': admin(generations('deleteGenerationContent'), 'Delete the prompt and the completion; the record stays'),
    'GET /admin/v1/views': admin(views('listViews'), 'List the saved views of the list of generations'),
    'PUT /admin/v1/views/{name}': admin(views('putView'), 'Save a view, in place of one of the same name'),
    'DELETE /admin/v1/views/{name}': admin(views('deleteView'), 'Delete a saved view'),
  },
  Prompts: {
    'GET /admin/v1/prompts': admin(prompts('listPrompts'), 'List prompts, the last changed first'),
    'POST /admin/v1/prompts': admin(prompts('createPrompt'), 'Create a prompt with its first version'),
    'GET /admin/v1/prompts/{id}': admin(prompts('getPrompt'), 'Get a prompt with all its versions'),
    'PATCH /admin/v1/prompts/{id}': admin(prompts('updatePrompt'), 'Rename a prompt, or make another version current'),
    'POST /admin/v1/prompts/{id}/versions': admin(prompts('createPromptVersion'), 'Add a version to a prompt'),
    'DELETE /admin/v1/prompts/{id}': admin(prompts('deletePrompt'), 'Delete a prompt and its versions'),
  },
  Keys: {
    'GET /api/v1/key': anyKey(keys('getCurrentKey'), 'Show the key of the caller'),
    'GET /api/v1/keys': management(keys('listKeys'), 'List keys', { wrongKey: 401 }),
    'POST /api/v1/keys': management(keys('createKey'), 'Create a key; it is shown once'),
    'GET /api/v1/keys/{hash}': management(keys('getKey'), 'Get a key by its hash', { wrongKey: 401 }),
    'PATCH /api/v1/keys/{hash}': management(keys('updateKey'), 'Change a key', { wrongKey: 401 }),
    'DELETE /api/v1/keys/{hash}': management(keys('deleteKey'), 'Revoke a key', { wrongKey: 401 }),
    'GET /admin/v1/refusals': admin(keys('listRefusals'), 'List the latest requests from tools that were refused'),
    'GET /admin/v1/keys': admin(keys('listAllKeys'), 'List all keys, including keys from the configuration'),
    'GET /admin/v1/keys/{hash}': admin(keys('getKeyDetail'), 'Get any key with the rules that apply to it'),
  },
  Guardrails: {
    'GET /api/v1/guardrails': management(guardrails('listGuardrails'), 'List the guardrails of a workspace', { wrongKey: 401 }),
    'POST /api/v1/guardrails': management(guardrails('createGuardrail'), 'Create a guardrail'),
    'GET /api/v1/guardrails/assignments/keys': management(assignments('listKeyAssignments'), 'List all assignments to keys', { wrongKey: 401 }),
    'GET /api/v1/guardrails/assignments/members': management(assignments('listMemberAssignments'), 'List all assignments to members', { wrongKey: 401 }),
    'GET /api/v1/guardrails/{id}': management(guardrails('getGuardrail'), 'Get a guardrail', { wrongKey: 401 }),
    'PATCH /api/v1/guardrails/{id}': management(guardrails('updateGuardrail'), 'Change a guardrail'),
    'DELETE /api/v1/guardrails/{id}': management(guardrails('deleteGuardrail'), 'Delete a guardrail and its assignments', { wrongKey: 401 }),
    'GET /api/v1/guardrails/{id}/assignments/keys': management(assignments('listGuardrailKeys'), 'List the keys of a guardrail', { wrongKey: 401 }),
    'POST /api/v1/guardrails/{id}/assignments/keys': management(assignments('assignKeys'), 'Assign a guardrail to keys'),
    'POST /api/v1/guardrails/{id}/assignments/keys/remove': management(assignments('unassignKeys'), 'Unassign a guardrail from keys', { wrongKey: 401 }),
    'GET /api/v1/guardrails/{id}/assignments/members': management(assignments('listGuardrailMembers'), 'List the members of a guardrail', { wrongKey: 401 }),
    'POST /api/v1/guardrails/{id}/assignments/members': management(assignments('assignMembers'), 'Assign a guardrail to members', { wrongKey: 401 }),
    'POST /api/v1/guardrails/{id}/assignments/members/remove': management(assignments('unassignMembers'), 'Unassign a guardrail from members', { wrongKey: 401 }),
    'POST /admin/v1/guardrails/{id}/test': admin(trials('testGuardrail'), 'Test a guardrail on a request and on the latest generations'),
    'GET /admin/v1/guardrails/hits': admin(guardrails('listGuardrailHits'), 'Count the effects of guardrails on calls over time'),
    'POST /admin/v1/guardrails/dry-runs': admin(trials('dryRunGuardrail'), 'Dry-run a guardrail, saved or not, on the calls of a time span'),
  },
  Members: {
    'GET /api/v1/organization/members': management(members('listMembers'), 'List members', { wrongKey: 401 }),
    'POST /admin/v1/members': admin(members('createMember'), 'Add a member'),
    'PATCH /admin/v1/members/{id}': admin(members('updateMember'), 'Change a member'),
    'DELETE /admin/v1/members/{id}': admin(members('deleteMember'), 'Remove a member and disable their keys'),
  },
  Account: {
    'GET /admin/v1/settings': admin(account('getSettings'), 'Show the settings of the account'),
    'PATCH /admin/v1/settings': admin(account('updateSettings'), 'Change the settings of the account'),
    'GET /admin/v1/rate-limits': admin(account('listRateLimits'), 'List the rate limits'),
    'PUT /admin/v1/rate-limits': admin(account('putRateLimits'), 'Replace the rate limits that are not of the configuration'),
    'GET /admin/v1/retention': admin(retention('getRetention'), 'Show how long is kept, and what would be deleted'),
    'PUT /admin/v1/retention': admin(retention('putRetention'), 'Change how long records and contents are kept'),
    'GET /api/v1/credits': management(account('getCredits'), 'Show the credits and the usage of the account'),
    'GET /api/v1/activity': management(account('getActivity'), 'Get the usage of the last days by day, model and endpoint'),
  },
  Providers: {
    'GET /api/v1/providers': anyKey(providers('listProviders'), 'List providers'),
    'GET /admin/v1/providers': admin(providers('listProviderStates'), 'List providers with their connection and health'),
    'GET /admin/v1/models': admin(providers('listModelProviders'), 'List models with the providers that serve them'),
    'GET /admin/v1/providers/history': admin(providerHistory('listProviderHistories'), 'List providers with the results of calls to them over time'),
    'GET /admin/v1/providers/{slug}/history': admin(providerHistory('getProviderHistory'), 'Get the results of calls to a provider, over time and by endpoint'),
    'POST /admin/v1/providers/{slug}/keys/{name}/enable': admin(providers('enableProviderKey'), 'Use a key of a provider again that was refused'),
    'POST /admin/v1/providers/{slug}/test': admin(providers('testProvider'), 'Test the connection to a provider, layer by layer'),
  },
  Setup: {
    'GET /admin/v1/setup/presets': admin(providerSetups('listProviderPresets'), 'List the well-known providers'),
    'GET /admin/v1/setup/local-servers': admin(providerSetups('findLocalServers'), 'Find the model servers that run on this machine'),
    'POST /admin/v1/setup/provider-tests': admin(providerSetups('testProviderDraft'), 'Test a provider before it is saved, and list its models'),
    'GET /admin/v1/setup/providers': admin(providerSetups('listProviderSetups'), 'List providers from the configuration and providers that were set up'),
    'POST /admin/v1/setup/providers': admin(providerSetups('createProviderSetup'), 'Set up a provider'),
    'PATCH /admin/v1/setup/providers/{slug}': admin(providerSetups('updateProviderSetup'), 'Change a provider that was set up'),
    'DELETE /admin/v1/setup/providers/{slug}': admin(providerSetups('deleteProviderSetup'), 'Delete a provider that was set up'),
    'GET /admin/v1/setup/models': admin(modelSetups('listModelSetups'), 'List models from the configuration and models that were set up'),
    'POST /admin/v1/setup/models': admin(modelSetups('createModelSetup'), 'Set up a model'),
    'PUT /admin/v1/setup/models/{id+}': admin(modelSetups('replaceModelSetup'), 'Replace the definition of a model that was set up'),
    'DELETE /admin/v1/setup/models/{id+}': admin(modelSetups('deleteModelSetup'), 'Delete a model that was set up'),
    'GET /admin/v1/setup/catalog': admin(catalogUpdates('getCatalogState'), 'Get what the scheduled comparison with lists of models has found'),
    'POST /admin/v1/setup/catalog/comparisons': admin(catalogUpdates('compareCatalogs'), 'Compare prices, limits and abilities of models with lists of models'),
    'POST /admin/v1/setup/catalog/changes': admin(catalogUpdates('applyCatalogChanges'), 'Apply differences that a comparison has found'),
  },
  Workspaces: {
    'GET /api/v1/workspaces': management(workspaces('listWorkspaces'), 'List workspaces', { wrongKey: 401 }),
    'POST /api/v1/workspaces': management(workspaces('createWorkspace'), 'Create a workspace'),
    'GET /api/v1/workspaces/{id}': management(workspaces('getWorkspace'), 'Get a workspace by id or slug', { wrongKey: 401 }),
    'PATCH /api/v1/workspaces/{id}': management(workspaces('updateWorkspace'), 'Change a workspace'),
    'DELETE /api/v1/workspaces/{id}': management(workspaces('deleteWorkspace'), 'Delete a workspace that has no keys'),
    'GET /api/v1/workspaces/{id}/budgets': management(workspaces('listWorkspaceBudgets'), 'List the budgets of a workspace', { wrongKey: 401 }),
    'GET /api/v1/workspaces/{id}/budgets/{interval}': management(workspaces('getWorkspaceBudget'), 'Get a budget of a workspace', { wrongKey: 401 }),
    'PUT /api/v1/workspaces/{id}/budgets/{interval}': management(workspaces('putWorkspaceBudget'), 'Set a budget of a workspace', { wrongKey: 401 }),
    'DELETE /api/v1/workspaces/{id}/budgets/{interval}': management(workspaces('deleteWorkspaceBudget'), 'Remove a budget of a workspace', { wrongKey: 401 }),
  },
  Destinations: {
    'GET /api/v1/observability/destinations': management(destinations('listDestinations'), 'List the destinations of a workspace', { wrongKey: 401 }),
    'POST /api/v1/observability/destinations': management(destinations('createDestination'), 'Create a destination'),
    'GET /api/v1/observability/destinations/{id}': management(destinations('getDestination'), 'Get a destination', { wrongKey: 401 }),
    'PATCH /api/v1/observability/destinations/{id}': management(destinations('updateDestination'), 'Change a destination'),
    'DELETE /api/v1/observability/destinations/{id}': management(destinations('deleteDestination'), 'Delete a destination', { wrongKey: 401 }),
    'POST /admin/v1/observability/destinations/{id}/test': admin(destinations('testDestination'), 'Send a test request without content to a destination'),
    'GET /admin/v1/destinations/deliveries': admin(destinations('listBroadcastDeliveries'), 'List deliveries that have not arrived, newest first'),
    'POST /admin/v1/destinations/deliveries/{id}/resend': admin(destinations('resendBroadcast'), 'Resend a delivery'),
  },
  Reruns: {
    'GET /admin/v1/reruns': admin(reruns('listReruns'), 'List reruns, newest first'),
    'POST /admin/v1/reruns': admin(reruns('createRerun'), 'Run past calls again against other models'),
    'POST /admin/v1/reruns/estimate': admin(reruns('estimateRerun'), 'Estimate what a rerun would cost'),
    'GET /admin/v1/reruns/{id}': admin(reruns('getRerun'), 'Get a rerun with its results'),
    'DELETE /admin/v1/reruns/{id}': admin(reruns('deleteRerun'), 'Delete a rerun; the generations of its calls stay'),
    'POST /admin/v1/reruns/{id}/pause': admin(reruns('pauseRerun'), 'Pause a rerun'),
    'POST /admin/v1/reruns/{id}/resume': admin(reruns('resumeRerun'), 'Start or resume a rerun'),
    'POST /admin/v1/reruns/{id}/cancel': admin(reruns('cancelRerun'), 'Cancel a rerun'),
    'GET /admin/v1/reruns/{id}/items': admin(reruns('listRerunItems'), 'List the pairs of completions of a rerun'),
    'PUT /admin/v1/reruns/{id}/items/{item}': admin(reruns('judgeRerunItem'), 'Judge a pair of completions as a person'),
    'GET /admin/v1/reruns/{id}/export': admin(reruns('exportRerun'), 'Export the pairs of completions of a rerun'),
  },
  Files: {
    'GET /api/v1/files': anyKey(files('listFiles'), 'List the files of a workspace'),
    'POST /api/v1/files': anyKey(files('uploadFile'), 'Upload a file as a form'),
    'GET /api/v1/files/{file_id}': anyKey(files('getFile'), 'Get what is known of a file'),
    'DELETE /api/v1/files/{file_id}': anyKey(files('deleteFile'), 'Delete a file'),
    'GET /api/v1/files/{file_id}/content': anyKey(files('getFileContent'), 'Download a file that the gateway made'),
    'GET /admin/v1/files': admin(files('listAllFiles'), 'List the files of all workspaces, newest first'),
    'DELETE /admin/v1/files/{file_id}': admin(files('deleteAnyFile'), 'Delete a file of any workspace'),
  },
  Batches: {
    'GET /api/v1/batches': apiKey(batches('listStoredBatches'), 'List the batches of a workspace, newest first'),
    'POST /api/v1/batches': apiKey(batches('createBatch'), 'Make the calls of a file, within a day'),
    'GET /api/v1/batches/{batch_id}': apiKey(batches('getBatch'), 'Get a batch'),
    'POST /api/v1/batches/{batch_id}/cancel': apiKey(batches('cancelBatch'), 'Cancel a batch'),
    'POST /api/beta/batches': apiKey(batches('createInlineBatch'), 'Make many calls within a day'),
    'GET /api/beta/batches/{batch_id}': apiKey(batches('getInlineBatch'), 'Get a batch with its results'),
    'GET /admin/v1/batches': admin(batches('listAllBatches'), 'List the batches of all workspaces, newest first'),
    'GET /admin/v1/batches/{batch_id}': admin(batches('getAnyBatch'), 'Get a batch of any workspace'),
    'POST /admin/v1/batches/{batch_id}/cancel': admin(batches('cancelAnyBatch'), 'Cancel a batch of any workspace'),
  },
  Webhooks: {
    'GET /admin/v1/webhooks/deliveries': admin(webhooks('listWebhookDeliveries'), 'List the webhooks of video jobs, newest first'),
    'POST /admin/v1/webhooks/deliveries/{jobId}/resend': admin(webhooks('resendWebhook'), 'Resend a webhook'),
  },
  Fixtures: {
    'GET /admin/v1/fixtures': admin(fixtures('getFixtures'), 'Show the mode of fixtures and how many there are'),
    'PATCH /admin/v1/fixtures': admin(fixtures('switchFixtureMode'), 'Switch between calling providers, recording and replaying'),
    'POST /admin/v1/fixtures': admin(fixtures('saveFixture'), 'Save a stored generation as a fixture'),
    'GET /admin/v1/fixtures/export': admin(fixtureExport('exportFixtures'), 'Export fixtures of many generations, and a suite that runs them, as ZIP'),
    'GET /admin/v1/fixtures/cases': admin(fixtures('listFixtureCases'), 'List fixtures with how often each was replayed'),
    'GET /admin/v1/fixtures/case': admin(fixtures('getFixtureCase'), 'Show a fixture with its request and its responses'),
    'GET /admin/v1/fixtures/misses': admin(fixtures('listFixtureMisses'), 'List the latest requests without a matching fixture, newest first'),
    'GET /admin/v1/fixtures/misses/{id}': admin(fixtures('getFixtureMiss'), 'Show a request without a matching fixture, and how it differs from the nearest one'),
    'POST /admin/v1/fixtures/misses/{id}/accept': admin(fixtures('acceptFixtureMiss'), 'Make the nearest fixture match a request that had none'),
  },
  Datasets: {
    'GET /api/v1/datasets/rankings-daily': anyKey(datasets('getRankingsDaily'), 'Rank models by the tokens of their calls, by day, week or month'),
    'GET /api/v1/datasets/app-rankings': anyKey(datasets('getAppRankings'), 'Rank apps by the tokens of their calls'),
    'GET /api/v1/datasets/session-cost': anyKey(datasets('getSessionCost'), 'Show what sessions have cost, by app, model and number of calls'),
    'GET /api/v1/benchmarks': anyKey(datasets('getBenchmarks'), 'Refused: no benchmarks are collected here'),
    'GET /api/v1/classifications/task': anyKey(datasets('getTaskClassifications'), 'Refused: calls are not classified here'),
    'POST /api/v1/credits/coinbase': anyone('api', datasets('createCoinbaseCharge'), 'Refused: credits are not bought here'),
  },
  'Sample data': {
    'GET /admin/v1/sample-data': admin(sampleData('getSampleData'), 'Show how many made-up records the demo has'),
    'DELETE /admin/v1/sample-data': admin(sampleData('deleteSampleData'), 'Delete the made-up records of the demo'),
  },
  Sessions: {
    'GET /admin/v1/session': anyone('admin', sessions('getSession'), 'Show whether the browser is signed in'),
    'POST /admin/v1/session': anyone('admin', sessions('createSession'), 'Sign in with a one-time token or a management key'),
    'DELETE /admin/v1/session': anyone('admin', sessions('deleteSession'), 'Sign out'),
  },
  System: {
    'GET /health': anyone('health', system('getHealth'), 'Whether the process is running'),
    'GET /ready': anyone('health', system('getReady'), 'Whether new calls are accepted'),
    'GET /admin/v1/instance': admin(system('getInstance'), 'Show which process responds, its health and its storage'),
    'GET /metrics': anyone('metrics', metrics('getMetrics'), 'Metrics in the Prometheus text format'),
    'GET /openapi.json': anyone('openapi', system('getOpenApi'), 'This document'),
  },
};

const toRoutes = (rows: Readonly<Record<Place, Row>>): Route<ApiParts>[] =>
  Object.entries(rows).map(([place, row]) => {
    const [method = '', path = ''] = place.split(' ');
    return { method: method as RouteRow['method'], path, ...row };
  });

/** The rows by the tag of their resource. */
export const ROUTES_BY_TAG: TaggedRoutes<ApiParts> = Object.fromEntries(
  Object.entries(TABLE).map(([tag, rows]) => [tag, toRoutes(rows)]),
);

/** The rows of all resources; earlier rows take precedence. */
export const ROUTES: readonly Route<ApiParts>[] = Object.values(ROUTES_BY_TAG).flat();
