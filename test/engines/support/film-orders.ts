import { setTimeout as delay } from 'node:timers/promises';

import { script as openai } from '../../support/video-wires/openai.ts';
import type { Instance } from './instances.ts';

/** A video job as the API tells of it. */
export interface Film {
  readonly id: string;
  readonly status: string;
  readonly error?: string;
  readonly generation_id?: string;
}

/** A model of the provider `films`, which speaks the wire of OpenAI. */
export const FILM_MODEL = {
  id: 'test/film',
  architecture: { input_modalities: ['text'], output_modalities: ['video'] },
  endpoints: [{ provider: 'films', providerModel: openai.model, pricing: { video_second: '0.1' } }],
};

export interface FilmOrder {
  readonly key: string;
  readonly prompt: string;
  /** The address that its end is announced to. */
  readonly callbackUrl: string;
  /** Index of the instance that is asked first. */
  readonly first: number;
}

const MAX_ATTEMPTS = 600;

/** Orders a film, and again with the same idempotency key at another instance while there is no response. */
export async function orderFilm(
  instances: readonly Instance[],
  { key, prompt, callbackUrl, first }: FilmOrder,
): Promise<Film> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${instances[(first + attempt) % instances.length]?.url}/api/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': prompt },
      body: JSON.stringify({ model: FILM_MODEL.id, prompt, duration: 4, callback_url: callbackUrl }),
    }).catch(() => undefined);
    if (response?.ok === true) {
      const film = (await response.json().catch(() => undefined)) as Film | undefined;
      if (film !== undefined) return film;
    }
    if (attempt > MAX_ATTEMPTS) throw new Error(`no film: ${response?.status} ${await response?.text()}`);
    await delay(200);
  }
}

/** Resolves with a film when its job has ended. */
export async function untilFilmEnded({ call }: Instance, id: string, key: string, limitMs: number): Promise<Film> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const film = await call<Film>('GET', `/api/v1/videos/${id}`, undefined, key);
    if (film.status !== 'pending' && film.status !== 'in_progress') return film;
    if (performance.now() > giveUpAt) throw new Error(`${id} is still ${film.status}`);
    await delay(250);
  }
}
