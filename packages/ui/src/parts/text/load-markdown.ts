/** Loads what reads markdown, which is larger than most screens and needed by few of them at first. */
export const loadMarkdown = () => import('./markdown.tsx');
