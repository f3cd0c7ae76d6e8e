import { loadPeer } from '../load-peer.ts';

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
