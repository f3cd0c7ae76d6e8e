import { toApiUrl } from '../api/call-api.ts';
import type { CallKind } from './call-kinds.ts';
import { getDesktopInfo } from './desktop.ts';
import { appMessages } from './messages.ts';

/** Base URL for other programs. The page of the desktop app itself has an address that only the app can call. */
export function toBaseUrl(): string {
  const info = getDesktopInfo();
  if (info === null) return toApiUrl('/api/v1');
  return `${info.state.url ?? `http://127.0.0.1:${info.settings.port}`}/api/v1`;
}

interface Snippet {
  readonly label: string;
  /** As highlighters call it. */
  readonly language?: string;
  readonly toText: (model: string) => string;
}

/** Ready to be pasted; each refers to the key by the name of a variable, so that no key is on the clipboard. */
export const SNIPPETS: readonly Snippet[] = [
  {
    get label() {
      return appMessages().snippets.baseUrl;
    },
    toText: () => toBaseUrl(),
  },
  {
    get label() {
      return appMessages().snippets.bash;
    },
    language: 'bash',
    toText: () => `export OPENAI_BASE_URL='${toBaseUrl()}'\nexport OPENAI_API_KEY="$GATEWAY_API_KEY"\n`,
  },
  {
    get label() {
      return appMessages().snippets.powerShell;
    },
    language: 'powershell',
    toText: () => `$env:OPENAI_BASE_URL = '${toBaseUrl()}'\n$env:OPENAI_API_KEY = $env:GATEWAY_API_KEY\n`,
  },
  {
    label: 'curl',
    language: 'bash',
    toText: (model) =>
      `curl -sS ${toBaseUrl()}/chat/completions \\\n  -H "authorization: Bearer $GATEWAY_API_KEY" \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] })}'\n`,
  },
  {
    get label() {
      return appMessages().snippets.python;
    },
    language: 'python',
    toText: (model) =>
      `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${toBaseUrl()}", api_key=os.environ["GATEWAY_API_KEY"])\nanswer = client.chat.completions.create(\n    model="${model}",\n    messages=[{"role": "user", "content": "Hello!"}],\n)\nprint(answer.choices[0].message.content)\n`,
  },
  {
    get label() {
      return appMessages().snippets.typeScript;
    },
    language: 'typescript',
    toText: (model) =>
      `import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${toBaseUrl()}', apiKey: process.env.GATEWAY_API_KEY });\nconst answer = await client.chat.completions.create({\n  model: '${model}',\n  messages: [{ role: 'user', content: 'Hello!' }],\n});\nconsole.log(answer.choices[0]?.message.content);\n`,
  },
];

/** The same for a model that chats do not call. */
export const toOtherSnippet = ({ path, example }: CallKind): Snippet => ({
  label: 'curl',
  language: 'bash',
  toText: (model) =>
    `curl -sS ${toBaseUrl()}${path} \\\n  -H "authorization: Bearer $GATEWAY_API_KEY" \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify({ model, ...example })}'\n`,
});
