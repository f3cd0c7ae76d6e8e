/** A key of the measured gateway. The bare proxy checks no key. */
export const BENCH_KEY = 'sk-gw-v1-bench-0123456789abcdef0123456789abcdef0123456789abcdef';

/** The management key of the measured gateway. */
export const BENCH_MANAGEMENT_KEY = 'sk-gw-v1-bench-management-0123456789abcdef0123456789abcdef';

/** The path at which a target takes requests, and the headers that it needs with each. */
export interface Route {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The route of the gateway and of the bare proxy. */
export const OWN_ROUTE: Route = { path: '/api/v1/chat/completions', headers: {} };

/** The request that all measurements send: a short chat, as an application would ask. */
export function toRequestBody(script: string, stream: boolean): string {
  return JSON.stringify({
    model: `bench/${script}`,
    messages: [
      { role: 'system', content: 'You are an assistant who answers briefly and to the point.' },
      { role: 'user', content: 'Say in two lines of verse what a proxy does, then explain them in plain words.' },
    ],
    temperature: 0.5,
    max_tokens: 400,
    ...(stream && { stream: true }),
  });
}

/** The same request as the bytes of HTTP/1.1. */
export function toRequestBytes(port: number, script: string, stream: boolean, { path, headers } = OWN_ROUTE): Buffer {
  const body = toRequestBody(script, stream);
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${BENCH_KEY}`,
    'content-type: application/json',
    'user-agent: model-gateway-bench',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
