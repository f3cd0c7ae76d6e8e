import { useMemo, useRef, useState } from 'react';

import { toTokenPrice } from '../../features/models/model-facts.ts';
import type { ModelRow } from '../../features/models/model-figures.ts';
import { formatPrice, formatUsdInColumn } from '../../format/money.ts';
import { formatCompact, formatCount, formatSpeed } from '../../format/quantity.ts';
import { Logo, toAuthor } from '../../parts/logo.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { type ChartPoint, placePoints, toScales } from './chart-points.ts';
import { modelsMessages } from './messages.tsx';

interface ModelChartProps {
  readonly rows: readonly ModelRow[];
  readonly onOpen: (id: string) => void;
}

/** Models by price, speed and own use: as points, and below as a table for those who cannot see points. */
export function ModelChart({ rows, onOpen }: ModelChartProps) {
  const t = modelsMessages().chart;
  const points = useMemo(() => toPoints(rows), [rows]);
  if (points.length === 0) return <EmptyState title={t.empty}>{t.emptyHint}</EmptyState>;
  const leftOut = rows.length - points.length;
  return (
    <div className="scroll-thin flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      <figure className="card p-4" aria-label={t.title}>
        <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 text-xs text-ink-faint">
          <span className="text-base font-semibold text-ink">{t.title}</span>
          <span>{t.legend}</span>
        </figcaption>
        <Scatter points={points} onOpen={onOpen} />
      </figure>
      <PointTable points={points} onOpen={onOpen} />
      {leftOut > 0 && <p className="text-xs text-ink-faint">{t.leftOut(leftOut)}</p>}
    </div>
  );
}

const HEIGHT = 420;
const MARGIN = { top: 12, right: 24, bottom: 40, left: 44 };

/** What a model costs when three tokens go in for each that comes out. */
const IN_FOR_ONE_OUT = 3;

function toPoints(rows: readonly ModelRow[]): readonly ChartPoint[] {
  return rows.flatMap(({ model, figures }) => {
    const [input, output] = [toTokenPrice(model.pricing, 'prompt'), toTokenPrice(model.pricing, 'completion')];
    if (figures === undefined || figures.speed === null || input === null || output === null) return [];
    const { speed, requests, usd } = figures;
    const price = (input * IN_FOR_ONE_OUT + output) / (IN_FOR_ONE_OUT + 1);
    const name = model.name.slice(model.name.indexOf(': ') + 1).trim();
    return [{ id: model.id, name, price, speed, requests, usd }];
  });
}

function describe({ name, price, speed, requests }: ChartPoint): string {
  const t = modelsMessages().chart;
  return t.point(name, toPriceText(price), formatSpeed(speed), t.requests(requests));
}

const toPriceText = (price: number): string =>
  price === 0 ? modelsMessages().chart.free : formatPrice(Number(price.toPrecision(3)));

