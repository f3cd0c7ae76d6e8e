import { type CallKind, type CostBound, minTokensOf } from '../../calls/call-kind.ts';
import type { VideoRequest } from '../../wire/videos.ts';
import { videoCostNanoUsd } from '../video-cost.ts';
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
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf: ({ prompt = '' }) => ({
    parameters: [],
    inputModalities: [],
    outputModalities: [],
    minPromptTokens: minTokensOf(prompt.length),
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf: ({ duration }) => boundOfVideo(duration ?? undefined),
  mapTexts: mapVideoTexts,
};

/** Bounds the cost of one video of this length. */
export const boundOfVideo = (durationSeconds: number | undefined): CostBound => ({
  worstCaseNanoUsd: (prices) => videoCostNanoUsd(prices, { durationSeconds, videos: 1 }),
});
