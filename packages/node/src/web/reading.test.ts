import { expect, test } from 'vitest';

import { createPdf } from '../../../../test/support/clients/create-pdf.ts';
import { htmlToPage, pdfToPages } from './reading.ts';

test('takes the title and the text out of a page, and leaves what surrounds it', async () => {
  const page =
    await htmlToPage(`<!doctype html><html><head><title>Trees &amp; more</title><style>p{}</style></head><body>
    <nav><a href="/">Home</a></nav>
    <main><h1>Trees</h1><p>They are <b>green</b>.<script>alert(1)</script></p>
    <p>See <a href="https://more.example/">more</a>.</p><ul><li>oak</li><li>elm</li></ul></main>
    <footer>Imprint</footer></body></html>`);
  expect(page.title).toBe('Trees & more');
  expect(page.text).toMatchInlineSnapshot(`
    "Trees

    They are green.

    See more (https://more.example/).

     * oak
     * elm"
  `);
});

test('reads a page that names no main part, and one that is hardly a page', async () => {
  expect(await htmlToPage('<body><div>Just <i>this</i></div></body>')).toEqual({ title: '', text: 'Just this' });
  expect(await htmlToPage('Just this')).toEqual({ title: '', text: 'Just this' });
  expect(await htmlToPage('')).toEqual({ title: '', text: '' });
});

test('takes the text out of a PDF, page by page, and leaves its bytes', async () => {
  const bytes = createPdf(['Page one', 'Page two']);
  const before = bytes.slice();
  expect(await pdfToPages(bytes)).toEqual(['Page one', 'Page two']);
  expect(bytes).toEqual(before);
});

test('rejects what is no PDF', async () => {
  await expect(pdfToPages(new TextEncoder().encode('%PDF-1.4 nonsense'))).rejects.toThrow(/PDF/);
});
