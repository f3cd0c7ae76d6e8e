import { geminiErrors } from '../formats/gemini/to-error.ts';
import { messagesErrors } from '../formats/messages/to-error.ts';
import { ollamaErrors } from '../formats/ollama/to-error.ts';
import {
  admin,
  anyKey,
  anyone,
  apiKey,
  geminiAnyKey,
  geminiApiKey,
  late,
  ollamaAnyKey,
  ollamaApiKey,
  type RouteTable,
} from './route-rows.ts';

const chat = late(() => import('./chat.ts'));
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
const presets = late(() => import('./presets.ts'));
const images = late(() => import('./images.ts'));
const openAiImages = late(() => import('./openai-images.ts'));
const moderations = late(() => import('./moderations.ts'));

/**
 * The calls of models, by kind and by format, with what is asked about them. A line has who may call an operation, its
 * name in the file of the resource, and its summary. Earlier rows take precedence.
 */
// oxfmt-ignore
export const CALL_ROUTES: RouteTable = {
  Chat: {
    'POST /api/v1/chat/completions': apiKey(chat('createChatCompletion'), 'Create a chat completion, streamed or not'),
    'POST /admin/v1/explain': admin(explain('explainCall'), 'Explain how a chat request would be routed, without calling a provider', { audit: null }),
  },
  Messages: {
    'POST /api/v1/messages': apiKey(messages('createMessage'), 'Create a message in the format of the Anthropic API, streamed or not', { errors: messagesErrors }),
    'POST /api/v1/messages/count_tokens': apiKey(messages('countTokens'), 'Count the tokens of a message without sending it to a model', { errors: messagesErrors }),
  },
  Responses: {
    'POST /api/v1/responses': apiKey(responses('createResponse'), 'Create a response in the format of the OpenAI Responses API, streamed or not'),
    'GET /api/v1/responses/{id}': anyKey(keptResponses('getResponse'), 'Get a stored response', { audit: 'response.read' }),
    'DELETE /api/v1/responses/{id}': anyKey(keptResponses('deleteResponse'), 'Delete a stored response; the record of the generation stays', { audit: 'response.delete' }),
    'POST /api/v1/responses/{id}/cancel': anyKey(keptResponses('cancelResponse'), 'Cancel a response in the background, of which there are none: always refused'),
    'GET /api/v1/responses/{id}/input_items': anyKey(keptResponses('listInputItems'), 'List the input of a stored response, the responses before it included', { audit: 'response.read' }),
  },
  Completions: {
    'POST /api/v1/completions': apiKey(chat('createCompletion'), 'Complete a text, streamed or not'),
  },
  Presets: {
    'GET /api/v1/presets': anyKey(presets('listPresets'), 'List presets of the workspace, the last changed first'),
    'GET /api/v1/presets/{slug}': anyKey(presets('getPreset'), 'Get a preset with the version that calls use'),
    'GET /api/v1/presets/{slug}/versions': anyKey(presets('listPresetVersions'), 'List the versions of a preset, oldest first'),
    'GET /api/v1/presets/{slug}/versions/{version}': anyKey(presets('getPresetVersion'), 'Get a version of a preset'),
    'POST /api/v1/presets/{slug}/chat/completions': anyKey(presets('createPresetFromChat'), 'Save the settings of a chat request as a preset, or as its next version', { audit: 'preset.add_version' }),
    'POST /api/v1/presets/{slug}/messages': anyKey(presets('createPresetFromMessages'), 'The same with a request in the format of the Anthropic API', { audit: 'preset.add_version' }),
    'POST /api/v1/presets/{slug}/responses': anyKey(presets('createPresetFromResponses'), 'The same with a request in the format of the OpenAI Responses API', { audit: 'preset.add_version' }),
    'PATCH /admin/v1/presets/{slug}': admin(presets('updatePreset'), 'Rename, disable or archive a preset, or let calls use another version', { audit: 'preset.update' }),
    'DELETE /admin/v1/presets/{slug}': admin(presets('deletePreset'), 'Delete a preset and its versions', { audit: 'preset.delete' }),
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
    'GET /api/v1/videos/{jobId}/content': anyKey(videoContent('getVideoContent'), 'Get the bytes of a finished video, whole or in part', { audit: 'video.read' }),
    'GET /admin/v1/videos': admin(videos('listVideos'), 'List video jobs, newest first'),
    'GET /admin/v1/videos/{jobId}': admin(videos('getVideoDetail'), 'Get the timeline of a video job, and its prompt while it is open', { audit: 'video.read' }),
    'GET /admin/v1/videos/{jobId}/inputs': admin(videos('getVideoInputs'), 'Get the images, audio and videos that were sent with the prompt of a video job, while it is open', { audit: 'video.read' }),
  },
  Images: {
    'POST /api/v1/images': apiKey(images('createImages'), 'Make images, streamed or not'),
    'POST /api/v1/images/generations': apiKey(openAiImages('createOpenAiImage'), 'Make images in the form of OpenAI, streamed or not'),
    'POST /api/v1/images/edits': apiKey(openAiImages('editOpenAiImage'), 'Make images after pictures in the form of OpenAI, streamed or not'),
    'GET /api/v1/images/models': anyKey(images('listImageModels'), 'List models that make images, with what each can do'),
    'GET /api/v1/images/models/{author}/{slug+}/endpoints': anyKey(images('listImageModelEndpoints'), 'List the endpoints of a model that makes images, with their prices'),
  },
};
