import { type JobState, toFilmResponse, UPSTREAM_KEY, type VideoWireScript } from './video-wire-script.ts';

const WORDS: Readonly<Record<JobState, string>> = {
  queued: 'pending',
  working: 'in_progress',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  strange: 'dreaming',
};

export const script: VideoWireScript = {
  provider: (origin) => ({ preset: 'gateway', baseUrl: `${origin}/api/v1` }),
  model: 'acme/film',
  key: ['authorization', `Bearer ${UPSTREAM_KEY}`],
  honoursIdempotencyKey: true,
  hasList: false,
  hasPublicFilms: false,
  submitted: [/"model":"acme\/film"/, /"duration":4/, /"aspect_ratio":"16:9"/, /"resolution":"720p"/],
  respond({ method, path, body, headers, query, origin }, jobs) {
    const view = (id: string, state: JobState) => ({
      id,
      polling_url: `/api/v1/videos/${id}`,
      status: WORDS[state],
      ...(state === 'failed' && { error: 'not this one' }),
      ...(state === 'done' && {
        unsigned_urls: [`${origin}/api/v1/videos/${id}/content?index=0`],
        usage: { cost: 0.25, is_byok: false },
      }),
    });
    if (method === 'POST' && path === '/api/v1/videos') {
      const key = headers['idempotency-key'] as string | undefined;
      const known = jobs.all.find(({ idempotencyKey }) => key !== undefined && idempotencyKey === key);
      const job = known ?? jobs.start((JSON.parse(body) as { prompt: string }).prompt, key);
      return { status: 202, body: view(job.id, 'queued') };
    }
    const [, id = '', content] = /^\/api\/v1\/videos\/([\w-]+)(\/content)?$/.exec(path) ?? [];
    const job = jobs.find(id);
    if (job === undefined || (content !== undefined && query.get('index') !== '0')) return script.refuse(404, 'none');
    return content === undefined ? { status: 200, body: view(id, jobs.look(job)) } : toFilmResponse({ headers });
  },
  refuse: (status, message) => ({ status, body: { error: { code: status, message } } }),
};
