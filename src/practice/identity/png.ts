/** Writes a drawing as a PNG (RGB, 8 bits), as small as plain compression makes it. */
import type { Drawing } from './drawing.ts'

export async function png(drawing: Drawing): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = drawing
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  // 8 bits a channel, three channels, nothing interlaced.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  const data = await deflated(filtered(drawing))
  return joined([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', new Uint8Array(0))])
}

/** Each row as its difference from the one above: smooth pictures then compress far better. */
function filtered({ width, height, pixels }: Drawing): Uint8Array<ArrayBuffer> {
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

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(data.length + 12)
  const view = new DataView(out.buffer)
  view.setUint32(0, data.length)
  out.set(new TextEncoder().encode(type), 4)
  out.set(data, 8)
  view.setUint32(data.length + 8, checksum(out.subarray(4, data.length + 8)))
  return out
}

const TABLE = Uint32Array.from({ length: 256 }, (_none, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Bytes as base64 text. */
export function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
