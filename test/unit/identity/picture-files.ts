/** Picture files built byte by byte, so that a test knows what is in them. Their pixels are never decoded. */

const bytes = (...parts: (number[] | Uint8Array | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

const be16 = (value: number) => [(value >>> 8) & 255, value & 255]
const be32 = (value: number) => [...be16(value >>> 16), ...be16(value & 0xffff)]
const le16 = (value: number) => be16(value).reverse()
const le24 = (value: number) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255]
const le32 = (value: number) => be32(value).reverse()

const pngChunk = (name: string, data: number[] = []) => bytes(be32(data.length), name, data, [0, 0, 0, 0])
const header = (width: number, height: number) => pngChunk('IHDR', [...be32(width), ...be32(height), 8, 2, 0, 0, 0])

export function pngFile(width: number, height: number, between: Buffer[] = []): Buffer {
  return bytes('\x89PNG\r\n\x1a\n', header(width, height), ...between, pngChunk('IDAT', [1, 2, 3]), pngChunk('IEND'))
}
export const pngParts = { chunk: pngChunk, header }

const segment = (marker: number, data: number[]) => bytes([0xff, marker], be16(data.length + 2), data)
const frame = (width: number, height: number, marker = 0xc0) =>
  segment(marker, [8, ...be16(height), ...be16(width), 1, 1, 0x11, 0])
const scan = bytes(segment(0xda, [1, 1, 0, 0, 63, 0]), [0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56])

/** @param between segments after the frame */
export function jpegFile(width: number, height: number, between: Buffer[] = []): Buffer {
  return bytes([0xff, 0xd8], segment(0xe0, [1, 2]), frame(width, height), ...between, scan, [0xff, 0xd9])
}
export const jpegParts = { segment, frame, scan }

const riff = (...chunks: Buffer[]) => {
  const body = bytes('WEBP', ...chunks)
  return bytes('RIFF', le32(body.length), body)
}
const webpChunk = (name: string, data: number[]) => bytes(name, le32(data.length), data, data.length % 2 ? [0] : [])
const lossy = (width: number, height: number) =>
  webpChunk('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...le16(width), ...le16(height), 7])
const lossless = (width: number, height: number) =>
  webpChunk('VP8L', [0x2f, ...le32(((width - 1) | ((height - 1) << 14)) >>> 0)])
const canvas = (width: number, height: number, flags = 0) =>
  webpChunk('VP8X', [flags, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)])
export const webpParts = { riff, chunk: webpChunk, lossy, lossless, canvas }
