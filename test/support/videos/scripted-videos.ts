import type { Awaitable, Provider } from '@model-gateway/core';

import type {
  VideoContent,
  VideoFetch,
  VideoProgress,
  VideoProvider,
  VideoStart,
} from '../../../packages/core/src/providers/video-contract.ts';

/** A provider of videos whose responses come from the test. */
export interface ScriptedVideos {
  readonly provider: Provider;
  readonly starts: readonly VideoStart[];
  /** Upstream ids, in the order in which they were looked at. */
  readonly polls: readonly string[];
  readonly fetches: readonly VideoFetch[];
}

export interface VideoScript {
  readonly slug?: string;
  /** Error that a submission throws, by its number from 0; undefined lets it pass. */
  readonly failStart?: (number: number) => Error | undefined;
  /** Result of the nth look at a job, counted from 0; an error that is thrown is a failed look. */
  readonly progress?: (upstreamId: string, number: number) => Awaitable<VideoProgress>;
  readonly content?: (call: VideoFetch) => VideoContent;
}

/** Creates one that makes every video at the first look, unless the script says otherwise. */
export function createScriptedVideos(script: VideoScript = {}): ScriptedVideos {
  const starts: VideoStart[] = [];
  const polls: string[] = [];
  const fetches: VideoFetch[] = [];
  const slug = script.slug ?? 'film';
  const video: VideoProvider = {
    honoursIdempotencyKey: false,
    async start(call) {
      const failure = script.failStart?.(starts.length);
      starts.push(call);
      if (failure !== undefined) throw failure;
      return { upstreamId: `${slug}-${starts.length}`, status: 'pending' };
    },
    async poll({ job }) {
      const number = polls.filter((id) => id === job.upstreamId).length;
      polls.push(job.upstreamId);
      return script.progress?.(job.upstreamId, number) ?? { status: 'completed', outputs: [{}] };
    },
    async fetch(call) {
      fetches.push(call);
      return script.content?.(call) ?? { status: 200, headers: {}, body: toBody('bytes') };
    },
  };
  const provider: Provider = {
    slug,
    name: slug === 'film' ? 'Film' : slug,
    dataPolicy: { training: false, retainsPrompts: true },
    video,
  };
  return { provider, starts, polls, fetches };
}

export async function* toBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
