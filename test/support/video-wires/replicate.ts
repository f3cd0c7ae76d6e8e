import { type JobState, UPSTREAM_KEY, type VideoWireScript } from './video-wire-script.ts';

const WORDS: Readonly<Record<JobState, string>> = {
  queued: 'starting',
  working: 'processing',
  done: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
  strange: 'dreaming',
};

export const script: VideoWireScript = {
  provider: (origin) => ({ wire: 'replicate', baseUrl: `${origin}/v1` }),
  model: 'acme/film',
  key: ['authorization', `Bearer ${UPSTREAM_KEY}`],
  honoursIdempotencyKey: false,
  hasList: true,
  hasPublicFilms: true,
  submitted: [/"version":"acme\/film"/, /"duration":4/, /"aspect_ratio":"16:9"/, /"resolution":"720p"/],
  respond({ method, path, body, origin }, jobs) {
    const view = (id: string, state: JobState) => ({
      id,
      status: WORDS[state],
      output: state === 'done' ? `${origin}/public/${id}.mp4` : null,
      error: state === 'failed' ? 'not this one' : null,
    });
    if (method === 'POST' && path === '/v1/predictions') {
      const job = jobs.start((JSON.parse(body) as { input: { prompt: string } }).input.prompt);
      return { status: 201, body: view(job.id, 'queued') };
    }
    if (path === '/v1/predictions') {
      const results = jobs.all.map(({ id, prompt, createdAtMs }) => ({
        id,
        created_at: new Date(createdAtMs).toISOString(),
        model: 'acme/film',
        version: 'hidden',
        input: { prompt },
      }));
      return { status: 200, body: { next: null, previous: null, results } };
    }
    const id = path.replace('/v1/predictions/', '');
    const job = jobs.find(id);
    return job === undefined ? script.refuse(404, 'none') : { status: 200, body: view(id, jobs.look(job)) };
  },
  refuse: (status, message) => ({ status, body: { title: 'Refused', detail: message, status } }),
};
