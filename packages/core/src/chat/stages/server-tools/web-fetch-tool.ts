import { z } from 'zod';

import { GatewayError } from '../../../foundation/errors.ts';
import { clipText } from '../web/clip-text.ts';
import { fetchAddress, type FetchedAddress } from '../web/fetch-address.ts';
import { isDomainAllowed } from '../web/is-domain-allowed.ts';
import type { ReadablePage, WebAccess } from '../web/web-access.ts';
import { type ServerTool, ToolFailure } from './server-tool.ts';

const MAX_FETCHES = 50;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_CHARACTERS = 100_000;
const CHARACTERS_A_TOKEN = 4;

const sites = z.array(z.string().max(300)).max(100).nullish();
const optionsSchema = z.object({
  engine: z.string().nullish(),
  max_uses: z.int().min(1).nullish(),
  max_content_tokens: z.int().min(1).nullish(),
  allowed_domains: sites,
  blocked_domains: sites,
});

/** Reads pages of the public web (wire.md 10.2). */
export function createWebFetchTool({ transport, readHtml, readPdf }: WebAccess): ServerTool {
  return {
    name: 'web_fetch',
    description: 'Fetches one address of the public web and returns its text.',
    inputSchema: {
      type: 'object',
      properties: { url: { type: 'string', description: 'The whole address, with https://' } },
      required: ['url'],
      additionalProperties: false,
    },
    open(parameters, { platform }) {
      const options = optionsSchema.parse(parameters);
      const rules = { allowed: options.allowed_domains, excluded: options.blocked_domains };
      const maxCharacters = Math.min(
        (options.max_content_tokens ?? MAX_CHARACTERS) * CHARACTERS_A_TOKEN,
        MAX_CHARACTERS,
      );
      let uses = 0;
      const check = (address: string): void => {
        if (!isDomainAllowed(address, rules)) throw new ToolFailure('this address may not be fetched in this request');
      };
      return {
        async run({ url }, signal) {
          if (transport === undefined) throw new ToolFailure('fetching pages is not set up on this gateway');
          if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
            throw new ToolFailure('url: must be an address that begins with https:// or http://');
          }
          uses += 1;
          if (uses > Math.min(options.max_uses ?? MAX_FETCHES, MAX_FETCHES)) {
            throw new ToolFailure('no more pages can be fetched in this request');
          }
          const fetched = await fetchAddress(url, { transport, signal, maxBytes: MAX_BYTES, check });
          const { title, text } = await toPage(fetched, { readHtml, readPdf });
          return {
            content: JSON.stringify({
              url: fetched.url,
              title,
              content: clipText(text, maxCharacters),
              status: 'completed',
              retrieved_at: new Date(platform.now()).toISOString(),
            }),
          };
        },
      };
    },
  };
}

async function toPage(
  { url, contentType, bytes }: FetchedAddress,
  { readHtml, readPdf }: Pick<WebAccess, 'readHtml' | 'readPdf'>,
): Promise<ReadablePage> {
  if (contentType.startsWith('application/pdf')) {
    if (readPdf === undefined) throw new ToolFailure('the address holds a PDF, which cannot be read here');
    const pages = await readPdf(bytes).catch((error: unknown) => {
      throw toFailure(error, 'the address holds a PDF that cannot be read');
    });
    return { title: url, text: pages.join('\n\n') };
  }
  if (!/^(text\/|application\/([\w.-]+\+)?(json|xml)|application\/xhtml|$)/.test(contentType)) {
    throw new ToolFailure(`the address holds ${clipText(contentType, 80)}, which is not text`);
  }
  const text = decode(bytes, contentType);
  if (!/html/.test(contentType)) return { title: url, text };
  if (readHtml === undefined) throw new ToolFailure('pages of HTML cannot be read on this gateway');
  return readHtml(text).catch((error: unknown) => {
    throw toFailure(error, 'the page cannot be read');
  });
}

/** What a parser says of a page of others is not shown; an error of the gateway says why nothing can be read. */
function toFailure(error: unknown, otherwise: string): ToolFailure {
  return new ToolFailure(error instanceof GatewayError ? error.message : otherwise);
}

/** Decodes by the charset of the response's content type, else by the one in the page's first bytes, else as UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  const said = /charset=["']?([\w-]+)/.exec(contentType)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(opening)?.[1];
  try {
    return new TextDecoder(said ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