function Scatter({ points, onOpen }: { points: readonly ChartPoint[]; onOpen: (id: string) => void }) {
  const t = modelsMessages().chart;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [active, setActive] = useState<string | null>(null);
  const area = {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(100, width - MARGIN.left - MARGIN.right),
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const scales = toScales(points, area);
  const placed = placePoints(points, scales, area);
  const shown = placed.find(({ point }) => point.id === active);
  return (
    <div ref={frame} className="relative" style={{ height: HEIGHT }}>
      {width > 0 && (
        <>
          <svg aria-hidden="true" width={width} height={HEIGHT} className="absolute inset-0">
            {scales.speeds.map((speed) => (
              <g key={speed}>
                <line
                  x1={area.left}
                  x2={area.left + area.width}
                  y1={scales.y(speed)}
                  y2={scales.y(speed)}
                  className="stroke-line"
                />
                <text
                  x={area.left - 8}
                  y={scales.y(speed)}
                  dy="0.32em"
                  textAnchor="end"
                  className="figures fill-ink-faint text-2xs"
                >
                  {formatCompact(speed)}
                </text>
              </g>
            ))}
            {scales.prices.map((price) => (
              <g key={price}>
                <line
                  x1={scales.x(price)}
                  x2={scales.x(price)}
                  y1={area.top}
                  y2={area.top + area.height}
                  className="stroke-line/60"
                />
                <text
                  x={scales.x(price)}
                  y={area.top + area.height + 16}
                  textAnchor="middle"
                  className="figures fill-ink-faint text-2xs"
                >
                  {toPriceText(price)}
                </text>
              </g>
            ))}
            <text x={area.left} y={area.top} dy="0.9em" dx={6} className="fill-ink-faint text-2xs">
              {t.speed}
            </text>
            <text x={area.left + area.width} y={HEIGHT - 6} textAnchor="end" className="fill-ink-faint text-2xs">
              {t.price}
            </text>
          </svg>
          {placed.map(({ point, x, y, radius, label }) => (
            <button
              key={point.id}
              type="button"
              aria-label={describe(point)}
              onClick={() => onOpen(point.id)}
              onPointerEnter={() => setActive(point.id)}
              onPointerLeave={() => setActive(null)}
              onFocus={() => setActive(point.id)}
              onBlur={() => setActive(null)}
              className="absolute flex items-center justify-center rounded-full border border-accent bg-accent-soft/80 text-ink hover:z-10 hover:bg-accent-soft focus-visible:z-10"
              style={{ left: x - radius, top: y - radius, width: 2 * radius, height: 2 * radius }}
            >
              <Logo name={toAuthor(point.id)} size={Math.round(Math.max(12, radius * 0.9))} />
              {label !== null && (
                <span
                  className={`pointer-events-none absolute text-2xs whitespace-nowrap text-ink-soft ${label === 'right' ? 'left-full ml-1.5' : 'right-full mr-1.5'}`}
                >
                  {point.name}
                </span>
              )}
            </button>
          ))}
          {shown !== undefined && (
            <div
              aria-hidden="true"
              className="card pointer-events-none absolute z-20 flex flex-col gap-0.5 px-2.5 py-1.5 text-xs shadow-xl"
              style={{
                ...(shown.x > width / 2
                  ? { right: width - shown.x + shown.radius + 8 }
                  : { left: shown.x + shown.radius + 8 }),
                top: Math.min(shown.y, HEIGHT - 90),
              }}
            >
              <span className="font-medium">{shown.point.name}</span>
              <span className="font-mono text-2xs text-ink-faint">{shown.point.id}</span>
              <span className="figures text-ink-soft">
                {toPriceText(shown.point.price)} · {formatSpeed(shown.point.speed)} · {t.requests(shown.point.requests)}
              </span>
            </div>
          )}
        </>
      )}
    </div>
  );
}

function PointTable({ points, onOpen }: { points: readonly ChartPoint[]; onOpen: (id: string) => void }) {
  const { chart, columns } = modelsMessages();
  const heads = [chart.price, columns.speed, columns.requests, columns.spend];
  return (
    <div className="card scroll-thin shrink-0 overflow-x-auto px-4 py-2">
      <table className="figures w-full text-sm" aria-label={chart.title}>
        <thead>
          <tr className="border-b border-line text-right text-xs text-ink-faint">
            <th scope="col" className="py-1.5 text-left font-medium">
              {columns.name}
            </th>
            {heads.map((head) => (
              <th key={head} scope="col" className="py-1.5 pl-4 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points
            .toSorted((a, b) => b.requests - a.requests)
            .map((point) => (
              <tr key={point.id} className="border-b border-line/60 text-right">
                <th scope="row" className="py-1 text-left font-normal">
                  <button
                    type="button"
                    className="flex min-h-6 items-center gap-2 rounded hover:underline"
                    onClick={() => onOpen(point.id)}
                  >
                    <Logo name={toAuthor(point.id)} className="text-ink-soft" /> {point.name}
                  </button>
                </th>
                <td className="py-1 pl-4">{toPriceText(point.price)}</td>
                <td className="py-1 pl-4">{formatCount(Math.round(point.speed))}</td>
                <td className="py-1 pl-4">{formatCount(point.requests)}</td>
                <td className="py-1 pl-4">{formatUsdInColumn(point.usd)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
