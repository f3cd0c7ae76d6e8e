import { expect, test } from 'vitest';

import { createPdf } from '../../../../test/support/clients/create-pdf.ts';
import { pdfToPages } from './pdf-to-pages.ts';

test('takes the text out of a PDF, page by page, and leaves its bytes', async () => {
  const bytes = createPdf(['Page one', 'Page two']);
  const before = bytes.slice();
  expect(await pdfToPages(bytes)).toEqual(['Page one', 'Page two']);
  expect(bytes).toEqual(before);
});

test('rejects what is no PDF', async () => {
  await expect(pdfToPages(new TextEncoder().encode('%PDF-1.4 nonsense'))).rejects.toThrow(/PDF/);
});
