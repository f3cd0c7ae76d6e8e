import type { Transport } from '../../foundation/transport.ts';
import { hasBatches } from '../kit/batch-calls.ts';
import { type ChatWire, createChatWire } from '../kit/create-chat-wire.ts';
import { describeProvider, type ProviderOptions, toUpstream } from '../kit/to-upstream.ts';
import type { Provider, WholeProvider } from '../provider.ts';
import { countGoogleTokens } from './count-google-tokens.ts';
import { createGoogleSpeech, createGoogleTranscriptions, GOOGLE_SPEECH_FORMATS } from './google-audio.ts';
import { createGoogleBatches } from './google-batches.ts';
import { createGoogleEmbeddings } from './google-embeddings.ts';
import { createGoogleImages } from './google-images.ts';
import { createGoogleVideos } from './google-videos.ts';
import { readGoogleModelList, toModelPath } from './models.ts';
import { readGoogleErrorBody } from './read-google-error.ts';
import { toGoogleRequest } from './request/to-google-request.ts';
import { toNativeBody } from './request/to-native-body.ts';
import { createGoogleCompletionReader } from './response/google-completion-reader.ts';

export interface GoogleProviderSettings extends ProviderOptions {
  /** Transport for images and videos at addresses that callers and upstream name. Without it there are no videos. */
  readonly downloads?: Transport | undefined;
}

/** The most that one page of the list may hold; far more than there are. */
const LIST_PAGE_SIZE = 1000;

/** Creates a provider for Google's Gemini wire (`generateContent`). The key is sent in a header, never in a URL. */
export function createGoogleProvider(settings: GoogleProviderSettings): Provider {
  const upstream = toUpstream(settings, { keyHeader: 'x-goog-api-key' });
  const { baseUrl } = upstream;
  const { downloads } = settings;
  const isVertex = settings.platform === 'vertex';
  const wire: ChatWire = {
    name: 'google',
    toUrl({ providerModel, stream }) {
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return `${baseUrl}/${toModelPath(providerModel)}:${method}`;
    },
    nativeForm: 'gemini',
    toBody: (call) =>
      call.native?.form === 'gemini' ? toNativeBody(call, call.native) : toGoogleRequest(call, isVertex),
    createReader: createGoogleCompletionReader,
    readError: readGoogleErrorBody,
    listUrl: `${baseUrl}/models?pageSize=${LIST_PAGE_SIZE}`,
    readModels: readGoogleModelList,
  };
  const members = createChatWire(upstream, wire);
  const common = {
    ...describeProvider(settings),
    putsModelInPath: true,
    speech: createGoogleSpeech(upstream),
    speechFormatsOf: () => GOOGLE_SPEECH_FORMATS,
    transcription: createGoogleTranscriptions(upstream),
  };
  if (isVertex) {
    // The other calls have other forms there, and so has the list of models.
    const provider: WholeProvider = { ...common, chat: members.chat, chatWhole: members.chatWhole };
    return provider;
  }
  return {
    ...common,
    discoverModels: settings.discoverModels,
    embeddings: createGoogleEmbeddings(upstream),
    ...(downloads !== undefined && { video: createGoogleVideos({ ...upstream, downloads }) }),
    image: createGoogleImages(upstream, members.chatWhole),
    ...members,
    ...(hasBatches(settings, 'generativelanguage.googleapis.com') && {
      batches: createGoogleBatches(upstream, wire, settings),
    }),
    countTokens: (call) => countGoogleTokens(upstream, call),
  };
}
