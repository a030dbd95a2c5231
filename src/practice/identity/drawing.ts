/// <reference path="../fontkit.d.ts" />
/**
 * A small rasteriser: filled anti-aliased shapes and text, exported as PNG. Supports only what practice pictures need.
 */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { create, type Font } from 'fontkit'
import { resource } from '../resources.ts'

export type Colour = readonly [red: number, green: number, blue: number]
export type Point = readonly [x: number, y: number]
/** A colour by position; constant for a plain fill. */
type Paint = (x: number, y: number) => Colour

/** Sample rows per pixel row: smooth enough edges, and fast. */
const ROWS = 4

export class Drawing {
  readonly width: number
  readonly height: number
  /** Each pixel's red, green and blue, row by row from the top. */
  readonly pixels: Uint8Array<ArrayBuffer>

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.pixels = new Uint8Array(width * height * 3)
  }

  /** Fills closed outlines (even-odd rule) with a paint, at `opacity` from 0 to 1. */
  fill(outlines: readonly (readonly Point[])[], paint: Colour | Paint, opacity = 1): void {
    const colourAt: Paint = typeof paint === 'function' ? paint : () => paint
    const edges = outlines.flatMap(edgesOf)
    if (edges.length === 0) return
    const top = Math.max(0, Math.floor(Math.min(...edges.map((edge) => edge.top))))
    const bottom = Math.min(this.height, Math.ceil(Math.max(...edges.map((edge) => edge.bottom))))
    const covered = new Float32Array(this.width)
    for (let y = top; y < bottom; y++) {
      covered.fill(0)
      for (let row = 0; row < ROWS; row++) coverRow(edges, y + (row + 0.5) / ROWS, covered)
      for (let x = 0; x < this.width; x++) {
        const share = ((covered[x] ?? 0) / ROWS) * opacity
        if (share > 0.003) this.blend(x, y, colourAt(x, y), Math.min(1, share))
      }
    }
  }

  /** Copies a drawing onto this one, scaled to a width. */
  drawScaled(other: Drawing, left: number, top: number, width: number): void {
    const scale = other.width / width
    for (let y = 0; y < Math.floor(other.height / scale); y++) {
      for (let x = 0; x < width; x++) this.blend(left + x, top + y, other.average(x * scale, y * scale, scale), 1)
    }
  }

  /** Draws a line of text; `y` is its baseline. Returns its width. */
  text(
    words: string,
    x: number,
    y: number,
    size: number,
    paint: Colour,
    weight: 'regular' | 'bold' = 'regular',
    opacity = 1
  ): number {
    const font = fontOf(weight)
    const scale = size / font.unitsPerEm
    let at = x
    const outlines: Point[][] = []
    const { glyphs, positions } = font.layout(words)
    for (const [index, glyph] of glyphs.entries()) {
      const place = at
      outlines.push(...flattenOutlines(glyph.path.commands, (gx, gy) => [place + gx * scale, y - gy * scale]))
      at += (positions[index]?.xAdvance ?? 0) * scale
    }
    this.fill(outlines, paint, opacity)
    return at - x
  }

  private blend(x: number, y: number, [red, green, blue]: Colour, share: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return
    const at = (y * this.width + x) * 3
    const { pixels } = this
    pixels[at] = (pixels[at] ?? 0) * (1 - share) + red * share
    pixels[at + 1] = (pixels[at + 1] ?? 0) * (1 - share) + green * share
    pixels[at + 2] = (pixels[at + 2] ?? 0) * (1 - share) + blue * share
  }

  private average(left: number, top: number, size: number): Colour {
    const sum = [0, 0, 0]
    let count = 0
    for (let y = Math.floor(top); y < Math.min(this.height, Math.ceil(top + size)); y++) {
      for (let x = Math.floor(left); x < Math.min(this.width, Math.ceil(left + size)); x++) {
        const at = (y * this.width + x) * 3
        for (let part = 0; part < 3; part++) sum[part] = (sum[part] ?? 0) + (this.pixels[at + part] ?? 0)
        count++
      }
    }
    return [(sum[0] ?? 0) / count, (sum[1] ?? 0) / count, (sum[2] ?? 0) / count]
  }
}

interface Edge {
  top: number
  bottom: number
  x: number
  slope: number
}

function edgesOf(outline: readonly Point[]): Edge[] {
  return outline.flatMap(([x1, y1], index) => {
    const [x2, y2] = outline[(index + 1) % outline.length] ?? [x1, y1]
    if (y1 === y2) return []
    const [top, bottom, x] = y1 < y2 ? [y1, y2, x1] : [y2, y1, x2]
    return [{ top, bottom, x, slope: (x2 - x1) / (y2 - y1) }]
  })
}

/** Adds this row's horizontal coverage to each pixel. */
function coverRow(edges: readonly Edge[], y: number, covered: Float32Array): void {
  const crossings: number[] = []
  for (const { top, bottom, x, slope } of edges) if (y >= top && y < bottom) crossings.push(x + (y - top) * slope)
  crossings.sort((one, other) => one - other)
  for (let index = 0; index + 1 < crossings.length; index += 2) {
    const from = Math.max(0, crossings[index] ?? 0)
    const to = Math.min(covered.length, crossings[index + 1] ?? 0)
    for (let x = Math.floor(from); x < to; x++) {
      covered[x] = (covered[x] ?? 0) + Math.min(x + 1, to) - Math.max(x, from)
    }
  }
}

export function ellipse(cx: number, cy: number, rx: number, ry: number): Point[] {
  return Array.from({ length: 56 }, (_none, index) => {
    const turn = (index / 56) * Math.PI * 2
    return [cx + Math.cos(turn) * rx, cy + Math.sin(turn) * ry]
  })
}

