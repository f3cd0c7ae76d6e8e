/** A model in the chart. */
export interface ChartPoint {
  readonly id: string;
  readonly name: string;
  /** USD per million tokens. */
  readonly price: number;
  /** Tokens a second. */
  readonly speed: number;
  readonly requests: number;
  readonly usd: number;
}

/** Where points are drawn, in pixels. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Scales {
  readonly x: (price: number) => number;
  readonly y: (speed: number) => number;
  /** Values with a line each. */
  readonly prices: readonly number[];
  readonly speeds: readonly number[];
}

const STEPS = [1, 2, 5] as const;
/** Lines of prices are at least so far apart, in pixels. */
const LINE_GAP = 56;

/**
 * Prices go by factors, because the dearest model costs a thousand times the cheapest; speeds go evenly from 0. A model
 * that is free stands at the left edge.
 */
export function toScales(points: readonly ChartPoint[], { left, top, width, height }: Area): Scales {
  const priced = points.map(({ price }) => price).filter((price) => price > 0);
  const low = Math.min(...priced, 1) * 0.7;
  const high = Math.max(...priced, 1) * 1.4;
  // What is free has its own place before the cheapest.
  const start = left + (points.some(({ price }) => price === 0) ? LINE_GAP : 0);
  const room = left + width - start;
  const x = (price: number): number =>
    price <= 0 ? left + 24 : start + (Math.log(price / low) / Math.log(high / low)) * room;
  const highest = toNiceTop(Math.max(...points.map(({ speed }) => speed), 10) * 1.08);
  const y = (speed: number): number => top + height - (speed / highest) * height;
  const speeds = [0, 1, 2, 3, 4].map((part) => (highest * part) / 4);
  return { x, y, prices: pickPrices(low, high, x), speeds };
}

/** The least not below a value of those that are easy to divide by four. */
function toNiceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((nice) => nice >= value) ?? 10 * power;
}

function pickPrices(low: number, high: number, x: (price: number) => number): readonly number[] {
  const picked: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const step of STEPS) {
      const price = Number((step * 10 ** power).toPrecision(1));
      const last = picked.at(-1);
      if (price >= low && price <= high && (last === undefined || x(price) - x(last) >= LINE_GAP)) picked.push(price);
    }
  }
  return picked;
}

/** A point with its place; `label` is on which side there is room for its name. */
export interface PlacedPoint {
  readonly point: ChartPoint;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly label: 'left' | 'right' | null;
}

const RADIUS = { least: 11, most: 30 };
/** About the width of a letter of a name, in pixels, and the height of its line. */
const LETTER = 5.8;
const LINE = 14;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/**
 * Points by their use, the greatest first, so that small ones lie above. Their area is in proportion to the requests. A
 * name is written where it covers neither a point nor a name of greater use.
 */
export function placePoints(points: readonly ChartPoint[], { x, y }: Scales, area: Area): readonly PlacedPoint[] {
  const most = Math.max(1, ...points.map(({ requests }) => requests));
  const sized = points
    .toSorted((a, b) => b.requests - a.requests)
    .map((point) => {
      const radius = RADIUS.least + (RADIUS.most - RADIUS.least) * Math.sqrt(point.requests / most);
      return { point, x: x(point.price), y: y(point.speed), radius };
    });
  const taken: Box[] = sized.map((placed) => ({
    left: placed.x - placed.radius,
    right: placed.x + placed.radius,
    top: placed.y - placed.radius,
    bottom: placed.y + placed.radius,
  }));
  return sized.map((placed) => {
    const length = placed.point.name.length * LETTER + 6;
    const [top, bottom] = [placed.y - LINE / 2, placed.y + LINE / 2];
    const sides = {
      right: { left: placed.x + placed.radius, right: placed.x + placed.radius + length, top, bottom },
      left: { left: placed.x - placed.radius - length, right: placed.x - placed.radius, top, bottom },
    };
    for (const label of ['right', 'left'] as const) {
      const box = sides[label];
      const isInside = box.left >= area.left && box.right <= area.left + area.width;
      if (!isInside || taken.some((other) => overlaps(box, other))) continue;
      taken.push(box);
      return { ...placed, label };
    }
    return { ...placed, label: null };
  });
}
