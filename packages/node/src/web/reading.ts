import type { ReadablePage } from '@model-gateway/core';

import { loadPeer } from '../load-peer.ts';
import type { ScannedPages } from '../recognition/recognise-text.ts';

export type ReadingTask =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'scan' } & Omit<ScannedPages, 'gate'>);

export interface ReadingResult {
  readonly html: ReadablePage;
  readonly pdf: readonly string[];
  readonly scan: readonly string[];
}

/** Elements around a page's own text. */
const SKIPPED_ELEMENTS = [
  'title',
  'nav',
  'header',
  'footer',
  'aside',
  'form',
  'script',
  'style',
  'noscript',
  'svg',
  'iframe',
  'img',
  'button',
];
/** Pages of more characters are read up to there. */
const MAX_PAGE_CHARACTERS = 1_000_000;
/** A title stands before everything else. */
const TITLE_WITHIN = 100_000;

/** Takes the title and the text out of a page; links keep their addresses. The library is loaded when first needed. */
export async function htmlToPage(html: string): Promise<ReadablePage> {
  const { convert } = await loadPeer('Reading web pages', ['html-to-text'], () => import('html-to-text'));
  const [, title = ''] = /<title[^>]{0,200}>([^<]{0,1000})/i.exec(html.slice(0, TITLE_WITHIN)) ?? [];
  const text = convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MAX_PAGE_CHARACTERS, ellipsis: '' },
    baseElements: { selectors: ['main', 'article', 'body'], orderBy: 'selectors', returnDomByDefault: true },
    selectors: [
      ...SKIPPED_ELEMENTS.map((selector) => ({ selector, format: 'skip' })),
      { selector: 'a', options: { ignoreHref: false, hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return { title: convert(title, { wordwrap: false }).trim(), text: text.replace(/\n{3,}/g, '\n\n').trim() };
}

/** Takes the text out of a PDF, page by page; rejects for what is none. The library is loaded when first needed. */
export async function pdfToPages(bytes: Uint8Array): Promise<readonly string[]> {
  const { extractText, getDocumentProxy } = await loadPeer('Reading PDFs', ['unpdf'], () => import('unpdf'));
  // The library takes the memory it is given for its own.
  const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 });
  try {
    const { text } = await extractText(document, { mergePages: false });
    return text;
  } finally {
    await document.loadingTask.destroy();
  }
}
