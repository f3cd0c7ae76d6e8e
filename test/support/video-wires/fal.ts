import { type JobState, UPSTREAM_KEY, type VideoWireScript } from './video-wire-script.ts';

const WORDS: Readonly<Record<JobState, string>> = {
  queued: 'IN_QUEUE',
  working: 'IN_PROGRESS',
  done: 'COMPLETED',
  // How it ended shows in the result alone.
  failed: 'COMPLETED',
  cancelled: 'CANCELED',
  strange: 'DREAMING',
};

export const script: VideoWireScript = {
  provider: (origin) => ({ wire: 'fal', baseUrl: origin }),
  model: 'fal-ai/veo3/fast',
  key: ['authorization', `Key ${UPSTREAM_KEY}`],
  honoursIdempotencyKey: false,
  hasList: false,
  hasPublicFilms: true,
  submitted: [/"prompt":"/, /"duration":"4"/, /"aspect_ratio":"16:9"/, /"resolution":"720p"/],
  respond({ method, path, body, origin }, jobs) {
    if (method === 'POST' && path === '/fal-ai/veo3/fast') {
      const job = jobs.start((JSON.parse(body) as { prompt: string }).prompt);
      // Another host, as behind a proxy: the key is for the configured one alone.
      const url = `https://queue.fal.invalid/fal-ai/veo3/requests/${job.id}`;
      const status = { status: 'IN_QUEUE', request_id: job.id, response_url: url, status_url: `${url}/status` };
      return { status: 200, body: status };
    }
    const [, id = '', isStatus] = /^\/fal-ai\/veo3\/requests\/([\w-]+)(\/status)?$/.exec(path) ?? [];
    const job = jobs.find(id);
    if (job === undefined) return script.refuse(404, 'no such request');
    if (isStatus !== undefined) return { status: 200, body: { status: WORDS[jobs.look(job)], request_id: id } };
    if (job.prompt.includes('please fail')) {
      return { status: 422, body: { detail: [{ loc: ['body'], msg: 'not this one', type: 'content_policy' }] } };
    }
    return { status: 200, body: { video: { url: `${origin}/public/${id}.mp4`, content_type: 'video/mp4' }, seed: 1 } };
  },
  refuse: (status, message) => ({ status, body: { detail: message } }),
};
