import { type JobState, toFilmResponse, UPSTREAM_KEY, type VideoWireScript } from './video-wire-script.ts';

const WORDS: Readonly<Record<JobState, string>> = {
  queued: 'queued',
  working: 'in_progress',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  strange: 'warming_up',
};

export const script: VideoWireScript = {
  provider: (origin) => ({ wire: 'openai', baseUrl: `${origin}/v1` }),
  model: 'sora-2',
  key: ['authorization', `Bearer ${UPSTREAM_KEY}`],
  honoursIdempotencyKey: false,
  hasList: true,
  hasPublicFilms: false,
  submitted: [/name="model"\r\n\r\nsora-2\r\n/, /name="seconds"\r\n\r\n4\r\n/, /name="size"\r\n\r\n1280x720\r\n/],
  respond({ method, path, body, headers }, jobs) {
    const view = (id: string, state: JobState) => ({
      id,
      object: 'video',
      status: WORDS[state],
      created_at: 1_700_000_000,
      seconds: '4',
      ...(state === 'failed' && { error: { code: 'moderation_blocked', message: 'not this one' } }),
    });
    if (method === 'POST' && path === '/v1/videos') {
      const [, prompt = ''] = /name="prompt"\r\n\r\n(.*?)\r\n/.exec(body) ?? [];
      const job = jobs.start(prompt, headers['idempotency-key'] as string | undefined);
      return { status: 200, body: view(job.id, 'queued') };
    }
    if (path === '/v1/videos') {
      const data = jobs.all.map(({ id, prompt, createdAtMs }) => ({
        id,
        created_at: Math.floor(createdAtMs / 1000),
        model: 'sora-2',
        prompt,
      }));
      return { status: 200, body: { object: 'list', data } };
    }
    const [, id = '', rest] = /^\/v1\/videos\/([\w-]+)(\/content)?$/.exec(path) ?? [];
    const job = jobs.find(id);
    if (job === undefined) return script.refuse(404, 'no such video');
    return rest === undefined ? { status: 200, body: view(id, jobs.look(job)) } : toFilmResponse({ headers });
  },
  refuse: (status, message) => ({
    status,
    body: { error: { message, type: 'invalid_request_error', code: null } },
  }),
};
