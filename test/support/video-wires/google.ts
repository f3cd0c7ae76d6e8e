import { toFilmResponse, UPSTREAM_KEY, type VideoWireScript } from './video-wire-script.ts';

export const script: VideoWireScript = {
  provider: (origin) => ({ wire: 'google', baseUrl: `${origin}/v1beta` }),
  model: 'veo-3',
  key: ['x-goog-api-key', UPSTREAM_KEY],
  honoursIdempotencyKey: false,
  hasList: false,
  hasPublicFilms: false,
  submitted: [/"prompt":"/, /"durationSeconds":4/, /"aspectRatio":"16:9"/, /"resolution":"720p"/],
  respond({ method, path, body, headers, origin }, jobs) {
    if (method === 'POST' && path === '/v1beta/models/veo-3:predictLongRunning') {
      const { instances } = JSON.parse(body) as { instances: [{ prompt: string }] };
      return { status: 200, body: { name: `models/veo-3/operations/${jobs.start(instances[0].prompt).id}` } };
    }
    const [, film] = /^\/v1beta\/files\/([\w-]+):download$/.exec(path) ?? [];
    // Upstream also serves its films from another path.
    if (film !== undefined) return { status: 302, headers: { location: `/films/${film}` }, body: '' };
    if (path.startsWith('/films/')) return toFilmResponse({ headers });
    const [, id = ''] = /^\/v1beta\/models\/veo-3\/operations\/([\w-]+)$/.exec(path) ?? [];
    const job = jobs.find(id);
    if (job === undefined) return script.refuse(404, 'no such operation');
    const name = `models/veo-3/operations/${id}`;
    const uri = `${origin}/v1beta/files/${id}:download?alt=media`;
    switch (jobs.look(job)) {
      case 'done':
        return {
          status: 200,
          body: { name, done: true, response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } },
        };
      case 'failed':
        return { status: 200, body: { name, done: true, error: { code: 3, message: 'not this one' } } };
      case 'cancelled':
        return { status: 200, body: { name, done: true, error: { code: 1, message: 'stopped' } } };
      case 'queued':
      case 'working':
      case 'strange':
        return { status: 200, body: { name, metadata: { '@type': 'something' } } };
    }
  },
  refuse: (status, message) => ({ status, body: { error: { code: status, message, status: 'FAILED' } } }),
};