/** Returns a rectangle's outline with rounded corners. */
export function box(left: number, top: number, width: number, height: number, radius = 0): Point[] {
  if (radius === 0)
    return [
      [left, top],
      [left + width, top],
      [left + width, top + height],
      [left, top + height]
    ]
  const corners: [number, number, number][] = [
    [left + width - radius, top + height - radius, 0],
    [left + radius, top + height - radius, 1],
    [left + radius, top + radius, 2],
    [left + width - radius, top + radius, 3]
  ]
  return corners.flatMap(([cx, cy, quarter]) =>
    Array.from({ length: 9 }, (_none, step): Point => {
      const turn = ((quarter + step / 8) * Math.PI) / 2
      return [cx + Math.cos(turn) * radius, cy + Math.sin(turn) * radius]
    })
  )
}

/** Parses points in SVG notation: `160,296 214,306`. */
function pointsOf(text: string): Point[] {
  return text.split(/\s+/).map((pair): Point => {
    const [x, y] = pair.split(',').map(Number)
    return [x ?? Number.NaN, y ?? Number.NaN]
  })
}

/** Parses a CSS colour: `#f5d6be`. */
export function parseColour(hex: string): Colour {
  const part = (from: number) => Number.parseInt(hex.slice(from, from + 2), 16)
  return [part(1), part(3), part(5)]
}

/** Returns a smooth closed outline (Catmull-Rom) through points in SVG notation: faces, hair, shoulders. */
export function smoothOutline(through: string): Point[] {
  const points = pointsOf(through)
  const at = (index: number): Point => points[(index + points.length) % points.length] ?? [0, 0]
  return points.flatMap((_point, index) => {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)]
    return Array.from({ length: 12 }, (_none, step): Point => {
      const t = step / 12
      return [spline(a[0], b[0], c[0], d[0], t), spline(a[1], b[1], c[1], d[1], t)]
    })
  })
}

/** Returns an open line of a given width through points: brows, mouths, waves on a card's background. */
export function strokeOutline(through: string | readonly Point[], width: number): Point[] {
  const points = typeof through === 'string' ? pointsOf(through) : through
  const side = (direction: 1 | -1) =>
    points.map(([x, y], index): Point => {
      const [px, py] = points[index - 1] ?? [x, y]
      const [nx, ny] = points[index + 1] ?? [x, y]
      const length = Math.hypot(nx - px, ny - py) || 1
      return [x - (((ny - py) / length) * width * direction) / 2, y + (((nx - px) / length) * width * direction) / 2]
    })
  return [...side(1), ...side(-1).reverse()]
}

function spline(a: number, b: number, c: number, d: number, t: number): number {
  return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t)
}

export function mixColours(one: Colour, other: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2) => one[index] + (other[index] - one[index]) * share
  return [part(0), part(1), part(2)]
}

/** Returns a vertical gradient from one colour at the top to another at the bottom. */
export function gradient(from: Colour, to: Colour, top: number, bottom: number): Paint {
  return (_x, y) => mixColours(from, to, Math.min(1, Math.max(0, (y - top) / (bottom - top))))
}

const fonts = new Map<string, Font>()

function fontOf(weight: 'regular' | 'bold'): Font {
  const known = fonts.get(weight)
  if (known) return known
  const font = create(resource(weight === 'bold' ? 'public-sans-semibold.ttf' : 'public-sans-regular.ttf'))
  fonts.set(weight, font)
  return font
}

function flattenOutlines(commands: Font.Command[], place: (x: number, y: number) => Point): Point[][] {
  const outlines: Point[][] = []
  let current: Point[] = []
  let [x, y] = [0, 0]
  for (const { command, args } of commands) {
    const [a = 0, b = 0, c = 0, d = 0] = args
    if (command === 'moveTo') {
      current = []
      outlines.push(current)
    }
    if (command === 'moveTo' || command === 'lineTo') {
      current.push(place(a, b))
      ;[x, y] = [a, b]
    }
    if (command === 'quadraticCurveTo') {
      for (let step = 1; step <= 5; step++) {
        const t = step / 5
        const u = 1 - t
        current.push(place(u * u * x + 2 * u * t * a + t * t * c, u * u * y + 2 * u * t * b + t * t * d))
      }
      ;[x, y] = [c, d]
    }
  }
  return outlines
}

const deflateAsync = promisify(deflate)

/** Encodes a drawing as PNG (RGB, 8 bits), with plain compression. */
export async function png(drawing: Drawing): Promise<Buffer<ArrayBuffer>> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(drawing.width, 0)
  header.writeUInt32BE(drawing.height, 4)
  // 8 bits per channel, three channels, not interlaced.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const data = await deflateAsync(filterRows(drawing))
  return Buffer.concat([signature, ...chunk('IHDR', header), ...chunk('IDAT', data), ...chunk('IEND', Buffer.alloc(0))])
}

/** Encodes each row as its difference from the one above, which compresses smooth pictures far better. */
function filterRows({ width, height, pixels }: Drawing): Uint8Array {
  const row = width * 3
  const out = new Uint8Array((row + 1) * height)
  for (let y = 0; y < height; y++) {
    out[y * (row + 1)] = 2
    for (let x = 0; x < row; x++) {
      const above = y === 0 ? 0 : (pixels[(y - 1) * row + x] ?? 0)
      out[y * (row + 1) + 1 + x] = (pixels[y * row + x] ?? 0) - above
    }
  }
  return out
}

function chunk(type: string, data: Buffer): Buffer[] {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(content))
  return [length, content, sum]
}
