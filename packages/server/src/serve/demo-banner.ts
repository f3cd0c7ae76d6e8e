export interface DemoFacts {
  /** Without a trailing slash. */
  readonly api: string;
  readonly key: string;
  readonly dataDir: string;
  readonly signInLink: string;
}

/** The text that demo mode prints when it listens: commands to paste that send a request and show the recording. */
export function createDemoBanner({ api, key, dataDir, signInLink }: DemoFacts): string {
  return `
  Model Gateway, demo mode: recorded responses, no network, no cost.

  API address   ${api}
  API key       ${key}
  Web UI        ${signInLink}
                (this link signs in once, within ten minutes)

  Send a chat completion:

curl -sS ${api}/chat/completions \\
  -H 'authorization: Bearer ${key}' \\
  -H 'content-type: application/json' \\
  -d '{"model":"demo/chat","messages":[{"role":"user","content":"Hello!"}]}'

  Add "stream":true for a stream. Every response has an id; with it, see what was recorded (/generation/content
  has the prompt and the completion):

curl -sS -H 'authorization: Bearer ${key}' '${api}/generation?id=PASTE-THE-ID-HERE'

  To begin with providers of your own, set up in the Web UI:  model-gateway serve --no-demo

  Kept in ${dataDir}. Ctrl-C stops it.

`;
}
