import type { GatewayOptions, GatewayResponse, ModelDefinition, VideoJob } from '@model-gateway/core';

import { createCoreGateway, type CoreGateway } from '../gateways/core-gateway.ts';
import type { RecordingStore } from '../stores/recording-store.ts';
import { createScriptedVideos, type ScriptedVideos, type VideoScript } from './scripted-videos.ts';

/** A model that is charged a tenth of a dollar a second. */
export const FILM: ModelDefinition = {
  id: 'acme/film',
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['video'] },
  endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
};

/** A gateway in virtual time with one scripted provider of videos. */
export interface VideoGateway extends CoreGateway, ScriptedVideos {
  submit(
    body?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: VideoResponseBody; headers: Record<string, string> }>;
  look(id: string): Promise<VideoResponseBody>;
  job(id: string): Promise<VideoJob>;
}

export interface VideoResponseBody {
  readonly id: string;
  readonly status: string;
  readonly polling_url: string;
  readonly generation_id?: string;
  readonly error?: string & { message: string };
  readonly unsigned_urls?: readonly string[];
  readonly usage?: { readonly cost: number | null };
}

/** The parts of a response that tests look at. */
export const readResponse = ({
  status,
  headers,
  body,
}: GatewayResponse): { status: number; body: VideoResponseBody; headers: Record<string, string> } => ({
  status,
  headers,
  body: JSON.parse(typeof body === 'string' ? body : '{}') as VideoResponseBody,
});

/** Creates one. `submit` asks for four seconds of `acme/film`, unless the body says otherwise. */
export function createVideoGateway(
  script: VideoScript = {},
  options: Partial<GatewayOptions> & { readonly isPerRequest?: boolean; readonly recordingStore?: RecordingStore } = {},
): VideoGateway {
  const film = createScriptedVideos(script);
  const core = createCoreGateway([film.provider], { models: [FILM], ...options });
  return {
    ...core,
    ...film,
    async submit(body = {}, headers = {}) {
      const request = { model: 'acme/film', prompt: 'a fox', duration: 4, ...body };
      const types = { 'content-type': 'application/json', ...headers };
      return readResponse(
        await core.post(
          '/api/v1/videos',
          request,
          headers === undefined ? {} : { headers: { authorization: 'Bearer sk-test-api', ...types } },
        ),
      );
    },
    look: async (id) => readResponse(await core.get(`/api/v1/videos/${id}`)).body,
    async job(id) {
      const job = await core.store.videoJobs.get(id);
      if (job === undefined) throw new Error(`no job ${id}`);
      return job;
    },
  };
}
