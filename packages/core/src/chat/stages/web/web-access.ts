import type { Transport } from '../../../foundation/transport.ts';
import type { SearchEngine } from './search-engine.ts';

/** A page made readable. */
export interface ReadablePage {
  readonly title: string;
  readonly text: string;
}

/** Network access of server tools and plugins; one whose member is absent reports that it cannot be used. */
export interface WebAccess {
  /** Transport for addresses that callers and models name: it must reach public ones only. */
  readonly transport?: Transport | undefined;
  /**
   * Takes a page's text out of its HTML. Default: none, and pages of HTML cannot be read. The message of a `GatewayError`
   * is shown, that of any other error is not; the same goes for `readPdf`.
   */
  readonly readHtml?: ((html: string) => Promise<ReadablePage>) | undefined;
  /** Takes the text out of a PDF, page by page; rejects for what is none. */
  readonly readPdf?: ((bytes: Uint8Array) => Promise<readonly string[]>) | undefined;
  readonly searchEngine?: SearchEngine | undefined;
}
