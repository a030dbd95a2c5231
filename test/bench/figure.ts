/** One measured figure, and how it is judged. */
export interface Figure {
  name: string
  value: number
  unit: string
  limit: number
  better: 'lower' | 'higher'
  /** What it was measured against, in the same run. */
  against: string
}

/** A part of the product to measure; `run` checks its results before it returns their times. */
export interface Bench {
  name: string
  run: () => Promise<Figure[]>
}

export function isMet({ value, limit, better }: Figure): boolean {
  return better === 'lower' ? value <= limit : value >= limit
}

/** Returns a figure for which lower is better. */
export function lower(name: string, value: number, unit: string, limit: number, against: string): Figure {
  return { name, value: rounded(value), unit, limit, better: 'lower', against }
}

/** The value below which `share` (0 to 1) of the samples lie. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, two) => one - two)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

/** The slope of points, as the median of the slopes between any two (Theil–Sen): single outliers don't tilt it. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  return median(
    points.flatMap(([x, y], index) => points.slice(index + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)))
  )
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
