interface SparklineProps {
  readonly values: readonly number[];
  readonly width?: number;
  readonly height?: number;
}

/** How something went over time, as small bars beside its figure. Says nothing to assistive technology. */
export function Sparkline({ values, width = 96, height = 18 }: SparklineProps) {
  const highest = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  return (
    <svg aria-hidden="true" width={width} height={height} className="shrink-0 text-accent" role="presentation">
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--line-strong)" strokeWidth={1} />
      {values.map((value, at) => {
        const tall = value === 0 ? 0 : Math.max(2, (value / highest) * (height - 2));
        return (
          <rect
            key={at}
            x={at * step}
            y={height - 1 - tall}
            width={Math.max(1, step - 1)}
            height={tall}
            fill="currentColor"
          />
        );
      })}
    </svg>
  );
}
