let context: CanvasRenderingContext2D | null | undefined;

/** The width of a text in the page's font, in pixels: so that a column is as wide as what it shows, and no wider. */
export function measureText(text: string, { size = 14, weight = 400 } = {}): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (context === null || context === undefined) return text.length * size * 0.6;
  context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}
