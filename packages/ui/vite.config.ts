import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The gateway that `vite` and `vite preview` stand in front of. */
const target = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8855';
// The gateway answers only to names and pages it knows, so it is shown its own.
const proxy = Object.fromEntries(
  ['/api', '/admin', '/health', '/ready'].map((path) => [
    path,
    { target, changeOrigin: true, headers: { origin: target } },
  ]),
);

export default defineConfig({
  // Relative, because one bundle is served at /ui/ and at the root of the desktop's own scheme.
  base: './',
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2023',
    // The polyfill is for browsers older than the target.
    modulePreload: { polyfill: false },
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: { proxy },
  preview: { proxy },
});
