import { type CallKind, minTokensOf, mostTokensOf } from '../../calls/call-kind.ts';
import type { VideoRequest } from '../../wire/videos/video-request.ts';
import { mapVideoTexts } from './map-video-texts.ts';

/** The kind of calls that make a video. */
export const videoKind: CallKind<VideoRequest> = {
  name: 'video',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf({ provider }) {
    const { options: _, ...preferences } = provider ?? {};
    return { provider: preferences, partition: 'model' };
  },
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  needsOf: ({ prompt = '' }) => ({
    parameters: [],
    inputModalities: [],
    outputModalities: [],
    minPromptTokens: minTokensOf(prompt.length),
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf: (request) => ({
    textTokens: mostTokensOf(request),
    mediaTokens: null,
    images: 0,
    hasAudio: false,
    maxTokens: null,
    predictedTokens: 0,
    video: { durationSeconds: request.duration ?? undefined, videos: 1 },
  }),
  mapTexts: mapVideoTexts,
};
