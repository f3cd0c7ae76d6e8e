import { toBaseUrl } from '../../../app/base-url.ts';
import { appMessages } from '../../../app/messages.ts';
import type { BenchKind } from './kind-spec.ts';

interface KindSnippet {
  readonly label: string;
  readonly text: string;
}

interface Called {
  readonly kind: BenchKind;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The method of OpenAI's clients, where they have one. */
const METHODS: Readonly<Record<BenchKind, string | null>> = {
  speech: 'audio.speech',
  transcription: 'audio.transcriptions',
  embeddings: 'embeddings',
  rerank: null,
  moderation: 'moderations',
};

/** A call as programs make it, with the key in a variable. */
export function toKindSnippets(called: Called): readonly KindSnippet[] {
  const t = appMessages().snippets;
  const method = METHODS[called.kind];
  return [
    { label: 'curl', text: toCurl(called) },
    ...(method === null
      ? []
      : [
          { label: t.python, text: toPython(called, method) },
          { label: t.typeScript, text: toTypeScript(called, method) },
        ]),
  ];
}

const AUTHORIZATION = `-H "authorization: Bearer $GATEWAY_API_KEY"`;
/** Stands for the file of the user. */
const FILE = 'recording.mp3';

function toCurl({ kind, path, body }: Called): string {
  const start = `curl -sS ${toBaseUrl()}${path} \\\n  ${AUTHORIZATION} \\\n`;
  if (kind === 'transcription') {
    const fields = Object.entries(body).map(([name, value]) => ` \\\n  -F ${quote(`${name}=${String(value)}`)}`);
    return `${start}  -F file=@${FILE}${fields.join('')}\n`;
  }
  const end = kind === 'speech' ? ` \\\n  -o speech.${String(body['response_format'])}` : '';
  return `${start}  -H 'content-type: application/json' \\\n  -d ${quote(JSON.stringify(body))}${end}\n`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function toPython({ kind, body }: Called, method: string): string {
  const named = Object.entries(body).map(([name, value]) => `    ${name}=${toPythonValue(value)},\n`);
  const args = [...(kind === 'transcription' ? [`    file=open("${FILE}", "rb"),\n`] : []), ...named].join('');
  const start = `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${toBaseUrl()}", api_key=os.environ["GATEWAY_API_KEY"])\n`;
  const end = kind === 'speech' ? `result.write_to_file("speech.${String(body['response_format'])}")` : 'print(result)';
  return `${start}result = client.${method}.create(\n${args})\n${end}\n`;
}

/** JSON is Python but for three words; none of the values here are those. */
const toPythonValue = (value: unknown): string => JSON.stringify(value);

function toTypeScript({ kind, body }: Called, method: string): string {
  const named = Object.entries(body).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`);
  const args = [...(kind === 'transcription' ? [`  file: createReadStream('${FILE}'),\n`] : []), ...named].join('');
  const imports = {
    transcription: `import { createReadStream } from 'node:fs';\n`,
    speech: `import { writeFile } from 'node:fs/promises';\n`,
  }[kind as string];
  const start = `${imports ?? ''}import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${toBaseUrl()}', apiKey: process.env.GATEWAY_API_KEY });\n`;
  const end =
    kind === 'speech'
      ? `await writeFile('speech.${String(body['response_format'])}', Buffer.from(await result.arrayBuffer()));`
      : 'console.log(result);';
  return `${start}const result = await client.${method}.create({\n${args}});\n${end}\n`;
}
